//! The observed transfer of one flow, as lists of changes.

use std::collections::BTreeMap;

use engine::{Span, Time};
use observe::observation::losses::LossPlace;
use observe::observation::packet_in_flight::PacketLoad;
use observe::observation::transmitters::{Before, OnHop};
use observe::observation::{Evidence, Fact, FlowObservation, PathObservation, SenderFact, Subscriber};
use path::{HopIndex, LinkEvent};
use sim::FlowId;
use tcp::{Blocked, Reason};

/// The end of a transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoryFate {
    /// The transmission arrived at the receiver's node.
    Arrived(Time),
    /// It was lost.
    Lost,
    /// A scheme of a node took the packet.
    Absorbed,
    /// The transmission was in flight when the observation ended.
    Open,
}

/// A transmission of data by the sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoryTransmission {
    pub at: Time,
    pub seq: u64,
    pub len: u32,
    pub reason: Reason,
    pub fate: StoryFate,
}

/// The changes of a value, each from a time on. Of several at one time the last counts.
#[derive(Debug)]
pub struct Changes<T>(pub Vec<(Time, T)>);

impl<T> Default for Changes<T> {
    fn default() -> Self {
        Changes(Vec::new())
    }
}

impl<T: PartialEq + Copy> Changes<T> {
    fn note(&mut self, at: Time, value: T) {
        self.0.pop_if(|(since, _)| *since == at);
        if self.0.last().is_none_or(|(_, last)| *last != value) {
            self.0.push((at, value));
        }
    }

    /// Notes a change, even if several changes occur at the same time.
    fn note_each(&mut self, at: Time, value: T) {
        if self.0.last().is_none_or(|(_, last)| *last != value) {
            self.0.push((at, value));
        }
    }

    /// The last value at a time.
    pub fn value_at(&self, at: Time) -> Option<T> {
        let after = self.0.partition_point(|(since, _)| *since <= at);
        after.checked_sub(1).map(|last| self.0[last].1)
    }

    /// The changes after the value at the beginning, which an observation may have long before the connection begins.
    pub fn after(&self, first: T) -> &[(Time, T)] {
        let begins = self.0.first().is_some_and(|(_, value)| *value == first);
        &self.0[usize::from(begins)..]
    }

    /// The values without their times.
    pub fn values(&self) -> Vec<T> {
        self.0.iter().map(|(_, value)| *value).collect()
    }

    fn shift(&mut self, by: Span) {
        self.0.iter_mut().for_each(|(at, _)| *at += by);
    }
}

/// The transfer of a flow.
#[derive(Default)]
pub struct TransferStory {
    /// The number of the flow.
    flow: u32,
    /// Ports of the sender and the receiver.
    pub ports: Option<[u16; 2]>,
    pub transmissions: Vec<StoryTransmission>,
    pub una: Changes<u64>,
    pub max: Changes<u64>,
    /// Bytes that arrived in order at the receiver's node.
    pub in_order: Changes<u64>,
    pub cwnd: Changes<Evidence<f64>>,
    pub ssthresh: Changes<Evidence<f64>>,
    pub rto: Changes<Evidence<Span>>,
    pub receive_window: Changes<Evidence<u64>>,
    pub least_rtt: Changes<Evidence<Span>>,
    pub opening: Changes<bool>,
    pub in_fast_recovery: Changes<Evidence<bool>>,
    pub blocked: Changes<Evidence<Blocked>>,
    /// The time that the slowest hop takes for a full segment.
    pub cycle: Changes<Option<Evidence<Span>>>,
    pub round_trips: Vec<(Time, Span)>,
    /// Expiries of the timer: first unacknowledged byte, and consecutive expiries.
    pub timeouts: Vec<(Time, (u64, u32))>,
    pub fast_retransmits: Vec<(Time, u64)>,
    /// The last recovery from a loss that the network had reported, with the first byte of the segment.
    notified: Option<(Time, u64)>,
    /// The places where segments were lost.
    pub loss_places: Vec<(Time, Evidence<LossPlace>)>,
    /// The end of the observation.
    pub ended: Option<Time>,
    /// Whether everything was acknowledged then.
    is_complete: bool,
    /// The propagation delays of the hops that data has crossed.
    pub propagation: BTreeMap<HopIndex, Span>,
    /// Whether the sender has sent a segment whose packet has not entered the network. Other nodes create packets of a
    /// flow, too.
    is_sending: bool,
    /// The number of a transmission by the identity of its packet.
    numbers: BTreeMap<u64, usize>,
}

impl TransferStory {
    /// A story of flow `flow`.
    pub fn of_flow(flow: u32) -> Self {
        TransferStory { flow, ..TransferStory::default() }
    }

    /// Returns the time at which the transfer was complete, if that was before the end of the run.
    pub fn completed_at(&self) -> Option<Time> {
        self.ended.filter(|_| self.is_complete)
    }

