//! The tables of ns-2 that a test holds our senders against: made anew where ns-2 is installed.

use std::fs;
use std::process::Command;

use crate::workspace;

/// ns-2's senders.
const AGENTS: [&str; 6] = ["Tahoe", "Reno", "Newreno", "Sack1", "Fack", "Vegas"];

/// Packets to lose: the four cases of Fall and Floyd 1996, and a burst of four.
const DROPS: [&[&str]; 5] =
    [&["14"], &["14", "28"], &["14", "26", "28"], &["14", "24", "26", "28"], &["20", "21", "22", "23"]];

/// Runs ns-2 for every sender and case, and writes a table for each sender.
pub fn run() -> Result<(), String> {
    if !workspace::on_path("ns") {
        return Err("ns-2 makes these tables, and there is no `ns` on PATH: apt-get install ns2".into());
    }
    let folder = workspace::root().join("crates/lab/tests/ns2");
    for agent in AGENTS {
        let mut table = format!("ns-2 {agent}: milliseconds, segments sent, r behind those sent before\n");
        for drops in DROPS {
            let mut ns = Command::new("ns");
            ns.arg(folder.join("drops.tcl")).arg(agent).args(drops);
            let line = workspace::spelled(&ns);
            let ended = ns.output().map_err(|error| format!("cannot run `{line}`: {error}"))?;
            if !ended.status.success() || ended.stdout.is_empty() {
                return Err(format!("`{line}` failed: {}", String::from_utf8_lossy(&ended.stderr)));
            }
            table += &format!("\nlost {}\n{}", drops.join(" "), String::from_utf8_lossy(&ended.stdout));
        }
        let path = folder.join(format!("{}.txt", agent.to_lowercase()));
        fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}
