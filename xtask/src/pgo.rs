//! Profile-guided optimization of the command: a program that counts runs the examples, and the compiler reads the counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{self, Row};
use crate::workspace;

/// Examples that the program is trained on: senders, queues, link layers, schemes and cells, none of them a workload of the
/// benchmarks.
const TRAINING: [&str; 14] = [
    "aggregation",
    "bufferbloat",
    "cellular",
    "crowd",
    "disconnection",
    "goel-refined",
    "head-of-line",
    "hidden-terminals",
    "large-window",
    "link-retransmission",
    "random-loss",
    "snoop",
    "traffic",
    "variants",
];

/// Options with which each example runs. Without traces and delays it takes the loop that the workloads take.
const OPTIONS: [&[&str]; 4] =
    [&["--trace", "none", "--no-delays"], &["--trace", "none"], &["--trace", "jsonl"], &["--trace", "pcapng"]];

/// Times that each program runs each workload, by turns.
const TURNS: usize = 9;

/// Builds the command with and without a profile, and prints what each needs for workloads that it was not trained on.
pub fn run() -> Result<(), String> {
    let plain = build("plain", None)?;
    let trained = trained()?;
    let mut text = format!("{:<9} {:>9} {:>9} {:>8}\n", "row", "plain s", "pgo s", "speed");
    for row in Row::USUAL {
        let [plain, trained] = bench::by_turns(row, [&plain, &trained], TURNS)?;
        text += &format!("{:<9} {plain:>9.3} {trained:>9.3} {:>7.2}x\n", row.to_string(), plain / trained);
    }
    text += &format!("\nCPU seconds, median of {TURNS} runs by turns. Built: {}\n", trained.display());
    workspace::print(&text)
}

/// Builds the command with a profile of training runs; returns its path.
pub fn trained() -> Result<PathBuf, String> {
    let folder = folder();
    let counts = folder.join("counts");
    clear(&counts)?;
    let counting = build("counting", Some(&format!("-Cprofile-generate={}", counts.display())))?;
    train(&counting)?;
    let merged = folder.join("merged.profdata");
    workspace::run(Command::new(profdata()?).args(["merge", "-o"]).arg(&merged).arg(&counts))?;
    // Cargo compiles again if a flag has changed, not if the profile has that it names.
    clear(&folder.join("trained"))?;
    build("trained", Some(&format!("-Cprofile-use={}", merged.display())))
}

fn folder() -> PathBuf {
    workspace::target().join("pgo")
}

fn clear(folder: &Path) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)
}

/// Builds the command with the profile `dist` in a target directory of its own, with a flag for everything that is compiled
/// for the command; build scripts and procedural macros are compiled without it, since a target is named.
fn build(name: &str, flag: Option<&str>) -> Result<PathBuf, String> {
    let (host, target) = (workspace::host()?, folder().join(name));
    let mut cargo = workspace::release_build();
    cargo.args(["--target", &host]).arg("--target-dir").arg(&target);
    if let Some(flag) = flag {
        cargo.env("RUSTFLAGS", flag);
    }
    workspace::run(&mut cargo)?;
    Ok(target.join(host).join("dist").join(format!("lasthop{}", std::env::consts::EXE_SUFFIX)))
}

/// Runs the examples.
fn train(program: &Path) -> Result<(), String> {
    let results = folder().join("results");
    for example in TRAINING {
        let file = workspace::root().join("examples").join(example).with_extension("toml");
        for options in OPTIONS {
            clear(&results)?;
            let mut command = Command::new(program);
            command.arg("run").arg(&file).args(options).args(["--json", "--out"]).arg(&results);
            workspace::output(&mut command)?;
        }
    }
    clear(&results)
}

/// The program that merges counts, of the compiler's own version; installed if missing.
fn profdata() -> Result<PathBuf, String> {
    let sysroot = workspace::output(workspace::rustc().args(["--print", "sysroot"]))?;
    let program = format!("llvm-profdata{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(sysroot.trim()).join("lib/rustlib").join(workspace::host()?).join("bin").join(program);
    if !path.is_file() {
        workspace::run(Command::new("rustup").args(["component", "add", "llvm-tools"]))?;
    }
    if path.is_file() { Ok(path) } else { Err(format!("{}: not found; needs rustup's llvm-tools", path.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_training_example_exists() {
        for example in TRAINING {
            let file = workspace::root().join("examples").join(example).with_extension("toml");
            assert!(file.is_file(), "{}", file.display());
        }
    }
}
