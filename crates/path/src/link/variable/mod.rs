//! One direction of a link that changes with time: extra delays, spikes, gaps, a rate that varies, service by a trace.
//!
//! In the order in which a packet meets them:
//! 1. *Service* ([`service`]): when its sending starts and when it has left. First in, first out; in a gap that lets
//!    packets wait nothing is sent.
//! 2. *Delay*: the link's own, or that of the table's row when the packet leaves, and jitter drawn for the packet's
//!    start.
//! 3. *Spikes*: an arrival within a spike is delayed by the extra delay of the spike.
//! 4. *Gaps*: an arrival within a gap moves to its end, or is lost, as the gap says. A packet that is being sent in a
//!    gap with loss is lost.
//! 5. *Order*: unless packets may overtake, no packet arrives before one that was sent earlier; simultaneous arrivals
//!    keep the order of sending.
//!
//! All of it is settled when a packet is queued, because in a FIFO queue no later packet can change it. So a packet
//! costs one wake-up, at its arrival, as in a pipe. The next wake-up is the top of a heap.

pub mod plan;
pub mod recorded;
pub mod service;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use engine::{Order, Schedule, Slot, Stream, Time};
use wire::{Ecn, Packet};

use super::jitter::Law;
use super::{Counters, Line, Link};
use crate::channel::{Fate, Frame};
use crate::context::LinkCx;
use crate::event::{HopId, LinkEvent};
use crate::hop_state::HopState;
use crate::outcome::Outcomes;
use crate::queue::{Buffer, Tie, drop_tail};
use plan::{Changes, Outages, Spike};
use service::{Server, Service};

/// A packet on its way.
struct Flight {
    packet: Packet,
    lost: bool,
    /// The place of its arrival in the schedule.
    order: Order,
}

/// Extra delays.
struct Jitter {
    law: Box<dyn Law>,
    from: Time,
    reordering: bool,
}

/// A one-way line that changes, with a drop-tail queue.
pub struct VariableLink {
    hop: HopId,
    line: Line,
    service: Service,
    server: Server,
    jitter: Option<Jitter>,
    spikes: Vec<Spike>,
    outages: Outages,
    delays: Stream,
    losses: Stream,
    /// The last start, and how many began then: packets that take no time may share it.
    last_start: (Time, u32),
    last_arrival: Time,
    queue: drop_tail::Config,
    tie: Tie,
    lossy: bool,
    slot: Slot,
    /// The starts and sizes of the packets that had not begun to be sent at the last update.
    waiting: VecDeque<(Time, u32)>,
    waiting_bytes: u64,
    /// Arrivals, the first on top: time, number of the packet on this line, place in `held`.
    flights: BinaryHeap<Reverse<(Time, u64, u32)>>,
    held: Vec<Flight>,
    /// Places in `held` that are free.
    free: Vec<u32>,
    counters: Counters,
}

