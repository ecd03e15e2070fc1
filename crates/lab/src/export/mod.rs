//! Export of a store's results as tables for other programs: CSV, Parquet, JSON.

mod columns;
mod gnuplot;
mod latex;
#[cfg(feature = "parquet")]
mod parquet;
mod set;
mod tables;

use std::io;
use std::path::{Path, PathBuf};

use engine::text::visible;
use observe::metric::Metric;

use crate::figures::Figure;
use crate::sweep::analysis::Analysis;

pub use crate::value_text::{numbers, shown};
pub use columns::{Column, Data, Table};
pub use tables::tables;

/// A file format.
pub struct Format {
    /// The name.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    extension: &'static str,
    writer: Writer,
}

impl Format {
    /// True if the format shows selected metrics, false if it has all values of the store.
    pub fn is_of_metrics(&self) -> bool {
        matches!(self.writer, Writer::Figures(_))
    }
}

/// The function that writes a format.
enum Writer {
    /// Writes a file for each table, with all values of the store.
    Table(fn(&Table) -> io::Result<Vec<u8>>),
    /// Writes the file `summary` with the means of the selected metrics.
    Figures(fn(&[Figure<'_>]) -> String),
}

/// All formats.
pub static FORMATS: &[Format] = &[
    Format {
        name: "csv",
        summary: "comma-separated values, a line of column names first",
        extension: "csv",
        writer: Writer::Table(csv),
    },
    Format {
        name: "parquet",
        summary: "Apache Parquet, for DuckDB, pandas and polars; units and definitions in its metadata",
        extension: "parquet",
        writer: Writer::Table(parquet),
    },
    Format {
        name: "json",
        summary: "columns with units and definitions, and rows as objects",
        extension: "json",
        writer: Writer::Table(json),
    },
    Format {
        name: "latex",
        summary: "summary.tex: a table of means and changes for each metric of the sweep, for booktabs",
        extension: "tex",
        writer: Writer::Figures(latex::write),
    },
    Format {
        name: "gnuplot",
        summary: "summary.gnuplot: a script with its data that draws the means and changes, as SVG or PDF",
        extension: "gnuplot",
        writer: Writer::Figures(gnuplot::write),
    },
];

/// Writes the results of `sweeps` in each of these formats into `dir`, which is created if it is missing, and returns
/// the files. Files of other formats are kept. `metrics` selects the metrics of `latex` and `gnuplot`; if empty, each
/// sweep's own are written.
///
/// # Errors
/// The path of a failed operation and its error; the files in `dir` are then unchanged.
pub fn write(
    sweeps: &[Analysis],
    metrics: &[&'static Metric],
    formats: &[&Format],
    dir: &Path,
) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let some = |of_metrics: bool| formats.iter().any(|format| format.is_of_metrics() == of_metrics);
    let tables = if some(false) { tables(sweeps) } else { Vec::new() };
    let figures = if some(true) { figures(sweeps, metrics) } else { Vec::new() };
    set::write(&tables, &figures, formats, dir)
}

/// Returns a figure for each metric of each sweep that has runs.
fn figures<'a>(sweeps: &'a [Analysis], metrics: &[&'static Metric]) -> Vec<Figure<'a>> {
    let of_sweep = |sweep: &'a Analysis| {
        let metrics = if metrics.is_empty() { sweep.metrics() } else { metrics.to_vec() };
        metrics.into_iter().map(move |metric| Figure::of(sweep, metric))
    };
    sweeps.iter().flat_map(of_sweep).filter(|figure| !figure.entries.is_empty()).collect()
}

fn csv(table: &Table) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| cell(&column.name)))?;
    for row in 0..table.rows() {
        writer.write_record(table.columns.iter().map(|column| match &column.data {
            Data::Text(values) => cell(&values[row]),
            data => data.text(row),
        }))?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// Quotes a text as a CSV cell. Spreadsheets read a cell that begins with = + - or @ as a formula, unless it is a
/// number; a leading apostrophe marks it as text.
fn cell(text: &str) -> String {
    let digits = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let number = text.parse::<f64>().is_ok() && text.chars().all(digits);
    let formula = !number && text.trim_start().starts_with(['=', '+', '-', '@']);
    format!("{}{}", if formula { "'" } else { "" }, visible(text))
}

#[cfg(feature = "parquet")]
fn parquet(table: &Table) -> io::Result<Vec<u8>> {
    parquet::write(table)
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &Table) -> io::Result<Vec<u8>> {
    Err(crate::features::PARQUET.unsupported())
}

fn json(table: &Table) -> io::Result<Vec<u8>> {
    use serde_json::{Value, json};
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|column| json!({ "name": column.name, "unit": column.unit, "definition": column.definition }))
        .collect();
    let mut text = b"{\n\"columns\": ".to_vec();
    serde_json::to_writer_pretty(&mut text, &columns)?;
    text.extend(b",\n\"rows\": [");
    // Writes row by row: a million rows as JSON values would not fit into memory.
    for row in 0..table.rows() {
        text.extend(if row == 0 { b"\n".as_slice() } else { b",\n" });
        let row: Value = table.columns.iter().map(|column| (column.name.clone(), column.data.value(row))).collect();
        serde_json::to_writer(&mut text, &row)?;
    }
    text.extend(b"\n]\n}\n");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;
    use std::io::Write;

    /// A table with every value that is difficult to escape.
    fn table() -> Table {
        let column = |name: &str, unit: &str, data| Column {
            name: name.into(),
            unit: unit.into(),
            definition: format!("what {name} is"),
            data,
        };
        let texts = ["plain", "a, comma", "a \"quote\"\nand a line", "ä √ 電"].map(str::to_owned);
        let numbers = vec![Some(0.1 + 0.2), None, Some(-1e300), Some(5e-324)];
        Table {
            name: "flows",
            columns: vec![
                column("links.air.channel", "", Data::Text(texts.to_vec())),
                column("n", "count", Data::Integers(vec![0, i64::MIN, i64::MAX, -1])),
                column("mean", "s", Data::Numbers(numbers)),
                column("none", "s", Data::Numbers(vec![None; 4])),
            ],
        }
    }

    #[test]
    fn csv_is_read_back_unchanged() {
        let (table, bytes) = (table(), csv(&table()).unwrap());
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(head, ["links.air.channel", "n", "mean", "none"]);
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 4);
        for (row, record) in rows.iter().enumerate() {
            for (cell, column) in record.iter().zip(&table.columns) {
                match &column.data {
                    Data::Text(texts) => assert_eq!(cell, texts[row]),
                    Data::Integers(numbers) => assert_eq!(cell.parse(), Ok(numbers[row])),
                    Data::Numbers(numbers) => assert_eq!(cell.parse().ok(), numbers[row]),
                }
            }
        }
    }

