//! Runs packetdrill scripts against this machine's Linux with a separate program, so that the other commands of xtask
//! do not depend on it.

use std::process::ExitCode;

use crate::{checks, workspace};

/// Builds and runs the program with `options`. Returns the exit code of the program.
pub fn run_kernel(options: &[&str]) -> Result<ExitCode, String> {
    workspace::run_command(checks::cargo_of_checks("build").args(["--quiet", "--package", "lasthop-kernel"]))?;
    let program = workspace::target_folder().join(checks::CHECKS).join("lasthop-kernel");
    let status = std::process::Command::new(&program).args(options).status();
    let status = status.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    // A process ended by a signal has no exit code.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
