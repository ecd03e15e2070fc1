//! The exponential distribution.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DelayDistribution, delay_from_nanos, unless_delay};

/// The mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The mean delay.
    pub mean: Span,
}

struct Exponential(f64);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        unless_delay("mean", self.mean).into_iter().collect()
    }
}

impl Config {
    /// Creates the distribution.
    pub fn build(&self) -> Box<dyn DelayDistribution> {
        Box::new(Exponential(self.mean.as_nanos() as f64))
    }
}

impl DelayDistribution for Exponential {
    fn draw(&self, draws: &mut Draws) -> Span {
        delay_from_nanos(draws.exponential(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_moments, assert_share};
    use super::super::{DelayConfig, exponential::Config};
    use engine::Span;

    #[test]
    fn mean_deviation_and_median_follow_from_the_mean() {
        let distribution = DelayConfig::Exponential(Config { mean: Span::from_millis(10) });
        assert_moments(&distribution, 10.0, 100.0);
        assert_share(&distribution, 10.0 * libm::log(2.0), 0.5);
    }
}
