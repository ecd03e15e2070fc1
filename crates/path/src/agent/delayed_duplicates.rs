//! Delayed duplicate acknowledgments: the base station holds the third and later duplicate acknowledgments for some
//! time, and drops them if a new acknowledgment arrives in the meantime. The link layer can thus recover a loss on the
//! radio link before the sender treats it as congestion.
//!
//! Source: vaidya1999. Deviation: there the mobile's TCP holds the duplicates; here the base station does, which has
//! the same effect on the sender and does not change the mobile. The paper gives no single value for the delay: it must
//! exceed the time that the link layer needs. Each duplicate is held for that time separately. Limits:
//! `docs/models/delayed-duplicates.md`.

use std::collections::VecDeque;

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Flags, Packet, Segment, SeqNum};

use super::flow_table::{FlowKey, TimedFlows};
use super::{Agent, AgentCx, AgentVerdict, Effect, SchemeAction, SchemeNode, Semantics, Traits};

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "duplicates_held", label: "duplicate ACK held", effect: Effect::Holds },
    SchemeAction { event: "duplicates_released", label: "held ACK released", effect: Effect::Releases },
    SchemeAction { event: "duplicates_dropped", label: "held ACK dropped", effect: Effect::DropsAck },
];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    // The scheme relies on retransmissions by a link layer.
    Traits {
        semantics: Semantics::Kept,
        changes: &[SchemeNode::BaseStation],
        uploads: &[],
        needs_link_reports: true,
        actions: ACTIONS,
    }
}

/// Settings of the scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Time for which a duplicate acknowledgment is held.
    pub delay: Span,
    /// Maximum number of acknowledgments held per flow; one more releases the oldest early.
    pub max_held: u32,
    /// Maximum number of flows with state; another flow evicts the least recently used one.
    pub flows: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config { delay: Span::from_millis(100), max_held: 100, flows: 1000 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(Span::from_millis(1)..=Span::from_secs(3600)).contains(&self.delay) {
            faults.push(Fault::new("delay", self.delay, "1 ms to 1 h"));
        }
        for (key, value, max) in [("max_held", self.max_held, 100_000), ("flows", self.flows, 1_000_000)] {
            faults.extend(Fault::unless_some(key, value, max));
        }
        faults
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let flows = TimedFlows::new(self.flows as usize);
        Some(Box::new(DelayedDuplicates {
            config: self.clone(),
            flows,
            bytes: 0,
            most_bytes: 0,
            counters: DelayedDuplicatesCounters::default(),
        }))
    }
}

/// Number of duplicates that pass at once: fewer than three have no effect on a sender [RFC5681 s3.2].
const PASS: u32 = 2;
/// Size of a flow's state without the held packets, in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 50;

/// Acknowledgment state of a flow.
struct DuplicateState {
    ack: SeqNum,
    window: u32,
    duplicates: u32,
    /// Held acknowledgments with their release times.
    held: VecDeque<(Time, Packet)>,
}

#[derive(Clone, Copy, Default)]
struct DelayedDuplicatesCounters {
    forgotten: u64,
    held: u64,
    released: u64,
    released_early: u64,
    dropped: u64,
}

struct DelayedDuplicates {
    config: Config,
    flows: TimedFlows<DuplicateState>,
    /// Total size of the held packets, in bytes.
    bytes: u64,
    most_bytes: u64,
    counters: DelayedDuplicatesCounters,
}

impl DelayedDuplicates {
    fn state_bytes(&self) -> u64 {
        self.bytes + self.flows.len() as u64 * FLOW_BYTES
    }

    /// Updates the maximum of the state size.
    fn update_peak(&mut self) {
        self.most_bytes = self.most_bytes.max(self.state_bytes());
    }

    fn drop_all(&mut self, held: VecDeque<(Time, Packet)>, cx: &mut AgentCx<'_>) {
        for (_, packet) in &held {
            cx.emit("duplicates_dropped", 1.0, Some(packet));
        }
        self.counters.dropped += held.len() as u64;
        self.bytes -= held.iter().map(|(_, packet)| u64::from(packet.size())).sum::<u64>();
    }

