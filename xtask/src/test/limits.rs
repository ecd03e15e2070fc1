//! The limits of the lanes' CPU time, from `bench/checks.toml`.

use std::collections::BTreeMap;
use std::fs;

use crate::bench::budget::Limit;
use crate::workspace;

/// The file with the limits.
pub const FILE: &str = "bench/checks.toml";

/// The name of the limit of all steps together.
pub const ALL: &str = "all";

/// The limits of a lane's steps, in CPU seconds from a cold cache.
#[derive(Debug)]
pub struct LaneLimits(BTreeMap<String, Limit>);

impl LaneLimits {
    /// Reads the limits of a lane.
    pub fn read(lane: &str) -> Result<Self, String> {
        let text =
            fs::read_to_string(workspace::root_folder().join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
        let file: toml::Table = text.parse().map_err(|error| format!("{FILE}: {error}"))?;
        let table = file.get(lane).and_then(toml::Value::as_table);
        Self::parse(table.ok_or_else(|| format!("{FILE}: expected a table [{lane}]"))?)
    }

    /// Reads the limits of a table; a limit of all steps must be among them.
    pub fn parse(table: &toml::Table) -> Result<Self, String> {
        let limit = |(step, limit): (&String, _)| Ok((step.clone(), Limit::parse(FILE, step, limit)?));
        let limits = LaneLimits(table.iter().map(limit).collect::<Result<_, String>>()?);
        limits.of(ALL).ok_or_else(|| format!("{FILE}: expected a limit `{ALL}`"))?;
        Ok(limits)
    }

    /// Returns the limit of a step.
    pub fn of(&self, step: &str) -> Option<Limit> {
        self.0.get(step).copied()
    }

    /// Returns the first of these steps without a limit.
    pub fn find_unlimited(&self, steps: &[&'static str]) -> Option<&'static str> {
        steps.iter().copied().find(|step| self.of(step).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_and_full_lane_have_limits() {
        for lane in ["fast", "full"] {
            let limits = LaneLimits::read(lane).unwrap();
            assert!(
                limits.0.values().all(|limit| limit.goal.is_some_and(|goal| goal <= limit.most)),
                "{lane}: {limits:?}"
            );
            assert_eq!(limits.find_unlimited(&["page", "compile", "tests", "python"]), None);
        }
        assert!(LaneLimits::read("other").unwrap_err().ends_with("expected a table [other]"));
    }

    #[test]
    fn lane_without_a_limit_of_all_steps_is_refused() {
        let error = LaneLimits::parse(&"tests = { most = 1 }".parse().unwrap()).unwrap_err();
        assert!(error.ends_with("expected a limit `all`"), "{error}");
    }
}
