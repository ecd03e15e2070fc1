//! A store's results as tables that other programs open: CSV, Parquet, JSON.

mod columns;
mod parquet;
mod tables;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use columns::{Column, Data, Table};
pub use tables::{numbers, shown, tables};

/// A file format.
pub struct Format {
    /// Its name, and the ending of its files.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    write: fn(&Table) -> io::Result<Vec<u8>>,
}

/// Every format.
pub static FORMATS: &[Format] = &[
    Format { name: "csv", summary: "comma-separated values, a line of column names first", write: csv },
    Format {
        name: "parquet",
        summary: "Apache Parquet, for DuckDB, pandas and polars; units and definitions in its metadata",
        write: parquet::write,
    },
    Format { name: "json", summary: "columns with units and definitions, and rows as objects", write: json },
];

/// Writes `table` into `dir` in a format; gives the file. A file appears whole or not at all.
pub fn write(table: &Table, format: &Format, dir: &Path) -> Result<PathBuf, (PathBuf, io::Error)> {
    let path = dir.join(format!("{}.{}", table.name, format.name));
    let partial = path.with_added_extension("partial");
    let written = (format.write)(table).and_then(|bytes| {
        fs::create_dir_all(dir)?;
        fs::write(&partial, bytes)?;
        fs::rename(&partial, &path)
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) => {
            let _ = fs::remove_file(&partial);
            Err((path, error))
        }
    }
}

fn csv(table: &Table) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| column.name.as_str()))?;
    for row in 0..table.rows() {
        writer.write_record(table.columns.iter().map(|column| column.data.text(row)))?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn json(table: &Table) -> io::Result<Vec<u8>> {
    use serde_json::{Value, json};
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|column| json!({ "name": column.name, "unit": column.unit, "definition": column.definition }))
        .collect();
    let row =
        |row| -> Value { table.columns.iter().map(|column| (column.name.clone(), column.data.value(row))).collect() };
    let rows: Vec<Value> = (0..table.rows()).map(row).collect();
    let mut text = serde_json::to_vec_pretty(&json!({ "columns": columns, "rows": rows }))?;
    text.push(b'\n');
    Ok(text)
}
