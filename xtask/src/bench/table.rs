//! Results as a table and as JSON.

use serde_json::{Value, json};

use super::measure;
use super::outcome::PeerOutcome;
use super::program::Simulator;
use super::row::Workload;

/// Goal for lasthop's peak memory with 1000 flows, in bytes.
const MEMORY_GOAL: u64 = 100_000_000;

/// Measurements of a program on a workload.
pub struct WorkloadLine {
    row: Workload,
    program: Simulator,
    outcome: PeerOutcome,
    cpu: f64,
    peak_bytes: u64,
}

/// Measurements of all programs on all workloads.
#[derive(Default)]
pub struct PeerTable {
    /// Measurements, in the order of the runs.
    pub lines: Vec<WorkloadLine>,
}

impl WorkloadLine {
    /// Runs a program `repeat` times; returns the measurements of the median run.
    pub fn measure(row: Workload, program: Simulator, repeat: usize) -> Result<WorkloadLine, String> {
        let run = measure::measure_median(&mut program.command(row)?, repeat)?;
        let outcome = program.outcome(&run.printed)?;
        Ok(WorkloadLine { row, program, outcome, cpu: run.cpu.as_secs_f64(), peak_bytes: run.peak_bytes })
    }

    fn speed(&self) -> f64 {
        self.outcome.delivered as f64 / self.cpu
    }

    fn peak_mb(&self) -> f64 {
        self.peak_bytes as f64 / 1e6
    }

    fn ns_per_event(&self) -> Option<f64> {
        self.outcome.events.map(|events| self.cpu * 1e9 / events as f64)
    }
}

impl PeerTable {
    /// Returns how many times faster than this peer lasthop is on the workload; `None` for lasthop itself.
    fn ratio(&self, peer: &WorkloadLine) -> Option<f64> {
        let lasthop = self.lines.iter().find(|line| line.row == peer.row && line.program == Simulator::Lasthop)?;
        (peer.program != Simulator::Lasthop).then(|| lasthop.speed() / peer.speed())
    }

    /// Returns the goal that lasthop misses on a line; `None` if it misses none.
    fn shortfall(&self, line: &WorkloadLine) -> Option<String> {
        if line.program == Simulator::Lasthop {
            let over = line.row == Workload::P2 { flows: 1000 } && line.peak_bytes > MEMORY_GOAL;
            return over.then(|| format!("over {} MB", MEMORY_GOAL / 1_000_000));
        }
        let (ratio, goal) = (self.ratio(line)?, line.program.goal(line.row)?);
        (ratio < goal).then(|| format!("under {goal}x"))
    }

    /// Returns the missed goal of memory, with the workload; goals of speed are only marked.
    pub fn memory_shortfall(&self) -> Option<String> {
        let mut lines = self.lines.iter().filter(|line| line.program == Simulator::Lasthop);
        lines
            .find_map(|line| self.shortfall(line).map(|shortfall| format!("{} {} {shortfall}", line.row, line.program)))
    }

