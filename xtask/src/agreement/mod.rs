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
pub fn run(which: &[&str]) -> Result<(), String> {
    if !workspace::on_path("ns") {
        return Err("found no `ns` on PATH, expected ns-2: apt-get install ns2".into());
    }
    match which {
        [] => senders::run().and_then(|()| cell::run()).and_then(|()| snoop::run()),
        ["senders"] => senders::run(),
        ["cell"] => cell::run(),
        ["snoop"] => snoop::run(),
        words => Err(format!("unknown ns-2 tables `{}`, expected `senders`, `cell` or `snoop`", words.join(" "))),
    }
}

/// Returns the folder of the tables and of the ns-2 programs that print them.
fn folder() -> PathBuf {
    workspace::root().join("crates/sim/tests/ns2")
}

/// Runs a program of the folder in ns-2; returns its output.
fn ns(program: &str, arguments: &[&str]) -> Result<String, String> {
    let mut ns = Command::new("ns");
    ns.arg(folder().join(program)).args(arguments);
    let line = workspace::spelled(&ns);
    let ended = ns.output().map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if !ended.status.success() || ended.stdout.is_empty() {
        return Err(format!("`{line}` failed: {}", String::from_utf8_lossy(&ended.stderr)));
    }
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Writes a table to the folder.
fn write(name: &str, table: &str) -> Result<(), String> {
    let path = folder().join(name);
    fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
