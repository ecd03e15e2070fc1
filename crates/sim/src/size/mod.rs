//! Distributions of the sizes of transfers.
//!
//! A distribution is one file here and one line of the registry below.

pub mod cdf;
pub mod exponential;
pub mod fixed;
pub mod pareto;

use engine::Draws;

engine::registry! {
    /// The distributions of sizes.
    pub enum SizeConfig: "size distribution" => build() -> Box<dyn SizeDistribution> {
        Fixed => fixed, "fixed", "All have the same size";
        Exponential => exponential, "exponential", "Exponentially distributed around the mean";
        Pareto => pareto, "pareto", "Pareto distribution: a few are very large";
        Cdf => cdf, "cdf", "Piecewise linear between the points of a cumulative distribution, as measured in data centres";
    }
}

impl Default for SizeConfig {
    fn default() -> Self {
        SizeConfig::Fixed(fixed::Config::default())
    }
}

/// A distribution of sizes.
pub trait SizeDistribution: Send {
    /// Draws a size in bytes, at least 1.
    fn draw(&self, draws: &mut Draws) -> u64;

    /// The mean in bytes; infinite for a Pareto distribution with a shape of at most 1 and no maximum.
    fn mean(&self) -> f64;
}

/// Converts to whole bytes, minimum 1.
fn to_whole_bytes(bytes: f64) -> u64 {
    (bytes as u64).max(1)
}

#[cfg(test)]
mod tests {
    use engine::Stream;

    use super::*;

    /// Asserts that the mean of 200,000 sizes lies within four standard errors of the stated mean. Sizes are rounded
    /// down to whole bytes: half a byte is added.
    pub(super) fn assert_mean(config: &SizeConfig, expected: f64) {
        assert_eq!(config.check(), []);
        let (sizes, mut draws) = (config.build(), Stream::named(5, 0, "sizes").draws());
        let all: Vec<f64> = (0..200_000).map(|_| sizes.draw(&mut draws) as f64 + 0.5).collect();
        let n = all.len() as f64;
        let mean = all.iter().sum::<f64>() / n;
        let variance = all.iter().map(|size| (size - mean) * (size - mean)).sum::<f64>() / n;
        assert!(
            (mean - expected).abs() <= 4.0 * (variance / n).sqrt() + 0.5,
            "{config:?}: {mean}, expected {expected}"
        );
        assert!((sizes.mean() - expected).abs() < 1e-9 * expected, "{config:?}: states {}", sizes.mean());
    }
}
