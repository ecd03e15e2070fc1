//! The time of one flow: each moment charged to one cause, by the rules in the header of `budget`.

use engine::{Span, Time};
use path::{HopIndex, LinkEvent};
use sim::{FlowId, NodeId};
use tcp::{Blocked, Reason};

use observation::losses::LossPlace;
use observation::media::{AttemptFailure, ObservedExchange};
use observation::packets_in_flight::Place;
use observation::transmitters::{Before, LineKind, OnHop, TransmitterLine, Transmitters};
use observation::{Evidence, Fact, FlowObservation, PathObservation, SenderFact};

use super::Cause;

/// The slowest hop on the path of a flow's data.
#[derive(Clone, Copy)]
struct Slowest {
    hop: HopIndex,
    place: Place,
    kind: LineKind,
}

impl Slowest {
    /// Returns the slowest hop of a flow, if it is known.
    fn of(flow: &FlowObservation, transmitters: &Transmitters) -> Option<Self> {
        let hop = flow.slowest.as_ref()?.id.into();
        let line = transmitters.line(hop)?;
        Some(Slowest { hop, place: (line.near, flow.receiver), kind: line.kind })
    }
}

/// The wait of a flow in the queue of others.
pub(in super::super) struct StandingQueue {
    pub from: Time,
    pub to: Time,
    pub waited: Span,
    /// Time for which the slowest hop transmitted for the flow.
    pub served: Span,
    /// The number of other flows at the node where most of them send.
    pub others: u32,
}

/// Cause to which a moment is charged, or the rule that decides the cause later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Charge {
    To(Cause),
    /// To the repair of a loss whose place is unknown.
    UnplacedLoss,
    /// To the application if it writes more, otherwise to the propagation of the last packets.
    Tail,
    /// To be decided by the exchanges of a medium.
    InMedium,
}

/// The time of one flow, charged to causes.
pub(in super::super) struct Account {
    number: FlowId,
    began: Time,
    /// Time up to this moment is charged to causes.
    until: Time,
    totals: [Span; Cause::ALL.len()],
    /// Time for the repair of losses whose place is unknown.
    unplaced_loss: Span,
    /// Time whose cause is known when the application writes again, or the flow is complete.
    tail: Span,
    /// Intervals in which packets were at stations of a medium, whose exchanges are not known yet.
    in_medium: Vec<(Time, Time)>,
    /// Until when the flow's last packet occupies the slowest hop after its arrival: until its link acknowledgment with
    /// stop-and-wait; until the end of its transmission on a link whose far end has it before.
    occupied: Time,
}

impl Account {
    pub fn new(number: FlowId, start: Time) -> Self {
        Account {
            number,
            began: start,
            until: start,
            totals: [Span::ZERO; Cause::ALL.len()],
            unplaced_loss: Span::ZERO,
            tail: Span::ZERO,
            in_medium: Vec::new(),
            occupied: Time::ZERO,
        }
    }

    fn add(&mut self, cause: Cause, span: Span) {
        let total = &mut self.totals[cause as usize];
        *total = *total + span;
    }

    /// Charges the time until `at`.
    pub fn pass(&mut self, at: Time, flow: &FlowObservation, path: &PathObservation) {
        self.charge_in_parts(at, flow, path.transmitters());
    }

    fn charge_in_parts(&mut self, to: Time, flow: &FlowObservation, transmitters: &Transmitters) {
        let slowest = Slowest::of(flow, transmitters).and_then(|slowest| transmitters.line(slowest.hop));
        while let Some(change) = slowest.map(|line| line.next_interruption(self.until)).filter(|change| *change < to) {
            self.charge_around_occupied(change, flow, transmitters);
        }
        self.charge_around_occupied(to, flow, transmitters);
    }

    fn charge_around_occupied(&mut self, to: Time, flow: &FlowObservation, transmitters: &Transmitters) {
        if self.until < self.occupied && self.occupied < to {
            self.charge(self.occupied, flow, transmitters);
        }
        self.charge(to, flow, transmitters);
    }

