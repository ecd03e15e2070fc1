//! One size.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Draws};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SizeDistribution;

/// The size.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The size, such as "10 kB"; more than 0.
    pub bytes: Bytes,
}

impl Default for Config {
    /// Returns 10 kB, which was chosen to be less than an initial window of ten segments [RFC6928 s2].
    fn default() -> Self {
        Config { bytes: Bytes(10_000) }
    }
}

impl Settings for Config {
    const BARE_VALUE: Option<&'static str> = Some("bytes");

    fn check(&self) -> Vec<Fault> {
        let empty = self.bytes == Bytes(0);
        if empty { vec![Fault::new("bytes", self.bytes, "at least one byte")] } else { Vec::new() }
    }
}

struct Fixed(u64);

impl Config {
    /// The distribution.
    pub fn build(&self) -> Box<dyn SizeDistribution> {
        Box::new(Fixed(self.bytes.0))
    }
}

impl SizeDistribution for Fixed {
    fn draw(&self, _: &mut Draws) -> u64 {
        self.0
    }

    fn mean(&self) -> f64 {
        self.0 as f64
    }
}
