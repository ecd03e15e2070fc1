//! Biaz (Biaz and Vaidya, "Discriminating Congestion Losses from Wireless Losses using Inter-Arrival Times at the
//! Receiver", 1999): segments lost on the radio link after the bottleneck were transmitted by it, so the next segment
//! arrives when it would have arrived without the loss. With n consecutive segments lost,
//!
//! ```text
//! wireless  if  (n + 1) T_min <= T_g < (n + limit) T_min,   else congestion            limit = 2
//! ```
//!
//! T_g: from the last arrival before the gap to the first after it; T_min: the minimum time between consecutive
//! arrivals.
//!
//! Deviation: without help from the receiver, arrivals are inferred from acknowledgments, which must keep their spacing
//! on the return path. An acknowledgment of several segments counts as that many arrivals, evenly spaced. Limits:
//! bunched acknowledgments make T_min small and every loss congestion; delayed ones shift T_g.

use engine::Time;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LossCause, LossDifferentiation};
use crate::cc::Feedback;

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The upper bound of a wireless loss's gap, in minimum gaps beyond the lost segments.
    #[serde(default = "two_gaps")]
    pub limit: f64,
}

fn two_gaps() -> f64 {
    2.0
}

impl Default for Config {
    fn default() -> Self {
        Config { limit: two_gaps() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        check_gap_limit(self.limit).into_iter().collect()
    }
}

/// A fault if no gap could be a wireless loss with this limit.
pub(super) fn check_gap_limit(limit: f64) -> Option<Fault> {
    (!(limit > 1.0 && limit <= 100.0)).then(|| Fault::new("limit", limit, "more than 1, at most 100"))
}

impl Config {
    /// Creates the differentiation.
    pub fn build(&self, segment: f64) -> Box<dyn LossDifferentiation> {
        Box::new(Biaz::new(segment, self.limit))
    }
}

pub(super) struct Biaz {
    segment: f64,
    limit: f64,
    /// The minimum time between consecutive arrivals, in seconds.
    min_gap: Option<f64>,
    /// Time of the last arrival in order.
    in_order: Option<Time>,
    /// Time of the first arrival out of order after the last one in order.
    after: Option<Time>,
}

impl Biaz {
    pub fn new(segment: f64, limit: f64) -> Self {
        Biaz { segment, limit, min_gap: None, in_order: None, after: None }
    }
}

impl LossDifferentiation for Biaz {
    fn on_feedback(&mut self, feedback: &Feedback) {
        if feedback.acked == 0 {
            self.after.get_or_insert(feedback.now);
            return;
        }
        // An acknowledgment that fills a hole does not show when its data arrived.
        if let (Some(last), None, false) = (self.in_order, self.after, feedback.recovering) {
            let arrivals = (feedback.acked as f64 / self.segment).max(1.0);
            let gap = feedback.now.since(last).as_secs_f64() / arrivals;
            if gap > 0.0 {
                self.min_gap = Some(self.min_gap.map_or(gap, |min| min.min(gap)));
            }
        }
        (self.in_order, self.after) = (Some(feedback.now), None);
    }

    fn cause(&mut self, now: Time, segments: u32) -> LossCause {
        let (Some(min_gap), Some(last)) = (self.min_gap, self.in_order) else { return LossCause::Congestion };
        let gap = self.after.unwrap_or(now).since(last).as_secs_f64() / min_gap;
        // Allows for rounding to whole nanoseconds.
        let (earliest, latest) = (f64::from(segments) + 1.0 - 1e-6, f64::from(segments) + self.limit);
        if (earliest..latest).contains(&gap) { LossCause::Wireless } else { LossCause::Congestion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differentiation::DifferentiationConfig;
    use crate::differentiation::tests::Teller;

    /// Arrivals every 10 ms, then `segments` lost and a gap of `gap` ms.
    fn cause(segments: u32, gap: u64) -> LossCause {
        let mut teller = Teller::new(&DifferentiationConfig::Biaz(Config::default()));
        for _ in 0..10 {
            teller.ack(10, 1000, 100);
        }
        // Delayed acknowledgment: two segments in 20 ms count as two arrivals.
        teller.ack(20, 2000, 100);
        teller.ack(gap, 0, 100);
        teller.ack(10, 0, 100);
        teller.ack(10, 0, 100);
        teller.cause(segments)
    }

    #[test]
    fn arrival_gap_of_the_lost_segments_is_a_wireless_loss() {
        use LossCause::{Congestion, Wireless};
        for (segments, gap, expected) in [
            (1, 19, Congestion),
            (1, 20, Wireless),
            (1, 29, Wireless),
            (1, 30, Congestion),
            (2, 29, Congestion),
            (2, 30, Wireless),
            (2, 39, Wireless),
            (2, 40, Congestion),
        ] {
            assert_eq!(cause(segments, gap), expected, "{segments} lost, gap of {gap} ms");
        }
    }

    /// Each acknowledgment covers two segments, and one arrives every 20 ms. Segments arrive every 10 ms, so a gap of
    /// 20 to 30 ms contained one more arrival.
    #[test]
    fn acknowledgment_of_two_segments_counts_as_two_arrivals() {
        for (gap, expected) in [
            (19, LossCause::Congestion),
            (20, LossCause::Wireless),
            (29, LossCause::Wireless),
            (30, LossCause::Congestion),
        ] {
            let mut teller = Teller::new(&DifferentiationConfig::Biaz(Config::default()));
            for _ in 0..10 {
                teller.ack(20, 2000, 100);
            }
            teller.ack(gap, 0, 100);
            assert_eq!(teller.cause(1), expected, "{gap} ms");
        }
    }

    /// The minimum of two gaps is 10 ms in either order, and an acknowledgment of half a segment is one arrival.
    #[test]
    fn minimum_gap_is_independent_of_the_order_of_gaps() {
        for gaps in [[10, 40], [40, 10]] {
            let mut teller = Teller::new(&DifferentiationConfig::Biaz(Config::default()));
            teller.ack(7, 1000, 100);
            for gap in gaps {
                teller.ack(gap, 500, 100);
            }
            teller.ack(25, 0, 100);
            assert_eq!(teller.cause(1), LossCause::Wireless, "{gaps:?}");
        }
    }

    /// The acknowledgment that fills the hole comes 1 ms after another, which is not a gap between arrivals.
    #[test]
    fn acknowledgment_that_fills_a_hole_is_not_measured() {
        let mut teller = Teller::new(&DifferentiationConfig::Biaz(Config::default()));
        for _ in 0..5 {
            teller.ack(10, 1000, 100);
        }
        teller.ack(20, 0, 100);
        teller.ack(1, 2000, 100);
        teller.ack(10, 1000, 100);
        teller.ack(20, 0, 100);
        assert_eq!(teller.cause(1), LossCause::Wireless, "20 ms are two gaps of 10");
    }

    #[test]
    fn loss_without_measurements_is_congestion() {
        let mut teller = Teller::new(&DifferentiationConfig::Biaz(Config::default()));
        assert_eq!(teller.cause(1), LossCause::Congestion);
        assert_eq!(Config { limit: 1.0 }.check().len(), 1);
    }
}