    /// Forwards a held acknowledgment.
    fn release(&mut self, packet: Packet, cx: &mut AgentCx<'_>) {
        self.bytes -= u64::from(packet.size());
        self.counters.released += 1;
        cx.emit("duplicates_released", 1.0, Some(&packet));
        cx.send(packet);
    }

    fn begin(&mut self, key: FlowKey, segment: &Segment, cx: &mut AgentCx<'_>) {
        let known = DuplicateState { ack: segment.ack, window: segment.window, duplicates: 0, held: VecDeque::new() };
        if let Some((_, gone)) = self.flows.insert(key, known) {
            self.counters.forgotten += 1;
            for (_, packet) in gone.held {
                self.counters.released_early += 1;
                self.release(packet, cx);
            }
        }
        self.update_peak();
    }
}

impl Agent for DelayedDuplicates {
    fn acts_on_losses(&self) -> bool {
        true
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((back, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        let key = back.opposite();
        if segment.flags.has(Flags::RST) {
            if let Some(gone) = self.flows.remove(&key) {
                self.drop_all(gone.held, cx);
            }
            return AgentVerdict::Pass;
        }
        if !segment.flags.has(Flags::ACK) || packet.dst == cx.here {
            return AgentVerdict::Pass;
        }
        let Some(flow) = self.flows.get(&key) else {
            self.begin(key, segment, cx);
            return AgentVerdict::Pass;
        };
        let ahead = segment.ack.since(flow.ack);
        if ahead > 0 || segment.flags.has(Flags::SYN) {
            (flow.ack, flow.window, flow.duplicates) = (segment.ack, segment.window, 0);
            let held = std::mem::take(&mut flow.held);
            self.flows.wake_at(&key, Time::NEVER);
            self.drop_all(held, cx);
            return AgentVerdict::Pass;
        }
        // A changed window makes the acknowledgment a window update [RFC5681 s2], except with SACK blocks, which report
        // a segment out of order [RFC6675 s2].
        let updates = segment.window != flow.window && segment.options.sack.is_empty();
        if ahead < 0 || segment.seq_len() > 0 || updates {
            if ahead == 0 {
                flow.window = segment.window;
            }
            return AgentVerdict::Pass;
        }
        flow.duplicates = flow.duplicates.saturating_add(1);
        if flow.duplicates <= PASS {
            return AgentVerdict::Pass;
        }
        let early = (flow.held.len() >= self.config.max_held as usize).then(|| flow.held.pop_front()).flatten();
        flow.held.push_back((cx.now + self.config.delay, *packet));
        let first = flow.held.front().map_or(Time::NEVER, |(at, _)| *at);
        self.flows.wake_at(&key, first);
        self.counters.held += 1;
        self.bytes += u64::from(packet.size());
        if let Some((_, oldest)) = early {
            self.counters.released_early += 1;
            self.release(oldest, cx);
        }
        self.update_peak();
        AgentVerdict::Take
    }

    fn deadline(&self) -> Time {
        self.flows.deadline()
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        while let Some(key) = self.flows.pop_due(cx.now) {
            while let Some(flow) = self.flows.peek(&key)
                && let Some((at, packet)) = flow.held.front().copied()
            {
                if at > cx.now {
                    self.flows.wake_at(&key, at);
                    break;
                }
                flow.held.pop_front();
                self.release(packet, cx);
            }
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counted = &self.counters;
        vec![
            ("flows", self.flows.len() as u64),
            ("flows_forgotten", counted.forgotten),
            ("state_bytes", self.state_bytes()),
            ("state_bytes_most", self.most_bytes),
            ("duplicates_held", counted.held),
            ("duplicates_dropped", counted.dropped),
            ("duplicates_released", counted.released),
            ("duplicates_released_early", counted.released_early),
        ]
    }
}
