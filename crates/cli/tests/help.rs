//! Help: groups of commands, and examples that work.

use crate::common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use common::{command, fine, lasthop, root, scratch};

/// The commands that help lists, except `help` itself.
pub fn shown_commands() -> Vec<String> {
    let help = fine(&scratch("help-commands"), &["--help"]);
    let lines = help.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    let rows = lines.take_while(|line| *line != "Options:").filter_map(|line| line.strip_prefix("  "));
    let names = rows.filter_map(|row| row.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The examples in the help of a command.
fn examples(dir: &Path, name: &str) -> Vec<String> {
    let help = fine(dir, &["help", name]);
    let section = help.split("\nExamples:\n").nth(1).unwrap_or_else(|| panic!("{name} has no examples: {help}"));
    let lines = section.split("\n\n").next().unwrap_or_default().lines();
    lines
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with("lasthop "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_spelling_of_help_lists_the_commands_in_groups() {
    let dir = scratch("help-groups");
    let help = fine(&dir, &["--help"]);
    assert!(help.contains("\nSee a run:\n") && help.contains("\nEverything else:\n"), "{help}");
    for same in [&["-h"][..], &["help"]] {
        assert_eq!(fine(&dir, same), help, "{same:?}");
    }
    // Without arguments the text is an error.
    let alone = lasthop(&dir, &[]);
    assert_eq!((alone.code, alone.err), (Some(2), help));
}

#[test]
fn help_of_a_command_is_equal_for_every_spelling() {
    let dir = scratch("help-spellings");
    for name in shown_commands() {
        let help = fine(&dir, &["help", &name]);
        assert_eq!(fine(&dir, &[&name, "--help"]), help, "{name}");
        let short = fine(&dir, &[&name, "-h"]);
        assert!(short.contains("\nExamples:\n") && short.contains(&format!("Usage: lasthop {name}")), "{short}");
        for line in help.lines().chain(short.lines()) {
            assert!(line.chars().count() <= 100, "{name}: {line}");
        }
    }
}

/// Help is printed directly, without a pager that might be missing.
#[cfg(unix)]
#[test]
fn help_needs_no_other_program() {
    let dir = scratch("help-alone");
    for args in [&["help"][..], &["help", "run"], &["run", "--help"], &["man"]] {
        let output = command(&dir, args).env("PATH", "").env("PAGER", "no-such-pager").output().unwrap();
        assert!(output.status.success() && !output.stdout.is_empty() && output.stderr.is_empty(), "{args:?}");
    }
}

/// Programs and files that a fresh clone does not have, rights, a terminal, or minutes.
const NOT_RUN: [&str; 10] = [
    "lasthop web",
    "lasthop shell",
    "lasthop emulate",
    "lasthop compare --schemes",
    "lasthop merge results/half1.sqlite results/half2.sqlite",
    "lasthop fit iperf3.json",
    "lasthop slurm examples/goel1997-satellite.toml --shards 64 |",
    "lasthop reproduce goel1997",
    "lasthop completions zsh",
    "lasthop completions fish",
];

/// Runs the examples of every command, in the order of help, because later examples read files that earlier ones wrote.
#[cfg(unix)]
#[test]
fn examples_of_every_command_work_in_a_clone() {
    let dir = scratch("help-examples");
    for name in ["examples", "crates"] {
        std::os::unix::fs::symlink(root().join(name), dir.join(name)).unwrap();
    }
    fs::create_dir_all(dir.join(".local/share/bash-completion/completions")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_lasthop")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut not_run = BTreeSet::new();
    for name in shown_commands() {
        let examples = examples(&dir, &name);
        assert!(examples.len() >= 2, "{name} has {} examples", examples.len());
        for line in examples {
            if let Some(begin) = NOT_RUN.iter().find(|begin| line.starts_with(**begin)) {
                not_run.insert(*begin);
                continue;
            }
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", &line]).current_dir(&dir).env("PATH", &path).env("HOME", &dir);
            let output = shell.output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    assert_eq!(not_run.len(), NOT_RUN.len(), "found only {not_run:?}");
    let files = ["results/snoop-seed1", "handover.svg", "results/selective-repeat.html", "sweep.sh", "path.toml"];
    for file in files {
        assert!(dir.join(file).exists(), "{file}");
    }
}
