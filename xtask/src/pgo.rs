//! Profile-guided optimization of the command: a program that counts runs the examples, and the compiler reads the counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{self, Workload};
use crate::workspace;

/// Examples with which the program is trained: senders, queues, link layers, schemes and cells. None of them is a
/// workload of the benchmarks.
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

/// Options for running each example. Without traces and delays, the same event loop as in the workloads is used.
const OPTIONS: [&[&str]; 4] =
    [&["--trace", "none", "--no-delays"], &["--trace", "none"], &["--trace", "jsonl"], &["--trace", "pcapng"]];

/// Number of alternating runs of each workload by each program.
const TURNS: usize = 9;

/// Builds the command with and without a profile, and prints the cost of each build for workloads outside of the
/// training.
pub fn compare_profiles() -> Result<(), String> {
    let plain = build_with_flag("plain", None)?;
    let trained = build_with_profile()?;
    let mut text = format!("{:<9} {:>9} {:>9} {:>8}\n", "row", "plain s", "pgo s", "speed");
    for row in Workload::USUAL {
        let [plain, trained] = bench::by_turns(row, [&plain, &trained], TURNS)?;
        text += &format!("{:<9} {plain:>9.3} {trained:>9.3} {:>7.2}x\n", row.to_string(), plain / trained);
    }
    text += &format!("\nCPU seconds, median of {TURNS} runs by turns. Built: {}\n", trained.display());
    workspace::print_text(&text)
}

/// Builds the command with a profile of training runs. Returns the path of the command.
pub fn build_with_profile() -> Result<PathBuf, String> {
    let folder = profile_folder();
    let counts = folder.join("counts");
    clear_folder(&counts)?;
    let counting = build_with_flag("counting", Some(&format!("-Cprofile-generate={}", counts.display())))?;
    run_examples(&counting)?;
    let merged = folder.join("merged.profdata");
    workspace::run_command(Command::new(find_profdata()?).args(["merge", "-o"]).arg(&merged).arg(&counts))?;
    // Cargo compiles again if a flag has changed, but not if the profile named by the flag has.
    clear_folder(&folder.join("trained"))?;
    build_with_flag("trained", Some(&format!("-Cprofile-use={}", merged.display())))
}

fn profile_folder() -> PathBuf {
    workspace::target_folder().join("pgo")
}

fn clear_folder(folder: &Path) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)
}

/// Builds the command with the profile `dist` in a separate target directory, with a flag for all code that is compiled
/// for the command. As a target is named, build scripts and procedural macros are compiled without the flag.
fn build_with_flag(name: &str, flag: Option<&str>) -> Result<PathBuf, String> {
    let (host, target) = (workspace::host_triple()?, profile_folder().join(name));
    let mut cargo = workspace::release_build();
    cargo.args(["--target", &host]).arg("--target-dir").arg(&target);
    if let Some(flag) = flag {
        cargo.env("RUSTFLAGS", flag);
    }
    workspace::run_command(&mut cargo)?;
    Ok(target.join(host).join("dist").join(format!("lasthop{}", std::env::consts::EXE_SUFFIX)))
}

/// Runs the examples.
fn run_examples(program: &Path) -> Result<(), String> {
    let results = profile_folder().join("results");
    for example in TRAINING {
        let file = workspace::root_folder().join("examples").join(example).with_extension("toml");
        for options in OPTIONS {
            clear_folder(&results)?;
            let mut command = Command::new(program);
            command.arg("run").arg(&file).args(options).args(["--json", "--out"]).arg(&results);
            workspace::read_output(&mut command)?;
        }
    }
    clear_folder(&results)
}

/// The program that merges counts, of the compiler's own version; installed if missing.
fn find_profdata() -> Result<PathBuf, String> {
    let sysroot = workspace::read_output(workspace::rustc_command().args(["--print", "sysroot"]))?;
    let program = format!("llvm-profdata{}", std::env::consts::EXE_SUFFIX);
    let path = Path::new(sysroot.trim()).join("lib/rustlib").join(workspace::host_triple()?).join("bin").join(program);
    if !path.is_file() {
        workspace::run_command(Command::new("rustup").args(["component", "add", "llvm-tools"]))?;
    }
    if path.is_file() { Ok(path) } else { Err(format!("{}: not found; needs rustup's llvm-tools", path.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_training_example_exists() {
        for example in TRAINING {
            let file = workspace::root_folder().join("examples").join(example).with_extension("toml");
            assert!(file.is_file(), "{}", file.display());
        }
    }
}
