//! Builds with the profile of tests, which compile the workspace and find clippy's lints in one pass: this program is then
//! cargo's wrapper of rustc.
//!
//! Clippy's driver compiles the test harnesses, each of which contains its crate, and programs. rustc compiles the libraries,
//! whose code tests execute most: the driver leaves out the optimization of MIR.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::workspace;

/// Environment variable with the path of clippy's driver, set while this program is the wrapper.
const DRIVER: &str = "LASTHOP_CLIPPY_DRIVER";

/// Profile of tests, and of all code that runs in them.
pub const CHECKS: &str = "checks";

/// Code that tests execute, and no more: the crate of the page has no tests outside of WebAssembly.
pub const TESTED: [&str; 6] = ["--workspace", "--exclude", "lasthop-web", "--lib", "--bins", "--tests"];

/// Returns a command of cargo with the profile of tests, which finds clippy's lints while it compiles.
pub fn cargo_of_checks(subcommand: &str) -> Command {
    let mut cargo = workspace::cargo_command();
    cargo.args([subcommand, "--profile", CHECKS]);
    set_wrapper(&mut cargo);
    cargo
}

/// Builds the libraries and programs with the profile of tests, and returns their folder. They have the features that
/// tests need. Therefore `cargo xtask test` does not compile again what `cargo test` has compiled.
pub fn build_as_tested() -> Result<PathBuf, String> {
    workspace::run_command(cargo_of_checks("build").args(TESTED))?;
    Ok(workspace::target_folder().join(CHECKS))
}

/// Makes this program the wrapper of rustc for a command of cargo, where clippy is installed.
fn set_wrapper(cargo: &mut Command) {
    if let (Some(driver), Ok(this)) = (workspace::toolchain_program("clippy-driver"), env::current_exe()) {
        // Lint levels as set by `cargo clippy -- -D warnings`.
        cargo.env("CLIPPY_ARGS", "-Dwarnings__CLIPPY_HACKERY__");
        cargo.env("RUSTC_WORKSPACE_WRAPPER", this).env(DRIVER, driver);
    }
}

/// Acts as the wrapper of rustc if cargo has started this program as such.
pub fn wrap_rustc() -> Option<ExitCode> {
    let driver = env::var_os(DRIVER)?;
    let rustc =
        env::args_os().nth(1).filter(|word| PathBuf::from(word).file_stem().is_some_and(|name| name == "rustc"))?;
    let arguments: Vec<OsString> = env::args_os().skip(2).collect();
    let mut compiler = if is_library(&arguments) {
        let mut plain = Command::new(&rustc);
        plain.arg("-Dwarnings");
        plain
    } else {
        let mut clippy = Command::new(driver);
        clippy.arg(&rustc);
        clippy
    };
    let status = compiler.args(&arguments).status();
    Some(match status {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("xtask: cannot run {}: {error}", workspace::spell_command(&compiler));
            ExitCode::FAILURE
        }
    })
}

/// Returns true if rustc is to compile a library without a test harness.
fn is_library(arguments: &[OsString]) -> bool {
    let has_harness = arguments.iter().any(|word| word == "--test");
    let of_type = |kind: &str| arguments.windows(2).any(|words| words[0] == "--crate-type" && words[1] == kind);
    !has_harness && of_type("lib") && !of_type("bin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clippy_driver_compiles_test_harnesses_and_programs() {
        let is_library = |line: &str| is_library(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(is_library("--crate-name tcp --crate-type lib --emit=link"));
        assert!(!is_library("--crate-name tcp --test --emit=link"));
        assert!(!is_library("--crate-name lasthop --crate-type bin"));
        assert!(!is_library("--crate-name _lasthop --crate-type cdylib"));
        // Cargo's question about the target names every type.
        assert!(!is_library("- --crate-name ___ --print=file-names --crate-type bin --crate-type lib"));
    }
}
