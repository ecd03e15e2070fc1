//! Traces as tables.

use lab::export::{ColumnData, ExportColumn};
use observe::output::{TraceColumn, TraceLayout, TraceValueKind, find_trace_layout};
use pyo3::prelude::*;

use crate::error::BindingFailure;
use crate::table::Table;

/// Returns a trace as a table, from the name and contents of its file; `None` if the trace is not a table.
#[pyfunction]
pub fn trace_table(py: Python<'_>, file: &str, bytes: &[u8]) -> PyResult<Option<Table>> {
    py.detach(|| parse_trace_table(file, bytes)).map_err(|failure| failure.into_exception(py))
}

fn parse_trace_table(file: &str, bytes: &[u8]) -> Result<Option<Table>, BindingFailure> {
    let pair;
    let (columns, separator): (&[TraceColumn], char) = match find_trace_layout(file) {
        TraceLayout::Csv(columns) => (columns, ','),
        TraceLayout::Pairs(columns) => {
            pair = columns;
            (&pair, ' ')
        }
        TraceLayout::None => return Ok(None),
    };
    let text = std::str::from_utf8(bytes).map_err(|_| BindingFailure::Text(format!("{file}: expected text")))?;
    let mut lines = text.lines().enumerate();
    if separator == ',' {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        let (found, expected) = (lines.next().unwrap_or_default().1, names.join(","));
        if found != expected {
            return Err(BindingFailure::Text(format!("{file}:1: found \"{found}\", expected \"{expected}\"")));
        }
    }
    let mut data: Vec<ColumnData> = columns.iter().map(|column| create_empty_data(column.kind)).collect();
    for (number, line) in lines {
        let wrong = |what: String| BindingFailure::Text(format!("{file}:{}: {what}", number + 1));
        let found = line.split(separator).count();
        if found != columns.len() {
            return Err(wrong(format!("found {found} cells, expected {}", columns.len())));
        }
        for ((cell, column), data) in line.split(separator).zip(columns).zip(&mut data) {
            if !push_cell(data, cell) {
                let expected = describe_expected_value(column.kind);
                return Err(wrong(format!("{}: found \"{cell}\", expected {expected}", column.name)));
            }
        }
    }
    let column = |(column, data): (&TraceColumn, ColumnData)| {
        let TraceColumn { name, unit, definition, .. } = *column;
        ExportColumn { name: name.to_owned(), unit: unit.to_owned(), definition: definition.to_owned(), data }
    };
    Ok(Some(Table::of(file, columns.iter().zip(data).map(column).collect())))
}

fn create_empty_data(kind: TraceValueKind) -> ColumnData {
    match kind {
        TraceValueKind::Text => ColumnData::Text(Vec::new()),
        TraceValueKind::Integer => ColumnData::Integers(Vec::new()),
        TraceValueKind::Number => ColumnData::Numbers(Vec::new()),
    }
}

fn describe_expected_value(kind: TraceValueKind) -> &'static str {
    match kind {
        TraceValueKind::Text => "text",
        TraceValueKind::Integer => "a whole number",
        TraceValueKind::Number => "a number, or nothing",
    }
}

/// Adds a cell to a column; returns whether the cell has the column's type.
fn push_cell(data: &mut ColumnData, cell: &str) -> bool {
    match data {
        ColumnData::Text(texts) => texts.push(cell.to_owned()),
        ColumnData::Integers(numbers) => {
            let Ok(number) = cell.parse() else { return false };
            numbers.push(number);
        }
        ColumnData::Numbers(numbers) if cell.is_empty() => numbers.push(None),
        ColumnData::Numbers(numbers) => {
            let Ok(number) = cell.parse() else { return false };
            numbers.push(Some(number));
        }
    }
    true
}
