//! Levels of a received signal.

use engine::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A power level that lasts until the next one.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Start of the level.
    pub from: Span,
    /// Power in dBm, in both directions.
    pub dbm: f64,
}
