//! The tables of ns-2 that tests compare ours with: regenerated where ns-2 is installed.

mod cell;
mod senders;
mod snoop;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::workspace;

/// Makes the tables that `which` names, or all of them.
pub fn run(which: &[&str]) -> Result<(), String> {
    if !workspace::on_path("ns") {
        return Err("ns-2 makes these tables, and there is no `ns` on PATH: apt-get install ns2".into());
    }
    match which {
        [] => senders::run().and_then(|()| cell::run()).and_then(|()| snoop::run()),
        ["senders"] => senders::run(),
        ["cell"] => cell::run(),
        ["snoop"] => snoop::run(),
        words => Err(format!("there are no tables `{}` of ns-2, only `senders`, `cell` and `snoop`", words.join(" "))),
    }
}

/// Where the tables are, and the programs for ns-2 that print them.
fn folder() -> PathBuf {
    workspace::root().join("crates/lab/tests/ns2")
}

/// The output of ns-2 for a program of the folder.
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

/// Writes a table.
fn write(name: &str, table: &str) -> Result<(), String> {
    let path = folder().join(name);
    fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
