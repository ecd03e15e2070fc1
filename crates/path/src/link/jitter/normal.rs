//! The normal distribution, truncated at zero: negative values are drawn again.
//!
//! With m the mean, s the deviation before truncation, phi and Phi the standard density and distribution, a = -m / s
//! and h = phi(a) / (1 - Phi(a)), the mean after truncation is m + s h and the variance s^2 (1 + a h - h^2)
//! [Johnson1994 13.10]. With m above 4 s the truncation has no visible effect.
//!
//! Normal numbers by the polar method (MarsagliaBray1964).

use engine::registry::{Fault, Settings};
use engine::{Draws, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DelayDistribution, delay_from_nanos, unless_delay};

/// The distribution before truncation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The mean before truncation at zero.
    pub mean: Span,
    /// The standard deviation before truncation.
    pub deviation: Span,
}

struct Normal {
    mean: f64,
    deviation: f64,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        unless_delay("mean", self.mean).into_iter().chain(unless_delay("deviation", self.deviation)).collect()
    }
}

impl Config {
    /// Creates the distribution.
    pub fn build(&self) -> Box<dyn DelayDistribution> {
        Box::new(Normal { mean: self.mean.as_nanos() as f64, deviation: self.deviation.as_nanos() as f64 })
    }
}

/// Draws a standard normal number.
pub(super) fn draw_standard_normal(draws: &mut Draws) -> f64 {
    loop {
        let [x, y] = [draws.unit(), draws.unit()].map(|unit| 2.0 * unit - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}

impl DelayDistribution for Normal {
    fn draw(&self, draws: &mut Draws) -> Span {
        loop {
            // The mean is not negative, so that at least half of the draws are accepted.
            let nanos = self.mean + self.deviation * draw_standard_normal(draws);
            if nanos >= 0.0 {
                return delay_from_nanos(nanos);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_moments, assert_share};
    use super::super::{DelayConfig, normal::Config};
    use engine::Span;

    fn distribution(mean: u64, deviation: u64) -> DelayConfig {
        let [mean, deviation] = [mean, deviation].map(Span::from_millis);
        DelayConfig::Normal(Config { mean, deviation })
    }

    #[test]
    fn distribution_is_normal_far_from_zero() {
        assert_moments(&distribution(100, 10), 100.0, 100.0);
        // Phi(1) and Phi(-2) from a table.
        assert_share(&distribution(100, 10), 110.0, 0.841_344_75);
        assert_share(&distribution(100, 10), 80.0, 0.022_750_13);
    }

    /// With a = -1: phi(1) = 0.24197072, 1 - Phi(-1) = 0.84134475, h = 0.28759997. With a = 0: h = sqrt(2 / pi), half
    /// of the normal curve.
    #[test]
    fn distribution_is_truncated_near_zero() {
        let h = 0.241_970_72 / 0.841_344_75;
        assert_moments(&distribution(10, 10), 10.0 + 10.0 * h, 100.0 * (1.0 - h - h * h));
        let h = (2.0 / std::f64::consts::PI).sqrt();
        assert_moments(&distribution(0, 10), 10.0 * h, 100.0 * (1.0 - h * h));
        assert_share(&distribution(7, 0), 6.999, 0.0);
        assert_share(&distribution(7, 0), 7.001, 1.0);
    }
}