impl VariableLink {
    /// A line that changes as `changes` says, with chance from `stream`, that wakes at `slot`; `lossy` tells whether
    /// its link's channel can lose anything.
    pub fn new(
        hop: HopId,
        line: Line,
        changes: &Changes,
        stream: Stream,
        (queue, tie): (impl Into<drop_tail::Config>, Tie),
        lossy: bool,
        slot: Slot,
    ) -> Self {
        let jitter = changes.jitter.as_ref().filter(|jitter| jitter.ways.include(hop.way));
        let jitter = jitter.map(|jitter| Jitter {
            law: jitter.delay.build(),
            from: Time::ZERO + jitter.from,
            reordering: jitter.reordering,
        });
        VariableLink {
            hop,
            line,
            service: Service::new(changes, hop.way),
            server: Server::default(),
            jitter,
            spikes: changes.spikes.iter().filter(|spike| spike.ways.include(hop.way)).copied().collect(),
            outages: Outages::new(&changes.gaps, hop.way),
            delays: stream.sub("delays"),
            losses: stream.sub("losses"),
            last_start: (Time::NEVER, 0),
            last_arrival: Time::ZERO,
            queue: queue.into(),
            tie,
            lossy,
            slot,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            flights: BinaryHeap::new(),
            held: Vec::new(),
            free: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// Takes a packet to send, and settles what becomes of it. Returns the time at which it will have left the node, or `None` when the queue was full.
    fn queue(&mut self, packet: &Packet, cx: &mut LinkCx<'_>) -> Option<Time> {
        let size = packet.size();
        let ready = self.server.free_at.max(cx.now);
        let mut server = self.server;
        let (starts, leaves) = self.service.serve(&mut server, &mut self.line, &self.outages, cx.now, size);
        self.begin_those_due(cx.now);
        let at_once = starts == cx.now && self.is_over(self.server.free_at, cx.now);
        if !at_once && !self.queue.admits(self.waiting.len(), self.waiting_bytes, size) {
            self.counters.packets_dropped += 1;
            self.counters.queue_full += 1;
            cx.emit(self.hop, || LinkEvent::QueueFull { packet: *packet });
            return None;
        }
        self.server = server;
        let mut ecn = packet.ecn;
        if self.queue.marks(ecn, self.waiting.len(), self.waiting_bytes) {
            ecn = Ecn::Ce;
            self.counters.marked += 1;
            cx.emit(self.hop, || LinkEvent::Marked { packet: Packet { ecn, ..*packet } });
        }
        if !at_once {
            self.waiting.push_back((starts, size));
            self.waiting_bytes += u64::from(size);
        }
        let sub = self.number_of(starts);
        let arrives = self.arrival(starts, leaves, sub);
        let frame = Frame {
            now: cx.now,
            start: starts,
            duration: leaves.since(starts),
            size,
            way: self.hop.way,
            number: Some(self.counters.frames_sent),
        };
        let corrupted = self.lossy && cx.channels[self.hop.link as usize].fate(&frame) == Fate::Corrupted;
        let loss = self.service.loss(starts);
        let lost = corrupted
            || (loss > 0.0 && self.losses.unit(starts.as_nanos(), sub) < loss)
            || self.outages.lose(starts, leaves, arrives);
        self.counters.frames_sent += 1;
        self.counters.busy = self.counters.busy + leaves.since(ready);
        let order = cx.schedule.order();
        self.launch(arrives, Flight { packet: Packet { ecn, ..*packet }, lost, order }, cx.schedule);
        Some(leaves)
    }

    /// The next packet has come to the far end; writes it over `packet`, and tells whether it was not lost on the way.
    fn arrive(&mut self, cx: &mut LinkCx<'_>, packet: &mut Packet) -> bool {
        let Some(Reverse((_, _, place))) = self.flights.pop() else { return false };
        match self.flights.peek() {
            Some(Reverse((at, _, place))) => cx.schedule.arm_as(self.slot, *at, self.held[*place as usize].order),
            None => cx.schedule.disarm(self.slot),
        }
        let flight = &self.held[place as usize];
        *packet = flight.packet;
        self.free.push(place);
        if flight.lost {
            self.counters.frames_corrupted += 1;
            self.counters.packets_dropped += 1;
            cx.emit(self.hop, || LinkEvent::Lost { packet: *packet });
            return false;
        }
        self.counters.packets_delivered += 1;
        cx.emit(self.hop, || LinkEvent::Arrived { packet: *packet });
        true
    }

    #[inline]
    fn launch(&mut self, arrives: Time, flight: Flight, schedule: &mut Schedule) {
        let (order, number) = (flight.order, self.counters.frames_sent);
        let place = match self.free.pop() {
            Some(place) => {
                self.held[place as usize] = flight;
                place
            }
            None => {
                self.held.push(flight);
                (self.held.len() - 1) as u32
            }
        };
        if self.flights.peek().is_none_or(|Reverse((first, _, _))| arrives < *first) {
            schedule.arm_as(self.slot, arrives, order);
        }
        self.flights.push(Reverse((arrives, number, place)));
    }

    /// The number that separates a packet's draws from those of other packets that start at the same time, in either
    /// direction.
    fn number_of(&mut self, starts: Time) -> u32 {
        let (last, number) = self.last_start;
        self.last_start = (starts, if last == starts { number + 1 } else { 0 });
        self.last_start.1 << 1 | self.hop.way.index() as u32
    }

    /// When a packet arrives that is sent from `starts` to `leaves`.
    fn arrival(&mut self, starts: Time, leaves: Time, sub: u32) -> Time {
        let mut arrives = leaves + self.service.delay(leaves).unwrap_or(self.line.delay);
        let mut reordering = false;
        if let Some(jitter) = &self.jitter {
            reordering = jitter.reordering;
            if starts >= jitter.from {
                arrives += jitter.law.draw(&mut self.delays.draws_at(starts.as_nanos(), sub));
            }
        }
        arrives += plan::extra(&self.spikes, arrives);
        arrives = self.outages.over(arrives);
        if !reordering {
            arrives = arrives.max(self.last_arrival);
            self.last_arrival = arrives;
        }
        arrives
    }

    /// Whether what was to end or begin at `at` has, as far as room in the queue goes.
    fn is_over(&self, at: Time, now: Time) -> bool {
        at < now || (at == now && self.tie == Tie::DepartureFirst)
    }

    /// A packet whose transmission has begun waits no more.
    fn begin_those_due(&mut self, now: Time) {
        while let Some((_, size)) = self.waiting.front().copied().filter(|(starts, _)| self.is_over(*starts, now)) {
            self.waiting.pop_front();
            self.waiting_bytes -= u64::from(size);
        }
    }
}

impl Link for VariableLink {
    fn accept(&mut self, packet: &Packet, _: bool, buffer: &mut Buffer, cx: &mut LinkCx<'_>) -> bool {
        let leaves = self.queue(packet, cx);
        buffer.taken_until(leaves, packet.size());
        leaves.is_some()
    }

    fn wake(&mut self, _: &mut Buffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        outcomes.deliver_with(self.hop, |packet| self.arrive(cx, packet));
    }

    /// The counters at `now`. The line is busy while it has something to send, whether it can or not.
    fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        let waiting = self.waiting.iter().rev().take_while(|(starts, _)| *starts > now).count();
        counters.frames_sent -= waiting as u64;
        counters.busy = counters.busy - self.server.free_at.since(now);
        counters
    }

    fn state(&self, now: Time) -> HopState {
        let waiting = self.waiting.iter().rev().take_while(|(starts, _)| *starts > now);
        let (count, bytes) = waiting.fold((0, 0), |(count, bytes), (_, size)| (count + 1, bytes + u64::from(*size)));
        let outstanding = self.flights.len() - count;
        HopState { waiting: count, waiting_bytes: bytes, outstanding, link_layer: None }
    }
}
