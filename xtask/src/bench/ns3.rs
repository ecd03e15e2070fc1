//! Runs ns-3 with `bench/peers/ns3.cc`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::row::Row;
use crate::workspace;

const LIBRARIES: [&str; 8] =
    ["applications", "wifi", "point-to-point", "internet", "traffic-control", "mobility", "network", "core"];

/// Compiles the program; prints a note and returns false if the compiler does not find ns-3.
pub fn build() -> Result<bool, String> {
    if !has_headers() {
        eprintln!("ns-3 is omitted (g++ found no <ns3/core-module.h>): apt-get install g++ libns3-dev");
        return Ok(false);
    }
    let folder = workspace::target().join("peers");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O2", "-o"]).arg(program());
    compiler.arg(workspace::root().join("bench/peers/ns3.cc"));
    compiler.args(LIBRARIES.map(|library| format!("-lns3-{library}")));
    workspace::run(&mut compiler).map(|()| true)
}

/// Returns the command that runs a workload.
pub fn command(row: Row) -> Command {
    let mut command = Command::new(program());
    command.args(row.words()).arg(seconds(row).to_string());
    command
}

/// Returns the simulated time, in seconds, that ns-3 runs in about half a minute; the programs are compared by the cost
/// per packet.
pub fn seconds(row: Row) -> u32 {
    match row {
        Row::P1 | Row::P2 { flows: 1 } => row.seconds(),
        Row::P2 { flows: ..50 } => 4,
        Row::P2 { flows: ..500 } => 8,
        Row::P2 { .. } => 3,
        Row::P3 { .. } => 20,
    }
}

fn program() -> PathBuf {
    workspace::target().join("peers").join("ns3-peer")
}

/// Returns true if the compiler finds the headers of ns-3.
fn has_headers() -> bool {
    let mut preprocessor = Command::new("g++");
    preprocessor.args(["-E", "-include", "ns3/core-module.h", "-x", "c++", "-std=c++17", "-"]);
    preprocessor.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    preprocessor.status().is_ok_and(|status| status.success())
}
