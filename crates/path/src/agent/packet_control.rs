//! Packet control: a filter for acknowledgments and a filter for data at the base station [packetcontrol2014 3].
//!
//! The *ACK filter* handles pure acknowledgments that arrive over the radio link. Let A be the highest acknowledgment
//! number so far. A number above A passes; a number below A is dropped; a number equal to A is a duplicate, and the
//! d-th duplicate passes if `floor(3 d / T) > floor(3 (d - 1) / T)`, with the threshold T: of T duplicates three pass,
//! evenly spread, and the third is the last of them. A sender with a threshold of three thus detects a loss at the T-th
//! duplicate.
//!
//! The *data filter* handles segments towards the radio link. A segment that ends at or below A has already arrived: it
//! is dropped, and every second repetition is answered with an acknowledgment of A.
//!
//! Deviations: the formula is missing from the paper's text; this one fits its examples. Acknowledgments with data,
//! SYN, FIN or RST always pass; so do acknowledgments of data never seen, and those with a changed window, which are no
//! duplicates [RFC5681 s2]. Segments with SYN or FIN pass the data filter.
//!
//! Limits: as for a `FlowTable`; for each flow at most `Repeats::MAX` repeated segments are stored, and the oldest is
//! discarded first.

use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Flags, Packet, Segment, SeqNum};

use super::flow_table::{FlowKey, FlowTable, MAX_FLOWS};
use super::{Agent, AgentCx, AgentVerdict, Effect, SchemeAction, SchemeNode, Semantics, Traits};

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "acks_made", label: "ACK sent for the receiver", effect: Effect::Acknowledges },
    SchemeAction { event: "acks_old_dropped", label: "ACK dropped", effect: Effect::DropsAck },
    SchemeAction { event: "acks_duplicate_dropped", label: "ACK dropped", effect: Effect::DropsAck },
    SchemeAction { event: "segments_dropped", label: "repeated segment dropped", effect: Effect::DropsData },
];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[SchemeNode::BaseStation],
        // At a host that sends data over its radio link, the filters work between the host's sender and the link.
        uploads: &[SchemeNode::Sender],
        needs_link_reports: false,
        actions: ACTIONS,
    }
}

/// Settings of the scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// True if old acknowledgments are dropped and duplicate ones thinned.
    #[serde(default = "default_filter_setting")]
    pub ack_filter: bool,
    /// True if segments that have already arrived are dropped.
    #[serde(default = "default_filter_setting")]
    pub data_filter: bool,
    /// Number of duplicates at which a sender with a threshold of three detects a loss.
    #[serde(default = "default_duplicate_threshold")]
    #[schemars(range(min = 3, max = 1000))]
    pub threshold: u32,
}

fn default_filter_setting() -> bool {
    true
}

fn default_duplicate_threshold() -> u32 {
    6
}

/// Number of duplicate acknowledgments at which a sender detects a loss [RFC5681 s3.2].
const SENDERS_THRESHOLD: u64 = 3;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let expected = "3 to 1000: the sender's own threshold is 3, and the filter only removes duplicates";
        let wrong = !(3..=1000).contains(&self.threshold);
        wrong.then(|| Fault::new("threshold", self.threshold, expected)).into_iter().collect()
    }

    fn without_effect(&self) -> Option<&'static str> {
        let expected = "at least one filter of packet-control: without both filters packet-control has no effect";
        (!self.ack_filter && !self.data_filter).then_some(expected)
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let (flows, counters) = (FlowTable::new(MAX_FLOWS), PacketControlCounters::default());
        Some(Box::new(PacketControl { config: self.clone(), flows, counters }))
    }
}

/// Size of a flow's state in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 372;

struct PacketControl {
    config: Config,
    flows: FlowTable<PacketControlFlow>,
    counters: PacketControlCounters,
}

#[derive(Default)]
struct PacketControlCounters {
    old_acks: u64,
    duplicate_acks: u64,
    acks_of_unseen: u64,
    segments: u64,
    made: u64,
}

/// State of a flow of data towards the radio link.
struct PacketControlFlow {
    /// Sequence number after all data seen.
    top: SeqNum,
    /// The last acknowledgment with the highest number, without data.
    acked: Option<Segment>,
    duplicates: u64,
    repeats: Repeats,
}

impl PacketControlFlow {
    fn new(top: SeqNum) -> Self {
        PacketControlFlow { top, acked: None, duplicates: 0, repeats: Repeats::default() }
    }

    fn note(&mut self, segment: &Segment) {
        let mut plain = Segment { seq: segment.seq + segment.seq_len(), len: 0, flags: Flags::ACK, ..*segment };
        let timestamps = plain.options.timestamps;
        plain.options.clear();
        plain.options.timestamps = timestamps;
        self.acked = Some(plain);
    }
}

