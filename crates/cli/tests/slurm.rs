//! Tests of `lasthop slurm`. A substitute for sbatch runs the script, and executes the tasks on this machine.
#![cfg(unix)]

use crate::common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use common::{fine, lasthop, scratch};

/// Runs each task of an array with its number; stores the options.
const SBATCH: &str = r#"#!/bin/bash
set -euo pipefail
printf '%s\n' "$*" >> options.txt
script=$(cat)
for option in "$@"; do case "$option" in --array=1-*) count="${option#--array=1-}";; esac; done
if [ -n "${count:-}" ]; then
  for task in $(seq "$count"); do SLURM_ARRAY_TASK_ID=$task bash -c "$script"; done
else
  bash -c "$script" > merge.txt
fi
echo "41;cluster"
"#;

const SCENARIO: &str = r#"
duration = "2 s"
nodes = { a = { kind = "host" }, b = { kind = "host" } }
links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms", queue = "50 packets", loss = 0.01 }
flows.flow = { from = "a", to = "b" }
sweep = { replications = 2, axes.links.wire.loss = [0.01, 0.02, 0.05] }
"#;

fn submit(dir: &Path) -> Output {
    let path = format!("{}:{}", dir.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut bash = Command::new("bash");
    bash.arg("sweep.sh").current_dir(dir).env("PATH", path).env("LASTHOP", env!("CARGO_BIN_EXE_lasthop"));
    bash.output().expect("bash is there")
}

/// The merged store exports the same tables as a plain sweep, with a space and a quote in the names. A second
/// submission repeats no run.
#[test]
fn submitted_script_gives_the_store_of_a_plain_sweep() {
    skip::need!("bash");
    let dir = scratch("slurm");
    fs::create_dir_all(dir.join("bin")).unwrap();
    fs::write(dir.join("bin/sbatch"), SBATCH).unwrap();
    fs::set_permissions(dir.join("bin/sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
    let name = "the user's path.toml";
    fs::write(dir.join(name), SCENARIO).unwrap();
    let out = "my results/all.sqlite";
    fs::create_dir_all(dir.join("my results")).unwrap();
    let change = "title=\"a 'quoted' title\"";
    let slurm =
        ["slurm", name, "--shards", "4", "--out", out, "--time", "0:10", "--sbatch", "--partition=short", "--set"];
    fine(&dir, &[&slurm[..], &[change, "--script", "sweep.sh"]].concat());
    let syntax = Command::new("bash").args(["-n", "sweep.sh"]).current_dir(&dir).status().unwrap();
    assert!(syntax.success());
    let mut first = Vec::new();
    for again in [false, true] {
        let end = submit(&dir);
        assert!(end.status.success(), "{}", String::from_utf8_lossy(&end.stderr));
        assert!(String::from_utf8_lossy(&end.stdout).contains("array job 41, then job 41 merges into my results/all"));
        let bytes: Vec<Vec<u8>> =
            (1..=4).map(|task| fs::read(dir.join(format!("my results/all.shards/{task}.jsonl"))).unwrap()).collect();
        assert_eq!(again, bytes == first, "the second submission appends nothing");
        first = bytes;
    }
    let options = fs::read_to_string(dir.join("options.txt")).unwrap();
    let lines: Vec<&str> = options.lines().collect();
    assert!(lines[0].contains("--array=1-4 --cpus-per-task=1") && lines[0].contains("--time=0:10"), "{options}");
    assert!(lines[1].contains("--dependency=afterok:41 ") && lines[1].ends_with("--partition=short"), "{options}");
    fine(&dir, &["sweep", name, "--set", change, "--out", "plain.sqlite"]);
    for (store, to) in [(out, "ours"), ("plain.sqlite", "theirs")] {
        fine(&dir, &["export", store, "--out", to]);
    }
    for table in ["flows.csv", "links.csv", "summary.csv"] {
        let [ours, theirs] = ["ours", "theirs"].map(|folder| fs::read_to_string(dir.join(folder).join(table)).unwrap());
        assert_eq!(ours, theirs, "{table}");
    }
}

#[test]
fn wrong_input_is_refused_before_anything_is_submitted() {
    let dir = scratch("slurm-wrong");
    fs::write(dir.join("path.toml"), SCENARIO.replace("8 Mbps", "8 mbps")).unwrap();
    for (arguments, expected) in [
        (&["slurm", "path.toml", "--shards", "4"][..], "8 Mbps"),
        (&["slurm", "-", "--shards", "4"], "standard input"),
        (&["slurm", "path.toml", "--shards", "0"], "0 is not in 1..=100000"),
    ] {
        let end = lasthop(&dir, arguments);
        assert_eq!(end.code, Some(2), "{}", end.err);
        assert!(end.err.contains(expected) && end.out.is_empty(), "{}", end.err);
    }
}

/// The shards are merged into an SQLite file. With the name of an append-only file it would be unreadable.
#[test]
fn name_of_an_append_only_store_is_refused() {
    let dir = scratch("slurm-append-only");
    fs::write(dir.join("path.toml"), SCENARIO).unwrap();
    let end = lasthop(&dir, &["slurm", "path.toml", "--shards", "4", "--out", "all.jsonl", "--script", "sweep.sh"]);
    assert_eq!(end.code, Some(2), "{}", end.err);
    for part in ["--out", "found all.jsonl", "expected", "hint: all.sqlite"] {
        assert!(end.err.contains(part), "{part}: {}", end.err);
    }
    assert!(end.out.is_empty() && !dir.join("sweep.sh").exists());
}
