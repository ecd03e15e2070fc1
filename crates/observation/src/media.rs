//! The state of the media of a network, reconstructed from their events: exchanges, the causes of their failures, and
//! idle times.
//!
//! An *exchange* is the sequence after one medium access of a station: RTS, data, fragments, their responses, and the
//! timeout of a missing response. It also includes the time before the station may access the medium again: DIFS, or
//! EIFS after a response that could not be decoded, and the slots of the back-off that it then draws [802.11-2007
//! s9.2.5.2]. So n exchanges without failure take n (DIFS + mean back-off + data + SIFS + acknowledgment) of a
//! station's time, whether it has more to send or not.
//!
//! A medium is *idle* when no exchange is in progress, the interframe space and the slots after the last one are over,
//! and no station has a packet of a flow to send in it.
//!
//! Deviations: back-offs of several stations overlap, and one that is frozen during others' transmissions lasts longer;
//! here each is counted without interruption, from the end of its exchange. All stations of a medium are assumed to be
//! in range: it is not idle while any of them transmits. At a node with other kinds of links, a packet counts as
//! waiting in a medium from the first frame to its destination on: before, its next link is not known.

use std::collections::{BTreeMap, BTreeSet};

use engine::{IdVec, Span, Time};
use path::mac::dcf::{FrameKind, Phy};
use path::{HopId, HopIndex, LinkDirection, MediumEvent, MediumId, MediumStationId, Reception};
use sim::{FlowId, Network, NodeId};
use wire::Packet;

use crate::sense_matrix::SenseMatrix;

/// The cause of a failed attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptFailure {
    /// The channel.
    Air,
    /// Other frames that started at the same moment. Also an RTS without CTS because the receiver's NAV is set, or
    /// because the receiver takes part in another exchange.
    Collision,
    /// Frames of stations that do not sense each other, because none started at the same moment.
    Hidden,
}

/// A packet in an exchange.
pub struct CarriedPacket {
    /// Flow of the packet, if that flow is not over.
    pub flow: Option<FlowId>,
    /// The packet.
    pub packet: Packet,
    number: u64,
    /// The number of transmissions, including this one.
    pub attempt: u32,
    /// Whether the channel damaged the frame.
    pub damaged: bool,
}

/// A completed exchange.
pub struct ObservedExchange {
    /// The medium.
    pub medium: MediumId,
    /// The hop of the exchange's packets; `None` for beacons.
    pub hop: Option<HopId>,
    /// Packets of the exchange.
    pub carried: Vec<CarriedPacket>,
    /// From the start of its first frame to the end of its last one.
    pub began: Time,
    /// Start of the exchange's first frame after the last acknowledged fragment.
    pub tried: Time,
    /// End of the exchange's last frame, or of the timeout of a missing response.
    pub silent: Time,
    /// Time at which the station may access the medium again, unless another station does so before.
    pub free: Time,
    /// The frame that carried the packets: start and duration.
    pub data: Option<(Time, Span)>,
    /// Cause of the exchange's failure; `None` if it succeeded.
    pub spoilt: Option<AttemptFailure>,
    /// The nodes that sensed the exchange, each with the time from which on it did; `None` if all nodes sensed it from
    /// its start.
    pub heard_by: Option<BTreeMap<NodeId, Time>>,
}

/// An exchange in progress.
struct OpenExchange {
    to: MediumStationId,
    /// Number of the packet for which the exchange is.
    number: u64,
    hop: Option<HopId>,
    carried: Vec<CarriedPacket>,
    began: Time,
    tried: Time,
    data: Option<(Time, Span)>,
    /// The nodes that have sensed a frame of the exchange, each with the time since which it has; unused if all nodes
    /// sense it.
    heard_by: BTreeMap<NodeId, Time>,
    last: Option<LastFrame>,
}

/// The last frame of an exchange, with its arrival time, and whether it was damaged.
struct LastFrame {
    at: Time,
    kind: FrameKind,
    reception: Reception,
    /// Whether another frame started at the same moment.
    met: bool,
}

/// A frame in transmission.
struct FlyingFrame {
    from: MediumStationId,
    to: MediumStationId,
    kind: FrameKind,
    start: Time,
    met: bool,
}

/// An RTS that failed before the first transmission of its packet.
struct UnassignedRts {
    station: MediumStationId,
    to: MediumStationId,
    number: u64,
    exchange: ObservedExchange,
}

