//! The compared programs.

use std::fmt::{self, Display};
use std::process::Command;

use super::outcome::Outcome;
use super::row::Row;
use super::{lasthop, ns2, ns3};

/// A simulator with a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// lasthop.
    Lasthop,
    /// ns-2 in its default configuration.
    Ns2,
    /// ns-2 without the packet headers that TCP does not need.
    Ns2Lean,
    /// ns-3.
    Ns3,
}

impl Program {
    /// All programs, lasthop first.
    pub const ALL: [Program; 4] = [Program::Lasthop, Program::Ns2, Program::Ns2Lean, Program::Ns3];

    /// Builds the program if necessary; prints a note and returns false if it is not installed.
    pub fn prepare(self) -> Result<bool, String> {
        match self {
            Program::Lasthop => lasthop::build().map(|()| true),
            Program::Ns2 => Ok(ns2::is_there()),
            Program::Ns2Lean => Ok(ns2::is_on_path()),
            Program::Ns3 => ns3::build(),
        }
    }

    /// Returns the command that runs a workload.
    pub fn command(self, row: Row) -> Result<Command, String> {
        match self {
            Program::Lasthop => lasthop::command(row),
            Program::Ns2 => Ok(ns2::command(row)),
            Program::Ns2Lean => Ok(ns2::lean_command(row)),
            Program::Ns3 => Ok(ns3::command(row)),
        }
    }

    /// Parses the output of a run.
    pub fn outcome(self, printed: &str) -> Result<Outcome, String> {
        if self == Program::Lasthop {
            return lasthop::outcome(printed);
        }
        // ns-2's wireless modules print other lines too.
        match printed.lines().find_map(|line| line.trim().parse().ok()) {
            Some(delivered) => Ok(Outcome { delivered, events: None }),
            None => Err(format!("{self} printed no number of packets but `{}`", printed.trim())),
        }
    }

    /// Returns the time to simulate, in seconds: the whole workload, except with ns-3, which is too slow.
    pub fn seconds(self, row: Row) -> u32 {
        if self == Program::Ns3 { ns3::seconds(row) } else { row.seconds() }
    }

    /// Returns the default number of runs, of which the median is taken.
    pub fn usual_repeat(self) -> usize {
        if self == Program::Ns3 { 1 } else { 3 }
    }

    /// Returns the factor by which lasthop must at least be faster on a workload; `None` without a goal.
    pub fn goal(self, row: Row) -> Option<f64> {
        let cell = matches!(row, Row::P3 { .. });
        match self {
            Program::Ns2 => Some(if cell { 10.0 } else { 4.0 }),
            Program::Ns3 => Some(if cell { 100.0 } else { 40.0 }),
            Program::Lasthop | Program::Ns2Lean => None,
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Program::Lasthop => "lasthop",
            Program::Ns2 => "ns-2",
            Program::Ns2Lean => "ns-2 lean",
            Program::Ns3 => "ns-3",
        })
    }
}
