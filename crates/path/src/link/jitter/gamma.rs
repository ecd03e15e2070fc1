//! The gamma distribution of shape k and scale t: mean k t, variance k t^2. Shape 1 is the exponential distribution.
//!
//! Drawn by the method of (MarsagliaTsang2000); a shape k below 1 is drawn with shape k + 1 and multiplied by u^(1/k)
//! (ibid., section 6).

use engine::registry::{Fault, Settings};
use engine::{Draws, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::normal::draw_standard_normal;
use super::{DelayDistribution, delay_from_nanos, unless_delay, unless_shape};

/// Shape and scale.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The shape: 1 is exponential, less has a longer tail, more concentrates delays around the mean. More than 0.
    #[schemars(range(min = 0.0))]
    pub shape: f64,
    /// The mean divided by the shape.
    pub scale: Span,
}

struct Gamma {
    shape: f64,
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
        Box::new(Gamma { shape: self.shape, scale: self.scale.as_nanos() as f64 })
    }
}

/// Draws from the gamma distribution of shape `shape`, at least 1, and scale 1.
fn draw_standard_gamma(shape: f64, draws: &mut Draws) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = draw_standard_normal(draws);
        let v = 1.0 + c * x;
        let v = v * v * v;
        if v <= 0.0 {
            continue;
        }
        let u = 1.0 - draws.unit();
        if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

impl DelayDistribution for Gamma {
    fn draw(&self, draws: &mut Draws) -> Span {
        let number = if self.shape < 1.0 {
            let power = libm::pow(1.0 - draws.unit(), 1.0 / self.shape);
            power * draw_standard_gamma(self.shape + 1.0, draws)
        } else {
            draw_standard_gamma(self.shape, draws)
        };
        delay_from_nanos(self.scale * number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_moments, assert_share};
    use super::super::{DelayConfig, gamma::Config};
    use engine::Span;

    fn distribution(shape: f64) -> DelayConfig {
        DelayConfig::Gamma(Config { shape, scale: Span::from_millis(20) })
    }

    #[test]
    fn mean_and_variance_follow_from_shape_and_scale() {
        for shape in [0.5, 1.0, 2.5, 40.0] {
            assert_moments(&distribution(shape), 20.0 * shape, 400.0 * shape);
        }
    }

    /// Closed forms: 1 - exp(-x) for shape 1, 1 - (1 + x) exp(-x) for shape 2, erf(sqrt(x)) for shape 1/2.
    #[test]
    fn whole_and_half_shapes_have_their_closed_forms() {
        for x in [0.05_f64, 1.0, 3.0] {
            assert_share(&distribution(1.0), 20.0 * x, 1.0 - libm::exp(-x));
            assert_share(&distribution(2.0), 20.0 * x, 1.0 - (1.0 + x) * libm::exp(-x));
            assert_share(&distribution(0.5), 20.0 * x, libm::erf(x.sqrt()));
        }
    }
}