/// One medium.
struct ObservedMedium {
    phy: Phy,
    /// Nodes of the stations.
    stations: IdVec<MediumStationId, NodeId>,
    hearing: SenseMatrix,
    open: IdVec<MediumStationId, Option<OpenExchange>>,
    flying: Vec<FlyingFrame>,
    requests: Vec<UnassignedRts>,
    /// Number of exchanges in progress.
    busy: u32,
    /// Number of waiting packets.
    waiting: u32,
    /// End of the slots after all exchanges.
    free: Time,
    /// The idle time until `seen`.
    idle: Span,
    seen: Time,
    /// Flows that have had packets in the medium so far.
    flows: BTreeSet<FlowId>,
}

/// Finds for each node the medium to which all its links belong, if there is one.
pub(crate) fn find_homes(network: &Network) -> Vec<Option<MediumId>> {
    let home = |node: usize| {
        let mut media = network.links.iter().filter(|link| link.between.contains(&node)).map(|link| link.medium);
        let first = media.next().flatten()?;
        media.all(|medium| medium == Some(first)).then_some(MediumId::from_index(first))
    };
    (0..network.nodes.len()).map(home).collect()
}

/// All media of a network.
#[derive(Default)]
pub struct Media {
    cells: IdVec<MediumId, ObservedMedium>,
    /// By hop: medium, sender and receiver.
    hops: IdVec<HopIndex, Option<(MediumId, MediumStationId, MediumStationId)>>,
    /// By flow, then by medium: the number of packets that wait in the medium.
    waits: IdVec<FlowId, Vec<u32>>,
}

impl OpenExchange {
    fn new(at: Time, to: MediumStationId) -> Self {
        OpenExchange {
            to,
            number: 0,
            hop: None,
            carried: Vec::new(),
            began: at,
            tried: at,
            data: None,
            heard_by: BTreeMap::new(),
            last: None,
        }
    }
}

impl ObservedMedium {
    /// Adds the idle time until now.
    fn advance_to(&mut self, at: Time) {
        if self.busy == 0 && self.waiting == 0 {
            let from = self.seen.max(self.free);
            self.idle = self.idle + at.since(from.min(at));
        }
        self.seen = at;
    }

    /// Returns the exchange of a station, which starts now if there is none.
    fn find_exchange(&mut self, at: Time, station: MediumStationId, to: MediumStationId) -> &mut OpenExchange {
        if self.open[station].is_none() {
            self.advance_to(at);
            self.busy += 1;
        }
        self.open[station].get_or_insert_with(|| OpenExchange::new(at, to))
    }

    /// Records the reception of a station's frame, in the exchange of `owner` from `start` on, by the stations that
    /// sense it.
    fn record_reception(&mut self, owner: MediumStationId, from: MediumStationId, start: Time) {
        let (Some(audience), Some(open)) = (self.hearing.audience(from), &mut self.open[owner]) else {
            return;
        };
        for (node, _) in self.stations.iter().zip(audience).filter(|(_, senses)| **senses) {
            open.heard_by.entry(*node).or_insert(start);
        }
    }

    /// Handles a back-off that a station draws, which ends the station's last exchange.
    fn end_exchange(
        &mut self,
        at: Time,
        medium: MediumId,
        station: MediumStationId,
        slots: u32,
    ) -> Option<ObservedExchange> {
        let open = self.open[station].take()?;
        self.advance_to(at);
        self.busy -= 1;
        let Phy { slot, difs, eifs, answer_timeout, .. } = self.phy;
        let OpenExchange { to, number, hop, carried, began, tried, data, heard_by, last } = open;
        let silent = last.as_ref().map_or(at, |last| last.at);
        let answer = last.as_ref().is_some_and(|last| last.kind.is_answer());
        let beacon = last.as_ref().is_some_and(|last| last.kind == FrameKind::Beacon);
        let spoilt = last.and_then(|last| match last.reception {
            Reception::Collided => Some(if last.met { AttemptFailure::Collision } else { AttemptFailure::Hidden }),
            Reception::Corrupted | Reception::Unheard => Some(AttemptFailure::Air),
            Reception::Received => {
                let answered = last.kind.is_answer() || last.kind == FrameKind::Beacon;
                (!answered).then_some(AttemptFailure::Collision)
            }
        });
        // Slots count from the end of the acknowledgment timeout, but at the earliest DIFS after the station's own
        // frame. After a response that the station sensed and could not decode they count from EIFS, and after
        // everything else from DIFS [802.11-2007 s9.2.5.2].
        let counts = match (spoilt, answer) {
            (None, _) => at + difs,
            (Some(_), true) if self.hearing.senses(station, to) => at + eifs,
            (Some(_), true) => at,
            (Some(_), false) => {
                at.max(Time::from_nanos(at.as_nanos().saturating_sub(answer_timeout.as_nanos())) + difs)
            }
        };
        let free = counts + slot.times(u64::from(slots));
        self.free = self.free.max(free);
        let heard_by = self.hearing.audience(station).map(|_| heard_by);
        let request = hop.is_none() && spoilt.is_some() && !beacon;
        let exchange = ObservedExchange { medium, hop, carried, began, tried, silent, free, data, spoilt, heard_by };
        if request {
            // The flow of the RTS follows from the event of the packet's first frame, or of the packet given up.
            self.requests.push(UnassignedRts { station, to, number, exchange });
            return None;
        }
        Some(exchange)
    }
}

