//! The time of one flow: each moment charged to one cause, by the rules in the header of `budget`.

use engine::{Span, Time};
use path::LinkEvent;
use sim::{FlowSpec, NodeEvent, PacketFlow};
use wire::{Addr, Body, Packet};

use super::super::cell::{Exchange, Why};
use super::super::hops::Hops;
use super::Cause;
use super::packets::{Packets, Place};
use super::sender::{Charge, Loss, Sender};
use super::transmitters::{Kind, Line, OnHop, Transmitters};
use crate::received::Received;

/// The slowest hop on the way of a flow's data.
#[derive(Clone, Copy)]
pub(super) struct Slowest {
    hop: usize,
    place: Place,
    kind: Kind,
}

/// The wait of a flow in the queue of others.
pub(in super::super) struct StandingQueue {
    pub from: Time,
    pub to: Time,
    pub waited: Span,
    /// The time for which the slowest hop transmitted for the flow.
    pub served: Span,
    /// The number of other flows at the node where most of them send.
    pub others: u32,
}

/// The state of a hop before an event.
#[derive(Clone, Copy)]
pub(super) struct Before {
    /// Until when its transmissions were booked.
    pub free: Time,
    /// Whether its transmitter serves the flow.
    pub serves: bool,
}

/// The time of one flow, charged to causes.
pub(super) struct Account {
    number: u32,
    began: Time,
    receiver: Addr,
    /// Charged until then.
    until: Time,
    ended: bool,
    totals: [Span; Cause::ALL.len()],
    /// Time whose cause is known when the application writes again, or the flow is complete.
    tail: Span,
    /// Intervals in which packets were at stations of a medium, whose exchanges are not known yet.
    in_medium: Vec<(Time, Time)>,
    packets: Packets,
    sender: Sender,
    received: Received,
    /// Why the last exchange for the flow in a medium failed.
    failing: Option<Why>,
    slowest: Option<Slowest>,
    /// Until when the flow's last packet occupies the slowest hop after its arrival: until its link acknowledgment with
    /// stop-and-wait; until the end of its transmission on a link whose far end has it before.
    occupied: Time,
}

impl Account {
    pub fn new(number: u32, spec: &FlowSpec) -> Self {
        Account {
            number,
            began: spec.start,
            receiver: Addr::of_node(spec.to),
            until: spec.start,
            ended: false,
            totals: [Span::ZERO; Cause::ALL.len()],
            tail: Span::ZERO,
            in_medium: Vec::new(),
            packets: Packets::default(),
            sender: Sender::new(spec.tcp.segment_data()),
            received: Received::default(),
            failing: None,
            slowest: None,
            occupied: Time::ZERO,
        }
    }

    /// Whether the flow is over.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Sets the slowest hop.
    pub fn set_slowest(&mut self, hop: usize, line: &Line) {
        self.slowest = Some(Slowest { hop, place: (line.near, self.receiver), kind: line.kind });
    }

    fn add(&mut self, cause: Cause, span: Span) {
        let total = &mut self.totals[cause as usize];
        *total = *total + span;
    }

    /// Charges the time until `at`.
    pub fn pass(&mut self, at: Time, transmitters: &Transmitters) {
        while let Some(change) = self.packets.next_change().filter(|change| *change <= at) {
            self.charge_in_parts(change, transmitters);
            self.packets.change();
        }
        self.charge_in_parts(at, transmitters);
    }

    fn charge_in_parts(&mut self, to: Time, transmitters: &Transmitters) {
        let slowest = self.slowest.and_then(|slowest| transmitters.line(slowest.hop));
        while let Some(change) = slowest.map(|line| line.next_interruption(self.until)).filter(|change| *change < to) {
            self.charge_around_occupied(change, transmitters);
        }
        self.charge_around_occupied(to, transmitters);
    }

    fn charge_around_occupied(&mut self, to: Time, transmitters: &Transmitters) {
        if self.until < self.occupied && self.occupied < to {
            self.charge(self.occupied, transmitters);
        }
        self.charge(to, transmitters);
    }

    fn charge(&mut self, to: Time, transmitters: &Transmitters) {
        if to <= self.until {
            return;
        }
        let cause = self.cause(transmitters);
        let from = std::mem::replace(&mut self.until, to);
        match cause {
            Charge::To(cause) => self.add(cause, to.since(from)),
            Charge::Tail => self.tail = self.tail + to.since(from),
            Charge::InMedium => match self.in_medium.last_mut() {
                Some((_, end)) if *end == from => *end = to,
                _ => self.in_medium.push((from, to)),
            },
        }
    }

