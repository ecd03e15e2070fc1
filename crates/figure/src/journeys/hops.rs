//! Packets at the hops of their way: when each joins the queue, starts, leaves and arrives, and what becomes of it.
//!
//! A link reports a packet when it leaves the queue, with the time at which it joined; until then only the node that
//! created or forwarded it is known, so waiting packets are kept by node.

use std::collections::{BTreeMap, VecDeque};

use engine::Time;
use path::link::TransmissionLine;
use path::mac::arq::ArqConfig;
use path::{HopId, LinkDirection, LinkEvent};
use plot::{Identity, identity};
use sim::{Network, NodeEvent, PacketFlow, World};
use wire::{Body, Packet};

use crate::packet::{Identified, Kind};

/// What became of a packet at a hop, as a number in columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It arrived at the far end.
    Arrived = 0,
    /// The channel damaged it.
    Lost = 1,
    /// The queue was full.
    QueueFull = 2,
    /// The queue discipline dropped it although the queue was not full.
    DroppedEarly = 3,
    /// The link layer gave it up.
    GivenUp = 4,
    /// It was still there when the recording ended.
    There = 5,
}

impl Outcome {
    /// The names, by number.
    pub const NAMES: [&'static str; 6] =
        ["arrives", "lost on the channel", "queue full", "dropped early", "given up by the link layer", "still there"];
}

/// Why a node did not pass a packet on, as a number in columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The node's buffer was full.
    BufferFull = 0,
    /// A mobile was not associated.
    NoRoute = 1,
    /// The node's scheme consumed it.
    Taken = 2,
}

impl Stop {
    /// The names, by number.
    pub const NAMES: [&'static str; 3] = ["buffer full", "no route", "consumed by the scheme"];
}

/// A packet at a hop. Times are in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Row {
    pub hop: u32,
    pub packet: Identified,
    /// When it joined the queue.
    pub joined: f64,
    /// When its first transmission began.
    pub starts: f64,
    /// When its last transmission ended.
    pub leaves: f64,
    /// When it arrived, or was lost.
    pub arrives: f64,
    pub outcome: Outcome,
}

/// A transmission of a link layer on a link of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FrameRow {
    pub hop: u32,
    pub packet: Identified,
    pub starts: f64,
    pub arrives: f64,
    /// Number of transmissions of the packet, this one included; 0 for parity.
    pub attempt: u32,
    pub corrupted: bool,
    number: u64,
}

/// A packet that a node did not pass on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StopRow {
    pub node: u32,
    pub packet: Identified,
    pub at: f64,
    pub why: Stop,
}

/// A hop's settings.
struct HopLine {
    /// The node at its sending end.
    node: usize,
    line: TransmissionLine,
    /// Whether the propagation delay is constant.
    fixed: bool,
    /// Whether frames of a link layer are recorded. Those of a medium are recorded there.
    frames: bool,
}

/// A node, and the identity of a packet there.
type Place = (usize, Identity);

/// Packets with the same identity that wait at a node, with the times since when.
type Waiting = VecDeque<(f64, Identified)>;

/// Whether frames of a link layer are reported for a link of its own.
pub(crate) fn has_frames(link: &sim::LinkSpec, direction: usize) -> bool {
    let arq = link.direction(direction).arq;
    link.medium.is_none() && !matches!(arq, ArqConfig::None(..) | ArqConfig::Ns2Lan(..))
}

/// Collects the packets of a time interval.
pub(crate) struct Hops {
    from: f64,
    to: f64,
    lines: Vec<HopLine>,
    /// By node and identity, packets that a node has handed to a queue, the oldest first.
    waiting: BTreeMap<Place, Waiting>,
    /// By node and destination, the hop that the last packet took.
    routes: BTreeMap<(usize, wire::Addr), u32>,
    /// By hop and identity, packets that have left the queue, the oldest first.
    open: BTreeMap<(u32, Identity), VecDeque<Row>>,
    /// Packets of `open` that joined by `to`.
    underway: usize,
    /// By hop and flow, the end of the highest data.
    highest: BTreeMap<(u32, u32), u64>,
    pub rows: Vec<Row>,
    pub frames: Vec<FrameRow>,
    pub stops: Vec<StopRow>,
    /// By hop, the packet of the last frame: what a medium's next frame carries.
    pub carried: Vec<Identified>,
}