impl Media {
    /// The media of a network.
    pub(crate) fn of(network: &Network) -> Self {
        let cell = |(number, spec): (usize, &sim::network::MediumSpec)| {
            let stations: IdVec<_, NodeId> = network.stations(number).into_iter().map(NodeId::from_index).collect();
            ObservedMedium {
                phy: Phy::new(&spec.config),
                hearing: SenseMatrix::of(network, number, stations.len()),
                open: stations.iter().map(|_| None).collect(),
                stations,
                flying: Vec::new(),
                requests: Vec::new(),
                busy: 0,
                waiting: 0,
                free: Time::ZERO,
                idle: Span::ZERO,
                seen: Time::ZERO,
                flows: BTreeSet::new(),
            }
        };
        let cells: IdVec<MediumId, ObservedMedium> = network.media.iter().enumerate().map(cell).collect();
        let hops = network.links.iter().flat_map(|link| {
            [LinkDirection::Forward, LinkDirection::Backward].map(|direction| {
                let medium = MediumId::from_index(link.medium?);
                let station = |node: usize| cells[medium].stations.enumerate().find(|(_, at)| at.index() == node);
                let [from, to] =
                    [direction.index(), direction.opposite().index()].map(|end| station(link.between[end]));
                Some((medium, from?.0, to?.0))
            })
        });
        let (hops, waits) = (hops.collect(), vec![vec![0; cells.len()]; network.flows.len()].into());
        Media { cells, hops, waits }
    }

    /// The medium of a hop, with the hop's sender and receiver as stations of the medium.
    fn hop(&self, id: HopId) -> Option<(MediumId, MediumStationId, MediumStationId)> {
        self.hops.get(id.into()).copied().flatten()
    }

    /// Handles an event of a medium. Returns the exchange that it completes.
    pub(crate) fn observe(&mut self, at: Time, medium: MediumId, event: &MediumEvent) -> Option<ObservedExchange> {
        let cell = self.cells.get_mut(medium)?;
        match *event {
            MediumEvent::Sent { from, to, ref frame, .. } => {
                let mut met = false;
                for other in &mut cell.flying {
                    let apart = frame.start.max(other.start).since(frame.start.min(other.start));
                    if apart <= cell.phy.delay {
                        met |= cell.hearing.senses(to, other.from);
                        other.met |= cell.hearing.senses(other.to, from);
                    }
                }
                cell.flying.push(FlyingFrame { from, to, kind: frame.kind, start: frame.start, met });
                if !frame.kind.is_answer() {
                    let open = cell.find_exchange(at, from, to);
                    open.number = frame.packets.first();
                    if frame.kind.carries_packets() {
                        open.data = Some((frame.start, frame.duration));
                        if open.last.as_ref().is_some_and(|last| last.kind == FrameKind::Ack) {
                            open.tried = frame.start;
                        }
                    }
                }
                cell.record_reception(if frame.kind.is_answer() { to } else { from }, from, frame.start);
                None
            }
            MediumEvent::Ended { from, to, kind, reception, .. } => {
                let place = cell.flying.iter().position(|flying| flying.from == from && flying.kind == kind);
                let met = place.is_some_and(|place| cell.flying.swap_remove(place).met);
                let owner = if kind.is_answer() { to } else { from };
                if let Some(open) = &mut cell.open[owner] {
                    open.last = Some(LastFrame { at, kind, reception, met });
                }
                None
            }
            MediumEvent::BackOff { station, slots, .. } => cell.end_exchange(at, medium, station, slots),
            MediumEvent::Reaches { a, b, reach } => {
                cell.hearing.set_reach(a, b, reach);
                None
            }
        }
    }