    /// Adds a span to all times.
    pub fn shift(&mut self, by: Span) {
        for transmission in &mut self.transmissions {
            transmission.at += by;
            if let StoryFate::Arrived(at) = &mut transmission.fate {
                *at += by;
            }
        }
        [&mut self.una, &mut self.max, &mut self.in_order].into_iter().for_each(|changes| changes.shift(by));
        [&mut self.cwnd, &mut self.ssthresh].into_iter().for_each(|changes| changes.shift(by));
        self.opening.shift(by);
        self.in_fast_recovery.shift(by);
        self.loss_places.iter_mut().for_each(|(at, _)| *at += by);
        self.rto.shift(by);
        self.receive_window.shift(by);
        self.least_rtt.shift(by);
        self.blocked.shift(by);
        self.cycle.shift(by);
        self.round_trips.iter_mut().for_each(|(at, _)| *at += by);
        self.timeouts.iter_mut().for_each(|(at, _)| *at += by);
        self.fast_retransmits.iter_mut().for_each(|(at, _)| *at += by);
        self.ended = self.ended.map(|at| at + by);
    }

    fn settle(&mut self, id: u64, fate: StoryFate) {
        if let Some(number) = self.numbers.remove(&id) {
            self.transmissions[number].fate = fate;
        }
    }

    fn hear_sender(&mut self, at: Time, fact: SenderFact) {
        match fact {
            SenderFact::Sent { .. } => self.is_sending = true,
            SenderFact::RoundTrip { rtt } => self.round_trips.push((at, rtt)),
            SenderFact::TimerExpired { seq, nth } => self.timeouts.push((at, (seq, nth))),
            SenderFact::FastRetransmit { seq } => self.fast_retransmits.push((at, seq)),
            SenderFact::NotifiedRecovery { seq } => self.notified = Some((at, seq)),
            _ => {}
        }
    }

    fn hear(&mut self, at: Time, fact: &Fact) {
        match fact {
            Fact::Sender(fact) => self.hear_sender(at, *fact),
            Fact::Sent(packet) if self.is_sending => {
                let PacketLoad::Data { seq, len, reason } = packet.load else { return };
                self.is_sending = false;
                if let wire::Body::Tcp(segment) = &packet.packet.body {
                    self.ports.get_or_insert([segment.src_port, segment.dst_port]);
                }
                // A capture does not show that the network had reported the loss.
                if reason == Reason::FastRetransmit && self.notified == Some((at, seq)) {
                    self.fast_retransmits.push((at, seq));
                }
                self.numbers.insert(packet.id, self.transmissions.len());
                self.transmissions.push(StoryTransmission { at, seq, len, reason, fate: StoryFate::Open });
            }
            Fact::Reached { packet, .. } => self.settle(packet.id, StoryFate::Arrived(at)),
            Fact::Absorbed(packet) => self.settle(packet.id, StoryFate::Absorbed),
            Fact::Gone { packet, place } => {
                self.settle(packet.id, StoryFate::Lost);
                self.loss_places.push((at, *place));
            }
            _ => {}
        }
    }
}

impl Subscriber for TransferStory {
    fn on_hop(
        &mut self,
        on: &OnHop<'_>,
        event: &LinkEvent,
        number: FlowId,
        (flow, _): (&FlowObservation, &PathObservation),
        _: Before,
    ) {
        if let LinkEvent::Arrived { packet } = event
            && number.number() == self.flow
            && packet.dst == flow.receiver
        {
            self.propagation.insert(on.number, on.hop.delay);
        }
    }

    fn on_facts(&mut self, at: Time, number: FlowId, facts: &[Fact], flow: &FlowObservation, _: &PathObservation) {
        if number.number() != self.flow {
            return;
        }
        for fact in facts {
            self.hear(at, fact);
        }
        let sender = &flow.sender;
        self.una.note(at, sender.una);
        self.max.note(at, sender.max);
        self.in_order.note_each(at, flow.received.in_order());
        self.cwnd.note(at, sender.cwnd);
        self.ssthresh.note(at, sender.ssthresh);
        self.rto.note(at, sender.rto);
        self.receive_window.note(at, sender.receive_window);
        self.least_rtt.note(at, sender.least_rtt);
        self.opening.note(at, sender.opening);
        self.in_fast_recovery.note(at, sender.in_fast_recovery);
        self.blocked.note(at, sender.blocked);
        self.cycle.note(at, flow.slowest.as_ref().map(|slowest| slowest.cycle));
    }

    fn on_end(&mut self, at: Time, number: FlowId, flow: &FlowObservation, _: &PathObservation) {
        if number.number() == self.flow {
            self.ended = Some(at);
            self.is_complete = flow.bytes == Some(flow.sender.una);
        }
    }
}
