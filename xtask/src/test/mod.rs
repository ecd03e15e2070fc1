//! All checks that a change must pass, in two lanes. The fast lane runs every kind of check at small size, the lane
//! `--full` all checks.

mod libtest;
mod limits;
mod stamp;
mod step;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::checks::TESTED;
use crate::skips::{self, Skips};
use crate::{census, checks, names, packages, python, wasm, web, words, workspace};
use libtest::TestLog;
#[cfg(unix)]
pub use libtest::{RUN_TESTS, run_program};
use limits::LaneLimits;
use stamp::Stamp;
use step::{StepOutcome, Steps};

/// Arguments that check `fuzz/Cargo.lock` against its manifest.
const FUZZ_LOCK: [&str; 4] = ["fetch", "--locked", "--manifest-path", "fuzz/Cargo.toml"];

/// Arguments for the fuzz targets, which are outside of the workspace and would otherwise not be compiled.
const FUZZ_TARGETS: [&str; 4] = ["check", "--locked", "--manifest-path", "fuzz/Cargo.toml"];

/// Sources of the documentation of the crates.
const RUSTDOC: [&str; 5] = ["Cargo.lock", "Cargo.toml", "crates", "examples/outside", "xtask"];

/// Files that the comparison of the module with the command reads.
const EQUAL_BYTES: [&str; 4] = ["Cargo.lock", "Cargo.toml", "crates", "examples"];

/// Number of tests in the list of the slowest.
const SLOWEST: usize = 10;

/// The lane and its permissions.
#[derive(Clone, Copy)]
pub struct LaneOptions {
    /// Also run steps that take minutes.
    pub full: bool,
    /// Install missing programs, and refuse skips that xtask/allowed-skips.txt does not list.
    pub install: bool,
}

impl LaneOptions {
    /// Reads the options of the command line.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = LaneOptions { full: false, install: false };
        for word in words {
            match *word {
                "--full" => options.full = true,
                "--install" => options.install = true,
                other => return Err(format!("xtask test: found {other}, expected --full or --install")),
            }
        }
        Ok(options)
    }
}

/// Runs the checks of a lane and prints the duration of each step. Fails if a step has failed, or took more than its
/// limit. All steps run, except that nothing is executed if the tests do not compile.
pub fn run_lane(options: LaneOptions) -> Result<(), String> {
    if options.install {
        packages::install_missing()?;
    }
    let limits = LaneLimits::read(if options.full { "full" } else { "fast" })?;
    let (mut steps, mut log) = (Steps::default(), TestLog::default());
    let skips = Skips::in_directory(skips::skips_directory())?;
    if run_builds(&mut steps, options) {
        run_tests(&mut steps, &mut log, &skips, options);
    }
    match skips.read_skips() {
        Ok(lines) => steps.skipped.extend(lines),
        Err(error) => steps.failed.push(error),
    }
    report_lane(&steps, &log, &limits, options)
}

/// Checks and compiles what tests execute; compilation finds most lints, and the full lane finds all. Returns false if
/// the tests do not compile.
fn run_builds(steps: &mut Steps, LaneOptions { full, .. }: LaneOptions) -> bool {
    steps.run_step("format", || {
        with_component("rustfmt", || {
            workspace::run_command(workspace::cargo_command().args(["fmt", "--all", "--check"]))
        })
    });
    steps.run_step("words", words::check_words);
    steps.run_step("names", names::check_names);
    steps.run_step("lock files", || workspace::run_command(workspace::cargo_command().args(FUZZ_LOCK)));
    // The command serves the page during its tests.
    steps.run_step("page", || with_page(&[], || web::embed_page(web::Module::of_tests(full))));
    let is_compiled = steps
        .run_step("compile", || workspace::run_command(checks::cargo_of_checks("test").args(TESTED).arg("--no-run")));
    if full {
        steps.run_step("clippy", || with_component("clippy-driver", lint_all));
    } else if workspace::toolchain_program("clippy-driver").is_none() {
        steps.skipped.push("clippy: needs clippy-driver".to_owned());
    }
    is_compiled
}