    /// The cause of the present moment, by the rules in the header.
    fn cause(&self, transmitters: &Transmitters) -> Charge {
        let slowest = match self.slowest {
            Some(slowest) => self.at_slowest(slowest, transmitters),
            None => self.first_service(transmitters),
        };
        let medium = || (!self.sender.is_opening() && self.is_in_medium(transmitters)).then_some(Charge::InMedium);
        let elsewhere = || self.waits_elsewhere(transmitters).map(Charge::To);
        let failed = || self.packets.has_failed().then_some(Charge::To(Cause::BadAir));
        slowest
            .map(Charge::To)
            .or_else(medium)
            .or_else(elsewhere)
            .or_else(failed)
            .unwrap_or_else(|| self.sender.charge())
    }

    /// Rule 1 before the slowest hop is known: the transmission of the first data, on any hop.
    fn first_service(&self, transmitters: &Transmitters) -> Option<Cause> {
        let wired = |hop: usize| transmitters.line(hop).is_some_and(|line| line.kind != Kind::Medium);
        let sends = self.packets.services().any(|(hop, service)| wired(hop) && service.good > 0);
        (sends && !self.sender.is_opening()).then_some(Cause::LinkRate)
    }

    /// Rules 1 and 2.
    fn at_slowest(&self, slowest: Slowest, transmitters: &Transmitters) -> Option<Cause> {
        let service = self.packets.service(slowest.hop);
        let waits = self.waits(slowest.place, transmitters);
        let line = transmitters.line(slowest.hop)?;
        let serves = transmitters.serving(slowest.hop) == Some(self.number);
        let sends = match (service.good, service.bad) {
            (0, 0) => (self.until < self.occupied).then_some(Cause::LinkRate),
            (0, _) => Some(Cause::BadAir),
            _ => Some(Cause::LinkRate),
        };
        match slowest.kind {
            Kind::Medium => None,
            Kind::Plain => sends
                .or_else(|| waits.then(|| self.behind(slowest.place)))
                .or_else(|| self.packets.is_held(slowest.place).then(|| self.idle_line(line)).flatten()),
            Kind::StopAndWait if sends.is_none() && !waits => None,
            Kind::StopAndWait if !serves => Some(Cause::OthersQueue),
            Kind::StopAndWait if line.in_vain => Some(Cause::BadAir),
            Kind::StopAndWait => Some(sends.unwrap_or(Cause::LinkRate)),
            Kind::Window if sends.is_some() => sends,
            Kind::Window if !waits => None,
            Kind::Window if self.packets.has_failed() || (serves && line.in_vain) => Some(Cause::BadAir),
            Kind::Window if serves => Some(Cause::LinkRate),
            Kind::Window => Some(Cause::OthersQueue),
        }
    }

    /// What a packet waits for in front of a line that transmits nothing and knows departures only when they begin.
    fn idle_line(&self, line: &Line) -> Option<Cause> {
        if line.is_interrupted(self.until) {
            return Some(Cause::Outage);
        }
        line.at_opportunities.then_some(Cause::LinkRate)
    }

    /// What the packets that wait at a place wait for, if none of the flow is being transmitted there.
    fn behind(&self, place: Place) -> Cause {
        if self.packets.is_interrupted(place) { Cause::Outage } else { Cause::OthersQueue }
    }

    /// Whether a packet waits in a queue at a place. A node may hold a packet for other reasons: a hop that computes
    /// departures has only booked packets in its queue, and no packet waits for an idle transmitter.
    fn waits(&self, place: Place, transmitters: &Transmitters) -> bool {
        let queues = || {
            let line = self.packets.route(place).and_then(|hop| transmitters.line(hop));
            line.is_some_and(|line| !line.books && (line.kind != Kind::Plain || line.free_at > self.until))
        };
        self.packets.is_booked(place) || (self.packets.is_held(place) && queues())
    }

    /// Whether a packet is at a station of a medium.
    fn is_in_medium(&self, transmitters: &Transmitters) -> bool {
        let of_medium = |hop: usize| transmitters.line(hop).is_some_and(|line| line.kind == Kind::Medium);
        self.packets.services().any(|(hop, _)| of_medium(hop))
            || self.packets.held().any(|place| self.packets.route(*place).is_some_and(of_medium))
    }

