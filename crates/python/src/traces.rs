//! Traces as tables.

use lab::export::{Column, Data};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::table::Table;

/// The traces with a time in milliseconds and a value on each line: the end of the file's name, the unit, and the
/// definition.
const PAIRS: [(&str, &str, &str); 8] = [
    ("seqno", "B", "First byte of a segment sent"),
    ("ackno", "B", "Acknowledgment received by the source"),
    ("congestion", "B", "Congestion window"),
    ("threshold", "B", "Slow start threshold"),
    ("swnd_size", "B", "Unacknowledged data at the source"),
    ("router_pkt_arrival", "B", "First byte of a data packet that arrives at a router"),
    ("contention", "slots", "Contention window at a back-off"),
    ("trace.dat", "", "State of the channel from this time on"),
];

/// The units of columns, by the end of their names.
const UNITS: [(&str, &str); 3] = [("_s", "s"), ("_bps", "bit/s"), ("bytes", "B")];

/// A trace as a table, by its file's name and contents: `None` if it is no table.
#[pyfunction]
pub fn trace_table(py: Python<'_>, file: &str, bytes: &[u8]) -> PyResult<Option<Table>> {
    py.detach(|| table(file, bytes)).map_err(|failure| failure.into_exception(py))
}

fn table(file: &str, bytes: &[u8]) -> Result<Option<Table>, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|_| Failure::Text(format!("{file}: expected text")))?;
    let columns = if file.ends_with(".csv") {
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let mut columns = vec![Vec::new(); names.len()];
        for (number, line) in lines.enumerate() {
            let found = line.split(',').count();
            if found != names.len() {
                // The header is line 1.
                let (line, expected) = (number + 2, names.len());
                return Err(Failure::Text(format!("{file}:{line}: found {found} cells, expected {expected}")));
            }
            line.split(',').zip(&mut columns).for_each(|(cell, column)| column.push(cell));
        }
        let unit = |name: &str| UNITS.iter().find(|(end, _)| name.ends_with(end)).map_or("", |(_, unit)| unit);
        names.iter().zip(columns).map(|(name, cells)| column(name, unit(name), "", &cells)).collect()
    } else {
        let state = ("state", "", "State of the channel from this time on: 1 GOOD, 0 BAD");
        let of_state = file.starts_with("wless_state").then_some(&state);
        let Some((name, unit, definition)) = of_state.or_else(|| PAIRS.iter().find(|(end, ..)| file.ends_with(end)))
        else {
            return Ok(None);
        };
        let (times, values): (Vec<&str>, Vec<&str>) = text.lines().filter_map(|line| line.split_once(' ')).unzip();
        let name = if *name == "trace.dat" { "state" } else { name };
        vec![column("time_ms", "ms", "Time", &times), column(name, unit, definition, &values)]
    };
    Ok(Some(Table::of(file, columns)))
}

/// A column of whole numbers, of numbers with missing values, or of texts, whichever the cells are.
fn column(name: &str, unit: &str, definition: &str, cells: &[&str]) -> Column {
    let integers = || cells.iter().map(|cell| cell.parse().ok()).collect::<Option<Vec<i64>>>();
    let number = |cell: &&str| if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) };
    let numbers = || cells.iter().map(number).collect::<Option<Vec<Option<f64>>>>();
    let texts = || cells.iter().map(|cell| (*cell).to_owned()).collect();
    // Times are numbers, also if they happen to be whole.
    let data = match name == "time_ms" {
        true => numbers().map(Data::Numbers),
        false => integers().map(Data::Integers).or_else(|| numbers().map(Data::Numbers)),
    };
    let data = data.unwrap_or_else(|| Data::Text(texts()));
    Column { name: name.to_owned(), unit: unit.to_owned(), definition: definition.to_owned(), data }
}