/// Finds the lints of all targets, including benchmarks, examples, and code that is not compiled for tests.
fn lint_all() -> Result<(), String> {
    let all = ["clippy", "--workspace", "--all-targets", "--profile", checks::CHECKS, "--", "-D", "warnings"];
    workspace::run_command(workspace::cargo_command().args(all))
}

/// Checks that execute lasthop.
fn run_tests(steps: &mut Steps, log: &mut TestLog, skips: &Skips, LaneOptions { full, .. }: LaneOptions) {
    let dir = workspace::target_folder().join("tmp").join("left-by-tests");
    let tests = || checks::cargo_of_checks("test");
    steps.run_step("tests", || {
        with_empty_temp_dir(&dir, |set| log.run_tests(skips.record(set(tests().args(TESTED))), &[]))
    });
    steps.run_step("doc tests", || {
        let of_workspace = ["--workspace", "--exclude", "lasthop-web", "--doc"];
        with_empty_temp_dir(&dir, |set| log.run_plain(skips.record(set(tests().args(of_workspace)))))
    });
    steps.run_step("python", || with_programs(&["python3"], || python::test_package(full)));
    steps.run_step("page tests", || with_page(&["chromium"], || web::test_page(full)));
    run_when_due(steps, "equal bytes", &EQUAL_BYTES, full, || with_page(&[], || web::compare_with_command(full)));
    if full {
        steps.run_step("long tests", || {
            let long = ["--ignored", "--test-threads", "1"];
            with_empty_temp_dir(&dir, |set| log.run_tests(skips.record(set(tests().args(TESTED))), &long))
        });
        steps.run_step("wheels", || with_page(&["python3"], python::check_wheels));
        steps.run_step("fuzz targets", || workspace::run_command(workspace::cargo_command().args(FUZZ_TARGETS)));
        steps.run_step("census", census::run_census);
        steps.run_step("wasm", wasm::check_wasm);
    }
    run_when_due(steps, "rustdoc", &RUSTDOC, full, || {
        let mut doc = checks::cargo_of_checks("doc");
        workspace::run_command(doc.args(["--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings")).into()
    });
}

/// Runs a step that needs these programs; it is skipped if some are missing.
fn with_programs(names: &[&str], work: impl FnOnce() -> Result<(), String>) -> StepOutcome {
    match packages::explain_missing(names) {
        Some(reason) => StepOutcome::Skipped(reason),
        None => work().into(),
    }
}

/// Runs a step that needs the page, and these programs.
fn with_page(names: &[&str], work: impl FnOnce() -> Result<(), String>) -> StepOutcome {
    with_programs(&[&["node", "npm"], names].concat(), || Ok(())).and_then(|| match web::explain_unfit() {
        Some(reason) => StepOutcome::Skipped(reason),
        None => work().into(),
    })
}

/// Runs a step that needs a program of the toolchain; it is skipped if that is missing.
fn with_component(name: &str, work: impl FnOnce() -> Result<(), String>) -> StepOutcome {
    match workspace::toolchain_program(name) {
        Some(_) => work().into(),
        None => StepOutcome::Skipped(format!("needs {name}")),
    }
}

/// Runs a step in the full lane. In the fast lane the step runs if its sources have changed since its last pass on this
/// machine.
fn run_when_due(
    steps: &mut Steps,
    name: &'static str,
    sources: &[&str],
    full: bool,
    work: impl FnOnce() -> StepOutcome,
) {
    let stamp = match Stamp::of(name, sources) {
        Ok(stamp) => stamp,
        Err(error) => return steps.failed.push(format!("{name}: {error}")),
    };
    if full || stamp.is_outdated() {
        steps.run_step(name, || work().and_then(|| stamp.keep().into()));
    } else {
        eprintln!("not due: {name}: runs with --full, and after a change since then");
    }
}

/// Prints the summary; an error names the failed steps.
fn report_lane(steps: &Steps, log: &TestLog, limits: &LaneLimits, options: LaneOptions) -> Result<(), String> {
    let mut text = format!("\nslowest tests\n{}\n{}\n", log.slowest(SLOWEST), steps.table(limits));
    steps.skipped.iter().for_each(|line| text += &format!("skipped: {line}\n"));
    text += &format!("{} passed, {} skipped", log.passed, steps.skipped.len());
    if !options.full {
        text += &format!(", {} of --full", log.ignored);
    }
    let missing = packages::packages_of_skips(&steps.skipped);
    if !missing.is_empty() {
        text += &format!(", install: apt-get install {}", missing.join(" "));
    }
    workspace::print_text(&format!("{text}\n"))?;
    let mut failed = steps.failed.clone();
    if options.install {
        failed.extend(skips::refuse_unlisted(&steps.skipped).err());
    }
    // The limits are for a cold cache. Therefore only additional work exceeds them.
    let over = steps.over(limits);
    if !over.is_empty() {
        failed.push(format!("over the limits of {}: {}", limits::FILE, over.join(", ")));
    }
    if let Some(step) = limits.find_unlimited(&steps.names()) {
        failed.push(format!("{}: expected a limit of the step `{step}`", limits::FILE));
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Runs tests with `dir` as the temporary directory, which must be empty afterwards. `tests` passes its command to a
/// function that sets the directory.
fn with_empty_temp_dir(
    dir: &Path,
    tests: impl FnOnce(&dyn Fn(&mut Command) -> &mut Command) -> Result<(), String>,
) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", dir.display());
    if dir.exists() {
        fs::remove_dir_all(dir).map_err(failed)?;
    }
    fs::create_dir_all(dir).map_err(failed)?;
    tests(&|command| command.env("TMPDIR", dir).env("TMP", dir).env("TEMP", dir))?;
    let left = list_entry_names(dir).map_err(failed)?;
    if left.is_empty() {
        fs::remove_dir(dir).map_err(failed)
    } else {
        Err(format!("the tests left in the temporary directory, {}: {}", dir.display(), left.join(", ")))
    }
}

/// Returns the names of the entries of a directory, sorted.
fn list_entry_names(dir: &Path) -> std::io::Result<Vec<String>> {
    let entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<String> = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shell commands replace tests. One command leaves a file, and the other one does not.
    #[cfg(unix)]
    #[test]
    fn files_left_by_tests_are_named() {
        let tests = |script: &str| {
            let dir = workspace::target_folder().join("tmp").join("left-by-no-tests");
            with_empty_temp_dir(&dir, |set| workspace::run_command(set(Command::new("sh").args(["-c", script]))))
        };
        assert_eq!(tests("true"), Ok(()));
        let left = tests("touch \"$TMPDIR/left.sqlite\"").unwrap_err();
        assert!(left.ends_with(": left.sqlite"), "{left}");
        assert_eq!(tests("true"), Ok(()), "files left before the tests are ignored");
    }

    /// A file next to main.rs would never be compiled if main.rs had no `mod` line for it.
    #[test]
    fn every_test_file_belongs_to_a_program() {
        for package in fs::read_dir(workspace::root_folder().join("crates")).unwrap() {
            let package = package.unwrap().path();
            let (folder, manifest) = (package.join("tests"), fs::read_to_string(package.join("Cargo.toml")).unwrap());
            let Ok(suite) = fs::read_to_string(folder.join("main.rs")) else { continue };
            for name in list_entry_names(&folder).unwrap() {
                let module = match name.strip_suffix(".rs") {
                    Some(module) => module,
                    None if folder.join(&name).join("mod.rs").exists() => &name,
                    None => continue,
                };
                let found = module == "main"
                    || suite.contains(&format!("\nmod {module};\n"))
                    || manifest.contains(&format!("path = \"tests/{name}\""));
                assert!(found, "{}/{name}: expected `mod {module};` in main.rs", folder.display());
            }
        }
    }
}
