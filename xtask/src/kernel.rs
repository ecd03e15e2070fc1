//! packetdrill scripts against this machine's own Linux. A program of its own does it, so that the other chores need not be
//! built with it.

use std::process::ExitCode;

use crate::workspace;

/// Runs it with `options`; its exit code is ours.
pub fn run(options: &[&str]) -> Result<ExitCode, String> {
    let mut build = workspace::cargo();
    workspace::run(build.args(["build", "--quiet", "--profile", "checks", "--package", "lasthop-kernel"]))?;
    let program = workspace::target().join("checks/lasthop-kernel");
    let status = std::process::Command::new(&program).args(options).status();
    let status = status.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    // A signal has no code.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
