//! Packet control: a filter for acknowledgments and one for data at the base station [packetcontrol2014 3].
//!
//! The *ACK filter* meets pure acknowledgments that come over the air. With A the highest number that has come:
//! above A it passes; below A it is dropped; at A it is a duplicate, and the d-th duplicate passes if
//! `floor(3 d / T) > floor(3 (d - 1) / T)`, T the threshold: of T duplicates three pass, spread evenly, and the third
//! is the last of them. So a sender that waits for three finds a loss at the T-th.
//!
//! The *data filter* meets segments on their way to the air. One that ends at or below A has arrived: it is dropped,
//! and every second repeat of it is answered with an acknowledgment of A.
//!
//! Deviations: the formula is missing from the paper's text, this is the one that fits its examples. Acknowledgments
//! with data, SYN, FIN or RST always pass; so do ones for what was never seen, and one whose window has changed, for it
//! is no duplicate [RFC5681 s2]. Segments with SYN or FIN pass the data filter.
//!
//! Limits: the flows of a `FlowTable`; of each flow `Repeats::MOST` repeated segments are remembered, the oldest
//! forgotten first.

use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Ecn, Flags, Packet, Segment, SeqNum};

use super::flow_table::{Flow, FlowTable, MOST_FLOWS};
use super::{Agent, AgentCx, Place, Semantics, Traits, Verdict};

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[Place::BaseStation],
        // Where a host's own data goes into the air, its filters stand before its own sender.
        uploads: &[Place::Sender],
        hears_link_layer: false,
    }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Whether old acknowledgments are dropped and duplicate ones thinned.
    #[serde(default = "yes")]
    pub ack_filter: bool,
    /// Whether segments that have arrived are dropped.
    #[serde(default = "yes")]
    pub data_filter: bool,
    /// The duplicate at which the sender, which waits for three, is to find a loss.
    #[serde(default = "six")]
    #[schemars(range(min = 3, max = 1000))]
    pub threshold: u32,
}

fn yes() -> bool {
    true
}

fn six() -> u32 {
    6
}

/// The duplicates that a sender waits for [RFC5681 s3.2].
const SENDERS_THRESHOLD: u64 = 3;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let expected = "3 to 1000: a sender waits for 3 itself, and the filter makes no duplicates";
        let wrong = !(3..=1000).contains(&self.threshold);
        wrong.then(|| Fault::new("threshold", self.threshold, expected)).into_iter().collect()
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        let (flows, counters) = (FlowTable::new(MOST_FLOWS), Counters::default());
        Some(Box::new(PacketControl { config: self.clone(), flows, counters }))
    }
}

/// What a flow costs, as it is counted.
const FLOW_BYTES: u64 = 372;

struct PacketControl {
    config: Config,
    flows: FlowTable<Known>,
    counters: Counters,
}

#[derive(Default)]
struct Counters {
    old_acks: u64,
    duplicate_acks: u64,
    acks_of_unseen: u64,
    segments: u64,
    made: u64,
}

/// What is known of a flow of data towards the air.
struct Known {
    /// The first byte behind what has been seen.
    top: SeqNum,
    /// The last acknowledgment of the most there was, as one without data would say it.
    acked: Option<Segment>,
    duplicates: u64,
    repeats: Repeats,
}

impl Known {
    fn new(top: SeqNum) -> Self {
        Known { top, acked: None, duplicates: 0, repeats: Repeats::default() }
    }

    fn note(&mut self, segment: &Segment) {
        let mut plain = Segment { seq: segment.seq + segment.seq_len(), len: 0, flags: Flags::ACK, ..*segment };
        let timestamps = plain.options.timestamps;
        plain.options.clear();
        plain.options.timestamps = timestamps;
        self.acked = Some(plain);
    }
}

/// Segments that have been repeated an odd number of times since they had arrived.
struct Repeats {
    odd: [SeqNum; Repeats::MOST],
    len: usize,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats { odd: [SeqNum(0); Repeats::MOST], len: 0 }
    }
}

