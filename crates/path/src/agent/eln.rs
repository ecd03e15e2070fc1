//! Explicit loss notification for data that a mobile sends: the base station detects segments that are missing although
//! later ones have arrived over the radio link, and marks the acknowledgments that request them. The sender then
//! retransmits without treating the loss as congestion (its part has the same name in `tcp`).
//!
//! Source: balakrishnan1998; ns-2's agent does the same (`snoop_wless_data`, `snoop_wired_ack`). Deviation: ns-2 stores
//! at most eight ranges of received data, here the limit is the setting `max_ranges`. Limits: `docs/models/eln.md`.

use std::collections::BTreeMap;

use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Body, Flags, Packet, Segment};

use super::flow_table::{FlowKey, FlowTable};
use super::reach::Reach;
use super::{Agent, AgentCx, AgentVerdict, Effect, SchemeAction, SchemeNode, Semantics, Traits};

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] =
    &[SchemeAction { event: "acks_marked", label: "ACK marked: lost on the radio link", effect: Effect::ReportsLoss }];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[],
        uploads: &[SchemeNode::Sender, SchemeNode::BaseStation],
        needs_link_reports: false,
        actions: ACTIONS,
    }
}

/// Settings of the scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Maximum number of ranges of received, unacknowledged data that are stored per flow.
    pub max_ranges: u32,
    /// Maximum number of flows with state; another flow evicts the least recently used one.
    pub flows: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config { max_ranges: 100, flows: 1000 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let counts = [("max_ranges", self.max_ranges, 100_000), ("flows", self.flows, 1_000_000)];
        counts.into_iter().filter_map(|(key, count, max)| Fault::unless_some(key, count, max)).collect()
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let flows = FlowTable::new(self.flows as usize);
        Some(Box::new(Eln { config: self.clone(), flows, ranges: 0, most_bytes: 0, counters: ElnCounters::default() }))
    }
}

/// Size of a flow's state in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 50;
/// Size of one range in bytes, as reported in the counters.
const RANGE_BYTES: u64 = 16;

/// Received data of a flow.
struct ReceivedRanges {
    reach: Reach,
    /// Stream offset of the first segment seen.
    first: u64,
    /// Ranges of received data that are not acknowledged: start and end offsets.
    come: BTreeMap<u64, u64>,
}

impl ReceivedRanges {
    fn new(first: &Segment) -> Self {
        let reach = Reach::new(first.seq);
        ReceivedRanges { first: reach.end(), reach, come: BTreeMap::new() }
    }

    /// Records received data; returns true if a hole was discarded because more than `most` ranges would be stored.
    fn take(&mut self, start: u64, end: u64, most: usize) -> bool {
        let (mut start, mut end) = (start, end);
        // Merge the range with those ranges that overlap or touch it.
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
        // The first hole is discarded. A loss on the radio link may then be treated as congestion, but congestion never
        // as a loss on the radio link.
        if let Some((from, _)) = self.come.pop_first()
            && let Some(second) = self.come.first_entry()
        {
            let to = second.remove();
            self.come.insert(from, to);
        }
        true
    }

    /// Returns true if the byte at `ack` is missing although later ones were received. Data before the first segment
    /// seen does not count as lost, because it may have been received earlier.
    fn is_lost(&mut self, ack: u64) -> bool {
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
struct ElnCounters {
    forgotten: u64,
    holes_forgotten: u64,
    marked: u64,
    implausible: u64,
}

struct Eln {
    config: Config,
    flows: FlowTable<ReceivedRanges>,
    /// Number of stored ranges of all flows.
    ranges: usize,
    most_bytes: u64,
    counters: ElnCounters,
}

impl Eln {
    fn state_bytes(&self) -> u64 {
        self.flows.len() as u64 * FLOW_BYTES + self.ranges as u64 * RANGE_BYTES
    }

    fn forget(&mut self, gone: Option<ReceivedRanges>) {
        self.ranges -= gone.map_or(0, |flow| flow.come.len());
    }
}

impl Agent for Eln {
    fn acts_on_losses(&self) -> bool {
        true
    }

    fn after_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((key, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if segment.flags.has(Flags::RST) {
            let gone = self.flows.remove(&key);
            self.forget(gone);
            return AgentVerdict::Pass;
        }
        let begins = segment.flags.has(Flags::SYN);
        if segment.seq_len() == 0 || packet.dst == cx.here {
            return AgentVerdict::Pass;
        }
        if begins || self.flows.get(&key).is_none() {
            let before = self.flows.remove(&key);
            self.forget(before);
            let gone = self.flows.insert(key, ReceivedRanges::new(segment));
            self.counters.forgotten += u64::from(gone.is_some());
            self.forget(gone.map(|(_, known)| known));
        }
        let Some(flow) = self.flows.get(&key) else { return AgentVerdict::Pass };
        let Some(start) = flow.reach.offset(segment.seq) else {
            self.counters.implausible += 1;
            return AgentVerdict::Pass;
        };
        let before = flow.come.len();
        let forgot = flow.take(start, start + u64::from(segment.seq_len()), self.config.max_ranges as usize);
        self.ranges = self.ranges + flow.come.len() - before;
        self.counters.holes_forgotten += u64::from(forgot);
        self.most_bytes = self.most_bytes.max(self.state_bytes());
        AgentVerdict::Pass
    }

    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        if packet.src == cx.here {
            return AgentVerdict::Pass;
        }
        let Some((back, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        let key = back.opposite();
        if segment.flags.has(Flags::RST) {
            let gone = self.flows.remove(&key);
            self.forget(gone);
            return AgentVerdict::Pass;
        }
        let Some(flow) = self.flows.get(&key).filter(|_| segment.flags.has(Flags::ACK)) else {
            return AgentVerdict::Pass;
        };
        let Some(ack) = flow.reach.offset(segment.ack).filter(|ack| *ack <= flow.reach.end()) else {
            self.counters.implausible += 1;
            return AgentVerdict::Pass;
        };
        let before = flow.come.len();
        let lost = flow.is_lost(ack);
        self.ranges = self.ranges + flow.come.len() - before;
        if lost && let Body::Tcp(segment) = &mut packet.body {
            segment.flags = segment.flags | Flags::ELN;
            self.counters.marked += 1;
        }
        AgentVerdict::Pass
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
