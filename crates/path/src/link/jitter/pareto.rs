//! The Pareto distribution (type I): P(delay > x) = (scale / x)^shape for x of at least `scale`.
//!
//! The mean is shape scale / (shape - 1) for a shape above 1, the variance scale^2 shape / ((shape - 1)^2 (shape - 2))
//! for one above 2; otherwise they are finite only because of the maximum delay.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DelayDistribution, delay_from_nanos, unless_delay, unless_shape};

/// Shape and scale.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The exponent of the tail: less is heavier. More than 0.
    #[schemars(range(min = 0.0))]
    pub shape: f64,
    /// The minimum delay.
    pub scale: Span,
}

struct Pareto {
    power: f64,
    scale: f64,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        unless_shape("shape", self.shape).into_iter().chain(unless_delay("scale", self.scale)).collect()
    }
}

impl Config {
    /// Creates the distribution.
    pub fn build(&self) -> Box<dyn DelayDistribution> {
        Box::new(Pareto { power: -1.0 / self.shape, scale: self.scale.as_nanos() as f64 })
    }
}

impl DelayDistribution for Pareto {
    fn draw(&self, draws: &mut Draws) -> Span {
        // Inverts the distribution function.
        delay_from_nanos(self.scale * libm::pow(1.0 - draws.unit(), self.power))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_moments, assert_share};
    use super::super::{DelayConfig, pareto::Config};
    use engine::Span;

    fn distribution(shape: f64) -> DelayConfig {
        DelayConfig::Pareto(Config { shape, scale: Span::from_millis(10) })
    }

    /// The error of a variance needs a fourth moment, so the shape must exceed 4.
    #[test]
    fn mean_and_variance_follow_from_shape_and_scale() {
        assert_moments(&distribution(6.0), 12.0, 100.0 * 6.0 / (25.0 * 4.0));
    }

    #[test]
    fn tail_decays_as_a_power() {
        for shape in [0.5, 1.0, 2.0] {
            assert_share(&distribution(shape), 9.999, 0.0);
            assert_share(&distribution(shape), 20.0, 1.0 - libm::pow(0.5, shape));
            assert_share(&distribution(shape), 1000.0, 1.0 - libm::pow(0.01, shape));
        }
    }
}