impl Repeats {
    const MOST: usize = 64;

    /// Counts a repeat of the segment at `seq`; whether it is a second one.
    fn second(&mut self, seq: SeqNum) -> bool {
        let place = self.odd[..self.len].iter().position(|odd| *odd == seq);
        if place.is_none() && self.len < Self::MOST {
            self.odd[self.len] = seq;
            self.len += 1;
            return false;
        }
        // The last one leaves its place, or gives it to the new one.
        self.odd.copy_within(place.unwrap_or(0) + 1..self.len, place.unwrap_or(0));
        match place {
            Some(_) => self.len -= 1,
            None => self.odd[self.len - 1] = seq,
        }
        place.is_some()
    }
}

impl Agent for PacketControl {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> Verdict {
        let Some((flow, segment)) = Flow::of(packet) else { return Verdict::Pass };
        if segment.seq_len() == 0 || segment.flags.has(Flags::RST) {
            return Verdict::Pass;
        }
        let end = segment.seq + segment.seq_len();
        let begins = segment.flags.has(Flags::SYN);
        let known = match self.flows.get(&flow) {
            Some(known) if !begins => known,
            _ => {
                self.flows.insert(flow, Known::new(end));
                return Verdict::Pass;
            }
        };
        if end.since(known.top) > 0 {
            known.top = end;
        }
        let Some(acked) = &known.acked else { return Verdict::Pass };
        if !self.config.data_filter || segment.flags.has(Flags::FIN) || end.since(acked.ack) > 0 {
            return Verdict::Pass;
        }
        self.counters.segments += 1;
        if known.repeats.second(segment.seq) {
            self.counters.made += 1;
            let ack = Packet { src: flow.dst, dst: flow.src, ecn: Ecn::NotEct, body: wire::Body::Tcp(*acked) };
            cx.send(ack);
        }
        Verdict::Take
    }

    fn after_air(&mut self, packet: &mut Packet, _: &mut AgentCx<'_>) -> Verdict {
        let Some((flow, segment)) = Flow::of(packet) else { return Verdict::Pass };
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return Verdict::Pass;
        }
        let Some(known) = self.flows.get(&flow.reversed()) else { return Verdict::Pass };
        if segment.ack.since(known.top) > 0 {
            self.counters.acks_of_unseen += 1;
            return Verdict::Pass;
        }
        let filtered = self.config.ack_filter && segment.seq_len() == 0;
        let ahead = known.acked.map_or(1, |acked| segment.ack.since(acked.ack));
        if ahead < 0 {
            if filtered {
                self.counters.old_acks += 1;
                return Verdict::Take;
            }
            return Verdict::Pass;
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
                return Verdict::Take;
            }
        }
        Verdict::Pass
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
    fn every_second_repeat_is_found() {
        let mut repeats = Repeats::default();
        let found: Vec<bool> = [5, 5, 5, 7, 5, 7].map(|seq| repeats.second(SeqNum(seq))).into();
        assert_eq!(found, [false, true, false, false, true, true]);
        assert_eq!(repeats.len, 0);
    }

    #[test]
    fn of_too_many_repeats_the_oldest_is_forgotten() {
        let mut repeats = Repeats::default();
        for seq in 0..=Repeats::MOST as u32 {
            assert!(!repeats.second(SeqNum(seq)));
        }
        assert!(repeats.second(SeqNum(1)) && repeats.second(SeqNum(Repeats::MOST as u32)));
        assert!(!repeats.second(SeqNum(0)));
    }

    #[test]
    fn a_threshold_below_the_senders_is_refused() {
        let with = |threshold| Config { ack_filter: true, data_filter: true, threshold }.check();
        assert_eq!(with(2)[0].key, "threshold");
        assert!(with(3).is_empty() && with(12).is_empty());
    }
}
