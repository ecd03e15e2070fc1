//! ZigZag (Cen, Cosman, Voelker, "End-to-end differentiation of congestion and wireless losses", IEEE/ACM Transactions
//! on Networking 11(5), 2003): the more consecutive segments are lost, the longer the round trip up to which the loss
//! counts as wireless.
//!
//! ```text
//! mean = (1 - a) mean + a r,   dev = (1 - 2 a) dev + 2 a |r - mean|        a = 1/32, r: the trip measured
//! n lost in a row, wireless if   n = 1:  r < mean - dev
//!                                n = 2:  r < mean - dev / 2
//!                                n = 3:  r < mean
//!                                n > 3:  r < mean + many dev               many = -1/2
//! ```
//!
//! Copies of the rule in circulation differ in the last line: -1/2, which gives it its name, or +1/2; hence `many`.
//!
//! Deviation: the round trip replaces the relative one-way trip, so the return path counts too. Limits: r is the last
//! measured round trip, which without timestamps may be older than the loss.

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
    /// The weight of a new trip time in the mean.
    #[serde(default = "thirty_second")]
    pub alpha: f64,
    /// The threshold for more than three losses, in deviations above the mean.
    #[serde(default = "minus_half")]
    pub many: f64,
}

fn thirty_second() -> f64 {
    1.0 / 32.0
}

fn minus_half() -> f64 {
    -0.5
}

impl Default for Config {
    fn default() -> Self {
        Config { alpha: thirty_second(), many: minus_half() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(self.alpha > 0.0 && self.alpha <= 0.5) {
            faults.push(Fault::new("alpha", self.alpha, "more than 0, at most 0.5"));
        }
        if !(-10.0..=10.0).contains(&self.many) {
            faults.push(Fault::new("many", self.many, "-10 to 10"));
        }
        faults
    }
}

impl Config {
    /// Creates the differentiation.
    pub fn build(&self, _: f64) -> Box<dyn LossDifferentiation> {
        Box::new(ZigZag { config: self.clone(), trip: None })
    }
}

struct ZigZag {
    config: Config,
    trip: Option<TripEstimate>,
}

/// Trip times, in seconds.
#[derive(Clone, Copy)]
struct TripEstimate {
    last: f64,
    mean: f64,
    /// Mean deviation from the mean.
    dev: f64,
}

impl LossDifferentiation for ZigZag {
    fn on_feedback(&mut self, feedback: &Feedback) {
        let Some(rtt) = feedback.rtt else { return };
        let (rtt, alpha) = (rtt.as_secs_f64(), self.config.alpha);
        self.trip = Some(match self.trip {
            None => TripEstimate { last: rtt, mean: rtt, dev: 0.0 },
            Some(TripEstimate { mean, dev, .. }) => {
                let mean = (1.0 - alpha) * mean + alpha * rtt;
                let dev = (1.0 - 2.0 * alpha) * dev + 2.0 * alpha * (rtt - mean).abs();
                TripEstimate { last: rtt, mean, dev }
            }
        });
    }

    fn cause(&mut self, _: Time, segments: u32) -> LossCause {
        let Some(TripEstimate { last, mean, dev }) = self.trip else { return LossCause::Congestion };
        let deviations = match segments {
            0 | 1 => -1.0,
            2 => -0.5,
            3 => 0.0,
            _ => self.config.many,
        };
        if last < mean + deviations * dev { LossCause::Wireless } else { LossCause::Congestion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differentiation::DifferentiationConfig;
    use crate::differentiation::tests::Teller;

    /// By hand, with a = 1/4: 100 and 140 ms give mean 110, dev 15; then 100 ms mean 107.5, dev 7.5 + 3.75 = 11.25, or
    /// 112 ms mean 110.5, dev 7.5 + 0.75 = 8.25.
    #[test]
    fn zigzag_thresholds_depend_on_the_number_of_lost_segments() {
        use LossCause::{Congestion, Wireless};
        let causes = |many, rtt| {
            let config = Config { alpha: 0.25, many };
            let mut teller = Teller::new(&DifferentiationConfig::ZigZag(config));
            for rtt in [100, 140, rtt] {
                teller.ack(10, 1000, rtt);
            }
            [1, 2, 3, 4].map(|lost| teller.cause(lost))
        };
        // Below 96.25, 101.875, 107.5 and 101.875 ms.
        assert_eq!(causes(-0.5, 100), [Congestion, Wireless, Wireless, Wireless]);
        // Below 102.25, 106.375, 110.5 and 106.375 or 114.625 ms.
        assert_eq!(causes(-0.5, 112), [Congestion; 4]);
        assert_eq!(causes(0.5, 112), [Congestion, Congestion, Congestion, Wireless]);
    }

    /// By hand with the paper's a = 1/32: 100 and 132 ms give mean 101, dev (132 - 101) / 16 = 1.9375. Then r gives
    /// mean' = (31 x 101 + r) / 32 and dev' = 15/16 x 1.9375 + |r - mean'| / 16. With r = 99.2: mean' 100.94375,
    /// dev' 1.81641 + 0.10898 = 1.92539, so the thresholds are 99.018, 99.981, 100.944 and 99.981 ms.
    #[test]
    fn zigzag_thresholds_use_the_papers_share_of_the_variation() {
        use LossCause::{Congestion, Wireless};
        let causes = |micros| {
            let mut teller = Teller::new(&DifferentiationConfig::ZigZag(Config::default()));
            for rtt in [100_000, 132_000, micros] {
                teller.ack_after(engine::Span::from_millis(10), 1000, engine::Span::from_nanos(1000 * rtt));
            }
            [1, 2, 3, 4].map(|lost| teller.cause(lost))
        };
        assert_eq!(causes(98_900), [Wireless; 4]);
        assert_eq!(causes(99_200), [Congestion, Wireless, Wireless, Wireless]);
        assert_eq!(causes(100_500), [Congestion, Congestion, Wireless, Congestion]);
        assert_eq!(causes(101_500), [Congestion; 4]);
    }

    /// A trip time that equals the mean does not count as below the mean.
    #[test]
    fn loss_at_the_mean_round_trip_is_congestion() {
        let mut teller = Teller::new(&DifferentiationConfig::ZigZag(Config::default()));
        for _ in 0..5 {
            teller.ack(10, 1000, 100);
        }
        assert_eq!([0, 1, 2, 3, 4].map(|lost| teller.cause(lost)), [LossCause::Congestion; 5]);
    }

    /// With the paper's a = 1/32, a trip time far below all others is still within one deviation.
    #[test]
    fn loss_at_a_short_round_trip_is_a_wireless_loss() {
        let mut teller = Teller::new(&DifferentiationConfig::ZigZag(Config::default()));
        for number in 0..200 {
            teller.ack(10, 1000, 100 + 20 * (number % 2));
        }
        teller.ack(10, 1000, 95);
        assert_eq!(teller.cause(1), LossCause::Wireless);
        teller.ack(10, 1000, 120);
        assert_eq!(teller.cause(3), LossCause::Congestion);
        assert_eq!(Config { alpha: 0.0, many: f64::NAN }.check().len(), 2);
    }
}