    #[test]
    fn csv_cells_are_not_formulas() {
        let formulas = ["=cmd()|' /C calc'!A0", "+1+2", "-x", "@SUM(A1)", "\t=1", " =1", "-inf", "--1", "- 5 ms"];
        assert!(formulas.iter().all(|text| cell(text).starts_with('\'')), "{formulas:?}");
        for number in ["-5", "+0.5", "-1e-9", "12", "", "8 Mbps", "a=b"] {
            assert_eq!(cell(number), number);
        }
        assert_eq!(cell("\u{1b}]0;x\u{7}"), "\\u001b]0;x\\u0007");
    }

    #[test]
    fn json_is_read_back_with_units_and_definitions() {
        let read: serde_json::Value = serde_json::from_slice(&json(&table()).unwrap()).unwrap();
        let mean = &read["columns"][2];
        assert_eq!(
            (&mean["name"], &mean["unit"], &mean["definition"]),
            (&"mean".into(), &"s".into(), &"what mean is".into())
        );
        assert_eq!(read["rows"][0]["mean"].as_f64(), Some(0.1 + 0.2));
        assert!(read["rows"][1]["mean"].is_null());
        assert_eq!(read["rows"][1]["n"].as_i64(), Some(i64::MIN));
        assert_eq!(read["rows"][3]["links.air.channel"], "ä √ 電");
    }

    #[test]
    fn parquet_is_read_back_with_units_and_definitions() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&parquet::write(&table()).unwrap()).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let notes = reader.metadata().file_metadata().key_value_metadata().cloned().unwrap();
        let note = |key: &str| notes.iter().find(|note| note.key == key).and_then(|note| note.value.clone());
        assert_eq!((note("mean.unit"), note("n.definition")), (Some("s".into()), Some("what n is".into())));
        let table = table();
        let mut rows = 0;
        for (row, record) in reader.get_row_iter(None).unwrap().enumerate() {
            for ((name, field), column) in record.unwrap().get_column_iter().zip(&table.columns) {
                assert_eq!(*name, column.name);
                let expected = match &column.data {
                    Data::Text(texts) => Field::Str(texts[row].clone()),
                    Data::Integers(numbers) => Field::Long(numbers[row]),
                    Data::Numbers(numbers) => numbers[row].map_or(Field::Null, Field::Double),
                };
                assert_eq!(*field, expected, "{name} {row}");
            }
            rows += 1;
        }
        assert_eq!(rows, 4);
    }

    #[test]
    fn table_without_rows_is_written() {
        let mut empty = table();
        empty.columns.truncate(1);
        empty.columns[0].data = Data::Text(Vec::new());
        for format in FORMATS {
            if let Writer::Table(write) = format.writer {
                assert!(!write(&empty).unwrap().is_empty(), "{}", format.name);
            }
        }
    }
}
