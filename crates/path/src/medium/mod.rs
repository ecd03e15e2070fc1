//! A shared medium: the stations of one 802.11 channel, in one object, so that audibility and interference need no
//! pointers between them. They follow the distributed coordination function ([`crate::mac::dcf`]) [802.11-2007 s9.2]:
//!
//! * [`carrier_sense_group`](self) counts idle slots for stations that hear the same others; nothing happens at an idle slot;
//! * [`exchange`](self) takes a packet from a station's turn to its acknowledgment, or to the back-off after a failure;
//! * [`aggregate`](self) does that for several packets in one frame, where a cell has that;
//! * [`air`](self) knows the frames that are in the air, and which of them damage each other;
//! * [`places`] knows where stations are, if the medium has a range, and when they come into range of each other or
//!   leave it;
//! * [`beacon`](self) has base stations announce themselves.
//!
//! Each station has one wake-up. Model, equations and limits: docs/models/dcf.md; of places docs/models/mobility.md.

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

use engine::{Rate, Slot, Stream, Time};
use wire::Packet;

use crate::backlog::Backlog;
use crate::channel::Channel;
use crate::context::{Cx, Observer};
use crate::event::{HopId, MediumEvent};
use crate::hop_state::HopState;
use crate::link::Counters;
use crate::mac::dcf::config::{AggregateLimits, Retries};
use crate::mac::dcf::rate::{Rates, USUAL_FRAME};
use crate::mac::dcf::{Config, FrameKind, Phy};
use crate::queue::Limit;
use crate::station::Outcome;
use crate::station::scheduler::Scheduler;
use crate::station::scheduler_state::SchedulerState;
use air::Flying;
use audibility::Audibility;
use beacon::Beacons;
use carrier_sense_group::CarrierSenseGroup;
use phase::Phase;
use places::{Places, Plane};
use station::{Data, Station};
use stats::MediumStats;
pub use stats::{AirCounters, StationCounters};
use tx_queue::TxQueue;

/// The stations of one channel, and the frames between them.
pub struct Medium {
    number: u32,
    phy: Phy,
    rts_threshold: u32,
    /// Data that fits one fragment, if packets are cut at all.
    fragment: Option<u32>,
    retries: Retries,
    /// How much goes in one frame, if packets are put together at all.
    aggregation: Option<AggregateLimits>,
    stations: Vec<Station>,
    hearing: Audibility,
    /// Where the stations are, if that matters.
    plane: Option<Plane>,
    zones: Vec<CarrierSenseGroup>,
    flying: Vec<Flying>,
    tally: MediumStats,
    /// Outcomes for the world outside the medium, and their hops.
    outcomes: VecDeque<(HopId, Outcome)>,
}

/// A queue toward a neighbour, as it is to be made.
#[derive(Clone, Debug)]
pub struct LaneSpec {
    /// The hop it sends over.
    pub hop: HopId,
    /// The neighbour's number in the medium.
    pub to: u32,
    /// The queue limit.
    pub limit: Limit,
    /// Beyond this a packet that says it understands marks is marked.
    pub threshold: Limit,
    /// The rate of data, where it is not the medium's.
    pub rate: Option<Rate>,
}

/// A station, as it is to be made.
pub struct StationSpec {
    /// Its wake-up.
    pub slot: Slot,
    /// The order in which it serves its neighbours.
    pub scheduler: Scheduler,
    /// Its neighbours.
    pub lanes: Vec<LaneSpec>,
    /// Random stream of its back-offs.
    pub stream: Stream,
    /// The wake-up for its beacons, if it sends any.
    pub beacons: Option<Slot>,
}

impl Medium {
    /// Medium number `number` of the world, with these stations, at these places if it has a range.
    pub fn new(number: u32, config: &Config, stations: Vec<StationSpec>, places: Option<Places>) -> Self {
        let phy = Phy::new(config);
        let lane = |spec: LaneSpec, stream: Stream| {
            let preferred = phy.index(spec.rate.unwrap_or_else(|| config.data_rate()));
            let time = |rate| phy.duration(rate, USUAL_FRAME);
            let stream = stream.sub(&format!("rate control {}", spec.to));
            let rates = Rates {
                rates: (0..phy.rates()).map(|rate| phy.rate(rate)).collect(),
                times: (0..phy.rates()).map(time).collect(),
                preferred,
                stream,
            };
            let mut backlog = Backlog::new(spec.limit);
            backlog.threshold = spec.threshold;
            TxQueue::new(spec.hop, spec.to, backlog, config.rate_control().build(rates))
        };
        let station = |StationSpec { slot, scheduler, lanes, stream, beacons }: StationSpec| Station {
            slot,
            phase: Phase::Resting { until: Some(0) },
            lanes: lanes.into_iter().map(|spec| lane(spec, stream)).collect(),
            turns: SchedulerState::new(scheduler),
            window: phy.cw_min,
            answering: false,
            beacons: Beacons::new(config, beacons, &stream),
            announces: false,
            unread: None,
            contended: false,
            counted: StationCounters::default(),
            draws: stream.draws(),
            data: Data::default(),
        };
        let stations: Vec<Station> = stations.into_iter().map(station).collect();
        let placed = config.ranges().zip(places).map(|(ranges, places)| Plane::new(places, &ranges)).unzip();
        let (plane, hearing): (Option<Plane>, Option<Audibility>) = placed;
        let hearing = hearing.unwrap_or_else(|| Audibility::of_all(stations.len()));
        let size = |bytes: Option<engine::Bytes>| bytes.map(|bytes| u32::try_from(bytes.0).unwrap_or(u32::MAX));
        let fragment = size(config.fragmentation_threshold);
        Medium {
            number,
            rts_threshold: size(config.rts_threshold).unwrap_or(u32::MAX),
            // An even number of bytes [802.11-2007 s9.4].
            fragment: fragment.map(|size| size.saturating_sub(crate::mac::dcf::frame::MAC_OVERHEAD).max(2) & !1),
            retries: config.retries(),
            aggregation: config.aggregation.map(|aggregation| aggregation.limits()),
            zones: (0..hearing.zones).map(|_| CarrierSenseGroup::default()).collect(),
            hearing,
            plane,
            stations,
            flying: Vec::new(),
            tally: MediumStats::default(),
            outcomes: VecDeque::new(),
            phy,
        }
    }

