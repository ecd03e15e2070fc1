//! One delay.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DelayDistribution, unless_delay};

/// The delay.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The delay.
    pub value: Span,
}

struct Constant(Span);

impl Settings for Config {
    const BARE_VALUE: Option<&'static str> = Some("value");

    fn check(&self) -> Vec<Fault> {
        unless_delay("value", self.value).into_iter().collect()
    }
}

impl Config {
    /// Creates the distribution.
    pub fn build(&self) -> Box<dyn DelayDistribution> {
        Box::new(Constant(self.value))
    }
}

impl DelayDistribution for Constant {
    fn draw(&self, _: &mut Draws) -> Span {
        self.0
    }
}