    /// Returns the results in aligned columns, with a mark at missed goals.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{:<8} {:<10} {:>6} {:>10} {:>9} {:>14} {:>9} {:>9} {:>9}\n",
            "row", "program", "sim s", "packets", "CPU s", "packets/CPU s", "peak MB", "lasthop", "ns/event"
        );
        for line in &self.lines {
            let ratio = self.ratio(line).map_or_else(String::new, |ratio| format!("{ratio:.1}x"));
            let event = line.ns_per_event().map_or_else(String::new, |ns| format!("{ns:.1}"));
            let mark = self.shortfall(line).map_or_else(String::new, |shortfall| format!("  <- {shortfall}"));
            let columns = format!(
                "{:<8} {:<10} {:>6} {:>10} {:>9.3} {:>14.0} {:>9.1} {ratio:>9} {event:>9}{mark}",
                line.row,
                line.program,
                line.program.seconds(line.row),
                line.outcome.delivered,
                line.cpu,
                line.speed(),
                line.peak_mb(),
            );
            text += columns.trim_end();
            text.push('\n');
        }
        text + &self.notes()
    }

    /// Returns the explanation of the columns.
    fn notes(&self) -> String {
        let mut notes = String::from(
            "\nlasthop: packets per CPU second of lasthop, as a multiple of the other program's; peak MB: resident memory.\n",
        );
        if self.lines.iter().any(|line| line.program == Simulator::Ns2Lean) {
            notes += "ns-2 lean: its packets have only the headers that TCP reads; it has no goal.\n";
        }
        let short: Vec<_> = self
            .lines
            .iter()
            .map(|line| (line.program, line.row, line.program.seconds(line.row), line.row.seconds()))
            .filter(|(_, _, seconds, whole)| seconds < whole)
            .map(|(program, row, seconds, whole)| format!("{program} on {row}, {seconds} of {whole} s"))
            .collect();
        if !short.is_empty() {
            notes += &format!("Simulated in part only, to take about half a minute: {}.\n", short.join("; "));
        }
        notes
    }

    /// Returns the results as JSON.
    pub fn json(&self) -> String {
        let lines: Vec<Value> = self
            .lines
            .iter()
            .map(|line| {
                json!({
                    "row": line.row.to_string(),
                    "program": line.program.to_string(),
                    "simulated_s": line.program.seconds(line.row),
                    "row_s": line.row.seconds(),
                    "packets_delivered": line.outcome.delivered,
                    "cpu_s": line.cpu,
                    "packets_per_cpu_s": line.speed(),
                    "peak_bytes": line.peak_bytes,
                    "lasthop_ratio": self.ratio(line),
                    "ns_per_event": line.ns_per_event(),
                    "shortfall": self.shortfall(line),
                })
            })
            .collect();
        format!("{:#}\n", json!({ "lines": lines }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(program: Simulator, cpu: f64, peak_bytes: u64) -> WorkloadLine {
        let outcome = PeerOutcome { delivered: 1_000_000, events: None };
        WorkloadLine { row: Workload::P2 { flows: 1000 }, program, outcome, cpu, peak_bytes }
    }

    #[test]
    fn missed_goals_are_marked_and_memory_is_a_failure() {
        let table = |cpu, peak| PeerTable {
            lines: vec![
                line(Simulator::Lasthop, cpu, peak),
                line(Simulator::Ns2, 4.0, 1),
                line(Simulator::Ns3, 40.0, 1),
            ],
        };
        let marks = |table: &PeerTable| table.text().matches("<-").count();
        let (met, slow, large) = (table(1.0, MEMORY_GOAL), table(1.1, MEMORY_GOAL), table(1.0, MEMORY_GOAL + 1));
        assert_eq!([&met, &slow, &large].map(marks), [0, 2, 1]);
        assert_eq!([&met, &slow].map(PeerTable::memory_shortfall), [None, None]);
        assert_eq!(large.memory_shortfall().as_deref(), Some("p2-1000 lasthop over 100 MB"));
    }

    #[test]
    fn simulator_without_a_lasthop_result_has_no_ratio() {
        let table = PeerTable { lines: vec![line(Simulator::Ns2, 1.0, 1)] };
        assert!(table.ratio(&table.lines[0]).is_none() && table.memory_shortfall().is_none());
    }

    #[test]
    fn columns_are_aligned() {
        let table = PeerTable { lines: vec![line(Simulator::Lasthop, 0.5, 5_000_000), line(Simulator::Ns3, 123.0, 1)] };
        let text = table.text();
        let ends: Vec<_> = text.lines().take(3).map(|line| line.len()).collect();
        assert!(text.lines().nth(1).is_some_and(|line| line.ends_with("2000000       5.0")));
        assert_eq!(ends[1], ends[0] - 20);
        assert!(text.contains("ns-3 on p2-1000, 3 of 20 s"));
    }
}
