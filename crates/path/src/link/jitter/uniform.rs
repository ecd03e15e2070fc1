//! Uniformly distributed delays: mean (low + high) / 2, variance (high - low)^2 / 12.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DelayDistribution, delay_from_nanos, unless_delay};

/// The range of the delays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The minimum delay.
    #[serde(default)]
    pub low: Span,
    /// The upper bound, exclusive.
    pub high: Span,
}

struct Uniform {
    low: f64,
    width: f64,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let order =
            (self.high < self.low).then(|| Fault::new("high", self.high, format!("at least `low`, {}", self.low)));
        order.into_iter().chain(unless_delay("high", self.high)).collect()
    }
}

impl Config {
    /// Creates the distribution.
    pub fn build(&self) -> Box<dyn DelayDistribution> {
        let [low, high] = [self.low, self.high].map(|span| span.as_nanos() as f64);
        Box::new(Uniform { low, width: high - low })
    }
}

impl DelayDistribution for Uniform {
    fn draw(&self, draws: &mut Draws) -> Span {
        delay_from_nanos(self.low + self.width * draws.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_moments, assert_share};
    use super::super::{DelayConfig, uniform::Config};
    use engine::Span;

    #[test]
    fn delays_are_uniformly_distributed() {
        let distribution = DelayConfig::Uniform(Config { low: Span::from_millis(10), high: Span::from_millis(34) });
        assert_moments(&distribution, 22.0, 48.0);
        assert_share(&distribution, 10.0, 0.0);
        assert_share(&distribution, 16.0, 0.25);
        assert_share(&distribution, 34.0, 1.0);
    }
}
