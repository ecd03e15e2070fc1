//! Table of the packets per second that an 802.11b cell in ns-2 delivers.

use std::thread;

use super::{run_ns2, write_table};

const CASES: [&str; 3] = ["up", "down", "saturated"];
const STATIONS: [&str; 4] = ["1", "2", "5", "10"];
/// Changes to the ns-2 cell, each of which makes it more like lasthop's.
const STEPS: [&str; 5] = ["plain", "routes", "lengths", "windows", "receding"];
const SEEDS: u32 = 8;

/// Runs ns-2 for every case, number of stations, step and seed, and writes the results to one table.
pub fn write_cell_table() -> Result<(), String> {
    let mut table =
        String::from("ns-2's cell: packets a second; case, stations, step, a figure for each seed from 1 on\n");
    let rows =
        thread::scope(|scope| CASES.map(|case| scope.spawn(move || measure_rows(case))).map(|thread| thread.join()));
    for rows in rows {
        table += &rows.map_err(|_| "a thread that ran ns-2 has panicked")??;
    }
    write_table("cell.txt", &(table + "\n"))
}

/// Returns the table rows of a case.
fn measure_rows(case: &str) -> Result<String, String> {
    let mut rows = String::new();
    for stations in STATIONS {
        for step in STEPS {
            rows += &format!("\n{case} {stations} {step}");
            for seed in 1..=SEEDS {
                let printed = run_ns2("cell.tcl", &[case, stations, &seed.to_string(), step])?;
                rows += &format!(" {:.1}", parse_first_number(&printed)?);
            }
        }
        eprintln!("{case}, {stations} stations: done");
    }
    Ok(rows)
}

/// Returns the first number in the output of ns-2.
fn parse_first_number(printed: &str) -> Result<f64, String> {
    let found = printed.lines().find_map(|line| line.trim().parse().ok());
    found.ok_or_else(|| format!("ns-2 printed no number: {printed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_found_among_other_output() {
        assert_eq!(parse_first_number("distCST_ = 550.0\n413.8\n"), Ok(413.8));
        assert_eq!(parse_first_number("413.8\ndistCST_ = 550.0\n"), Ok(413.8));
        assert!(parse_first_number("distCST_ = 550.0\n").unwrap_err().contains("no number"));
    }
}
