//! The exponential distribution.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Draws};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SizeDistribution, to_whole_bytes};

/// The mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The mean size, such as "100 kB"; more than 0.
    pub mean: Bytes,
}

impl Default for Config {
    /// Returns 10 kB, the default of a fixed size.
    fn default() -> Self {
        Config { mean: Bytes(10_000) }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let empty = self.mean == Bytes(0);
        if empty { vec![Fault::new("mean", self.mean, "at least one byte")] } else { Vec::new() }
    }
}

struct Exponential(f64);

impl Config {
    /// The distribution.
    pub fn build(&self) -> Box<dyn SizeDistribution> {
        Box::new(Exponential(self.mean.0 as f64))
    }
}

impl SizeDistribution for Exponential {
    fn draw(&self, draws: &mut Draws) -> u64 {
        to_whole_bytes(draws.exponential(self.0))
    }

    fn mean(&self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SizeConfig, tests::assert_mean};
    use super::*;

    #[test]
    fn sizes_have_the_given_mean() {
        assert_mean(&SizeConfig::Exponential(Config { mean: Bytes(50_000) }), 50_000.0);
    }
}