    /// Records a packet in a frame in transmission. Returns the failed RTS frames before the packet's first frame.
    pub(crate) fn add_packet(
        &mut self,
        at: Time,
        id: HopId,
        number: u64,
        attempt: u32,
        packet: &Packet,
        flow: Option<FlowId>,
    ) -> Vec<ObservedExchange> {
        let Some((medium, from, to)) = self.hop(id) else { return Vec::new() };
        let cell = &mut self.cells[medium];
        cell.flows.extend(flow);
        let open = cell.find_exchange(at, from, to);
        open.hop = Some(id);
        // The previous and next fragments belong to the same packet.
        if !open.carried.iter().any(|carried| carried.number == number) {
            open.carried.push(CarriedPacket { flow, packet: *packet, number, attempt, damaged: false });
        }
        self.take_requests(id, number, packet, flow)
    }

    /// Records that the channel damages a packet in a frame.
    pub(crate) fn damage_packet(&mut self, id: HopId, number: u64) {
        let Some((medium, from, _)) = self.hop(id) else { return };
        let open = self.cells[medium].open[from].iter_mut();
        for carried in open.flat_map(|open| &mut open.carried).filter(|carried| carried.number == number) {
            carried.damaged = true;
        }
    }

    /// Handles a packet that is given up. Returns the failed RTS frames, if the packet was never transmitted.
    pub(crate) fn give_up_packet(
        &mut self,
        id: HopId,
        number: u64,
        packet: &Packet,
        flow: Option<FlowId>,
    ) -> Vec<ObservedExchange> {
        let Some((medium, from, to)) = self.hop(id) else { return Vec::new() };
        let open = self.cells[medium].open[from].as_mut();
        if let Some(open) = open.filter(|open| open.hop.is_none() && (open.to, open.number) == (to, number)) {
            open.hop = Some(id);
            open.carried.push(CarriedPacket { flow, packet: *packet, number, attempt: 0, damaged: false });
        }
        self.take_requests(id, number, packet, flow)
    }

    /// The failed RTS frames of a packet, which is known now.
    fn take_requests(
        &mut self,
        id: HopId,
        number: u64,
        packet: &Packet,
        flow: Option<FlowId>,
    ) -> Vec<ObservedExchange> {
        let Some((medium, from, to)) = self.hop(id) else { return Vec::new() };
        let is = |request: &mut UnassignedRts| (request.station, request.to, request.number) == (from, to, number);
        let known = self.cells[medium].requests.extract_if(.., is).map(|UnassignedRts { mut exchange, .. }| {
            exchange.hop = Some(id);
            exchange.carried.push(CarriedPacket { flow, packet: *packet, number, attempt: 0, damaged: false });
            exchange
        });
        known.collect()
    }

    /// Updates the number of a flow's packets that wait in each medium.
    pub(crate) fn update_waiting(&mut self, at: Time, flow: FlowId, waiting: impl Fn(MediumId) -> u32) {
        let Some(told) = self.waits.get_mut(flow) else { return };
        for ((medium, cell), told) in self.cells.ids().zip(&mut self.cells).zip(told) {
            let now = waiting(medium);
            let before = std::mem::replace(told, now);
            if now != before {
                cell.flows.insert(flow);
                cell.advance_to(at);
                cell.waiting = cell.waiting - before + now;
            }
        }
    }

    /// Updates the idle time of a medium, and returns it.
    pub(crate) fn update_idle_time(&mut self, at: Time, medium: MediumId) -> Span {
        let cell = &mut self.cells[medium];
        cell.advance_to(at);
        cell.idle
    }

    /// The flows with packets in a medium so far.
    pub fn flows(&self, medium: MediumId) -> Vec<FlowId> {
        self.cells[medium].flows.iter().copied().collect()
    }

    /// Returns the start of the first exchange in progress in a medium for packets of a flow.
    pub fn since(&self, medium: MediumId, flow: FlowId) -> Option<Time> {
        let open = self.cells[medium].open.iter().flatten();
        let own = open.filter(|open| open.carried.iter().any(|carried| carried.flow == Some(flow)));
        own.map(|open| open.began).min()
    }

    /// A lower bound of the start times of exchanges that are not reported yet.
    pub fn unsettled_since(&self) -> Option<Time> {
        let open = self.cells.iter().flat_map(|cell| cell.open.iter().flatten()).map(|open| open.began);
        let requests = self.cells.iter().flat_map(|cell| &cell.requests).map(|request| request.exchange.began);
        open.chain(requests).min()
    }
}
