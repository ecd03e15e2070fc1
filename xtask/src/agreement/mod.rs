//! Regenerates the tables of ns-2 and of Linux that tests compare with lasthop; needs an installed ns-2, and for Linux root.

mod cell;
pub mod linux;
mod senders;
mod snoop;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::workspace;

/// Regenerates the tables that `which` names, or all tables.
pub fn write_tables(which: &[&str]) -> Result<(), String> {
    if !workspace::on_path("ns") {
        return Err("found no `ns` on PATH, expected ns-2: apt-get install ns2".into());
    }
    match which {
        [] => senders::write_sender_tables()
            .and_then(|()| cell::write_cell_table())
            .and_then(|()| snoop::write_snoop_table()),
        ["senders"] => senders::write_sender_tables(),
        ["cell"] => cell::write_cell_table(),
        ["snoop"] => snoop::write_snoop_table(),
        words => Err(format!("unknown ns-2 tables `{}`, expected `senders`, `cell` or `snoop`", words.join(" "))),
    }
}

/// Returns the folder of the tables and of the ns-2 programs that print them.
fn tables_folder() -> PathBuf {
    workspace::root_folder().join("crates/sim/tests/ns2")
}

/// Runs a program of the folder in ns-2; returns its output.
fn run_ns2(program: &str, arguments: &[&str]) -> Result<String, String> {
    let mut ns = Command::new("ns");
    ns.arg(tables_folder().join(program)).args(arguments);
    let line = workspace::spell_command(&ns);
    let ended = ns.output().map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if !ended.status.success() || ended.stdout.is_empty() {
        return Err(format!("`{line}` failed: {}", String::from_utf8_lossy(&ended.stderr)));
    }
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Writes a table to the folder.
fn write_table(name: &str, table: &str) -> Result<(), String> {
    let path = tables_folder().join(name);
    fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