impl Hops {
    pub fn new(network: &Network, from: f64, to: f64) -> Self {
        let line = |number: usize| {
            let (link, direction) = (&network.links[number / 2], number % 2);
            let way = link.direction(direction);
            HopLine {
                node: link.between[direction],
                line: TransmissionLine::new(way.rate, way.delay, link.timing),
                fixed: link.changes.is_none(),
                frames: has_frames(link, direction),
            }
        };
        let count = 2 * network.links.len();
        Hops {
            from,
            to,
            lines: (0..count).map(line).collect(),
            waiting: BTreeMap::new(),
            routes: BTreeMap::new(),
            open: BTreeMap::new(),
            underway: 0,
            highest: BTreeMap::new(),
            rows: Vec::new(),
            frames: Vec::new(),
            stops: Vec::new(),
            carried: vec![Identified::NOTHING; count],
        }
    }

    /// Number of entries kept so far.
    pub fn kept(&self) -> usize {
        self.rows.len() + self.frames.len() + self.stops.len()
    }

    pub fn node(&mut self, at: f64, node: usize, event: &NodeEvent, of: Option<PacketFlow>) {
        let why = match event {
            NodeEvent::Sent { packet } | NodeEvent::Transit { packet } => {
                if at <= self.to {
                    let packet_of = Identified::of(packet, of);
                    self.waiting.entry((node, identity(packet))).or_default().push_back((at, packet_of));
                }
                return;
            }
            NodeEvent::BufferFull { .. } => Stop::BufferFull,
            NodeEvent::NoRoute { .. } => Stop::NoRoute,
            NodeEvent::Taken { .. } => Stop::Taken,
            NodeEvent::Received { .. } | NodeEvent::Associated { .. } | NodeEvent::Left { .. } => return,
        };
        let Some(packet) = event.packet() else { return };
        // Only a packet at this moment: an older one with the same identity is still in the queue.
        let key = (node, identity(packet));
        if self.waiting.get(&key).is_some_and(|times| times.back().is_some_and(|(since, _)| *since == at)) {
            self.stops_waiting(key, VecDeque::pop_back);
        }
        if (self.from..=self.to).contains(&at) {
            self.stops.push(StopRow { node: node as u32, packet: Identified::of(packet, of), at, why });
        }
    }

    fn stops_waiting(
        &mut self,
        key: Place,
        pick: impl FnOnce(&mut Waiting) -> Option<(f64, Identified)>,
    ) -> Option<f64> {
        let times = self.waiting.get_mut(&key)?;
        let picked = pick(times);
        if times.is_empty() {
            self.waiting.remove(&key);
        }
        picked.map(|(since, _)| since)
    }

