//! Benchmarks of lasthop and its peers.

pub mod budget;
mod lasthop;
mod measure;
mod ns2;
mod ns3;
mod options;
mod outcome;
mod program;
mod row;
mod table;

pub use options::Options;

use program::Program;
use table::{Line, Table};

/// Runs every installed program on every requested workload, and prints the measurements.
pub fn peers(options: &Options) -> Result<(), String> {
    let mut programs = Vec::new();
    for program in Program::ALL {
        if program.prepare()? {
            programs.push(program);
        }
    }

    let mut table = Table::default();
    let mut failures = Vec::new();
    for row in &options.rows {
        for &program in &programs {
            let repeat = options.repeat.unwrap_or(program.usual_repeat());
            eprintln!("{row}: {program}, {repeat} x {} simulated s", program.seconds(*row));
            match Line::measured(*row, program, repeat) {
                Ok(line) => table.lines.push(line),
                Err(problem) => {
                    eprintln!("{row}: {problem}");
                    failures.push(format!("{row} {program}"));
                }
            }
        }
    }

    crate::workspace::print(&if options.json { table.json() } else { table.text() })?;
    if options.check {
        // Times depend on the machine and on what else it does: only memory and instructions decide.
        failures.extend(table.memory_shortfall());
        failures.extend(budget::run().err());
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("failed: {}", failures.join("; "))) }
}
