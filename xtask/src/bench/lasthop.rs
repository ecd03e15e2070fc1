//! lasthop as one of the compared programs: built in release and run as a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::outcome::Outcome;
use super::row::Row;
use crate::workspace;

/// Builds the command in the release profile.
pub fn build() -> Result<(), String> {
    workspace::run(workspace::cargo().args(["build", "--release", "-p", "lasthop"]))
}

/// Returns the command, without arguments.
pub fn program() -> Command {
    Command::new(built())
}

/// Returns its path.
pub fn built() -> PathBuf {
    workspace::target().join("release").join("lasthop")
}

/// Writes the scenario of a workload; returns the command that runs it.
pub fn command(row: Row) -> Result<Command, String> {
    command_of(&built(), row)
}

/// The same with another build of lasthop.
pub fn command_of(program: &Path, row: Row) -> Result<Command, String> {
    let folder = workspace::target().join("peers");
    let scenario = folder.join(format!("{row}.toml"));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&scenario, row.scenario()))
        .map_err(|error| format!("cannot write {}: {error}", scenario.display()))?;

    let mut command = Command::new(program);
    // Peers measure no delays either.
    let options = ["--json", "--no-delays", "--trace", "none", "--out"];
    command.arg("run").arg(scenario).args(options).arg(folder.join(row.to_string()));
    Ok(command)
}

/// Parses the JSON summary.
pub fn outcome(printed: &str) -> Result<Outcome, String> {
    let summary: Value =
        serde_json::from_str(printed).map_err(|error| format!("lasthop's summary is not JSON: {error}"))?;
    let bytes = summary["flows"]
        .as_array()
        .and_then(|flows| flows.iter().map(|flow| flow["bytes_delivered"].as_u64()).sum::<Option<u64>>())
        .ok_or("lasthop's summary lacks the `bytes_delivered` of its `flows`")?;
    Ok(Outcome { delivered: bytes / 1000, events: summary["events"].as_u64() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_summed() {
        let printed = r#"{"flows": [{"bytes_delivered": 1500}, {"bytes_delivered": 2500}], "events": 9}"#;
        assert_eq!(outcome(printed), Ok(Outcome { delivered: 4, events: Some(9) }));
    }

    #[test]
    fn summary_without_delivered_bytes_is_an_error() {
        assert!(outcome(r#"{"flows": [{}]}"#).unwrap_err().contains("bytes_delivered"));
        assert!(outcome("").is_err());
    }
}
