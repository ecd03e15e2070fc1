//! Programs of iproute2 in the current namespace.

use std::process::Command;

use crate::Error;

/// Runs `ip` with these arguments.
///
/// # Errors
///
/// If the program is not installed, or fails: with its message.
pub fn run_ip(words: &[&str]) -> Result<(), Error> {
    run_program("ip", words)
}

/// Runs a program and discards its output.
///
/// # Errors
///
/// If the program is not installed, or fails: with its message.
pub fn run_program(program: &str, words: &[&str]) -> Result<(), Error> {
    let failed = |message| Error::Program { line: format!("{program} {}", words.join(" ")), message };
    let ran = Command::new(program).args(words).output().map_err(|error| {
        let hint = if matches!(program, "ip" | "tc") { "; remedy: install iproute2" } else { "" };
        failed(format!("cannot be run: {error}{hint}"))
    })?;
    if ran.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&ran.stderr).trim().to_owned())) }
}
