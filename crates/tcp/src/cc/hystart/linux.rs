//! HyStart (Ha and Rhee, "Taming the Elephants: New TCP Slow Start", 2008) as in Linux's `tcp_cubic.c`.
//!
//! Slow start ends at once, with ssthresh = cwnd, when one of two criteria is met in a round:
//!
//! ```text
//! train:  acknowledgments at most 2 ms apart, from the round's start, for more than min rtt / 2 (min rtt if paced)
//! delay:  from the 9th sample:  min rtt of the round > min rtt + clamp(min rtt / 8, 4 ms, 16 ms)
//! ```
//!
//! Neither is evaluated while cwnd is below 16 segments. A round ends when the data sent before its beginning is
//! acknowledged. From 5.16 to 6.13 Linux began rounds only from 16 segments on (`above-low-window`), so that the first
//! round is the one in which cwnd reaches them; the public packetdrill scripts for CUBIC show that.
//!
//! Deviations: times are in nanoseconds, not microseconds. Limits: the aggregation of segments (`hystart_ack_delay`) is
//! not modelled.

use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SlowStartVerdict;
use crate::cc::Feedback;

/// Window, in segments, below which HyStart is inactive.
const LOW_WINDOW: f64 = 16.0;
/// Maximum distance between acknowledgments of a train.
const ACK_DELTA: Span = Span::from_millis(2);
const MIN_SAMPLES: u32 = 8;
const DELAY_MIN: Span = Span::from_millis(4);
const DELAY_MAX: Span = Span::from_millis(16);

/// Bit of the train criterion.
const TRAIN: u8 = 1;
/// Bit of the delay criterion.
const DELAY: u8 = 2;

/// The moment from which rounds are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    /// Rounds are counted from the first acknowledgment.
    #[default]
    Always,
    /// Rounds are counted from a cwnd of 16 segments, as in Linux 5.16 to 6.13.
    AboveLowWindow,
}

/// Settings, and how the sender transmits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters {
    /// Criteria: 1 for the train, 2 for delay, 3 for both.
    pub detect: u8,
    pub rounds: Rounds,
    /// Whether the sender paces, which may delay segments by half a round trip.
    pub paces: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters { detect: TRAIN | DELAY, rounds: Rounds::default(), paces: false }
    }
}

pub(crate) struct Linux {
    parameters: Parameters,
    /// The min RTT since the beginning or the last timeout.
    min_rtt: Option<Span>,
    found: bool,
    /// Offset whose acknowledgment ends the round.
    end: u64,
    round_start: Time,
    last_ack: Time,
    current: Option<Span>,
    samples: u32,
}

impl Linux {
    pub fn new(parameters: Parameters) -> Self {
        Linux {
            parameters,
            min_rtt: None,
            found: false,
            end: 0,
            round_start: Time::ZERO,
            last_ack: Time::ZERO,
            current: None,
            samples: 0,
        }
    }

    /// Discards the measurements at a timeout.
    pub fn reset(&mut self) {
        (self.min_rtt, self.found) = (None, false);
    }

