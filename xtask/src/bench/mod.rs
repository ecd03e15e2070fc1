//! Benchmarks of lasthop and its peers.

pub mod budget;
pub mod build;
pub mod emulate;
pub mod lasthop;
pub mod measure;
mod ns2;
pub mod ns3;
mod options;
mod outcome;
mod program;
mod row;
mod table;

pub use options::PeerOptions;
pub use row::Workload;

use std::path::Path;

use program::Simulator;
use table::{PeerTable, WorkloadLine};

/// Runs a workload `times` times in each of two builds of lasthop, by turns; returns the median CPU time of each in seconds.
pub fn by_turns(row: Workload, programs: [&Path; 2], times: usize) -> Result<[f64; 2], String> {
    let mut seconds = [const { Vec::new() }; 2];
    for _ in 0..times {
        for (seconds, program) in seconds.iter_mut().zip(programs) {
            let run = measure::measure_median(&mut lasthop::command_of(program, row)?, 1)?;
            seconds.push(run.cpu.as_secs_f64());
        }
    }
    Ok(seconds.map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[times / 2]
    }))
}

/// Runs every installed program on every requested workload, and prints the measurements.
pub fn compare_peers(options: &PeerOptions) -> Result<(), String> {
    let mut programs = Vec::new();
    for program in Simulator::ALL {
        if program.prepare()? {
            programs.push(program);
        }
    }

    let mut table = PeerTable::default();
    let mut failures = Vec::new();
    for row in &options.rows {
        for &program in &programs {
            let repeat = options.repeat.unwrap_or(program.usual_repeat());
            eprintln!("{row}: {program}, {repeat} x {} simulated s", program.seconds(*row));
            match WorkloadLine::measure(*row, program, repeat) {
                Ok(line) => table.lines.push(line),
                Err(problem) => {
                    eprintln!("{row}: {problem}");
                    failures.push(format!("{row} {program}"));
                }
            }
        }
    }

    crate::workspace::print_text(&if options.json { table.json() } else { table.text() })?;
    if options.check {
        // Times depend on the machine and its load. Therefore only memory and instructions decide.
        failures.extend(table.memory_shortfall());
        failures.extend(budget::check_budget().err());
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("failed: {}", failures.join("; "))) }
}
