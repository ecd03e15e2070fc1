//! No link-level retransmission.

use engine::registry::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StopAndWait;

/// No settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl Settings for Config {}

impl Config {
    /// Nothing.
    pub fn build(&self) -> Option<StopAndWait> {
        None
    }
}
