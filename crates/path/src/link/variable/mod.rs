//! One direction of a link that varies with time: extra delays, delay spikes, outages, a varying rate, transmission at
//! recorded opportunities.
//!
//! The effects in the order in which they apply to a packet:
//! 1. *Service* ([`service`]): start and end of the transmission. First in, first out; nothing is sent in an outage in
//!    which packets wait.
//! 2. *Delay*: the link's own, or that of the table's row at the packet's departure, and jitter drawn for the packet's
//!    start.
//! 3. *Spikes*: an arrival within a spike is delayed by the extra delay of the spike.
//! 4. *Outages*: an arrival within an outage is moved to its end, or lost, according to the outage. A packet in
//!    transmission during an outage with loss is lost.
//! 5. *Order*: without reordering, no packet arrives before one that was sent earlier; simultaneous arrivals keep the
//!    order of transmission.
//!
//! With a drop-tail queue all effects are computed when a packet is queued, because no later packet can change them. So
//! a packet costs one wake-up, at its arrival, as on a FIFO link. Any other discipline chooses the packet when its
//! transmission can begin (`held`), which costs a second wake-up for a packet that waits. The next arrival is the top of
//! a heap.

mod held;
pub mod plan;
pub mod recorded;
pub mod service;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use engine::{Order, Schedule, Slot, Stream, Time};
use wire::{Ecn, Packet};

use super::jitter::DelayDistribution;
use super::{Counters, Line, Link, delivered};
use crate::channel::{Fate, Frame};
use crate::context::LinkCx;
use crate::event::{HopId, LinkEvent};
use crate::hop_state::HopState;
use crate::outcome::Outcomes;
use crate::queue::{Backlog, Buffer, Tie, drop_tail};
use held::Held;
use plan::{Changes, Outages, Spike};
use service::{Server, Service};

/// A packet in transit.
struct Flight {
    packet: Packet,
    lost: bool,
    /// Position of its arrival in the schedule.
    order: Order,
}

/// Extra delays.
struct Jitter {
    distribution: Box<dyn DelayDistribution>,
    from: Time,
    reordering: bool,
}

/// A drop-tail queue of packets whose times are known.
struct Booked {
    queue: drop_tail::Config,
    tie: Tie,
    /// Starts and sizes of the packets whose transmission had not begun at the last update.
    waiting: VecDeque<(Time, u32)>,
    bytes: u64,
}

/// The packets in front of the service.
enum Waiting {
    Booked(Booked),
    Held(Held),
}

/// A variable link in one direction.
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
    /// The last start of a transmission, and the number of packets that started then: packets of zero transmission time
    /// may share it.
    last_start: (Time, u32),
    last_arrival: Time,
    lossy: bool,
    slot: Slot,
    waiting: Waiting,
    /// Arrivals, the first on top: time, number of the packet on this line, index in `packets`.
    flights: BinaryHeap<Reverse<(Time, u64, u32)>>,
    packets: Vec<Flight>,
    /// Free indices in `packets`.
    free: Vec<u32>,
    counters: Counters,
}