    /// Rule 4.
    fn waits_elsewhere(&self, transmitters: &Transmitters) -> Option<Cause> {
        let places = self.packets.held().chain(self.packets.booked());
        let place = *places.into_iter().find(|place| self.waits(**place, transmitters))?;
        let own = self.packets.route(place).is_some_and(|hop| {
            let service = self.packets.service(hop);
            (service.good, service.bad) != (0, 0)
        });
        Some(if own { Cause::OwnQueue } else { self.behind(place) })
    }

    /// An exchange in a medium is over, whose frames carried packets of this flow if `own`.
    pub fn exchange(&mut self, exchange: &Exchange, station: usize) {
        let own = exchange.carried.iter().filter(|carried| carried.flow == Some(self.number));
        let (all, damaged) = (own.clone().count(), own.filter(|carried| carried.damaged).count());
        if all > 0 {
            self.failing = exchange.spoilt;
        }
        let cause = match exchange.spoilt {
            _ if all == 0 && self.waits_at_station(station) => Cause::OthersQueue,
            _ if all == 0 && !self.hears(exchange) => return,
            _ if all == 0 => Cause::Contention,
            Some(Why::Air) => Cause::BadAir,
            Some(Why::Collision | Why::Hidden) => Cause::Collision,
            None if damaged == all => Cause::BadAir,
            None => Cause::LinkRate,
        };
        let left = std::mem::take(&mut self.in_medium);
        for (from, to) in left {
            let (began, over) = (exchange.began.clamp(from, to), exchange.silent.clamp(from, to));
            self.add(Cause::LinkRate, began.since(from));
            self.add(cause, over.since(began));
            if over < to {
                self.in_medium.push((over, to));
            }
        }
    }

    /// Whether the packets of this flow that limit it wait at a station: data at the slowest hop, otherwise any.
    fn waits_at_station(&self, station: usize) -> bool {
        let slowest = self.slowest.filter(|slowest| slowest.kind == Kind::Medium);
        match slowest.filter(|slowest| self.packets.is_held(slowest.place)) {
            Some(slowest) => slowest.place.0 == station,
            None => self.packets.held().any(|place| place.0 == station),
        }
    }

    /// Whether a station that holds packets of this flow sensed an exchange.
    fn hears(&self, exchange: &Exchange) -> bool {
        let Some(nodes) = &exchange.heard_by else { return true };
        self.packets.held().any(|(node, _)| nodes.contains_key(node))
    }

    pub fn end(&mut self, at: Time, transmitters: &Transmitters, completed: bool) {
        self.pass(at, transmitters);
        self.ended = true;
        let left: Vec<(Time, Time)> = std::mem::take(&mut self.in_medium);
        left.into_iter().for_each(|(from, to)| self.add(Cause::LinkRate, to.since(from)));
        let tail = std::mem::take(&mut self.tail);
        self.add(if completed { Cause::Propagation } else { Cause::Application }, tail);
    }

    pub fn sender(&mut self, event: &tcp::Event) {
        if self.sender.on_event(event) {
            let tail = std::mem::take(&mut self.tail);
            self.add(Cause::Application, tail);
        }
    }

    /// The slowest hop transmitted a packet in vain: that time belongs to `cause`.
    fn wasted(&mut self, hop: usize, time: Span, cause: Cause) {
        if self.slowest.is_some_and(|slowest| slowest.hop == hop && slowest.kind != Kind::Medium) {
            let wasted = time.min(self.totals[Cause::LinkRate as usize]);
            self.totals[Cause::LinkRate as usize] = self.totals[Cause::LinkRate as usize] - wasted;
            self.add(cause, wasted);
        }
    }

    /// A packet of the flow was lost on its way from `node`; `queued` as in [`Packets::remove`].
    fn lost(&mut self, node: usize, packet: &Packet, of: &PacketFlow, queued: Option<Time>, loss: Loss) {
        self.packets.remove(node, packet, queued);
        let Body::Tcp(segment) = &packet.body else { return };
        match of.seq.filter(|_| of.from_sender && segment.len > 0) {
            Some(seq) if self.received.has(seq) => {}
            seq => self.sender.lost(seq, loss),
        }
    }

