//! The commands of the tutorial and of both READMEs, with their output.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{root, scratch};

/// A block of commands, with the output shown below it on the page.
struct Step<'a> {
    commands: &'a str,
    shown: Option<&'a str>,
}

/// Returns the steps of a page in order.
fn steps(page: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for block in page.split("```").skip(1).step_by(2) {
        match block.split_once('\n') {
            Some(("sh", commands)) => steps.push(Step { commands, shown: None }),
            Some(("text", shown)) => steps.last_mut().expect("output follows commands").shown = Some(shown),
            _ => {}
        }
    }
    steps
}

/// The command of README that builds and runs the program; the tests run the existing build.
const FIRST_RUN: &str = "cargo run --release -- ";

/// Commands of README that a test cannot run: these build the program or run all tests.
const NOT_RUN: [&str; 2] = ["cargo install --path ", "cargo xtask test"];

/// Runs commands in `dir` and returns their output to both streams, in order.
fn printed(dir: &Path, commands: &str) -> String {
    let is_run = |line: &&str| !NOT_RUN.iter().any(|start| line.starts_with(start));
    let commands: Vec<&str> = commands.lines().filter(is_run).collect();
    let commands = commands.join("\n").replace(FIRST_RUN, "lasthop ");
    let programs = Path::new(env!("CARGO_BIN_EXE_lasthop")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let script = format!("exec 2>&1; set -e\n{commands}");
    let output = Command::new("sh").args(["-c", &script]).current_dir(dir).env("PATH", path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{commands}\n{text}");
    text
}

/// True if `shown` equals the output; a line `...` matches any lines.
fn agrees(shown: &str, printed: &str) -> bool {
    let mut parts = shown.split("...\n");
    let Some(mut rest) = printed.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = "\n";
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        (last, rest) = (part, &rest[at + part.len()..]);
    }
    rest.is_empty() || last.is_empty()
}

/// Runs the steps of a page in `dir`. With `UPDATE_GOLDEN` writes their output into the page.
fn follow(name: &str, dir: &Path) {
    let file = root().join(name);
    let page = fs::read_to_string(&file).unwrap();
    let mut renewed = page.clone();
    for step in steps(&page) {
        let printed = printed(dir, step.commands);
        let Some(shown) = step.shown else { continue };
        if std::env::var_os("UPDATE_GOLDEN").is_some() && !shown.contains("...\n") {
            let [old, new] = [shown, &printed].map(|text| format!("```sh\n{}```\n\n```text\n{text}```", step.commands));
            renewed = renewed.replace(&old, &new);
        } else {
            assert!(agrees(shown, &printed), "{name}: {}prints\n{printed}", step.commands);
        }
    }
    fs::write(&file, renewed).unwrap();
}

#[cfg(unix)]
#[test]
fn tutorial_shows_the_output_of_its_commands() {
    let dir = scratch("tutorial");
    follow("docs/tutorial.md", &dir);
    let drawn = fs::read(dir.join("results/first-seed1/plots/download-explained.svg")).unwrap();
    let shown = root().join("docs/pictures/tutorial.svg");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&shown, &drawn).unwrap();
    }
    assert!(fs::read(&shown).unwrap() == drawn, "{} is out of date: UPDATE_GOLDEN=1", shown.display());
}

/// The README expects the examples at their paths in the repository.
#[cfg(unix)]
#[test]
fn readme_shows_the_output_of_its_commands() {
    let dir = scratch("readme");
    std::os::unix::fs::symlink(root().join("examples"), dir.join("examples")).unwrap();
    follow("README.md", &dir);
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let [run, others @ ..] = &steps(&page)[0].commands.lines().collect::<Vec<_>>()[..] else { panic!("{page}") };
    assert!(run.starts_with(FIRST_RUN) && others.len() == NOT_RUN.len(), "{run} {others:?}");
    assert!(NOT_RUN.iter().zip(others).all(|(start, line)| line.starts_with(start)), "{others:?}");
}

/// The first block installs the command from crates.io. `cargo xtask package` builds with the options of that block.
#[cfg(unix)]
#[test]
fn readme_of_the_package_has_commands_that_run() {
    let page = fs::read_to_string(root().join("crates/cli/README.md")).unwrap();
    let [install, used] = steps(&page).try_into().ok().unwrap();
    assert!(install.commands.starts_with("cargo install lasthop "), "{}", install.commands);
    assert!(used.commands.lines().count() > 3, "{}", used.commands);
    printed(&scratch("package-readme"), used.commands);
}

#[test]
fn three_dots_match_any_lines() {
    assert!(agrees("a\nb\n", "a\nb\n") && !agrees("a\nb\n", "a\nb\nc\n"));
    assert!(agrees("a\n...\nd\n", "a\nb\nc\nd\n") && !agrees("a\n...\nd\n", "a\nb\nc\nd\ne\n"));
    assert!(agrees("a\n...\n", "a\nb\n") && !agrees("b\n...\n", "a\nb\n"));
}
