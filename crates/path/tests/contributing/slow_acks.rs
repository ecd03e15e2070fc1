//! Acknowledgments from the mobile are delayed while the queue for the radio link is long: the sender slows down before
//! the queue overflows.

use std::collections::VecDeque;

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Body, Packet};

use super::{Agent, AgentCx, AgentVerdict, LinkView, Traits};

/// Properties of the scheme: it runs at the base station alone, and acknowledgments keep their meaning.
pub fn traits() -> Traits {
    Traits::default()
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The number of packets that may wait before acknowledgments are delayed.
    pub threshold: usize,
    /// The delay.
    pub delay: Span,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let fault = Fault::new("delay", self.delay, "more than 0");
        if self.delay == Span::ZERO { vec![fault] } else { Vec::new() }
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(SlowAcks { config: self.clone(), waiting: 0, held: VecDeque::new(), delayed: 0 }))
    }
}

struct SlowAcks {
    config: Config,
    /// Packets waiting for the radio link when the last packet joined its queue.
    waiting: usize,
    /// Delayed acknowledgments, with the times at which they are forwarded.
    held: VecDeque<(Time, Packet)>,
    delayed: u64,
}

impl Agent for SlowAcks {
    fn looks_at_link(&self) -> bool {
        true
    }

    fn on_link(&mut self, link: &LinkView, _: &mut AgentCx<'_>) {
        self.waiting = link.waiting;
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let pure = matches!(&packet.body, Body::Tcp(segment) if segment.len == 0);
        // Acknowledgments are not reordered.
        if !pure || (self.waiting <= self.config.threshold && self.held.is_empty()) {
            return AgentVerdict::Pass;
        }
        // An event with a value; an increase of `delayed` is also an event.
        cx.emit("queue_at_ack", self.waiting as f64, Some(packet));
        self.delayed += 1;
        self.held.push_back((cx.now + self.config.delay, *packet));
        AgentVerdict::Take
    }

    fn deadline(&self) -> Time {
        self.held.front().map_or(Time::NEVER, |(due, _)| *due)
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        while self.deadline() <= cx.now
            && let Some((_, packet)) = self.held.pop_front()
        {
            cx.send(packet);
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("delayed", self.delayed)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LinkDirection, LinkId};
    use engine::Rate;
    use wire::{Addr, Flags, Segment};

    #[test]
    fn acknowledgments_wait_while_the_queue_is_long() {
        let config = Config { threshold: 10, delay: Span::from_millis(20) };
        let mut agent = config.build().unwrap();
        let (hop, rate) = (LinkId::new(0).hop(LinkDirection::Forward), Rate::from_bits_per_sec(1_000_000));
        let link = |waiting| LinkView {
            hop,
            waiting,
            waiting_bytes: 1000 * waiting as u64,
            outstanding: 1,
            limit: crate::queue::Limit::None,
            rate: rate.unwrap(),
            busy: Span::ZERO,
        };
        let ack = Segment { flags: Flags::ACK, ..Segment::default() };
        let mut ack = Packet::new(Addr::of_node(2), Addr::of_node(0), Body::Tcp(ack));
        let (mut send, mut events) = (Vec::new(), Vec::new());
        for (at, waiting, verdict) in
            [(0, 10, AgentVerdict::Pass), (1, 11, AgentVerdict::Take), (2, 0, AgentVerdict::Take)]
        {
            let (now, here) = (Time::from_millis(at), Addr::of_node(1));
            let mut cx = AgentCx { now, here, send: &mut send, events: Some(&mut events) };
            agent.on_link(&link(waiting), &mut cx);
            assert_eq!(agent.after_air(&mut ack, &mut cx), verdict);
        }
        assert_eq!((agent.deadline(), events.len(), events[0].value), (Time::from_millis(21), 2, 11.0));
        let (now, here) = (Time::from_millis(21), Addr::of_node(1));
        agent.on_wake(&mut AgentCx { now, here, send: &mut send, events: None });
        assert_eq!((send.len(), agent.deadline()), (1, Time::from_millis(22)));
    }
}