    fn charge(&mut self, to: Time, flow: &FlowObservation, transmitters: &Transmitters) {
        if to <= self.until {
            return;
        }
        let cause =
            Moment { at: self.until, number: self.number, occupied: self.occupied, flow, transmitters }.charge();
        let from = std::mem::replace(&mut self.until, to);
        match cause {
            Charge::To(cause) => self.add(cause, to.since(from)),
            Charge::UnplacedLoss => self.unplaced_loss = self.unplaced_loss + to.since(from),
            Charge::Tail => self.tail = self.tail + to.since(from),
            Charge::InMedium => match self.in_medium.last_mut() {
                Some((_, end)) if *end == from => *end = to,
                _ => self.in_medium.push((from, to)),
            },
        }
    }

    /// Charges the time at stations of a medium up to the end of an exchange.
    pub fn exchange(
        &mut self,
        exchange: &ObservedExchange,
        station: NodeId,
        flow: &FlowObservation,
        transmitters: &Transmitters,
    ) {
        let own = exchange.carried.iter().filter(|carried| carried.flow == Some(self.number));
        let (all, damaged) = (own.clone().count(), own.filter(|carried| carried.damaged).count());
        let cause = match exchange.spoilt {
            _ if all == 0 && waits_at_station(station, flow, transmitters) => Cause::OthersQueue,
            _ if all == 0 && !is_exchange_sensed(exchange, flow) => return,
            _ if all == 0 => Cause::Contention,
            Some(AttemptFailure::Air) => Cause::BadAir,
            Some(AttemptFailure::Collision | AttemptFailure::Hidden) => Cause::Collision,
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

    /// Ends the flow, which has been [charged](Self::pass) until now.
    pub fn end(&mut self, completed: bool) {
        let left: Vec<(Time, Time)> = std::mem::take(&mut self.in_medium);
        left.into_iter().for_each(|(from, to)| self.add(Cause::LinkRate, to.since(from)));
        let tail = std::mem::take(&mut self.tail);
        self.add(if completed { Cause::Propagation } else { Cause::Application }, tail);
    }

    /// Handles a fact, after the flow.
    pub fn on_fact(&mut self, fact: &Fact, flow: &FlowObservation, path: &PathObservation) {
        match fact {
            Fact::Sender(SenderFact::Sent { reason: Reason::New }) => {
                let tail = std::mem::take(&mut self.tail);
                self.add(Cause::Application, tail);
            }
            Fact::Reached { packet, news: false } => self.charge_duplicate(packet.packet.size(), flow, path),
            _ => {}
        }
    }

    /// Moves the time of a useless transmission at the slowest hop from `LinkRate` to `cause`.
    fn charge_useless_transmission(&mut self, time: Span, cause: Cause) {
        let wasted = time.min(self.totals[Cause::LinkRate as usize]);
        self.totals[Cause::LinkRate as usize] = self.totals[Cause::LinkRate as usize] - wasted;
        self.add(cause, wasted);
    }

    /// Charges the transmission of duplicate data, in a packet of this size.
    fn charge_duplicate(&mut self, size: u32, flow: &FlowObservation, path: &PathObservation) {
        if let Some(slowest) = Slowest::of(flow, path.transmitters()).filter(|slowest| slowest.kind != LineKind::Medium)
        {
            let time = path.hops().get(slowest.hop).map_or(Span::ZERO, |hop| hop.cycle(size, self.until));
            self.charge_useless_transmission(time, Cause::SpuriousRecovery);
        }
    }

    /// The time spent on repairing losses whose place is unknown.
    pub fn unplaced_loss(&self) -> Span {
        self.unplaced_loss
    }

    /// Handles an event of a packet of the flow on a link, before the flow does.
    pub fn link(
        &mut self,
        on: &OnHop<'_>,
        event: &LinkEvent,
        flow: &FlowObservation,
        path: &PathObservation,
        before: Before,
    ) {
        let Some(line) = path.transmitters().line(on.number) else { return };
        if Slowest::of(flow, path.transmitters()).is_none_or(|slowest| slowest.hop != on.number) {
            return;
        }
        if matches!(event, LinkEvent::Arrived { .. } | LinkEvent::Lost { .. }) {
            self.occupied = match line.kind {
                LineKind::StopAndWait => on.at + on.hop.turnaround(),
                LineKind::Plain if before.serves && !line.books => before.free,
                _ => on.at,
            };
        }
        if let LinkEvent::Lost { packet } = event
            && line.kind != LineKind::Medium
        {
            self.charge_useless_transmission(on.sending(packet, on.at), Cause::BadAir);
        }
    }

    /// Returns the causes of the flow's time, and its wait in the queue of others.
    pub fn finish(
        &self,
        flow: &FlowObservation,
        transmitters: &Transmitters,
    ) -> (Vec<(Cause, Span)>, Option<StandingQueue>) {
        let others = transmitters.others(flow.packets.nodes(), self.number);
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

/// A moment of a flow's time, with the state that determines its cause.
struct Moment<'a> {
    at: Time,
    number: FlowId,
    /// As in [`Account`].
    occupied: Time,
    flow: &'a FlowObservation,
    transmitters: &'a Transmitters,
}

impl Moment<'_> {
    /// The cause, by the rules in the header of `budget`.
    fn charge(&self) -> Charge {
        let slowest = match Slowest::of(self.flow, self.transmitters) {
            Some(slowest) => self.at_slowest(slowest),
            None => self.first_service(),
        };
        let opening = self.flow.sender.opening;
        let medium = || (!opening && self.is_in_medium()).then_some(Charge::InMedium);
        let elsewhere = || self.waits_elsewhere().map(Charge::To);
        let failed = || self.flow.packets.has_failed().then_some(Charge::To(Cause::BadAir));
        slowest.map(Charge::To).or_else(medium).or_else(elsewhere).or_else(failed).unwrap_or_else(|| self.of_sender())
    }

    /// Rule 1 before the slowest hop is known: the transmission of the first data, on any hop.
    fn first_service(&self) -> Option<Cause> {
        let wired = |hop: HopIndex| self.transmitters.line(hop).is_some_and(|line| line.kind != LineKind::Medium);
        let sends = self.flow.packets.services().any(|(hop, service)| wired(hop) && service.good > 0);
        (sends && !self.flow.sender.opening).then_some(Cause::LinkRate)
    }

    /// Rules 1 and 2.
    fn at_slowest(&self, slowest: Slowest) -> Option<Cause> {
        let transit = &self.flow.packets;
        let service = transit.service(slowest.hop);
        let waits = self.waits(slowest.place);
        let line = self.transmitters.line(slowest.hop)?;
        let serves = self.transmitters.serving(slowest.hop) == Some(self.number);
        let sends = match (service.good, service.bad) {
            (0, 0) => (self.at < self.occupied).then_some(Cause::LinkRate),
            (0, _) => Some(Cause::BadAir),
            _ => Some(Cause::LinkRate),
        };
        match slowest.kind {
            LineKind::Medium => None,
            LineKind::Plain => sends
                .or_else(|| waits.then(|| self.behind(slowest.place)))
                .or_else(|| transit.is_held(slowest.place).then(|| self.idle_line(line)).flatten()),
            LineKind::StopAndWait if sends.is_none() && !waits => None,
            LineKind::StopAndWait if !serves => Some(Cause::OthersQueue),
            LineKind::StopAndWait if line.in_vain => Some(Cause::BadAir),
            LineKind::StopAndWait => Some(sends.unwrap_or(Cause::LinkRate)),
            LineKind::Window if sends.is_some() => sends,
            LineKind::Window if !waits => None,
            LineKind::Window if transit.has_failed() || (serves && line.in_vain) => Some(Cause::BadAir),
            LineKind::Window if serves => Some(Cause::LinkRate),
            LineKind::Window => Some(Cause::OthersQueue),
        }
    }

    /// Returns the cause of a wait at an idle line that does not compute departures in advance.
    fn idle_line(&self, line: &TransmitterLine) -> Option<Cause> {
        if line.is_interrupted(self.at) {
            return Some(Cause::Outage);
        }
        line.at_opportunities.then_some(Cause::LinkRate)
    }

    /// Returns the cause of waits at a place where no packet of the flow is in transmission.
    fn behind(&self, place: Place) -> Cause {
        if self.flow.packets.is_interrupted(place) { Cause::Outage } else { Cause::OthersQueue }
    }

    /// Whether a packet waits in a queue at a place. A node may hold a packet for other reasons: a hop that computes
    /// departures has only booked packets in its queue, and no packet waits for an idle transmitter.
    fn waits(&self, place: Place) -> bool {
        let transit = &self.flow.packets;
        let queues = || {
            let line = transit.route(place).and_then(|hop| self.transmitters.line(hop));
            line.is_some_and(|line| !line.books && (line.kind != LineKind::Plain || line.free_at > self.at))
        };
        transit.is_booked(place) || (transit.is_held(place) && queues())
    }

    /// Whether a packet is at a station of a medium.
    fn is_in_medium(&self) -> bool {
        let transit = &self.flow.packets;
        let of_medium = |hop: HopIndex| self.transmitters.line(hop).is_some_and(|line| line.kind == LineKind::Medium);
        transit.services().any(|(hop, _)| of_medium(hop))
            || transit.held_places().any(|place| transit.route(*place).is_some_and(of_medium))
    }

    /// Rule 4.
    fn waits_elsewhere(&self) -> Option<Cause> {
        let transit = &self.flow.packets;
        let place = *transit.held_places().chain(transit.booked_places()).find(|place| self.waits(**place))?;
        let own = transit.route(place).is_some_and(|hop| !transit.service(hop).is_idle());
        Some(if own { Cause::OwnQueue } else { self.behind(place) })
    }

    /// Rule 6.
    fn of_sender(&self) -> Charge {
        let (sender, losses) = (&self.flow.sender, &self.flow.losses);
        if sender.opening {
            return Charge::To(Cause::Handshake);
        }
        if let Some(place) = losses.first() {
            return classify_repair(place);
        }
        if let Some(loss) = losses.recovery() {
            return loss.map_or(Charge::To(Cause::SpuriousRecovery), classify_repair);
        }
        Charge::To(match sender.blocked.value() {
            Some(Blocked::Data) | None if sender.una < sender.max => return Charge::Tail,
            Some(Blocked::Data) | None => Cause::Application,
            Some(Blocked::SendBuffer) => Cause::SendBuffer,
            Some(Blocked::PeerWindow) if self.flow.is_window_unread() => Cause::Reader,
            Some(Blocked::PeerWindow) if self.window_was_closed() => Cause::Scheme,
            Some(Blocked::PeerWindow) => Cause::ReceiverWindow,
            Some(Blocked::Nagle) => Cause::Nagle,
            Some(Blocked::Cwnd) if sender.is_in_slow_start() => Cause::SlowStart,
            Some(Blocked::Cwnd) => Cause::CongestionAvoidance,
            Some(Blocked::Pacing) => Cause::Pacing,
        })
    }

    /// Whether a scheme closed the receive window: the receiver's own acknowledgments do not explain the wait.
    /// Applications without a `reader` read data on arrival, so they never close the window.
    fn window_was_closed(&self) -> bool {
        let sender = &self.flow.sender;
        let next = sender.max - sender.una + u64::from(self.flow.segment);
        sender.receive_window.value().is_some_and(|window| window == 0 || next <= window)
    }
}

/// The cause of the time in which a loss is repaired.
fn classify_repair(place: Evidence<LossPlace>) -> Charge {
    match place.value() {
        Some(LossPlace::Air) => Charge::To(Cause::AirLoss),
        Some(LossPlace::Collision) => Charge::To(Cause::Collision),
        Some(LossPlace::Queue) => Charge::To(Cause::QueueDrop),
        Some(LossPlace::Outage) => Charge::To(Cause::Outage),
        None => Charge::UnplacedLoss,
    }
}

/// Whether the packets of a flow that limit it wait at a station: data at the slowest hop, otherwise any.
fn waits_at_station(station: NodeId, flow: &FlowObservation, transmitters: &Transmitters) -> bool {
    let slowest = Slowest::of(flow, transmitters).filter(|slowest| slowest.kind == LineKind::Medium);
    match slowest.filter(|slowest| flow.packets.is_held(slowest.place)) {
        Some(slowest) => slowest.place.0 == station,
        None => flow.packets.held_places().any(|place| place.0 == station),
    }
}

/// Whether a station that holds packets of a flow sensed an exchange.
fn is_exchange_sensed(exchange: &ObservedExchange, flow: &FlowObservation) -> bool {
    let Some(nodes) = &exchange.heard_by else { return true };
    flow.packets.held_places().any(|(node, _)| nodes.contains_key(node))
}
