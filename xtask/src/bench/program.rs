//! The compared programs.

use std::fmt::{self, Display};
use std::process::Command;

use super::outcome::PeerOutcome;
use super::row::Workload;
use super::{lasthop, ns2, ns3};

/// A simulator with a configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simulator {
    /// lasthop.
    Lasthop,
    /// ns-2 in its default configuration.
    Ns2,
    /// ns-2 without the packet headers that TCP does not need.
    Ns2Lean,
    /// ns-3.
    Ns3,
}

impl Simulator {
    /// All programs, lasthop first.
    pub const ALL: [Simulator; 4] = [Simulator::Lasthop, Simulator::Ns2, Simulator::Ns2Lean, Simulator::Ns3];

    /// Builds the program if necessary. Prints a note and returns false if the program is not installed.
    pub fn prepare(self) -> Result<bool, String> {
        match self {
            Simulator::Lasthop => lasthop::build_release().map(|()| true),
            Simulator::Ns2 => Ok(ns2::is_there()),
            Simulator::Ns2Lean => Ok(ns2::is_on_path()),
            Simulator::Ns3 => ns3::compile_ns3(),
        }
    }

    /// Returns the command that runs a workload.
    pub fn command(self, row: Workload) -> Result<Command, String> {
        match self {
            Simulator::Lasthop => lasthop::lasthop_command(row),
            Simulator::Ns2 => Ok(ns2::ns2_command(row)),
            Simulator::Ns2Lean => Ok(ns2::lean_command(row)),
            Simulator::Ns3 => Ok(ns3::ns3_command(row)),
        }
    }

    /// Parses the output of a run.
    pub fn outcome(self, printed: &str) -> Result<PeerOutcome, String> {
        if self == Simulator::Lasthop {
            return lasthop::parse_outcome(printed);
        }
        // ns-2's wireless modules print other lines too.
        match printed.lines().find_map(|line| line.trim().parse().ok()) {
            Some(delivered) => Ok(PeerOutcome { delivered, events: None }),
            None => Err(format!("{self} printed no number of packets but `{}`", printed.trim())),
        }
    }

    /// Returns the time to simulate, in seconds. This is the whole workload, except with ns-3, which is too slow.
    pub fn seconds(self, row: Workload) -> u32 {
        if self == Simulator::Ns3 { ns3::simulated_seconds(row) } else { row.seconds() }
    }

    /// Returns the default number of runs, of which the median is taken.
    pub fn usual_repeat(self) -> usize {
        if self == Simulator::Ns3 { 1 } else { 3 }
    }

    /// Returns the minimum factor by which lasthop must be faster on a workload; `None` without a goal.
    pub fn goal(self, row: Workload) -> Option<f64> {
        let cell = matches!(row, Workload::P3 { .. });
        match self {
            Simulator::Ns2 => Some(if cell { 10.0 } else { 4.0 }),
            Simulator::Ns3 => Some(if cell { 100.0 } else { 40.0 }),
            Simulator::Lasthop | Simulator::Ns2Lean => None,
        }
    }
}

impl Display for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Simulator::Lasthop => "lasthop",
            Simulator::Ns2 => "ns-2",
            Simulator::Ns2Lean => "ns-2 lean",
            Simulator::Ns3 => "ns-3",
        })
    }
}
