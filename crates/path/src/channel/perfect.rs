//! The channel that loses nothing.

use engine::Stream;
use engine::registry::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, Fate, Frame};

/// No settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {}

struct Perfect;

impl Settings for Config {}

impl Config {
    /// The channel. It draws nothing.
    pub fn build(&self, _: Stream) -> Box<dyn Channel> {
        Box::new(Perfect)
    }
}

impl Channel for Perfect {
    fn fate(&mut self, _: &Frame) -> Fate {
        Fate::Arrives
    }

    fn loses(&self) -> bool {
        false
    }
}
