//! Activity in the media of a network, from their events: exchanges, the causes of their failures, and when the
//! medium was idle.
//!
//! An *exchange* is what follows from one turn of a station: request, data, fragments, their answers, the wait for an
//! answer that does not come. With it counts what must pass before the station may have another turn: DIFS, or EIFS
//! behind an answer that could not be read, and the slots of the back-off that it draws then [802.11-2007 s9.2.5.2]. So
//! n exchanges without failure take n (DIFS + mean back-off + data + SIFS + acknowledgment) of a station's time,
//! whether it has more to send or not.
//!
//! A medium is *idle* while no exchange goes on, the silence and the slots behind the last one are over, and no station
//! has a packet of a flow to send in it.
//!
//! Deviations: back-offs of several stations pass at the same time, and one that others freeze lasts longer; here each
//! is counted as if it were not interrupted, from the end of its exchange on. A medium is taken for one room: it is not
//! idle while any station in it uses the air. At a node with links of other kinds, a packet counts as waiting in a
//! medium from the first frame to its destination on: before, which way it takes is not known.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Span, Time};
use path::mac::dcf::{FrameKind, Phy};
use path::{HopId, LinkDirection, MediumEvent, Reception};
use sim::Network;
use wire::Packet;

use super::hearing::Hearing;
use super::hops;

/// The cause of a failed attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// The channel.
    Air,
    /// Other frames that began at the same moment. Also the silence of a receiver of a request that takes the air for
    /// reserved, or goes on with an exchange of its own.
    Collision,
    /// Frames whose senders did not hear each other, because none began at the same moment.
    Hidden,
}

/// A packet in an exchange.
pub(super) struct Carried {
    /// Whose it is, if of a flow that goes on.
    pub flow: Option<u32>,
    pub packet: Packet,
    number: u64,
    /// How often it has been sent, this time included.
    pub attempt: u32,
    /// Whether the air damaged it.
    pub damaged: bool,
}

/// An exchange that is over.
pub(super) struct Exchange {
    pub medium: u32,
    /// The hop of its packets; beacons have none.
    pub hop: Option<HopId>,
    pub carried: Vec<Carried>,
    /// From its first frame to the end of its last one.
    pub began: Time,
    /// Its first frame behind the last fragment that was acknowledged.
    pub tried: Time,
    pub silent: Time,
    /// When the station may have another turn, unless another station has one before.
    pub free: Time,
    /// The frame that carried the packets: when, and for how long.
    pub data: Option<(Time, Span)>,
    pub spoilt: Option<Why>,
    /// The nodes that sensed it, and from when on; `None` when all did from its beginning.
    pub heard_by: Option<BTreeMap<usize, Time>>,
}

/// An exchange that goes on.
struct Open {
    to: u32,
    /// The packet it is about.
    number: u64,
    hop: Option<HopId>,
    carried: Vec<Carried>,
    began: Time,
    tried: Time,
    data: Option<(Time, Span)>,
    /// The nodes that have sensed one of its frames, and since when; where not all do.
    heard_by: BTreeMap<usize, Time>,
    last: Option<Last>,
}

/// The last frame of an exchange: when it had come, and how.
struct Last {
    at: Time,
    kind: FrameKind,
    reception: Reception,
    /// Whether another frame began at the same moment.
    met: bool,
}

/// A frame in the air.
struct Flying {
    from: u32,
    to: u32,
    kind: FrameKind,
    start: Time,
    met: bool,
}

/// A request that failed before the packet it was for was ever sent.
struct Request {
    station: u32,
    to: u32,
    number: u64,
    exchange: Exchange,
}

/// One medium.
struct Cell {
    phy: Phy,
    /// Their nodes.
    stations: Vec<usize>,
    hearing: Hearing,
    /// By station.
    open: Vec<Option<Open>>,
    flying: Vec<Flying>,
    requests: Vec<Request>,
    /// How many exchanges go on, and packets wait.
    busy: u32,
    waiting: u32,
    /// When the slots behind all exchanges are over.
    free: Time,
    /// How long it has been idle until `seen`.
    idle: Span,
    seen: Time,
    /// Flows that have been seen in it.
    flows: BTreeSet<u32>,
}

/// For each node the medium that all its links are part of, if one is.
pub(super) fn homes(network: &Network) -> Vec<Option<u32>> {
    let home = |node: usize| {
        let mut media = network.links.iter().filter(|link| link.between.contains(&node)).map(|link| link.medium);
        let first = media.next().flatten()?;
        media.all(|medium| medium == Some(first)).then_some(first as u32)
    };
    (0..network.nodes.len()).map(home).collect()
}

/// All media of a network.
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// By hop number: medium, sender and receiver.
    hops: Vec<Option<(usize, u32, u32)>>,
    /// By flow and medium: how many packets wait there.
    waits: Vec<Vec<u32>>,
}

