//! A shared medium: the stations of one 802.11 channel in one object, which determines audibility and interference
//! between them. The stations follow the distributed coordination function ([`crate::mac::dcf`]) [802.11-2007 s9.2]:
//!
//! * [`carrier_sense_group`](self) counts idle slots for stations with equal audibility, without an event per slot;
//! * [`exchange`](self) handles a packet from a station's turn to its acknowledgment, or to the back-off after a
//!   failure;
//! * [`aggregate`](self) handles exchanges with several packets per frame;
//! * [`air`](self) holds the frames in transmission and determines collisions;
//! * [`places`] holds the positions of stations, if the medium has a range, and predicts when they come into range or
//!   leave it;
//! * [`beacon`](self) transmits the beacons of base stations.
//!
//! Each station has one timer. Model, equations and limits: docs/models/dcf.md; for positions docs/models/mobility.md.

mod aggregate;
mod air;
mod audibility;
mod beacon;
mod carrier_sense_group;
mod counting;
mod exchange;
mod phase;
pub mod places;
mod reorder;
mod station;
mod stats;
mod tx_queue;

use std::collections::VecDeque;

use engine::{IdVec, Rate, Slot, Stream, Time};
use wire::Packet;

use crate::channel::Channel;
use crate::context::{Cx, Observer};
use crate::event::MediumEvent;
use crate::hop_state::HopState;
use crate::ids::{HopId, LinkId, MediumId, MediumStationId};
use crate::link::HopCounters;
use crate::mac::dcf::config::{AggregateLimits, Retries};
use crate::mac::dcf::rate::{Rates, USUAL_FRAME};
use crate::mac::dcf::{Config, FrameKind, Phy};
use crate::outcome::LinkOutcome;
use crate::queue::backlog::Offer;
use crate::queue::{QueueConfig, RouterBuffer};
use crate::scheduler::SchedulerState;
use crate::scheduler::{Joined, SchedulerConfig};
use air::Flying;
use audibility::Audibility;
use beacon::Beacons;
use carrier_sense_group::CarrierSenseGroup;
use phase::MediumPhase;
use places::{Places, Plane};
use station::{ExchangeData, Station};
use stats::MediumStats;
pub use stats::{AirCounters, StationCounters};
use tx_queue::TxQueue;

/// The stations of one radio channel, and the frames between them.
pub struct Medium {
    number: MediumId,
    phy: Phy,
    rts_threshold: u32,
    /// Maximum data in a fragment, in bytes; `None` without fragmentation.
    fragment: Option<u32>,
    retries: Retries,
    /// Limits of an aggregate; `None` without aggregation.
    aggregation: Option<AggregateLimits>,
    stations: IdVec<MediumStationId, Station>,
    audibility: Audibility,
    /// Positions of the stations; `None` without a range.
    plane: Option<Plane>,
    groups: IdVec<SenseGroupId, CarrierSenseGroup>,
    flying: Vec<Flying>,
    stats: MediumStats,
    /// Outcomes to be reported to the caller, with their hops.
    outcomes: VecDeque<(HopId, LinkOutcome)>,
}

engine::define_ids! {
    /// The number of a carrier-sense group in its medium.
    pub(crate) struct SenseGroupId;
}

/// A transmit queue in a medium.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QueueId {
    /// Number of its station in the medium.
    pub station: MediumStationId,
    /// Number of the queue at that station.
    pub queue: u32,
}

impl QueueId {
    /// Index of the queue at its station.
    fn index(self) -> usize {
        self.queue as usize
    }
}

/// Configuration of a transmit queue toward a neighbour.
#[derive(Clone, Debug)]
pub struct TxQueueSpec {
    /// Hop over which the queue sends.
    pub hop: HopId,
    /// Number of the neighbour's station in the medium.
    pub to: MediumStationId,
    /// Queue discipline.
    pub queue: QueueConfig,
    /// Random stream of the queue.
    pub stream: Stream,
    /// Data rate; `None` for the rate of the medium.
    pub rate: Option<Rate>,
    /// True if acknowledged packets are reported to the sending node.
    pub reports_deliveries: bool,
}