    /// Takes a packet for a lane of a station, before all that wait there if `expedited`. Whether it found room.
    pub fn on_packet<O: Observer>(
        &mut self,
        number: u32,
        lane: usize,
        mut packet: Packet,
        expedited: bool,
        cx: &mut Cx<'_, O>,
    ) -> bool {
        let station = &mut self.stations[number as usize];
        let target = &mut station.lanes[lane];
        // A station with nothing to send, but perhaps a beacon, takes the packet in hand: it does not wait in the
        // queue, so no limit is met.
        let serving = station.turns.next().is_some();
        if serving && !target.backlog.admits(&mut packet, (0, 0), target.hop, &mut target.counters, cx) {
            return false;
        }
        let first = target.is_empty();
        target.push(packet, expedited);
        if !serving {
            target.take_head();
        }
        station.turns.joined(lane, first, expedited, serving, cx.now);
        if let Phase::Resting { .. } = station.phase {
            self.contend(number, cx);
        }
        true
    }

    /// A station that rested has something to send [802.11-2007 s9.2.5.1].
    fn contend<O: Observer>(&mut self, number: u32, cx: &mut Cx<'_, O>) {
        let station = &mut self.stations[number as usize];
        let zone = &mut self.zones[self.hearing.zone[number as usize] as usize];
        let (from, left) = zone.rises(number, station, cx.now, &self.phy);
        if let Some(left) = left {
            return zone.join_apart(number, cx.now, from, left, &self.phy, &mut self.stations, cx.schedule);
        }
        if zone.is_free(from, cx.now, &self.phy) {
            return self.attempt(number, cx);
        }
        // Idle, though not for long enough yet: it sends when it has been. Busy: it backs off.
        let slots = match zone.is_idle(number, cx.now) && !station.answering {
            true => 0,
            false => draw(self.number, number, station, cx),
        };
        let zone = &mut self.zones[self.hearing.zone[number as usize] as usize];
        zone.join_apart(number, cx.now, from, slots, &self.phy, &mut self.stations, cx.schedule);
    }

    /// Opens the lane of a station, or closes it: frames of a closed one are in the air, and their receiver does not
    /// listen.
    pub fn set_open(&mut self, station: u32, lane: usize, open: bool) {
        self.stations[station as usize].lanes[lane].open = open;
    }

    /// Whether the receiver of a station's frame listens to it. An answer is awaited.
    fn is_open(&self, number: u32, kind: FrameKind) -> bool {
        let station = &self.stations[number as usize];
        !matches!(kind, FrameKind::Data | FrameKind::Aggregate | FrameKind::Rts)
            || station.lanes[station.serving()].open
    }

    /// The outcomes for the world outside the medium, oldest first, and their hops. To be called until there is
    /// nothing more after each call that may bring something about.
    pub fn outcome(&mut self) -> Option<(HopId, Outcome)> {
        self.outcomes.pop_front()
    }

    /// The packets that a lane of a station holds.
    pub fn state(&self, station: u32, lane: usize) -> HopState {
        self.stations[station as usize].lanes[lane].state()
    }

    /// The counters of a lane of a station at `now`: of a frame that is being sent, the part that has been.
    pub fn counters(&self, station: u32, lane: usize, now: Time) -> Counters {
        let from = &self.stations[station as usize];
        let mut counters = from.lanes[lane].counters;
        if from.turns.next() == Some(lane) {
            let own = self.flying.iter().filter(|flying| flying.is_of_lane(station));
            counters.busy = own.fold(counters.busy, |busy, flying| busy - flying.left(now));
        }
        counters
    }
}

/// The back-off that a station draws.
fn draw<O: Observer>(medium: u32, number: u32, station: &mut Station, cx: &mut Cx<'_, O>) -> u64 {
    let slots = station.back_off();
    station.counted.backs_off(slots);
    let window = station.window;
    cx.emit_medium(medium, || MediumEvent::BackOff { station: number, slots: slots as u32, window });
    slots
}

/// Asks the channel for the fate of a frame of a lane.
fn fate(
    channels: &mut [Box<dyn Channel>],
    hop: HopId,
    frame: &crate::channel::Frame,
    rate: Rate,
) -> crate::channel::Fate {
    channels[hop.link as usize].fate_at(frame, rate)
}
