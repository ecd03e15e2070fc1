//! Spike (Tobe, Tamura, Molano, Ghosh, Tokuda, "Achieving moderate fairness for UDP flows by path-status
//! classification", 2000): losses during a delay spike are congestion, others are wireless.
//!
//! ```text
//! a spike begins  above  min + alpha (max - min)       alpha = 1/2
//! and ends        below  min + beta (max - min)        beta = 1/3
//! ```
//!
//! Deviation: the round trip replaces the relative one-way trip time, so the return path counts too. Limits: maximum
//! and minimum are over the connection's life; while they are equal every loss is congestion.

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LossCause, LossDifferentiation};
use crate::cc::Feedback;

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Share of the range of round trips above which a spike begins.
    #[serde(default = "half_of_range")]
    pub alpha: f64,
    /// Share of the range below which a spike ends.
    #[serde(default = "third_of_range")]
    pub beta: f64,
}

fn half_of_range() -> f64 {
    0.5
}

fn third_of_range() -> f64 {
    1.0 / 3.0
}

impl Default for Config {
    fn default() -> Self {
        Config { alpha: half_of_range(), beta: third_of_range() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Fault::unless_probability("alpha", self.alpha).into_iter().collect();
        if !(self.beta >= 0.0 && self.beta <= self.alpha) {
            faults.push(Fault::new("beta", self.beta, format!("a share, 0 to alpha ({})", self.alpha)));
        }
        faults
    }
}

impl Config {
    /// Creates the differentiation.
    pub fn build(&self, _: f64) -> Box<dyn LossDifferentiation> {
        Box::new(Spike { config: self.clone(), range: None, spiking: false })
    }
}

struct Spike {
    config: Config,
    /// The minimum and the maximum RTT.
    range: Option<(Span, Span)>,
    spiking: bool,
}

impl LossDifferentiation for Spike {
    fn on_feedback(&mut self, feedback: &Feedback) {
        let Some(rtt) = feedback.rtt else { return };
        let (min, max) = self.range.map_or((rtt, rtt), |(min, max)| (min.min(rtt), max.max(rtt)));
        self.range = Some((min, max));
        let range = (max - min).as_secs_f64();
        let above = (rtt - min).as_secs_f64();
        if self.spiking {
            self.spiking = above >= self.config.beta * range;
        } else {
            self.spiking = above > self.config.alpha * range;
        }
    }

    fn cause(&mut self, _: Time, _: u32) -> LossCause {
        let known = self.range.is_some_and(|(min, max)| min < max);
        if known && !self.spiking { LossCause::Wireless } else { LossCause::Congestion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differentiation::DifferentiationConfig;
    use crate::differentiation::tests::Teller;

    /// The round trip varies between 100 and 160 ms: a spike begins above 130 ms and ends below 120 ms.
    #[test]
    fn spike_begins_and_ends_at_different_thresholds() {
        use LossCause::{Congestion, Wireless};
        let mut teller = Teller::new(&DifferentiationConfig::Spike(Config::default()));
        teller.ack(10, 1000, 100);
        assert_eq!(teller.cause(1), Congestion, "nothing is known");
        teller.ack(10, 1000, 160);
        assert_eq!(teller.cause(1), Congestion);
        for (rtt, expected) in [
            (125, Congestion),
            (120, Congestion),
            (119, Wireless),
            (130, Wireless),
            (131, Congestion),
            (121, Congestion),
        ] {
            teller.ack(10, 1000, rtt);
            assert_eq!(teller.cause(1), expected, "{rtt} ms");
        }
    }

    #[test]
    fn thresholds_out_of_order_are_rejected() {
        assert_eq!(Config { alpha: 0.3, ..Config::default() }.check().len(), 1);
        assert_eq!(Config::default().check(), []);
    }
}