/// Configuration of a station.
pub struct StationSpec {
    /// Timer slot of the station.
    pub slot: Slot,
    /// Order in which the transmit queues are served.
    pub scheduler: SchedulerConfig,
    /// Transmit queues toward the neighbours.
    pub queues: Vec<TxQueueSpec>,
    /// Random stream of the back-offs and of the rate control.
    pub stream: Stream,
    /// Timer slot of the beacons; `None` for a station without beacons.
    pub beacons: Option<Slot>,
}

impl Medium {
    /// Creates medium number `number` with these stations; `places` is used if the medium has a range.
    pub fn new(number: MediumId, config: &Config, stations: Vec<StationSpec>, places: Option<Places>) -> Self {
        let phy = Phy::new(config);
        let queue = |spec: TxQueueSpec, stream: Stream| {
            let preferred = phy.index(spec.rate.unwrap_or_else(|| config.data_rate()));
            let time = |rate| phy.duration(rate, USUAL_FRAME);
            let stream = stream.sub(&format!("rate control {}", spec.to.number()));
            let rates = Rates {
                rates: (0..phy.rates()).map(|rate| phy.rate(rate)).collect(),
                times: (0..phy.rates()).map(time).collect(),
                preferred,
                stream,
            };
            TxQueue::new(spec, config.rate_control().build(rates))
        };
        let station = |StationSpec { slot, scheduler, queues, stream, beacons }: StationSpec| Station {
            slot,
            phase: MediumPhase::Resting { until: Some(0) },
            queues: queues.into_iter().map(|spec| queue(spec, stream)).collect(),
            scheduler: SchedulerState::new(&scheduler),
            window: phy.cw_min,
            answering: false,
            beacons: Beacons::new(config, beacons, &stream),
            announces: false,
            unread: None,
            contended: false,
            counted: StationCounters::default(),
            draws: stream.draws(),
            data: ExchangeData::default(),
        };
        let stations: IdVec<MediumStationId, Station> = stations.into_iter().map(station).collect();
        let placed = config.ranges().zip(places).map(|(ranges, places)| Plane::new(places, &ranges)).unzip();
        let (plane, audibility): (Option<Plane>, Option<Audibility>) = placed;
        let audibility = audibility.unwrap_or_else(|| Audibility::of_all(stations.len()));
        let size = |bytes: Option<engine::Bytes>| bytes.map(|bytes| u32::try_from(bytes.0).unwrap_or(u32::MAX));
        let fragment = size(config.fragmentation_threshold);
        Medium {
            number,
            rts_threshold: size(config.rts_threshold).unwrap_or(u32::MAX),
            // A fragment has an even number of bytes [802.11-2007 s9.4].
            fragment: fragment.map(|size| size.saturating_sub(crate::mac::dcf::frame::MAC_OVERHEAD).max(2) & !1),
            retries: config.retries(),
            aggregation: config.aggregation.map(|aggregation| aggregation.limits()),
            groups: (0..audibility.groups()).map(|_| CarrierSenseGroup::default()).collect(),
            audibility,
            plane,
            stations,
            flying: Vec::new(),
            stats: MediumStats::default(),
            outcomes: VecDeque::new(),
            phy,
        }
    }

    /// Queues a packet at a transmit queue. An `expedited` packet is queued before all waiting packets. The packet
    /// occupies space in `buffer`. If the queue refuses the packet, this space is freed, and the result is false.
    pub fn on_packet<O: Observer>(
        &mut self,
        id: QueueId,
        packet: Packet,
        expedited: bool,
        buffer: &mut RouterBuffer,
        cx: &mut Cx<'_, O>,
    ) -> bool {
        let (number, queue) = (id.station, id.index());
        let station = &mut self.stations[number];
        let target = &mut station.queues[queue];
        // If there is no other data, the packet becomes the head of line at once. It does not enter the queue, and the
        // limit does not apply.
        let serving = station.scheduler.next().is_some();
        let first = target.is_empty();
        let offer = Offer { at_once: !serving, expedited, ..Offer::default() };
        let accepted = target.backlog.offer(&packet, offer, target.hop, &mut target.counters, cx);
        if !serving {
            target.take_head(cx);
        }
        let dropped = target.backlog.take_dropped();
        buffer.release(dropped.bytes);
        if !accepted {
            buffer.release(packet.size());
            return false;
        }
        station.scheduler.on_join(queue, Joined { first, expedited, serving }, cx.now);
        for _ in 0..dropped.packets {
            station.scheduler.on_drop(queue);
        }
        if let MediumPhase::Resting { .. } = station.phase {
            self.contend(number, cx);
        }
        true
    }

