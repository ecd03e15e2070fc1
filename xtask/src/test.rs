//! Everything that must hold before a change is taken.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::skips::{self, Skips};
use crate::{wasm, words, workspace};

/// In the order in which a failure is cheapest; the documentation comes last. `cargo test` includes its examples.
const STEPS: [&[&str]; 2] =
    [&["fmt", "--all", "--check"], &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]];

const TESTS: [&str; 4] = ["test", "--workspace", "--profile", "checks"];

/// The tests that take minutes. Examples in documentation that are not to run are ignored too, but no such tests.
const LONG_TESTS: [&str; 7] = ["--lib", "--bins", "--tests", "--", "--ignored", "--test-threads", "1"];

/// The fuzz targets are outside of the workspace, so that nothing else would notice when they no longer compile.
const FUZZ_TARGETS: [&str; 3] = ["check", "--manifest-path", "fuzz/Cargo.toml"];

/// Programs by which tests read what lasthop writes, and the Debian packages they are in.
const READERS: [(&str, &str); 2] = [("tshark", "tshark"), ("gnuplot", "gnuplot-nox")];

/// Runs the steps up to the first that fails; with `full` the long tests too.
pub fn run(full: bool) -> Result<(), String> {
    let missing: Vec<_> = READERS.iter().filter(|(program, _)| !workspace::on_path(program)).collect();
    if !missing.is_empty() {
        let programs: Vec<_> = missing.iter().map(|(program, _)| *program).collect();
        let packages: Vec<_> = missing.iter().map(|(_, package)| *package).collect();
        return Err(format!("the tests need {}: apt-get install {}", programs.join(" and "), packages.join(" ")));
    }
    for step in STEPS {
        workspace::run(workspace::cargo().args(step))?;
    }
    words::run()?;
    wasm::run()?;
    let dir = workspace::target().join("tmp").join("left-by-tests");
    unskipped(&dir, workspace::cargo().args(TESTS))?;
    if full {
        unskipped(&dir, workspace::cargo().args(TESTS).args(LONG_TESTS))?;
        workspace::run(workspace::cargo().args(FUZZ_TARGETS))?;
    }
    workspace::run(workspace::cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs tests, of which none may be skipped but those that are listed, in `dir`, as [`tidy`] does.
fn unskipped(dir: &Path, tests: &mut Command) -> Result<(), String> {
    let skipped = Skips::of(tests, skips::directory())?;
    tidy(dir, tests)?;
    skipped.judge()
}

/// Runs tests with `dir` as the temporary directory, in which they must leave nothing.
fn tidy(dir: &Path, tests: &mut Command) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", dir.display());
    if dir.exists() {
        fs::remove_dir_all(dir).map_err(failed)?;
    }
    fs::create_dir_all(dir).map_err(failed)?;
    workspace::run(tests.env("TMPDIR", dir).env("TMP", dir).env("TEMP", dir))?;
    let left = left_in(dir).map_err(failed)?;
    match left.is_empty() {
        true => fs::remove_dir(dir).map_err(failed),
        false => Err(format!("the tests left in the temporary directory, {}: {}", dir.display(), left.join(", "))),
    }
}

/// The names of what is in a directory, in order.
fn left_in(dir: &Path) -> std::io::Result<Vec<String>> {
    let entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<String> = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a test that leaves a file and one that does not, as `sh` stands in for them.
    #[cfg(unix)]
    #[test]
    fn what_tests_leave_is_named() {
        let tests = |script: &str| {
            let dir = workspace::target().join("tmp").join("left-by-no-tests");
            tidy(&dir, Command::new("sh").args(["-c", script]))
        };
        assert_eq!(tests("true"), Ok(()));
        let left = tests("touch \"$TMPDIR/left.sqlite\"").unwrap_err();
        assert!(left.ends_with(": left.sqlite"), "{left}");
        assert_eq!(tests("true"), Ok(()), "what was left before does not count");
    }
}