/// Segments that were repeated an odd number of times after their arrival.
struct Repeats {
    odd: [SeqNum; Repeats::MAX],
    len: usize,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats { odd: [SeqNum(0); Repeats::MAX], len: 0 }
    }
}

impl Repeats {
    const MAX: usize = 64;

    /// Counts a repetition of the segment at `seq`; returns true for an even number of repetitions.
    fn count_repetition(&mut self, seq: SeqNum) -> bool {
        let place = self.odd[..self.len].iter().position(|odd| *odd == seq);
        if place.is_none() && self.len < Self::MAX {
            self.odd[self.len] = seq;
            self.len += 1;
            return false;
        }
        // Removes the segment after its second repetition, or the oldest one for a new segment.
        self.odd.copy_within(place.unwrap_or(0) + 1..self.len, place.unwrap_or(0));
        match place {
            Some(_) => self.len -= 1,
            None => self.odd[self.len - 1] = seq,
        }
        place.is_some()
    }
}

impl Agent for PacketControl {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((flow, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if segment.seq_len() == 0 || segment.flags.has(Flags::RST) {
            return AgentVerdict::Pass;
        }
        let end = segment.seq + segment.seq_len();
        let begins = segment.flags.has(Flags::SYN);
        let known = match self.flows.get(&flow) {
            Some(known) if !begins => known,
            _ => {
                self.flows.insert(flow, PacketControlFlow::new(end));
                return AgentVerdict::Pass;
            }
        };
        if end.since(known.top) > 0 {
            known.top = end;
        }
        let Some(acked) = &known.acked else { return AgentVerdict::Pass };
        if !self.config.data_filter || segment.flags.has(Flags::FIN) || end.since(acked.ack) > 0 {
            return AgentVerdict::Pass;
        }
        self.counters.segments += 1;
        if known.repeats.count_repetition(segment.seq) {
            self.counters.made += 1;
            let ack = Packet::new(flow.dst, flow.src, wire::Body::Tcp(*acked));
            cx.emit("acks_made", 1.0, Some(&ack));
            cx.send(ack);
        }
        AgentVerdict::Take
    }

    fn after_air(&mut self, packet: &mut Packet, _: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((flow, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return AgentVerdict::Pass;
        }
        let Some(known) = self.flows.get(&flow.opposite()) else { return AgentVerdict::Pass };
        if segment.ack.since(known.top) > 0 {
            self.counters.acks_of_unseen += 1;
            return AgentVerdict::Pass;
        }
        let filtered = self.config.ack_filter && segment.seq_len() == 0;
        let ahead = known.acked.map_or(1, |acked| segment.ack.since(acked.ack));
        if ahead < 0 {
            if filtered {
                self.counters.old_acks += 1;
                return AgentVerdict::Take;
            }
            return AgentVerdict::Pass;
        }
        let same_window = known.acked.is_some_and(|acked| acked.window == segment.window);
        known.note(segment);
        if ahead > 0 {
            known.duplicates = 0;
        } else if filtered && same_window {
            known.duplicates += 1;
            let threshold = u64::from(self.config.threshold);
            let due = |duplicates: u64| duplicates * SENDERS_THRESHOLD / threshold;
            if due(known.duplicates) == due(known.duplicates - 1) {
                self.counters.duplicate_acks += 1;
                return AgentVerdict::Take;
            }
        }
        AgentVerdict::Pass
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.counters;
        let own = [
            ("acks_old_dropped", counters.old_acks),
            ("acks_duplicate_dropped", counters.duplicate_acks),
            ("acks_of_unseen", counters.acks_of_unseen),
            ("segments_dropped", counters.segments),
            ("acks_made", counters.made),
        ];
        own.into_iter().chain(self.flows.counters(FLOW_BYTES)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_repetition_is_detected() {
        let mut repeats = Repeats::default();
        let found: Vec<bool> = [5, 5, 5, 7, 5, 7].map(|seq| repeats.count_repetition(SeqNum(seq))).into();
        assert_eq!(found, [false, true, false, false, true, true]);
        assert_eq!(repeats.len, 0);
    }

    #[test]
    fn full_list_discards_the_oldest_repetition() {
        let mut repeats = Repeats::default();
        for seq in 0..=Repeats::MAX as u32 {
            assert!(!repeats.count_repetition(SeqNum(seq)));
        }
        assert!(repeats.count_repetition(SeqNum(1)) && repeats.count_repetition(SeqNum(Repeats::MAX as u32)));
        assert!(!repeats.count_repetition(SeqNum(0)));
    }

    #[test]
    fn duplicate_threshold_below_three_is_refused() {
        let with = |threshold| Config { ack_filter: true, data_filter: true, threshold }.check();
        assert_eq!(with(2)[0].key, "threshold");
        assert!(with(3).is_empty() && with(12).is_empty());
    }
}