    pub fn node(&mut self, at: Time, node: usize, event: &NodeEvent, of: &PacketFlow, hops: &Hops) {
        match event {
            NodeEvent::Sent { packet } | NodeEvent::Transit { packet } => self.packets.put(at, node, packet),
            NodeEvent::Received { packet } => {
                if self.arrived_at_end(packet, of)
                    && let Some(slowest) = self.slowest
                {
                    let time =
                        hops.by_number(slowest.hop).map_or(Span::ZERO, |hop| hop.cycle(packet.size(), self.until));
                    self.wasted(slowest.hop, time, Cause::SpuriousRecovery);
                }
            }
            NodeEvent::BufferFull { packet } => self.lost(node, packet, of, Some(at), Loss::Queue),
            NodeEvent::NoRoute { packet } => self.lost(node, packet, of, Some(at), Loss::Outage),
            NodeEvent::Taken { packet } => {
                self.packets.remove(node, packet, Some(at));
            }
            NodeEvent::Associated { .. } | NodeEvent::Left { .. } => {}
        }
    }

    /// A packet arrived at its destination. Returns whether the receiver had all of its data before.
    fn arrived_at_end(&mut self, packet: &Packet, of: &PacketFlow) -> bool {
        let Body::Tcp(segment) = &packet.body else { return false };
        if !of.from_sender {
            self.sender.acknowledged(u64::from(segment.window));
            return false;
        }
        let data = of.seq.filter(|_| segment.len > 0);
        data.is_some_and(|seq| !self.received.take(seq, seq + u64::from(segment.len)))
    }

    /// Handles an event of a packet of the flow on a link.
    pub fn link(&mut self, on: &OnHop<'_>, event: &LinkEvent, of: &PacketFlow, line: &mut Line, before: Before) {
        let (at, place, kind) = (on.at, (line.near, on.number), line.kind);
        if matches!(event, LinkEvent::Arrived { .. } | LinkEvent::Lost { .. })
            && self.slowest.is_some_and(|slowest| slowest.hop == on.number)
        {
            self.occupied = match kind {
                Kind::StopAndWait => at + on.hop.turnaround(),
                Kind::Plain if before.serves && !line.books => before.free,
                _ => at,
            };
        }
        match event {
            LinkEvent::Dequeued { packet, starts, leaves, .. } => {
                // At recorded opportunities the first packet is in service from when the previous one left.
                let starts = if line.at_opportunities { before.free.max(at).min(*starts) } else { *starts };
                let ends = leaves.or_else(|| on.leaves(packet, starts, kind));
                self.packets.dequeued(place, packet, at, before.free, (starts, ends));
            }
            LinkEvent::FrameSent { packet, .. } if kind != Kind::Medium => {
                let ends = (kind == Kind::Window).then(|| at + on.sending(packet, at));
                line.in_vain = !self.packets.attempt(place, packet, ends);
            }
            LinkEvent::FrameCorrupted { packet, .. } if kind != Kind::Medium => self.packets.fails(place, packet),
            LinkEvent::Arrived { packet } => {
                self.packets.remove(line.near, packet, None);
            }
            LinkEvent::Lost { packet } => {
                self.wasted(on.number, on.sending(packet, at), Cause::BadAir);
                self.lost(line.near, packet, of, None, Loss::Air);
            }
            LinkEvent::GivenUp { packet, arrived: false, .. } => {
                let collided = matches!(self.failing, Some(Why::Collision | Why::Hidden)) && kind == Kind::Medium;
                self.lost(line.near, packet, of, None, if collided { Loss::Collision } else { Loss::Air });
            }
            LinkEvent::QueueFull { packet, arrived } | LinkEvent::DroppedEarly { packet, arrived } => {
                self.lost(line.near, packet, of, Some(*arrived), Loss::Queue);
            }
            _ => {}
        }
    }

    /// Ends the flow if it is not complete. Returns the causes of its time, and its wait in the queue of others.
    pub fn finish(&mut self, at: Time, transmitters: &Transmitters) -> (Vec<(Cause, Span)>, Option<StandingQueue>) {
        if !self.ended {
            self.end(at, transmitters, false);
        }
        let others = transmitters.others(self.packets.nodes(), self.number);
        let queue = (others > 0).then(|| StandingQueue {
            from: self.began,
            to: self.until,
            waited: self.totals[Cause::OthersQueue as usize],
            served: self.totals[Cause::LinkRate as usize],
            others,
        });
        (Cause::ALL.into_iter().zip(self.totals).filter(|(_, span)| *span > Span::ZERO).collect(), queue)
    }
}