impl VariableLink {
    /// Creates a link that varies according to `changes`, with random numbers from `stream`, and wakes at `slot`;
    /// `lossy` tells whether its channel can lose packets.
    pub fn new(
        hop: HopId,
        line: Line,
        changes: &Changes,
        stream: Stream,
        (queue, tie): (impl Into<drop_tail::Config>, Tie),
        lossy: bool,
        slot: Slot,
    ) -> Self {
        let jitter = changes.jitter.as_ref().filter(|jitter| jitter.directions.include(hop.direction));
        let jitter = jitter.map(|jitter| Jitter {
            distribution: jitter.delay.build(),
            from: Time::ZERO + jitter.from,
            reordering: jitter.reordering,
        });
        VariableLink {
            hop,
            line,
            service: Service::new(changes, hop.direction),
            server: Server::default(),
            jitter,
            spikes: changes.spikes.iter().filter(|spike| spike.directions.include(hop.direction)).copied().collect(),
            outages: Outages::new(&changes.gaps, hop.direction),
            delays: stream.sub("delays"),
            losses: stream.sub("losses"),
            last_start: (Time::NEVER, 0),
            last_arrival: Time::ZERO,
            lossy,
            slot,
            waiting: Waiting::Booked(Booked { queue: queue.into(), tie, waiting: VecDeque::new(), bytes: 0 }),
            flights: BinaryHeap::new(),
            packets: Vec::new(),
            free: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// Uses `backlog` instead of the drop-tail queue.
    pub fn with_backlog(self, backlog: Backlog) -> Self {
        VariableLink { waiting: Waiting::Held(Held::new(backlog)), ..self }
    }

    /// Queues a packet in a drop-tail queue and determines its fate. Returns the time of its departure from the node, or
    /// `None` if the queue was full.
    fn book(&mut self, packet: &Packet, cx: &mut LinkCx<'_>) -> Option<Time> {
        let Waiting::Booked(booked) = &mut self.waiting else { return None };
        let size = packet.size();
        let ready = self.server.free_at.max(cx.now);
        let mut server = self.server;
        let (starts, leaves) = self.service.serve(&mut server, &mut self.line, &self.outages, cx.now, size);
        booked.begin_those_due(cx.now);
        let at_once = starts == cx.now && booked.is_over(self.server.free_at, cx.now);
        if !at_once && !booked.queue.admits(booked.waiting.len(), booked.bytes, size) {
            self.counters.packets_dropped += 1;
            self.counters.queue_full += 1;
            cx.emit(self.hop, || LinkEvent::QueueFull { packet: *packet });
            return None;
        }
        self.server = server;
        let mut ecn = packet.ecn;
        if booked.queue.marks(ecn, booked.waiting.len(), booked.bytes) {
            ecn = Ecn::Ce;
            self.counters.marked += 1;
            cx.emit(self.hop, || LinkEvent::Marked { packet: Packet { ecn, ..*packet } });
        }
        if !at_once {
            booked.waiting.push_back((starts, size));
            booked.bytes += u64::from(size);
        }
        let (packet, arrived) = (Packet { ecn, ..*packet }, cx.now);
        cx.emit(self.hop, || LinkEvent::Dequeued { packet, arrived, starts, leaves: Some(leaves) });
        self.transmit(packet, ready, (starts, leaves), cx);
        Some(leaves)
    }

    /// Determines the fate of a packet whose transmission lasts from `starts` to `leaves`; the line has been ready for it
    /// since `ready`.
    fn transmit(&mut self, packet: Packet, ready: Time, (starts, leaves): (Time, Time), cx: &mut LinkCx<'_>) {
        let size = packet.size();
        let sub = self.number_of(starts);
        let arrives = self.arrival(starts, leaves, sub);
        let frame = Frame {
            now: cx.now,
            start: starts,
            duration: leaves.since(starts),
            size,
            direction: self.hop.direction,
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
        self.launch(arrives, Flight { packet, lost, order }, cx.schedule);
    }

    /// Handles the arrival of the next packet at the far end: writes it to `packet`, and returns true if it was not
    /// lost.
    fn arrive(&mut self, cx: &mut LinkCx<'_>, packet: &mut Packet) -> bool {
        let Some(Reverse((_, _, place))) = self.flights.pop() else { return false };
        match self.flights.peek() {
            Some(Reverse((at, _, place))) => cx.schedule.arm_as(self.slot, *at, self.packets[*place as usize].order),
            None => cx.schedule.disarm(self.slot),
        }
        let flight = &self.packets[place as usize];
        *packet = flight.packet;
        self.free.push(place);
        delivered(flight.lost, packet, self.hop, &mut self.counters, cx)
    }

    #[inline]
    fn launch(&mut self, arrives: Time, flight: Flight, schedule: &mut Schedule) {
        let (order, number) = (flight.order, self.counters.frames_sent);
        let place = match self.free.pop() {
            Some(place) => {
                self.packets[place as usize] = flight;
                place
            }
            None => {
                self.packets.push(flight);
                (self.packets.len() - 1) as u32
            }
        };
        if self.flights.peek().is_none_or(|Reverse((first, _, _))| arrives < *first) {
            schedule.arm_as(self.slot, arrives, order);
        }
        self.flights.push(Reverse((arrives, number, place)));
    }

    /// Returns the number that separates a packet's random draws from those of other packets that start at the same
    /// time, in either direction.
    fn number_of(&mut self, starts: Time) -> u32 {
        let (last, number) = self.last_start;
        self.last_start = (starts, if last == starts { number + 1 } else { 0 });
        self.last_start.1 << 1 | self.hop.direction.index() as u32
    }

    /// Returns the arrival time of a packet whose transmission lasts from `starts` to `leaves`.
    fn arrival(&mut self, starts: Time, leaves: Time, sub: u32) -> Time {
        let mut arrives = leaves + self.service.delay(leaves).unwrap_or(self.line.delay);
        let mut reordering = false;
        if let Some(jitter) = &self.jitter {
            reordering = jitter.reordering;
            if starts >= jitter.from {
                arrives += jitter.distribution.draw(&mut self.delays.draws_at(starts.as_nanos(), sub));
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
}

impl Booked {
    /// Returns true if an event at `at` has happened at `now`, with regard to places in the queue.
    fn is_over(&self, at: Time, now: Time) -> bool {
        at < now || (at == now && self.tie == Tie::DepartureFirst)
    }

    /// Removes packets from the backlog whose transmission has begun.
    fn begin_those_due(&mut self, now: Time) {
        while let Some((_, size)) = self.waiting.front().copied().filter(|(starts, _)| self.is_over(*starts, now)) {
            self.waiting.pop_front();
            self.bytes -= u64::from(size);
        }
    }

    /// Returns the packets whose transmission has not begun at `now`: their starts and sizes.
    fn not_begun(&self, now: Time) -> impl Iterator<Item = &(Time, u32)> {
        self.waiting.iter().rev().take_while(move |(starts, _)| *starts > now)
    }
}

impl Link for VariableLink {
    fn accept(&mut self, packet: &Packet, expedited: bool, buffer: &mut Buffer, cx: &mut LinkCx<'_>) -> bool {
        if let Waiting::Held(_) = self.waiting {
            return self.hold(packet, expedited, buffer, cx);
        }
        let leaves = self.book(packet, cx);
        buffer.taken_until(leaves, packet.size());
        leaves.is_some()
    }

    fn wake(&mut self, buffer: &mut Buffer, outcomes: &mut Outcomes<'_>, cx: &mut LinkCx<'_>) {
        let first = self.flights.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at);
        if first <= cx.now {
            outcomes.deliver_with(self.hop, |packet| self.arrive(cx, packet));
        } else {
            self.begin_held(buffer, cx);
        }
        self.rearm_held(cx);
    }

    /// Returns the counters at `now`. The line counts as busy while it has a packet to send, even in an outage.
    fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        if let Waiting::Booked(booked) = &self.waiting {
            counters.frames_sent -= booked.not_begun(now).count() as u64;
        }
        counters.busy = counters.busy - self.server.free_at.since(now);
        counters
    }

    fn state(&self, now: Time) -> HopState {
        let (waiting, waiting_bytes, booked) = match &self.waiting {
            Waiting::Held(held) => (held.backlog.len(), held.backlog.bytes(), 0),
            Waiting::Booked(booked) => {
                let sum = |(count, bytes), (_, size): &(Time, u32)| (count + 1, bytes + u64::from(*size));
                let (count, bytes) = booked.not_begun(now).fold((0, 0), sum);
                (count, bytes, count)
            }
        };
        HopState { waiting, waiting_bytes, outstanding: self.flights.len() - booked, link_layer: None }
    }
}
