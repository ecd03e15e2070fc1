//! Runs ns-3 with `bench/peers/ns3.cc`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::row::Workload;
use crate::workspace;

const LIBRARIES: [&str; 8] =
    ["applications", "wifi", "point-to-point", "internet", "traffic-control", "mobility", "network", "core"];

/// Compiles the program. Prints a note and returns false if the compiler does not find ns-3.
pub fn compile_ns3() -> Result<bool, String> {
    if !has_headers() {
        eprintln!("ns-3 is omitted (g++ found no <ns3/core-module.h>): apt-get install g++ libns3-dev");
        return Ok(false);
    }
    let folder = workspace::target_folder().join("peers");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O2", "-o"]).arg(ns3_program());
    compiler.arg(workspace::root_folder().join("bench/peers/ns3.cc"));
    compiler.args(LIBRARIES.map(|library| format!("-lns3-{library}")));
    workspace::run_command(&mut compiler).map(|()| true)
}

/// Returns the command that runs a workload.
pub fn ns3_command(row: Workload) -> Command {
    let mut command = Command::new(ns3_program());
    command.args(row.words()).arg(simulated_seconds(row).to_string());
    command
}

/// Returns the simulated time, in seconds, that ns-3 runs in about half a minute; the programs are compared by the cost
/// per packet.
pub fn simulated_seconds(row: Workload) -> u32 {
    match row {
        Workload::P1 | Workload::P2 { flows: 1 } => row.seconds(),
        Workload::P2 { flows: ..50 } => 4,
        Workload::P2 { flows: ..500 } => 8,
        Workload::P2 { .. } => 3,
        Workload::P3 { .. } => 20,
    }
}

fn ns3_program() -> PathBuf {
    workspace::target_folder().join("peers").join("ns3-peer")
}

/// Returns true if the compiler finds the headers of ns-3.
pub fn has_headers() -> bool {
    let mut preprocessor = Command::new("g++");
    preprocessor.args(["-E", "-include", "ns3/core-module.h", "-x", "c++", "-std=c++17", "-"]);
    preprocessor.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    preprocessor.status().is_ok_and(|status| status.success())
}