    pub fn on_feedback(&mut self, feedback: &Feedback, cwnd: f64) -> SlowStartVerdict {
        let Some(rtt) = feedback.rtt else { return SlowStartVerdict::Continue };
        let min_rtt = self.min_rtt.map_or(rtt, |min_rtt| min_rtt.min(rtt));
        self.min_rtt = Some(min_rtt);
        if self.found {
            return SlowStartVerdict::Continue;
        }
        let above = cwnd >= LOW_WINDOW;
        if feedback.una > self.end && (above || self.parameters.rounds == Rounds::Always) {
            self.end = feedback.nxt;
            (self.round_start, self.last_ack) = (feedback.now, feedback.now);
            (self.current, self.samples) = (None, 0);
        }
        if !above {
            return SlowStartVerdict::Continue;
        }
        if self.parameters.detect & TRAIN != 0 && feedback.now.since(self.last_ack) <= ACK_DELTA {
            self.last_ack = feedback.now;
            let longest = if self.parameters.paces { min_rtt.as_nanos() } else { min_rtt.as_nanos() / 2 };
            if feedback.now.since(self.round_start).as_nanos() > longest {
                self.found = true;
            }
        }
        if self.parameters.detect & DELAY != 0 {
            let current = self.current.map_or(rtt, |current| current.min(rtt));
            self.current = Some(current);
            if self.samples < MIN_SAMPLES {
                self.samples += 1;
            } else {
                let eighth = Span::from_nanos(min_rtt.as_nanos() / 8);
                if current > min_rtt + eighth.max(DELAY_MIN).min(DELAY_MAX) {
                    self.found = true;
                }
            }
        }
        if self.found { SlowStartVerdict::Exit } else { SlowStartVerdict::Continue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::feedback;

    /// Acknowledges a segment at each pair of time and round trip in ms; returns the first that ends slow start. 40
    /// segments are in flight per round.
    fn exit(detect: u8, acks: impl Iterator<Item = (u64, u64)>) -> Option<usize> {
        exit_with(Parameters { detect, ..Parameters::default() }, acks)
    }

    fn exit_with(parameters: Parameters, acks: impl Iterator<Item = (u64, u64)>) -> Option<usize> {
        let mut hystart = Linux::new(parameters);
        acks.enumerate().find_map(|(number, (at, rtt))| {
            let mut feedback = feedback(at, Some(Span::from_millis(rtt)));
            (feedback.una, feedback.nxt) = (1000 * (number as u64 + 1), 1000 * (number as u64 + 41));
            (hystart.on_feedback(&feedback, 40.0) == SlowStartVerdict::Exit).then_some(number)
        })
    }

    /// With a round trip of 100 ms, a train that lasts more than 50 ms, in steps of 2 ms, ends slow start.
    #[test]
    fn acknowledgment_train_longer_than_half_the_round_trip_ends_slow_start() {
        let train = |gap: u64| (0..40_u64).map(move |number| (100 + gap * number, 100));
        assert_eq!(exit(1, train(2)), Some(26), "26 x 2 ms > 50 ms");
        assert_eq!(exit(1, train(3)), None, "3 ms apart is no train");
        let paced = Parameters { paces: true, ..Parameters::default() };
        assert_eq!(exit_with(paced, train(2)), None, "40 x 2 ms < 100 ms");
        assert_eq!(exit(2, train(2)), None, "the delay has not risen");
    }

    /// The first sample is the minimum; the next round begins with the 42nd acknowledgment, and its 9th sample decides.
    #[test]
    fn nine_samples_above_the_minimum_by_an_eighth_end_slow_start() {
        let rising = |rtt: u64| (0..60_u64).map(move |number| (100 + 10 * number, if number < 41 { 100 } else { rtt }));
        assert_eq!(exit(2, rising(113)), Some(41 + 8));
        assert_eq!(exit(2, rising(112)), None);
        assert_eq!(exit(1, rising(113)), None);
    }

    /// An eighth is at least 4 ms and at most 16 ms, and it must be exceeded: 96 / 8 = 12, 24 / 8 = 3, 200 / 8 = 25, 32 / 8 = 4,
    /// 128 / 8 = 16.
    #[test]
    fn delay_threshold_is_between_4_and_16_ms() {
        for (min_rtt, limit) in [(96, 108), (24, 28), (200, 216), (32, 36), (128, 144)] {
            let rising =
                |rtt: u64| (0..60_u64).map(move |number| (300 + 10 * number, if number < 41 { min_rtt } else { rtt }));
            assert_eq!(exit(2, rising(limit)), None, "{limit} ms is not above the limit of {min_rtt} ms");
            assert_eq!(exit(2, rising(limit + 1)), Some(49), "{min_rtt} ms");
        }
    }
}