    pub fn link(&mut self, at: f64, id: HopId, event: &LinkEvent, of: Option<PacketFlow>) {
        let hop = 2 * id.link + id.direction.index() as u32;
        match *event {
            LinkEvent::Dequeued { packet, arrived, starts, leaves } => {
                let node = self.lines[hop as usize].node;
                self.stops_waiting((node, identity(&packet)), VecDeque::pop_front);
                self.routes.insert((node, packet.dst), hop);
                let (joined, starts) = (arrived.as_secs_f64(), starts.as_secs_f64());
                let identified = self.identified(hop, &packet, of);
                if joined > self.to {
                    return;
                }
                let leaves = leaves.map_or(f64::NAN, Time::as_secs_f64);
                let (arrives, outcome) = (f64::INFINITY, Outcome::There);
                let row = Row { hop, packet: identified, joined, starts, leaves, arrives, outcome };
                self.open.entry((hop, identity(&packet))).or_default().push_back(row);
                self.underway += 1;
            }
            LinkEvent::Arrived { packet } => self.ends(at, hop, (&packet, of), Outcome::Arrived),
            LinkEvent::Lost { packet } => self.ends(at, hop, (&packet, of), Outcome::Lost),
            LinkEvent::GivenUp { packet, arrived: false, .. } => self.ends(at, hop, (&packet, of), Outcome::GivenUp),
            LinkEvent::QueueFull { packet, arrived } => {
                self.dropped(at, hop, (&packet, of), arrived, Outcome::QueueFull);
            }
            LinkEvent::DroppedEarly { packet, arrived } => {
                self.dropped(at, hop, (&packet, of), arrived, Outcome::DroppedEarly);
            }
            LinkEvent::FrameSent { number, attempt, packet } => {
                let again = self.open.get(&(hop, identity(&packet))).and_then(VecDeque::front);
                let identified = again.map_or_else(|| Identified::of(&packet, of), |row| row.packet);
                self.carried[hop as usize] = identified;
                self.frame(at, hop, (identified, packet.size()), attempt, number);
                let ends = at + self.lines[hop as usize].line.transmission_time(packet.size()).as_secs_f64();
                let row = self.open.get_mut(&(hop, identity(&packet))).and_then(VecDeque::front_mut);
                if let Some(row) = row {
                    row.leaves = ends;
                }
            }
            LinkEvent::ParitySent { number, size } => {
                let parity = Identified { kind: Kind::Parity, bytes: f64::from(size), ..Identified::NOTHING };
                self.frame(at, hop, (parity, size), 0, number);
            }
            LinkEvent::FrameCorrupted { number, .. } | LinkEvent::ParityCorrupted { number } => {
                let frame = self.frames.iter_mut().rev().find(|frame| frame.hop == hop);
                if let Some(frame) = frame.filter(|frame| frame.number == number && frame.starts == at) {
                    frame.corrupted = true;
                }
            }
            LinkEvent::GivenUp { .. }
            | LinkEvent::FrameDuplicate { .. }
            | LinkEvent::FrameDiscarded { .. }
            | LinkEvent::Recovered { .. }
            | LinkEvent::AckCorrupted { .. }
            | LinkEvent::Marked { .. } => {}
        }
    }

    /// Identifies a packet that leaves a queue, and whether its data has passed the hop before.
    fn identified(&mut self, hop: u32, packet: &Packet, of: Option<PacketFlow>) -> Identified {
        let mut identified = Identified::of(packet, of);
        if let (Some(PacketFlow { flow, seq: Some(seq), .. }), Body::Tcp(segment)) = (of, &packet.body)
            && segment.len > 0
        {
            let highest = self.highest.entry((hop, flow)).or_default();
            if seq < *highest {
                identified.kind = Kind::Again;
            }
            *highest = (*highest).max(seq + u64::from(segment.len));
        }
        identified
    }

    fn frame(&mut self, at: f64, hop: u32, (packet, size): (Identified, u32), attempt: u32, number: u64) {
        let HopLine { line, frames, .. } = &mut self.lines[hop as usize];
        let arrives = at + (line.transmission_time(size) + line.delay).as_secs_f64();
        if *frames && at <= self.to && arrives >= self.from {
            self.frames.push(FrameRow { hop, packet, starts: at, arrives, attempt, corrupted: false, number });
        }
    }

    /// A packet has arrived, or is lost.
    fn ends(&mut self, at: f64, hop: u32, (packet, of): (&Packet, Option<PacketFlow>), outcome: Outcome) {
        let key = (hop, identity(packet));
        let rows = self.open.get_mut(&key);
        let empty = rows.as_ref().is_some_and(|rows| rows.len() <= 1);
        let row = rows.and_then(VecDeque::pop_front);
        if empty {
            self.open.remove(&key);
        }
        let Some(mut row) = row else {
            // A link layer that numbers each transmission delivers a packet again if its acknowledgment was lost.
            if at <= self.to {
                let packet = Identified::of(packet, of);
                self.keep(Row { hop, packet, joined: at, starts: at, leaves: at, arrives: at, outcome });
            }
            return;
        };
        self.underway -= 1;
        row.arrives = at;
        if row.leaves.is_nan() {
            let HopLine { line, fixed, .. } = &self.lines[hop as usize];
            row.leaves = if *fixed { at - line.delay.as_secs_f64() } else { at };
        }
        row.leaves = row.leaves.clamp(row.starts, at.max(row.starts));
        row.outcome = outcome;
        self.keep(row);
    }

