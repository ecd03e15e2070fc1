//! Table of the transmission times of segments of ns-2's senders, with losses.

use super::{run_ns2, write_table};

/// ns-2's TCP senders.
const AGENTS: [&str; 6] = ["Tahoe", "Reno", "Newreno", "Sack1", "Fack", "Vegas"];

/// Packets to lose in each case: the four cases of Fall and Floyd 1996, and a burst of four.
const DROPS: [&[&str]; 5] =
    [&["14"], &["14", "28"], &["14", "26", "28"], &["14", "24", "26", "28"], &["20", "21", "22", "23"]];

/// Runs ns-2 for every sender and case, and writes a table for each sender.
pub fn write_sender_tables() -> Result<(), String> {
    for agent in AGENTS {
        let mut table = format!("ns-2 {agent}: milliseconds, segments sent, r behind those sent before\n");
        for drops in DROPS {
            let printed = run_ns2("drops.tcl", &[&[agent], drops].concat())?;
            table += &format!("\nlost {}\n{printed}", drops.join(" "));
        }
        write_table(&format!("{}.txt", agent.to_lowercase()), &table)?;
    }
    Ok(())
}
