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

use engine::text::escape_controls;
use observe::metric::Metric;

use crate::figures::MetricFigure;
use crate::sweep::analysis::Analysis;

pub use crate::value_text::{format_json_value, parse_base_numbers};
pub use columns::{ColumnData, ExportColumn, ExportTable};
pub use tables::build_tables;

/// A file format.
pub struct ExportFormat {
    /// The name.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    extension: &'static str,
    writer: Writer,
}

impl ExportFormat {
    /// True if the format shows selected metrics, false if it has all values of the store.
    pub fn is_of_metrics(&self) -> bool {
        matches!(self.writer, Writer::Figures(_))
    }
}

/// Function that writes a format.
enum Writer {
    /// Writes a file for each table, with all values of the store.
    Table(fn(&ExportTable) -> io::Result<Vec<u8>>),
    /// Writes the file `summary` with the means of the selected metrics.
    Figures(fn(&[MetricFigure<'_>]) -> String),
}

/// All formats.
pub static FORMATS: &[ExportFormat] = &[
    ExportFormat {
        name: "csv",
        summary: "comma-separated values, a line of column names first",
        extension: "csv",
        writer: Writer::Table(encode_csv),
    },
    ExportFormat {
        name: "parquet",
        summary: "Apache Parquet, for DuckDB, pandas and polars; units and definitions in its metadata",
        extension: "parquet",
        writer: Writer::Table(parquet),
    },
    ExportFormat {
        name: "json",
        summary: "columns with units and definitions, and rows as objects",
        extension: "json",
        writer: Writer::Table(encode_json),
    },
    ExportFormat {
        name: "latex",
        summary: "summary.tex: a table of means and changes for each metric of the sweep, for booktabs",
        extension: "tex",
        writer: Writer::Figures(latex::render_latex),
    },
    ExportFormat {
        name: "gnuplot",
        summary: "summary.gnuplot: a script with its data that draws the means and changes, as SVG or PDF",
        extension: "gnuplot",
        writer: Writer::Figures(gnuplot::render_gnuplot),
    },
];

/// Writes the results of `sweeps` in each of these formats into `dir`, which is created if it is missing, and returns
/// the files. Files of other formats are kept. `metrics` selects the metrics of `latex` and `gnuplot`; if empty, each
/// sweep's own are written.
///
/// # Errors
/// The path of a failed operation and its error; the files in `dir` are then unchanged.
pub fn write_exports(
    sweeps: &[Analysis],
    metrics: &[&'static Metric],
    formats: &[&ExportFormat],
    dir: &Path,
) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let some = |of_metrics: bool| formats.iter().any(|format| format.is_of_metrics() == of_metrics);
    let tables = if some(false) { build_tables(sweeps) } else { Vec::new() };
    let figures = if some(true) { select_figures(sweeps, metrics) } else { Vec::new() };
    set::write_export_set(&tables, &figures, formats, dir)
}

/// Returns a figure for each metric of each sweep that has runs.
fn select_figures<'a>(sweeps: &'a [Analysis], metrics: &[&'static Metric]) -> Vec<MetricFigure<'a>> {
    let of_sweep = |sweep: &'a Analysis| {
        let metrics = if metrics.is_empty() { sweep.metrics() } else { metrics.to_vec() };
        metrics.into_iter().map(move |metric| MetricFigure::of(sweep, metric))
    };
    sweeps.iter().flat_map(of_sweep).filter(|figure| !figure.entries.is_empty()).collect()
}

fn encode_csv(table: &ExportTable) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| quote_csv_cell(&column.name)))?;
    for row in 0..table.rows() {
        writer.write_record(table.columns.iter().map(|column| match &column.data {
            ColumnData::Text(values) => quote_csv_cell(&values[row]),
            data => data.text(row),
        }))?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// Quotes a text as a CSV cell. Spreadsheets read a cell that begins with = + - or @ as a formula, unless it is a
/// number; a leading apostrophe marks it as text.
fn quote_csv_cell(text: &str) -> String {
    let digits = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    let number = text.parse::<f64>().is_ok() && text.chars().all(digits);
    let formula = !number && text.trim_start().starts_with(['=', '+', '-', '@']);
    format!("{}{}", if formula { "'" } else { "" }, escape_controls(text))
}

#[cfg(feature = "parquet")]
fn parquet(table: &ExportTable) -> io::Result<Vec<u8>> {
    parquet::encode_table(table)
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &ExportTable) -> io::Result<Vec<u8>> {
    Err(crate::features::PARQUET.unsupported())
}

fn encode_json(table: &ExportTable) -> io::Result<Vec<u8>> {
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
    fn table() -> ExportTable {
        let column = |name: &str, unit: &str, data| ExportColumn {
            name: name.into(),
            unit: unit.into(),
            definition: format!("what {name} is"),
            data,
        };
        let texts = ["plain", "a, comma", "a \"quote\"\nand a line", "ä √ 電"].map(str::to_owned);
        let numbers = vec![Some(0.1 + 0.2), None, Some(-1e300), Some(5e-324)];
        ExportTable {
            name: "flows",
            columns: vec![
                column("links.air.channel", "", ColumnData::Text(texts.to_vec())),
                column("n", "count", ColumnData::Integers(vec![0, i64::MIN, i64::MAX, -1])),
                column("mean", "s", ColumnData::Numbers(numbers)),
                column("none", "s", ColumnData::Numbers(vec![None; 4])),
            ],
        }
    }

    #[test]
    fn csv_is_read_back_unchanged() {
        let (table, bytes) = (table(), encode_csv(&table()).unwrap());
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(head, ["links.air.channel", "n", "mean", "none"]);
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 4);
        for (row, record) in rows.iter().enumerate() {
            for (cell, column) in record.iter().zip(&table.columns) {
                match &column.data {
                    ColumnData::Text(texts) => assert_eq!(cell, texts[row]),
                    ColumnData::Integers(numbers) => assert_eq!(cell.parse(), Ok(numbers[row])),
                    ColumnData::Numbers(numbers) => assert_eq!(cell.parse().ok(), numbers[row]),
                }
            }
        }
    }

    #[test]
    fn csv_cells_are_not_formulas() {
        let formulas = ["=cmd()|' /C calc'!A0", "+1+2", "-x", "@SUM(A1)", "\t=1", " =1", "-inf", "--1", "- 5 ms"];
        assert!(formulas.iter().all(|text| quote_csv_cell(text).starts_with('\'')), "{formulas:?}");
        for number in ["-5", "+0.5", "-1e-9", "12", "", "8 Mbps", "a=b"] {
            assert_eq!(quote_csv_cell(number), number);
        }
        assert_eq!(quote_csv_cell("\u{1b}]0;x\u{7}"), "\\u001b]0;x\\u0007");
    }

    #[test]
    fn json_is_read_back_with_units_and_definitions() {
        let read: serde_json::Value = serde_json::from_slice(&encode_json(&table()).unwrap()).unwrap();
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
        file.write_all(&parquet::encode_table(&table()).unwrap()).unwrap();
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
                    ColumnData::Text(texts) => Field::Str(texts[row].clone()),
                    ColumnData::Integers(numbers) => Field::Long(numbers[row]),
                    ColumnData::Numbers(numbers) => numbers[row].map_or(Field::Null, Field::Double),
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
        empty.columns[0].data = ColumnData::Text(Vec::new());
        for format in FORMATS {
            if let Writer::Table(write) = format.writer {
                assert!(!write(&empty).unwrap().is_empty(), "{}", format.name);
            }
        }
    }
}