    /// A queue dropped a packet that had joined it at `arrived`.
    fn dropped(
        &mut self,
        at: f64,
        hop: u32,
        (packet, of): (&Packet, Option<PacketFlow>),
        arrived: Time,
        outcome: Outcome,
    ) {
        let (node, joined) = (self.lines[hop as usize].node, arrived.as_secs_f64());
        self.stops_waiting((node, identity(packet)), |times| {
            let last = times.iter().rposition(|(time, _)| *time <= joined)?;
            times.remove(last)
        });
        let packet = Identified::of(packet, of);
        if joined <= self.to {
            self.keep(Row { hop, packet, joined, starts: at, leaves: at, arrives: at, outcome });
        }
    }

    fn keep(&mut self, row: Row) {
        if row.arrives >= self.from {
            self.rows.push(row);
        }
    }

    /// Ends the interval at `to`, now: later packets are not recorded, those that are underway are until they arrive.
    pub fn close(&mut self, to: f64, world: &World) {
        self.to = to;
        // Schemes may consume packets that a node has delayed: only as many wait as the queues hold.
        let mut by_hop: BTreeMap<u32, Vec<(f64, Place)>> = BTreeMap::new();
        for (key, times) in &self.waiting {
            if let Some(hop) = self.routes.get(&(key.0, key.1.1)) {
                by_hop.entry(*hop).or_default().extend(times.iter().map(|(since, _)| (*since, *key)));
            }
        }
        let routes = std::mem::take(&mut self.routes);
        self.waiting.retain(|key, _| routes.contains_key(&(key.0, key.1.1)));
        self.routes = routes;
        for (hop, mut waiting) in by_hop {
            let direction = LinkDirection::BOTH[hop as usize % 2];
            let held = world.hop_state(HopId { link: hop / 2, direction }).waiting
                + world.node_state(self.lines[hop as usize].node).processing;
            waiting.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (_, key) in waiting.into_iter().skip(held) {
                self.stops_waiting(key, VecDeque::pop_front);
            }
        }
    }

    /// Number of packets that joined a queue in the interval, and of which it is not known what becomes of them.
    pub fn unknown(&self) -> usize {
        self.underway + self.waiting.values().map(VecDeque::len).sum::<usize>()
    }

    /// Keeps the packets that are still underway, and sorts all: by hop, and by the time at which they joined.
    pub fn finish(&mut self) {
        let there = f64::INFINITY;
        for (_, rows) in std::mem::take(&mut self.open) {
            for row in rows {
                self.keep(Row { leaves: if row.leaves.is_nan() { there } else { row.leaves }, ..row });
            }
        }
        for ((node, identity), packets) in std::mem::take(&mut self.waiting) {
            let Some(hop) = self.routes.get(&(node, identity.1)).copied() else { continue };
            for (joined, packet) in packets {
                let outcome = Outcome::There;
                self.keep(Row { hop, packet, joined, starts: there, leaves: there, arrives: there, outcome });
            }
        }
        let to = self.to;
        self.rows.retain(|row| row.joined <= to);
        self.frames.retain(|frame| frame.starts <= to);
        self.stops.retain(|stop| stop.at <= to);
        self.rows
            .sort_by(|a, b| a.hop.cmp(&b.hop).then(a.joined.total_cmp(&b.joined)).then(a.starts.total_cmp(&b.starts)));
        self.frames.sort_by(|a, b| a.hop.cmp(&b.hop).then(a.starts.total_cmp(&b.starts)));
    }
}
