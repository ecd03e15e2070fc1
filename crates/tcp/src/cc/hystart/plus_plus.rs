//! HyStart++ (RFC 9406). A rise of the RTT ends slow start and begins Conservative Slow Start, in which cwnd grows a
//! quarter as fast. If the RTT falls again, slow start resumes. After five rounds congestion avoidance begins.
//!
//! A round ends when the data sent before its beginning is acknowledged. `min` is the minimum of the round's samples:
//!
//! ```text
//! threshold = max(4 ms, min(last min / 8, 16 ms))
//! slow start, from the 8th sample:  min >= last min + threshold   conservative slow start, baseline = min
//! conservative, from the 8th:       min < baseline                slow start again
//! conservative, after 5 rounds:                                   congestion avoidance, ssthresh = cwnd
//! ```
//!
//! Deviation: every measured round trip is a sample, in every state; the RFC counts only samples in slow start. The two
//! differ only if the application limits the sender. L is 8, and infinite for a sender that paces.

use engine::Span;

use super::SlowStartVerdict;
use crate::cc::Feedback;

/// [RFC9406 s4.3]
const MIN_RTT_THRESH: Span = Span::from_millis(4);
const MAX_RTT_THRESH: Span = Span::from_millis(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
const L: f64 = 8.0;

enum HystartPhase {
    SlowStart,
    /// Conservative slow start: the round trip that resumes slow start if undershot, and the rounds begun.
    Conservative {
        baseline: Span,
        rounds: u32,
    },
}

pub(crate) struct PlusPlus {
    /// The maximum growth of slow start per acknowledgment, in segments (L).
    max_growth: f64,
    phase: HystartPhase,
    /// Offset whose acknowledgment ends the round.
    end: u64,
    last_min: Option<Span>,
    current_min: Option<Span>,
    samples: u32,
}

impl PlusPlus {
    pub fn new(paces: bool) -> Self {
        let max_growth = if paces { f64::INFINITY } else { L };
        PlusPlus { max_growth, phase: HystartPhase::SlowStart, end: 0, last_min: None, current_min: None, samples: 0 }
    }

    pub fn on_feedback(&mut self, feedback: &Feedback) -> SlowStartVerdict {
        // [RFC9406 s4.2]: end of the round.
        if feedback.una > self.end {
            self.end = feedback.nxt;
            self.last_min = self.current_min.take();
            self.samples = 0;
            if let HystartPhase::Conservative { rounds, .. } = &mut self.phase {
                *rounds += 1;
                if *rounds > CSS_ROUNDS {
                    return SlowStartVerdict::Exit;
                }
            }
        }
        let Some(rtt) = feedback.rtt else { return SlowStartVerdict::Continue };
        let min = self.current_min.map_or(rtt, |min| min.min(rtt));
        self.current_min = Some(min);
        self.samples += 1;
        if self.samples < N_RTT_SAMPLE {
            return SlowStartVerdict::Continue;
        }
        match &self.phase {
            HystartPhase::SlowStart => {
                if let Some(last) = self.last_min {
                    let eighth = Span::from_nanos(last.as_nanos() / MIN_RTT_DIVISOR);
                    let threshold = eighth.min(MAX_RTT_THRESH).max(MIN_RTT_THRESH);
                    if min >= last + threshold {
                        // A partial round counts as one.
                        self.phase = HystartPhase::Conservative { baseline: min, rounds: 1 };
                    }
                }
            }
            HystartPhase::Conservative { baseline, .. } => {
                if min < *baseline {
                    self.phase = HystartPhase::SlowStart;
                }
            }
        }
        SlowStartVerdict::Continue
    }

    /// Returns the growth for `bytes` acknowledged [RFC9406 s4.2].
    pub fn growth(&self, bytes: f64, segment: f64) -> f64 {
        let limit = bytes.min(self.max_growth * segment);
        match self.phase {
            HystartPhase::SlowStart => limit,
            HystartPhase::Conservative { .. } => limit / CSS_GROWTH_DIVISOR,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::feedback;

    /// Ten acknowledgments of a segment each make a round; `rtt` in milliseconds.
    struct Rounds(PlusPlus, u64);

    impl Rounds {
        fn go(&mut self, rtt: u64) -> SlowStartVerdict {
            let (mut verdict, end) = (SlowStartVerdict::Continue, self.1 + 10_000);
            while self.1 < end {
                self.1 += 1000;
                let mut feedback = feedback(0, Some(Span::from_millis(rtt)));
                (feedback.una, feedback.nxt) = (self.1, self.1 + 9000);
                if self.0.on_feedback(&feedback) == SlowStartVerdict::Exit {
                    verdict = SlowStartVerdict::Exit;
                }
            }
            verdict
        }

        fn conservative(&self) -> bool {
            self.0.growth(1000.0, 1000.0) == 250.0
        }
    }

    fn begin() -> Rounds {
        let mut rounds = Rounds(PlusPlus::new(false), 0);
        // The first acknowledgment begins a round that lasts to the tenth.
        rounds.go(100);
        rounds
    }

    // covers [RFC9406 s4.2]: 100 ms / 8 = 12.5 ms lies between the bounds.
    #[test]
    fn rise_by_an_eighth_begins_conservative_slow_start() {
        let mut rounds = begin();
        rounds.go(112);
        assert!(!rounds.conservative());
        // The last round's minimum is now 112 ms, the threshold 126 ms.
        rounds.go(125);
        assert!(!rounds.conservative());
        rounds.go(141);
        assert!(rounds.conservative(), "125 + 15.625 = 140.6 ms");
    }

    // covers [RFC9406 s4.2]: five rounds, of which the first is partial.
    #[test]
    fn conservative_slow_start_ends_after_five_rounds() {
        let mut rounds = begin();
        let verdicts: Vec<_> = (0..6).map(|_| rounds.go(130)).collect();
        assert!(rounds.conservative());
        assert_eq!(verdicts[..5], [SlowStartVerdict::Continue; 5]);
        assert_eq!(verdicts[5], SlowStartVerdict::Exit);
    }

    // covers [RFC9406 s4.2]
    #[test]
    fn fall_of_the_round_trip_resumes_slow_start() {
        let mut rounds = begin();
        rounds.go(130);
        assert!(rounds.conservative());
        rounds.go(129);
        assert!(!rounds.conservative());
    }

    // covers [RFC9406 s4.3]: L = 8, infinite if paced.
    #[test]
    fn growth_per_acknowledgment_is_at_most_eight_segments() {
        assert_eq!(PlusPlus::new(false).growth(20_000.0, 1000.0), 8000.0);
        assert_eq!(PlusPlus::new(true).growth(20_000.0, 1000.0), 20_000.0);
    }
}