    /// Takes the head-of-line packet of a queue for transmission, unless one is already taken.
    fn take_head<O: Observer>(&mut self, number: MediumStationId, queue: usize, cx: &mut Cx<'_, O>) {
        self.stations[number].queues[queue].take_head(cx);
        self.settle_drops(number, queue);
    }

    /// Reports the packets that the discipline of a station's queue dropped when another was taken.
    fn settle_drops(&mut self, number: MediumStationId, queue: usize) {
        let station = &mut self.stations[number];
        let (hop, dropped) = (station.queues[queue].hop, station.queues[queue].backlog.take_dropped());
        if dropped.packets == 0 {
            return;
        }
        for _ in 0..dropped.packets {
            station.scheduler.on_drop(queue);
        }
        self.outcomes.push_back((hop, LinkOutcome::Freed(dropped.bytes)));
    }

    /// Starts contention of a resting station that has data to send [802.11-2007 s9.2.5.1].
    fn contend<O: Observer>(&mut self, number: MediumStationId, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number];
        let group = &mut self.groups[self.audibility.group[number]];
        let (from, left) = group.end_rest(number, station, cx.now, &self.phy);
        if let Some(left) = left {
            return group.join_apart(number, cx.now, from, left, &self.phy, &mut self.stations, cx.schedule);
        }
        if group.is_free(from, cx.now, &self.phy) {
            return self.attempt(number, cx);
        }
        // If the medium is idle, but for less than DIFS, the station transmits after DIFS. If it is busy, the station
        // backs off.
        let slots = if group.is_idle(number, cx.now) && !station.answering {
            0
        } else {
            draw_back_off(self.number, number, station, cx)
        };
        let group = &mut self.groups[self.audibility.group[number]];
        group.join_apart(number, cx.now, from, slots, &self.phy, &mut self.stations, cx.schedule);
    }

    /// Opens or closes a transmit queue. Frames of a closed queue are transmitted, but their receiver ignores them.
    pub fn set_open(&mut self, id: QueueId, open: bool) {
        self.stations[id.station].queues[id.index()].open = open;
    }

    /// Returns true if the receiver of a station's frame accepts it. Responses are always accepted.
    fn is_open(&self, number: MediumStationId, kind: FrameKind) -> bool {
        let station = &self.stations[number];
        !matches!(kind, FrameKind::Data | FrameKind::Aggregate | FrameKind::Rts)
            || station.queues[station.serving()].open
    }

    /// Removes and returns the oldest outcome with its hop. After each call that may cause outcomes, it must be called
    /// until it returns `None`.
    pub fn outcome(&mut self) -> Option<(HopId, LinkOutcome)> {
        self.outcomes.pop_front()
    }

    /// Returns the packets held by a transmit queue.
    pub fn state(&self, id: QueueId) -> HopState {
        self.stations[id.station].queues[id.index()].state()
    }

    /// Returns the counters of a transmit queue at `now`, including the elapsed part of a frame in transmission.
    pub fn counters(&self, id: QueueId, now: Time) -> HopCounters {
        let (station, queue) = (id.station, id.index());
        let from = &self.stations[station];
        let mut counters = from.queues[queue].counters;
        counters.backlog.end(now);
        if from.scheduler.next() == Some(queue) {
            let own = self.flying.iter().filter(|flying| flying.belongs_to_exchange_of(station));
            counters.busy = own.fold(counters.busy, |busy, flying| busy - flying.remaining_time(now));
        }
        counters
    }
}

/// Draws and counts a back-off of a station, in slots.
fn draw_back_off<O: Observer>(
    medium: MediumId,
    number: MediumStationId,
    station: &mut Station,
    cx: &mut Cx<'_, O>,
) -> u64 {
    let slots = station.back_off();
    station.counted.count_back_off(slots);
    let window = station.window;
    cx.emit_medium(medium, || MediumEvent::BackOff { station: number, slots: slots as u32, window });
    slots
}

/// Returns the fate of a frame in the channel of its hop.
fn query_channel(
    channels: &mut IdVec<LinkId, Box<dyn Channel>>,
    hop: HopId,
    frame: &crate::channel::ChannelFrame,
    rate: Rate,
) -> crate::channel::FrameFate {
    channels[hop.link].fate_at(frame, rate)
}
