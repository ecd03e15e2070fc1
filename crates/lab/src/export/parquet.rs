//! Writes a table as Apache Parquet: one group of rows; columns with missing values are optional. Units and definitions are
//! stored in the file's key-value metadata under `COLUMN.unit` and `COLUMN.definition`.

use std::io;

use columnar::{CellValues, ColumnCells, Field, FieldKind, File};

use super::columns::{ColumnData, ExportColumn, ExportTable};

pub(super) fn encode_table(table: &ExportTable) -> io::Result<Vec<u8>> {
    let fields: Vec<Field<'_>> = table.columns.iter().map(export_field).collect();
    let notes = table.columns.iter().flat_map(|column| {
        let note = |what: &str, text: &str| (format!("{}.{what}", column.name), text.to_owned());
        [note("unit", &column.unit), note("definition", &column.definition)]
    });
    let mut file = File::new(table.name, &fields, notes)?;
    let mut bytes = file.group(table.columns.iter().map(|column| export_cells(&column.data)))?;
    bytes.extend(file.finish()?);
    Ok(bytes)
}

fn export_field(column: &ExportColumn) -> Field<'_> {
    let (kind, optional) = match column.data {
        ColumnData::Text(_) => (FieldKind::Text, false),
        ColumnData::Integers(_) => (FieldKind::Integer, false),
        ColumnData::Numbers(_) => (FieldKind::Number, true),
    };
    Field { name: &column.name, kind, optional }
}

fn export_cells(data: &ColumnData) -> ColumnCells<'_> {
    match data {
        ColumnData::Text(values) => {
            let texts = values.iter().map(String::as_str).collect();
            ColumnCells { values: CellValues::Texts(texts, (0..values.len() as u32).collect()), present: None }
        }
        ColumnData::Integers(values) => ColumnCells { values: CellValues::Integers(values), present: None },
        ColumnData::Numbers(values) => {
            let present = values.iter().map(Option::is_some).collect();
            ColumnCells {
                values: CellValues::Numbers(values.iter().copied().flatten().collect()),
                present: Some(present),
            }
        }
    }
}
