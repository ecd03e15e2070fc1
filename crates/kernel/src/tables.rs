//! Records the tables of the Linux kernel's transmissions after losses, for the tests of lasthop's senders.

use std::fs;
use std::path::Path;

use drill::lossy::{Burst, record_bursts, render_bursts};

use crate::host::Kernel;

const CONTROLS: [&str; 2] = ["reno", "cubic"];

/// Segments to lose in each case: one, two, three, a burst, most of a flight, and the last one.
const LOST: [&[u32]; 6] = [
    &[25],
    &[25, 30],
    &[25, 30, 35],
    &[30, 31, 32, 33],
    &[12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25],
    &[149],
];

/// Maximum number of runs of a case until two agree.
const TRIES: u32 = 6;

/// Writes a table for each congestion control into `folder`.
pub fn write_tables(folder: &Path) -> Result<(), String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease")
        .map_err(|error| format!("cannot read /proc/sys/kernel/osrelease: {error}"))?;
    let release = release.trim().split('-').next().unwrap_or_default();
    for control in CONTROLS {
        let mut table =
            format!("Linux {release}, {control}: milliseconds, segments sent, r behind those sent before\n");
        for lost in LOST {
            let numbers: Vec<String> = lost.iter().map(ToString::to_string).collect();
            let rows = find_agreeing_bursts(control, lost)?;
            table += &format!("\nlost {}\n{}", numbers.join(" "), render_bursts(&rows));
        }
        let path = folder.join(format!("{control}.txt"));
        fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns the bursts on which two runs agree; other load on the machine may delay a single run.
fn find_agreeing_bursts(control: &str, lost: &[u32]) -> Result<Vec<Burst>, String> {
    let mut seen: Vec<Vec<Burst>> = Vec::new();
    let sent = |rows: &[Burst]| rows.iter().map(|row| row.segments.clone()).collect::<Vec<_>>();
    for _ in 0..TRIES {
        let rows = record_bursts(&mut Kernel::new()?, control, lost)?;
        if seen.iter().any(|before| sent(before) == sent(&rows)) {
            return Ok(rows);
        }
        seen.push(rows);
    }
    Err(format!("{control}, {lost:?}: found no two equal runs of {TRIES}: the machine is too busy"))
}
