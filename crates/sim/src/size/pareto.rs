//! The Pareto distribution (type I), optionally bounded: P(size > x) = (min / x)^shape.
//!
//! Without a maximum the mean is shape min / (shape - 1) for a shape above 1, else infinite. With a maximum the
//! distribution is conditioned on sizes of at most that: the bounded Pareto distribution.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Draws};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SizeDistribution, to_whole_bytes};

/// Shape, and minimum or mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The exponent of the tail, more than 0: less is heavier.
    #[schemars(range(min = 0.0))]
    pub shape: f64,
    /// The mean without a maximum, such as "100 kB", for a shape above 1. 10 kB if neither `mean` nor `min` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<Bytes>,
    /// Minimum size, in place of the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<Bytes>,
    /// The maximum size; unlimited if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<Bytes>,
}

impl Default for Config {
    /// A shape of 1.2, as of files on web servers (Crovella1997).
    fn default() -> Self {
        Config { shape: 1.2, mean: None, min: None, max: None }
    }
}

impl Config {
    /// Mean if neither mean nor minimum is set.
    const DEFAULT_MEAN: f64 = 10_000.0;

    fn lowest(&self) -> f64 {
        match (self.min, self.mean) {
            (Some(min), _) => min.0 as f64,
            (None, mean) => {
                let mean = mean.map_or(Self::DEFAULT_MEAN, |mean| mean.0 as f64);
                mean * (self.shape - 1.0) / self.shape
            }
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(self.shape > 0.0 && self.shape.is_finite()) {
            return vec![Fault::new("shape", self.shape, "a number more than 0")];
        }
        if self.min.is_none() && self.shape <= 1.0 {
            let fault = Fault::new("shape", self.shape, "more than 1: a heavier tail has no mean");
            faults.push(fault.hint("give `min` instead of `mean`, and `max` to bound it"));
        }
        if let (Some(_), Some(mean)) = (self.min, self.mean) {
            faults.push(Fault::new("mean", mean, "either `mean` or `min`"));
        }
        for (key, value) in [("min", self.min), ("mean", self.mean)] {
            if value == Some(Bytes(0)) {
                faults.push(Fault::new(key, Bytes(0), "at least one byte"));
            }
        }
        if let Some(max) = self.max.filter(|max| faults.is_empty() && max.0 as f64 <= self.lowest()) {
            faults.push(Fault::new("max", max, format!("more than the minimum of {} bytes", self.lowest() as u64)));
        }
        faults
    }
}

struct Pareto {
    shape: f64,
    min: f64,
    max: f64,
}

impl Config {
    /// The distribution.
    pub fn build(&self) -> Box<dyn SizeDistribution> {
        let max = self.max.map_or(f64::INFINITY, |max| max.0 as f64);
        Box::new(Pareto { shape: self.shape, min: self.lowest(), max })
    }
}

impl SizeDistribution for Pareto {
    fn draw(&self, draws: &mut Draws) -> u64 {
        // Inverts the distribution function, which ends at the maximum.
        let end = 1.0 - libm::pow(self.min / self.max, self.shape);
        to_whole_bytes(self.min * libm::pow(1.0 - draws.unit() * end, -1.0 / self.shape))
    }

    fn mean(&self) -> f64 {
        let Pareto { shape, min, max } = *self;
        match (max.is_finite(), shape == 1.0) {
            (false, _) if shape <= 1.0 => f64::INFINITY,
            (false, _) => shape * min / (shape - 1.0),
            (true, true) => min * libm::log(max / min) / (1.0 - min / max),
            (true, false) => {
                let ratio = libm::pow(min / max, shape);
                shape / (shape - 1.0) * (min - ratio * max) / (1.0 - ratio)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SizeConfig, tests::assert_mean};
    use super::*;

    fn config(shape: f64, mean: Option<u64>, min: Option<u64>, max: Option<u64>) -> Config {
        Config { shape, mean: mean.map(Bytes), min: min.map(Bytes), max: max.map(Bytes) }
    }

    #[test]
    fn sizes_have_the_mean_of_shape_and_bounds() {
        assert_mean(&SizeConfig::Pareto(config(2.5, Some(30_000), None, None)), 30_000.0);
        // 1.2 / 0.2 (1000 - 10^-3.6 10^6) / (1 - 10^-3.6)
        let ratio = libm::pow(1e-3, 1.2);
        let bounded = 6.0 * (1e3 - ratio * 1e6) / (1.0 - ratio);
        assert_mean(&SizeConfig::Pareto(config(1.2, None, Some(1000), Some(1_000_000))), bounded);
        assert_mean(&SizeConfig::Pareto(config(1.0, None, Some(1000), Some(2000))), 1e3 * libm::log(2.0) / 0.5);
    }

    #[test]
    fn tail_without_a_mean_is_a_fault_unless_a_minimum_is_given() {
        let keys = |config: Config| config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
        assert_eq!(keys(config(1.0, Some(10_000), None, None)), ["shape"]);
        assert_eq!(keys(config(f64::NAN, None, None, None)), ["shape"]);
        assert!(keys(config(0.9, None, Some(1000), None)).is_empty());
        assert!(config(0.9, None, Some(1000), None).build().mean().is_infinite());
        assert_eq!(keys(config(1.5, Some(3000), Some(1000), None)), ["mean"]);
        assert_eq!(keys(config(1.5, None, Some(1000), Some(1000))), ["max"]);
        assert_eq!(keys(config(1.5, Some(0), None, None)), ["mean"]);
    }
}
