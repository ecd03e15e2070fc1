//! ns-2, through `bench/peers/ns2.tcl`.

use std::process::Command;

use super::row::Row;
use crate::workspace;

/// Whether it is installed.
pub fn is_on_path() -> bool {
    workspace::on_path("ns")
}

/// The same, telling the user if it is not.
pub fn is_there() -> bool {
    let there = is_on_path();
    if !there {
        eprintln!("ns-2 is absent and left out (there is no `ns` on PATH): apt-get install ns2");
    }
    there
}

/// What to start for a row.
pub fn command(row: Row) -> Command {
    let mut command = Command::new("ns");
    command.arg(workspace::root().join("bench/peers/ns2.tcl")).args(row.words());
    command
}

/// The same with short packets.
pub fn lean_command(row: Row) -> Command {
    let mut command = command(row);
    command.arg("lean");
    command
}