impl Open {
    fn new(at: Time, to: u32) -> Self {
        Open {
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

impl Cell {
    /// Counts the time until now.
    fn pass(&mut self, at: Time) {
        if self.busy == 0 && self.waiting == 0 {
            let from = self.seen.max(self.free);
            self.idle = self.idle + at.since(from.min(at));
        }
        self.seen = at;
    }

    /// The exchange of a station, which begins now if there is none.
    fn exchange(&mut self, at: Time, station: u32, to: u32) -> &mut Open {
        if self.open[station as usize].is_none() {
            self.pass(at);
            self.busy += 1;
        }
        self.open[station as usize].get_or_insert_with(|| Open::new(at, to))
    }

    /// The stations that sense a station hear its frame in the exchange of `owner` from `start` on.
    fn heard(&mut self, owner: u32, from: u32, start: Time) {
        let (Some(audience), Some(open)) = (self.hearing.audience(from), &mut self.open[owner as usize]) else {
            return;
        };
        for (node, _) in self.stations.iter().zip(audience).filter(|(_, senses)| **senses) {
            open.heard_by.entry(*node).or_insert(start);
        }
    }

    /// A station draws a back-off: if it had an exchange, that is over.
    fn over(&mut self, at: Time, medium: u32, station: u32, slots: u32) -> Option<Exchange> {
        let open = self.open[station as usize].take()?;
        self.pass(at);
        self.busy -= 1;
        let Phy { slot, difs, eifs, answer_timeout, .. } = self.phy;
        let Open { to, number, hop, carried, began, tried, data, heard_by, last } = open;
        let silent = last.as_ref().map_or(at, |last| last.at);
        let answer = last.as_ref().is_some_and(|last| last.kind.is_answer());
        let beacon = last.as_ref().is_some_and(|last| last.kind == FrameKind::Beacon);
        let spoilt = last.and_then(|last| match last.reception {
            Reception::Collided => Some(if last.met { Why::Collision } else { Why::Hidden }),
            Reception::Corrupted | Reception::Unheard => Some(Why::Air),
            Reception::Received => {
                let answered = last.kind.is_answer() || last.kind == FrameKind::Beacon;
                (!answered).then_some(Why::Collision)
            }
        });
        // From the end of the wait for an answer on, at the earliest DIFS behind its own frame; from EIFS behind an
        // answer that it sensed and could not read; from DIFS behind everything else [802.11-2007 s9.2.5.2].
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
        let exchange = Exchange { medium, hop, carried, began, tried, silent, free, data, spoilt, heard_by };
        if request {
            // The event of the packet's first frame, or of its giving up, says which flow the request belongs to.
            self.requests.push(Request { station, to, number, exchange });
            return None;
        }
        Some(exchange)
    }
}

impl Cells {
    pub fn of(network: &Network) -> Self {
        let cell = |(number, spec): (usize, &sim::network::MediumSpec)| {
            let stations = network.stations(number);
            Cell {
                phy: Phy::new(&spec.config),
                hearing: Hearing::of(network, number, stations.len()),
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
        let cells: Vec<Cell> = network.media.iter().enumerate().map(cell).collect();
        let hops = network.links.iter().flat_map(|link| {
            [LinkDirection::Forward, LinkDirection::Backward].map(|way| {
                let medium = link.medium?;
                let station = |node: usize| cells[medium].stations.iter().position(|at| *at == node);
                let [from, to] = [way.index(), way.reversed().index()].map(|end| station(link.between[end]));
                Some((medium, from? as u32, to? as u32))
            })
        });
        let (hops, waits) = (hops.collect(), vec![vec![0; cells.len()]; network.flows.len()]);
        Cells { cells, hops, waits }
    }

    /// Which medium a hop is part of, and its sender and receiver there.
    fn hop(&self, id: HopId) -> Option<(usize, u32, u32)> {
        self.hops.get(hops::number(id)).copied().flatten()
    }

    /// A medium says something. The exchange that is over with that.
    pub fn observe(&mut self, at: Time, medium: u32, event: &MediumEvent) -> Option<Exchange> {
        let cell = self.cells.get_mut(medium as usize)?;
        match *event {
            MediumEvent::Sent { from, to, ref frame } => {
                let mut met = false;
                for other in &mut cell.flying {
                    let apart = frame.start.max(other.start).since(frame.start.min(other.start));
                    if apart <= cell.phy.delay {
                        met |= cell.hearing.senses(to, other.from);
                        other.met |= cell.hearing.senses(other.to, from);
                    }
                }
                cell.flying.push(Flying { from, to, kind: frame.kind, start: frame.start, met });
                if !frame.kind.is_answer() {
                    let open = cell.exchange(at, from, to);
                    open.number = frame.packets.first();
                    if frame.kind.carries_packets() {
                        open.data = Some((frame.start, frame.duration));
                        if open.last.as_ref().is_some_and(|last| last.kind == FrameKind::Ack) {
                            open.tried = frame.start;
                        }
                    }
                }
                cell.heard(if frame.kind.is_answer() { to } else { from }, from, frame.start);
                None
            }
            MediumEvent::Ended { from, to, kind, reception, .. } => {
                let place = cell.flying.iter().position(|flying| flying.from == from && flying.kind == kind);
                let met = place.is_some_and(|place| cell.flying.swap_remove(place).met);
                let owner = if kind.is_answer() { to } else { from };
                if let Some(open) = &mut cell.open[owner as usize] {
                    open.last = Some(Last { at, kind, reception, met });
                }
                None
            }
            MediumEvent::BackOff { station, slots, .. } => cell.over(at, medium, station, slots),
            MediumEvent::Reaches { a, b, reach } => {
                cell.hearing.changed(a, b, reach);
                None
            }
        }
    }

    /// A packet is in a frame that is being sent. Returns the failed requests before its first frame.
    pub fn carries(
        &mut self,
        at: Time,
        id: HopId,
        number: u64,
        attempt: u32,
        packet: &Packet,
        flow: Option<u32>,
    ) -> Vec<Exchange> {
        let Some((medium, from, to)) = self.hop(id) else { return Vec::new() };
        let cell = &mut self.cells[medium];
        cell.flows.extend(flow);
        let open = cell.exchange(at, from, to);
        open.hop = Some(id);
        // A fragment's neighbours are of the same packet.
        if !open.carried.iter().any(|carried| carried.number == number) {
            open.carried.push(Carried { flow, packet: *packet, number, attempt, damaged: false });
        }
        self.requested(id, number, packet, flow)
    }

    /// A packet in a frame is damaged by the air.
    pub fn damaged(&mut self, id: HopId, number: u64) {
        let Some((medium, from, _)) = self.hop(id) else { return };
        let open = self.cells[medium].open[from as usize].iter_mut();
        for carried in open.flat_map(|open| &mut open.carried).filter(|carried| carried.number == number) {
            carried.damaged = true;
        }
    }

    /// A packet is given up. Returns the failed requests, if it never had a frame.
    pub fn gives_up(&mut self, id: HopId, number: u64, packet: &Packet, flow: Option<u32>) -> Vec<Exchange> {
        let Some((medium, from, to)) = self.hop(id) else { return Vec::new() };
        let open = self.cells[medium].open[from as usize].as_mut();
        if let Some(open) = open.filter(|open| open.hop.is_none() && (open.to, open.number) == (to, number)) {
            open.hop = Some(id);
            open.carried.push(Carried { flow, packet: *packet, number, attempt: 0, damaged: false });
        }
        self.requested(id, number, packet, flow)
    }

    /// The requests that failed for a packet, now that it is known.
    fn requested(&mut self, id: HopId, number: u64, packet: &Packet, flow: Option<u32>) -> Vec<Exchange> {
        let Some((medium, from, to)) = self.hop(id) else { return Vec::new() };
        let is = |request: &mut Request| (request.station, request.to, request.number) == (from, to, number);
        let known = self.cells[medium].requests.extract_if(.., is).map(|Request { mut exchange, .. }| {
            exchange.hop = Some(id);
            exchange.carried.push(Carried { flow, packet: *packet, number, attempt: 0, damaged: false });
            exchange
        });
        known.collect()
    }

    /// Records how many packets of a flow wait in each medium.
    pub fn waits(&mut self, at: Time, flow: u32, waiting: impl Fn(u32) -> u32) {
        let Some(told) = self.waits.get_mut(flow as usize) else { return };
        for (number, (cell, told)) in self.cells.iter_mut().zip(told).enumerate() {
            let now = waiting(number as u32);
            let before = std::mem::replace(told, now);
            if now != before {
                cell.flows.insert(flow);
                cell.pass(at);
                cell.waiting = cell.waiting - before + now;
            }
        }
    }

    /// How long a medium has been idle until now.
    pub fn idle(&mut self, at: Time, medium: u32) -> Span {
        let cell = &mut self.cells[medium as usize];
        cell.pass(at);
        cell.idle
    }

    /// The flows that have been seen in a medium.
    pub fn flows(&self, medium: u32) -> Vec<u32> {
        self.cells[medium as usize].flows.iter().copied().collect()
    }

    /// When the first exchange for packets of a flow began that goes on in a medium.
    pub fn since(&self, medium: u32, flow: u32) -> Option<Time> {
        let open = self.cells[medium as usize].open.iter().flatten();
        let own = open.filter(|open| open.carried.iter().any(|carried| carried.flow == Some(flow)));
        own.map(|open| open.began).min()
    }

    /// No exchange of which something is still to be told began before this.
    pub fn unsettled_since(&self) -> Option<Time> {
        let open = self.cells.iter().flat_map(|cell| cell.open.iter().flatten()).map(|open| open.began);
        let requests = self.cells.iter().flat_map(|cell| &cell.requests).map(|request| request.exchange.began);
        open.chain(requests).min()
    }
}
