//! Table of snoop on ns-2's LAN, with chosen frames lost.

use std::fmt::Write;
use std::fs;

use super::{run_ns2, tables_folder};

/// Delay of the wire and receive window in packets: the short and the long wire of snoop2002.
const WIRES: [(&str, &str); 2] = [("10ms", "15"), ("100ms", "100")];
/// Numbers of the lost frames: no loss, one loss, and bursts with single losses.
const LOSSES: [&str; 3] = ["", "100", "100 101 102 120 300 315 330 500 1000 1001 1002 1500 2000 2010 2020"];

/// Runs all cases and writes the table.
pub fn write_snoop_table() -> Result<(), String> {
    let mut table = String::from("# snoop delay window: segments sent, retransmitted: frames lost\n");
    for snoop in ["1", "0"] {
        for (delay, window) in WIRES {
            for lost in LOSSES {
                let arguments: Vec<&str> = [snoop, delay, window].into_iter().chain(lost.split_whitespace()).collect();
                let found = run_ns2("snoop.tcl", &arguments)?;
                writeln!(table, "{snoop} {delay} {window}: {}: {lost}", found.trim()).map_err(|e| e.to_string())?;
            }
        }
    }
    let file = tables_folder().join("snoop.txt");
    fs::write(&file, table).map_err(|error| format!("cannot write {}: {error}", file.display()))
}
