//! The limits of the lanes' CPU time, from `bench/checks.toml`.

use std::fs;
use std::str::FromStr;

use crate::workspace;

const FILE: &str = "bench/checks.toml";

/// Limits of CPU seconds, by step. `all` is that of their sum.
pub struct Limits(toml::Table);

impl Limits {
    /// Reads the limits of a lane; they apply to a cold cache.
    pub fn read(lane: &str) -> Result<Self, String> {
        let text = fs::read_to_string(workspace::root().join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
        let file: toml::Table = text.parse().map_err(|error| format!("{FILE}: {error}"))?;
        let lane = file.get(lane).and_then(toml::Value::as_table).cloned();
        lane.map(Limits).ok_or_else(|| format!("{FILE}: expected a table with the lane's limits"))
    }

    /// Returns the limit of a step, in seconds.
    pub fn of(&self, step: &str) -> Option<f64> {
        let limit = self.0.get(step)?;
        limit.as_float().or(limit.as_integer().map(|number| number as f64))
    }
}

impl FromStr for Limits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Limits).map_err(|error| format!("{error}"))
    }
}
