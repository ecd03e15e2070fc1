//! Explicit loss notification for data that arrives over the radio link: the base station sees which segments of a
//! mobile's stream are missing when later ones have arrived, and marks the acknowledgments that ask for them. The
//! sender can then retransmit without treating the loss as congestion (its part is in `tcp`, by the same name).
//!
//! Source: balakrishnan1998; ns-2's agent does the same (`snoop_wless_data`, `snoop_wired_ack`). Deviation: ns-2 keeps
//! at most eight stretches of what has come, here `stretches`. Limits: `docs/models/eln.md`.

use std::collections::BTreeMap;

use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Body, Flags, Packet, Segment};

use super::flow_table::{Flow, FlowTable};
use super::reach::Reach;
use super::{Agent, AgentCx, Place, Semantics, Traits, Verdict};

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[],
        uploads: &[Place::Sender, Place::BaseStation],
        hears_link_layer: false,
    }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Stretches of unacknowledged data between holes, remembered of a flow.
    pub stretches: u32,
    /// Flows remembered; the one unused for longest makes room for another.
    pub flows: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config { stretches: 100, flows: 1000 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let counts = [("stretches", self.stretches, 100_000), ("flows", self.flows, 1_000_000)];
        counts.into_iter().filter_map(|(key, count, most)| Fault::unless_some(key, count, most)).collect()
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let flows = FlowTable::new(self.flows as usize);
        Some(Box::new(Eln { config: self.clone(), flows, stretches: 0, most_bytes: 0, counters: Counters::default() }))
    }
}

/// The bytes of state that are counted for a flow and for one stretch.
const FLOW_BYTES: u64 = 50;
const STRETCH_BYTES: u64 = 16;

/// The bytes of one stream that have arrived.
struct Known {
    reach: Reach,
    /// Where it was seen first.
    first: u64,
    /// Its stretches that are not acknowledged: where each begins and ends.
    come: BTreeMap<u64, u64>,
}

impl Known {
    fn new(first: &Segment) -> Self {
        let reach = Reach::new(first.seq);
        Known { first: reach.end(), reach, come: BTreeMap::new() }
    }

    /// Bytes have come; whether a hole had to be forgotten for want of room.
    fn take(&mut self, start: u64, end: u64, most: usize) -> bool {
        let (mut start, mut end) = (start, end);
        // Those that touch it become one with it.
        while let Some((from, to)) = self.come.range(..=end).next_back().map(|(from, to)| (*from, *to))
            && to >= start
        {
            self.come.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.come.insert(start, end);
        self.reach.extend(end);
        if self.come.len() <= most {
            return false;
        }
        // The first hole counts as filled: a loss in the air may look like congestion, never the other way round.
        if let Some((from, _)) = self.come.pop_first()
            && let Some(second) = self.come.first_entry()
        {
            let to = second.remove();
            self.come.insert(from, to);
        }
        true
    }

    /// Whether the byte at `ack` has not come, and later ones have. What may have come before anything of the flow was
    /// remembered is not taken for lost in the air.
    fn lost(&mut self, ack: u64) -> bool {
        if ack < self.first {
            return false;
        }
        while let Some(first) = self.come.first_entry() {
            let (from, to) = (*first.key(), *first.get());
            if from > ack {
                return true;
            }
            if to > ack {
                return false;
            }
            first.remove();
        }
        false
    }
}

#[derive(Clone, Copy, Default)]
struct Counters {
    forgotten: u64,
    holes_forgotten: u64,
    marked: u64,
    implausible: u64,
}

struct Eln {
    config: Config,
    flows: FlowTable<Known>,
    /// Of all flows.
    stretches: usize,
    most_bytes: u64,
    counters: Counters,
}

impl Eln {
    fn state_bytes(&self) -> u64 {
        self.flows.len() as u64 * FLOW_BYTES + self.stretches as u64 * STRETCH_BYTES
    }

    fn forget(&mut self, gone: Option<Known>) {
        self.stretches -= gone.map_or(0, |flow| flow.come.len());
    }
}

impl Agent for Eln {
    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> Verdict {
        let Some((key, segment)) = Flow::of(packet) else { return Verdict::Pass };
        if segment.flags.has(Flags::RST) {
            let gone = self.flows.remove(&key);
            self.forget(gone);
            return Verdict::Pass;
        }
        let begins = segment.flags.has(Flags::SYN);
        if segment.seq_len() == 0 || packet.dst == cx.here {
            return Verdict::Pass;
        }
        if begins || self.flows.get(&key).is_none() {
            let before = self.flows.remove(&key);
            self.forget(before);
            let gone = self.flows.insert(key, Known::new(segment));
            self.counters.forgotten += u64::from(gone.is_some());
            self.forget(gone.map(|(_, known)| known));
        }
        let Some(flow) = self.flows.get(&key) else { return Verdict::Pass };
        let Some(start) = flow.reach.offset(segment.seq) else {
            self.counters.implausible += 1;
            return Verdict::Pass;
        };
        let before = flow.come.len();
        let forgot = flow.take(start, start + u64::from(segment.seq_len()), self.config.stretches as usize);
        self.stretches = self.stretches + flow.come.len() - before;
        self.counters.holes_forgotten += u64::from(forgot);
        self.most_bytes = self.most_bytes.max(self.state_bytes());
        Verdict::Pass
    }

    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> Verdict {
        if packet.src == cx.here {
            return Verdict::Pass;
        }
        let Some((back, segment)) = Flow::of(packet) else { return Verdict::Pass };
        let key = back.reversed();
        if segment.flags.has(Flags::RST) {
            let gone = self.flows.remove(&key);
            self.forget(gone);
            return Verdict::Pass;
        }
        let Some(flow) = self.flows.get(&key).filter(|_| segment.flags.has(Flags::ACK)) else { return Verdict::Pass };
        let Some(ack) = flow.reach.offset(segment.ack).filter(|ack| *ack <= flow.reach.end()) else {
            self.counters.implausible += 1;
            return Verdict::Pass;
        };
        let before = flow.come.len();
        let lost = flow.lost(ack);
        self.stretches = self.stretches + flow.come.len() - before;
        if lost && let Body::Tcp(segment) = &mut packet.body {
            segment.flags = segment.flags | Flags::ELN;
            self.counters.marked += 1;
        }
        Verdict::Pass
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counted = &self.counters;
        vec![
            ("flows", self.flows.len() as u64),
            ("flows_forgotten", counted.forgotten),
            ("state_bytes", self.state_bytes()),
            ("state_bytes_most", self.most_bytes),
            ("acks_marked", counted.marked),
            ("holes_forgotten", counted.holes_forgotten),
            ("implausible", counted.implausible),
        ]
    }
}
