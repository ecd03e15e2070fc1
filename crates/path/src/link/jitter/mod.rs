//! Extra delays of single packets.
//!
//! A packet's extra delay is drawn from a distribution, with random numbers determined by the start of its transmission
//! and its direction, so that other traffic does not change it. Delays are limited to [`MAX_DELAY`].

pub mod constant;
pub mod exponential;
pub mod gamma;
pub mod mixture;
pub mod normal;
pub mod pareto;
pub mod uniform;

use engine::registry::Fault;
use engine::{Draws, Named, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::LinkDirections;

engine::registry! {
    /// The distributions of extra delays.
    pub enum DelayConfig: "delay distribution" => build() -> Box<dyn DelayDistribution> {
        Constant => constant, "constant", "The same for all";
        Exponential => exponential, "exponential", "Exponentially distributed around the mean";
        Uniform => uniform, "uniform", "Uniformly distributed from `low` to `high`";
        Normal => normal, "normal", "Normally distributed with mean and deviation; negative values are drawn again";
        Gamma => gamma, "gamma", "Gamma distribution with shape and scale: a sum of exponential delays if the shape is an integer";
        Pareto => pareto, "pareto", "Pareto distribution: at least `scale`, with a power-law tail: a few delays are very long";
        Mixture => mixture, "mixture", "One of several distributions, each with a probability";
    }
}

/// A distribution of delays.
pub trait DelayDistribution: Send {
    /// Draws a delay. Called once per packet, with random numbers of that packet alone.
    fn draw(&self, draws: &mut Draws) -> Span;
}

/// Maximum delay, equal to the maximum delay of a link.
pub const MAX_DELAY: Span = Span::from_secs(3600);

/// Extra delays on a link.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(transform = engine::bare_name::accept_name::<Jitter>)]
pub struct Jitter {
    /// The distribution of the delays.
    #[serde(deserialize_with = "engine::named::deserialize")]
    #[schemars(with = "Named<DelayConfig>")]
    pub delay: DelayConfig,
    /// Whether a packet may overtake another. If not, it arrives no earlier than all packets sent before it.
    #[serde(default)]
    pub reordering: bool,
    /// Time from which delays apply. Packets whose transmission begins earlier are not delayed.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(extend("default" = Span::default()))]
    pub from: Span,
    /// Directions with the jitter.
    #[serde(default)]
    pub directions: LinkDirections,
}

engine::bare_name! { Jitter, "delay" }

fn is_zero(span: &Span) -> bool {
    *span == Span::ZERO
}

/// Converts nanoseconds to a delay.
fn delay_from_nanos(nanos: f64) -> Span {
    // NaN and negative values are cast to 0.
    Span::from_nanos(nanos as u64).min(MAX_DELAY)
}

fn unless_delay(key: &'static str, span: Span) -> Option<Fault> {
    (span > MAX_DELAY).then(|| Fault::new(key, span, "at most an hour"))
}

fn unless_shape(key: &'static str, shape: f64) -> Option<Fault> {
    (!(shape > 0.0 && shape.is_finite())).then(|| Fault::new(key, shape, "a number more than 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stream;

    /// Returns 200,000 delays in ms, each drawn for another packet.
    pub(super) fn draws(distribution: &DelayConfig) -> Vec<f64> {
        assert_eq!(distribution.check(), []);
        let (distribution, stream) = (distribution.build(), Stream::named(11, 0, "jitter"));
        (0..200_000u64).map(|at| distribution.draw(&mut stream.draws_at(at * 1_000, 0)).as_secs_f64() * 1e3).collect()
    }

    /// Asserts that mean and variance are within four standard errors of `mean` and `variance`. The error of the
    /// variance is estimated from the sample's fourth moment.
    pub(super) fn assert_moments(distribution: &DelayConfig, mean: f64, variance: f64) {
        let all = draws(distribution);
        let n = all.len() as f64;
        let found = all.iter().sum::<f64>() / n;
        assert!((found - mean).abs() < 4.0 * (variance / n).sqrt(), "{distribution:?}: mean {found}, expected {mean}");
        let moment = |power| all.iter().map(|x| (x - found).powi(power)).sum::<f64>() / n;
        let (second, fourth) = (moment(2), moment(4));
        let error = ((fourth - second * second) / n).sqrt();
        assert!((second - variance).abs() < 4.0 * error, "{distribution:?}: variance {second}, expected {variance}");
    }

    /// Asserts that the share of delays of at most `x` ms is `expected`, within four standard errors.
    pub(super) fn assert_share(distribution: &DelayConfig, x: f64, expected: f64) {
        let all = draws(distribution);
        let n = all.len() as f64;
        let found = all.iter().filter(|delay| **delay <= x).count() as f64 / n;
        let error = (expected * (1.0 - expected) / n).sqrt();
        assert!((found - expected).abs() <= 4.0 * error, "{distribution:?}: {found} up to {x} ms, expected {expected}");
    }

    /// Delays of consecutive packets are independent: the correlation of n independent pairs has deviation 1 / sqrt(n).
    #[test]
    fn delays_of_consecutive_packets_are_uncorrelated() {
        let distribution = DelayConfig::Uniform(uniform::Config { low: Span::ZERO, high: Span::from_millis(2) });
        let all = draws(&distribution);
        let n = all.len() as f64;
        let covariance = all.windows(2).map(|pair| (pair[0] - 1.0) * (pair[1] - 1.0)).sum::<f64>() / n;
        let correlation = covariance / (4.0 / 12.0);
        assert!(correlation.abs() < 4.0 / n.sqrt(), "{correlation}");
    }

    #[test]
    fn impossible_distributions_are_faults() {
        let ms = Span::from_millis;
        let long = MAX_DELAY + ms(1);
        let distributions = [
            (DelayConfig::Uniform(uniform::Config { low: ms(3), high: ms(2) }), "high"),
            (DelayConfig::Uniform(uniform::Config { low: ms(3), high: long }), "high"),
            (DelayConfig::Normal(normal::Config { mean: long, deviation: ms(2) }), "mean"),
            (DelayConfig::Normal(normal::Config { mean: ms(1), deviation: long }), "deviation"),
            (DelayConfig::Gamma(gamma::Config { shape: 0.0, scale: ms(2) }), "shape"),
            (DelayConfig::Gamma(gamma::Config { shape: f64::NAN, scale: ms(2) }), "shape"),
            (DelayConfig::Gamma(gamma::Config { shape: 1.0, scale: long }), "scale"),
            (DelayConfig::Pareto(pareto::Config { shape: -1.0, scale: ms(2) }), "shape"),
            (DelayConfig::Pareto(pareto::Config { shape: f64::INFINITY, scale: ms(2) }), "shape"),
            (DelayConfig::Pareto(pareto::Config { shape: 1.0, scale: long }), "scale"),
        ];
        for (distribution, key) in distributions {
            let faults = distribution.check();
            assert_eq!(faults.into_iter().map(|fault| fault.key).collect::<Vec<_>>(), [key], "{distribution:?}");
        }
    }

    /// Delays of a distribution with a long tail are limited to the maximum.
    #[test]
    fn delay_does_not_exceed_the_maximum() {
        for distribution in [
            DelayConfig::Pareto(pareto::Config { shape: 1e-3, scale: Span::from_millis(1) }),
            DelayConfig::Gamma(gamma::Config { shape: 1e300, scale: MAX_DELAY }),
        ] {
            let longest = draws(&distribution).into_iter().fold(0.0, f64::max);
            assert_eq!(longest, 3_600_000.0);
        }
    }
}
