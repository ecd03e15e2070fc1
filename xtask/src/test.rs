//! All checks that a change must pass.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::skips::{self, Skips};
use crate::{census, python, web, words, workspace};

/// Steps before the tests, the cheapest first; documentation is built last. `cargo test` includes its examples. `fetch`
/// fails if the lock file of another workspace is not of the current dependencies. All have the profile of the tests:
/// build scripts and procedural macros are then compiled once.
const STEPS: [&[&str]; 4] = [
    &["fmt", "--all", "--check"],
    &["fetch", "--locked", "--manifest-path", "examples/outside/Cargo.toml"],
    &["fetch", "--locked", "--manifest-path", "fuzz/Cargo.toml"],
    &["clippy", "--workspace", "--all-targets", "--profile", "checks", "--", "-D", "warnings"],
];

/// Arguments for the documentation of all crates.
const DOC: [&str; 5] = ["doc", "--workspace", "--no-deps", "--profile", "checks"];

const TESTS: [&str; 4] = ["test", "--workspace", "--profile", "checks"];

/// Arguments for the tests that take minutes. Documentation tests marked as ignored are excluded.
const LONG_TESTS: [&str; 7] = ["--lib", "--bins", "--tests", "--", "--ignored", "--test-threads", "1"];

/// Arguments for the fuzz targets, which are outside of the workspace and would otherwise not be compiled.
const FUZZ_TARGETS: [&str; 4] = ["check", "--locked", "--manifest-path", "fuzz/Cargo.toml"];

/// Arguments for the tests of the crate that adds members to registries from outside of the workspace.
const OUTSIDE_TESTS: [&str; 4] = ["test", "--locked", "--manifest-path", "examples/outside/Cargo.toml"];

/// Programs that read lasthop's output or run its package in tests, and the Debian packages that contain them.
const READERS: [(&str, &str); 6] = [
    ("tshark", "tshark"),
    ("gnuplot", "gnuplot-nox"),
    ("python3", "python3"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("chromium", "chromium fonts-dejavu-core"),
];

/// Runs the checks, with `full` also the long tests. A failure of one that takes seconds ends it; of those that take minutes all
/// run, and the error names each that failed.
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
    let module = web::Module::of_tests(full);
    let dir = workspace::target().join("tmp").join("left-by-tests");
    let mut failed = Vec::new();
    let mut then = |outcome: Result<(), String>| failed.extend(outcome.err());
    // Compiles the crates without file access for a browser; the command serves the page in its tests.
    then(web::run(module));
    then(unskipped(&dir, workspace::cargo().args(TESTS)));
    // A target directory of its own: the crate has another workspace, and would otherwise lie in the tree of sources.
    let outside = workspace::target().join("outside");
    then(workspace::run(workspace::cargo().args(OUTSIDE_TESTS).env("CARGO_TARGET_DIR", outside)));
    then(python::run(full));
    then(web::test(module, full));
    if full {
        then(python::wheels());
        then(unskipped(&dir, workspace::cargo().args(TESTS).args(LONG_TESTS)));
        then(workspace::run(workspace::cargo().args(FUZZ_TARGETS)));
        then(census::run());
    }
    then(workspace::run(workspace::cargo().args(DOC).env("RUSTDOCFLAGS", "-D warnings")));
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Runs tests in `dir` as [`tidy`] does; an error if a test is skipped that is not in the list.
fn unskipped(dir: &Path, tests: &mut Command) -> Result<(), String> {
    let skipped = Skips::of(tests, skips::directory())?;
    tidy(dir, tests)?;
    skipped.judge()
}

/// Runs tests with `dir` as the temporary directory, which must be empty afterwards.
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

/// Returns the names of the entries of a directory, sorted.
fn left_in(dir: &Path) -> std::io::Result<Vec<String>> {
    let entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<String> = entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shell commands stand in for tests: one leaves a file, the other does not.
    #[cfg(unix)]
    #[test]
    fn files_left_by_tests_are_named() {
        let tests = |script: &str| {
            let dir = workspace::target().join("tmp").join("left-by-no-tests");
            tidy(&dir, Command::new("sh").args(["-c", script]))
        };
        assert_eq!(tests("true"), Ok(()));
        let left = tests("touch \"$TMPDIR/left.sqlite\"").unwrap_err();
        assert!(left.ends_with(": left.sqlite"), "{left}");
        assert_eq!(tests("true"), Ok(()), "files left before the tests are ignored");
    }

    /// A file beside main.rs without its line there would never be compiled.
    #[test]
    fn every_file_beside_main_is_in_a_program() {
        for package in fs::read_dir(workspace::root().join("crates")).unwrap() {
            let package = package.unwrap().path();
            let (folder, manifest) = (package.join("tests"), fs::read_to_string(package.join("Cargo.toml")).unwrap());
            let Ok(suite) = fs::read_to_string(folder.join("main.rs")) else { continue };
            for name in left_in(&folder).unwrap() {
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
