//! Runs ns-2 with `bench/peers/ns2.tcl`.

use std::process::Command;

use super::row::Workload;
use crate::workspace;

/// Returns true if ns-2 is installed.
pub fn is_on_path() -> bool {
    workspace::on_path("ns")
}

/// Returns true if ns-2 is installed; otherwise prints a note.
pub fn is_there() -> bool {
    let there = is_on_path();
    if !there {
        eprintln!("ns-2 is omitted (found no `ns` on PATH): apt-get install ns2");
    }
    there
}

/// Returns the command that runs a workload.
pub fn ns2_command(row: Workload) -> Command {
    let mut command = Command::new("ns");
    command.arg(workspace::root_folder().join("bench/peers/ns2.tcl")).args(row.words());
    command
}

/// Returns the command that runs a workload with only the headers that TCP needs in ns-2's packets.
pub fn lean_command(row: Workload) -> Command {
    let mut command = ns2_command(row);
    command.arg("lean");
    command
}
