//! Delayed duplicate acknowledgments: the base station holds the third duplicate acknowledgment and those after it for
//! a while, and forgets them if a new acknowledgment comes meanwhile. So the link layer can make a loss in the air good
//! before the sender takes it for congestion.
//!
//! Source: vaidya1999. Deviation: there the mobile's TCP holds them; here the node in front of the air does, which
//! comes to the same for the sender and leaves the mobile as it is. The paper has no one value for the time: it must be
//! longer than the link layer takes. Each is held for that time by itself. Limits: `docs/models/delayed-duplicates.md`.

use std::collections::VecDeque;

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Flags, Packet, Segment, SeqNum};

use super::flow_table::{Flow, TimedFlows};
use super::{Agent, AgentCx, Place, Semantics, Traits, Verdict};

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    // What it waits for is done by a link layer.
    Traits { semantics: Semantics::Kept, changes: &[Place::BaseStation], uploads: &[], hears_link_layer: true }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How long a duplicate acknowledgment is held.
    pub delay: Span,
    /// How many of a flow are held; one more, and the oldest goes on early.
    pub held: u32,
    /// Flows remembered; the one unused for longest makes room for another.
    pub flows: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config { delay: Span::from_millis(100), held: 100, flows: 1000 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(Span::from_millis(1)..=Span::from_secs(3600)).contains(&self.delay) {
            faults.push(Fault::new("delay", self.delay, "1 ms to 1 h"));
        }
        for (key, value, most) in [("held", self.held, 100_000), ("flows", self.flows, 1_000_000)] {
            faults.extend(Fault::unless_some(key, value, most));
        }
        faults
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let flows = TimedFlows::new(self.flows as usize);
        Some(Box::new(DelayedDuplicates {
            config: self.clone(),
            flows,
            bytes: 0,
            most_bytes: 0,
            counters: Counters::default(),
        }))
    }
}

/// The first duplicates go on at once: fewer than three mean nothing to a sender [RFC5681 s3.2].
const PASS: u32 = 2;
/// What a flow costs beside the packets held, as it is counted.
const FLOW_BYTES: u64 = 50;

/// The acknowledgments of one flow.
struct Known {
    ack: SeqNum,
    window: u32,
    duplicates: u32,
    /// What is held, and until when.
    held: VecDeque<(Time, Packet)>,
}

#[derive(Clone, Copy, Default)]
struct Counters {
    forgotten: u64,
    held: u64,
    released: u64,
    released_early: u64,
    dropped: u64,
}

struct DelayedDuplicates {
    config: Config,
    flows: TimedFlows<Known>,
    /// Of the packets held.
    bytes: u64,
    most_bytes: u64,
    counters: Counters,
}

impl DelayedDuplicates {
    fn state_bytes(&self) -> u64 {
        self.bytes + self.flows.len() as u64 * FLOW_BYTES
    }

    /// More is remembered than before.
    fn grown(&mut self) {
        self.most_bytes = self.most_bytes.max(self.state_bytes());
    }

    fn drop_all(&mut self, held: VecDeque<(Time, Packet)>) {
        self.counters.dropped += held.len() as u64;
        self.bytes -= held.iter().map(|(_, packet)| u64::from(packet.size())).sum::<u64>();
    }

    /// Lets the oldest that is held go on.
    fn release(&mut self, packet: Packet, cx: &mut AgentCx<'_>) {
        self.bytes -= u64::from(packet.size());
        self.counters.released += 1;
        cx.send(packet);
    }

    fn begin(&mut self, key: Flow, segment: &Segment, cx: &mut AgentCx<'_>) {
        let known = Known { ack: segment.ack, window: segment.window, duplicates: 0, held: VecDeque::new() };
        if let Some((_, gone)) = self.flows.insert(key, known) {
            self.counters.forgotten += 1;
            for (_, packet) in gone.held {
                self.counters.released_early += 1;
                self.release(packet, cx);
            }
        }
        self.grown();
    }
}

impl Agent for DelayedDuplicates {
    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> Verdict {
        let Some((back, segment)) = Flow::of(packet) else { return Verdict::Pass };
        let key = back.reversed();
        if segment.flags.has(Flags::RST) {
            if let Some(gone) = self.flows.remove(&key) {
                self.drop_all(gone.held);
            }
            return Verdict::Pass;
        }
        if !segment.flags.has(Flags::ACK) || packet.dst == cx.here {
            return Verdict::Pass;
        }
        let Some(flow) = self.flows.get(&key) else {
            self.begin(key, segment, cx);
            return Verdict::Pass;
        };
        let ahead = segment.ack.since(flow.ack);
        if ahead > 0 || segment.flags.has(Flags::SYN) {
            (flow.ack, flow.window, flow.duplicates) = (segment.ack, segment.window, 0);
            let held = std::mem::take(&mut flow.held);
            self.flows.wake_at(&key, Time::NEVER);
            self.drop_all(held);
            return Verdict::Pass;
        }
        // [RFC5681 s2]; SACK blocks tell of a segment out of order whatever the window [RFC6675 s2].
        let updates = segment.window != flow.window && segment.options.sack.is_empty();
        if ahead < 0 || segment.seq_len() > 0 || updates {
            if ahead == 0 {
                flow.window = segment.window;
            }
            return Verdict::Pass;
        }
        flow.duplicates = flow.duplicates.saturating_add(1);
        if flow.duplicates <= PASS {
            return Verdict::Pass;
        }
        let early = (flow.held.len() >= self.config.held as usize).then(|| flow.held.pop_front()).flatten();
        flow.held.push_back((cx.now + self.config.delay, *packet));
        let first = flow.held.front().map_or(Time::NEVER, |(at, _)| *at);
        self.flows.wake_at(&key, first);
        self.counters.held += 1;
        self.bytes += u64::from(packet.size());
        if let Some((_, oldest)) = early {
            self.counters.released_early += 1;
            self.release(oldest, cx);
        }
        self.grown();
        Verdict::Take
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
