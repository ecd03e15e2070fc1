//! lasthop as one of the compared programs: built in release and run as a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::outcome::PeerOutcome;
use super::row::Workload;
use crate::workspace;

/// Builds the command in the release profile.
pub fn build_release() -> Result<(), String> {
    workspace::run_command(workspace::cargo_command().args(["build", "--release", "-p", "lasthop"]))
}

/// Returns the command, without arguments.
pub fn lasthop_program() -> Command {
    Command::new(release_path())
}

/// Returns its path.
pub fn release_path() -> PathBuf {
    workspace::target_folder().join("release").join("lasthop")
}

/// Writes the scenario of a workload; returns the command that runs it.
pub fn lasthop_command(row: Workload) -> Result<Command, String> {
    command_of(&release_path(), row)
}

/// Returns the command for the same workload with another build of lasthop.
pub fn command_of(program: &Path, row: Workload) -> Result<Command, String> {
    let folder = workspace::target_folder().join("peers");
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
pub fn parse_outcome(printed: &str) -> Result<PeerOutcome, String> {
    let summary: Value =
        serde_json::from_str(printed).map_err(|error| format!("lasthop's summary is not JSON: {error}"))?;
    let bytes = summary["flows"]
        .as_array()
        .and_then(|flows| flows.iter().map(|flow| flow["bytes_delivered"].as_u64()).sum::<Option<u64>>())
        .ok_or("lasthop's summary lacks the `bytes_delivered` of its `flows`")?;
    Ok(PeerOutcome { delivered: bytes / 1000, events: summary["events"].as_u64() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_summed() {
        let printed = r#"{"flows": [{"bytes_delivered": 1500}, {"bytes_delivered": 2500}], "events": 9}"#;
        assert_eq!(parse_outcome(printed), Ok(PeerOutcome { delivered: 4, events: Some(9) }));
    }

    #[test]
    fn summary_without_delivered_bytes_is_an_error() {
        assert!(parse_outcome(r#"{"flows": [{}]}"#).unwrap_err().contains("bytes_delivered"));
        assert!(parse_outcome("").is_err());
    }
}
