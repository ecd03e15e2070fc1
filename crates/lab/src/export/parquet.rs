//! Writes a table as Apache Parquet: one group of rows; columns with missing values are optional. Units and definitions are
//! stored in the file's key-value metadata under `COLUMN.unit` and `COLUMN.definition`.

use std::io;

use columnar::{Cells, Field, File, Kind, Values};

use super::columns::{Column, Data, Table};

pub(super) fn write(table: &Table) -> io::Result<Vec<u8>> {
    let fields: Vec<Field<'_>> = table.columns.iter().map(field).collect();
    let notes = table.columns.iter().flat_map(|column| {
        let note = |what: &str, text: &str| (format!("{}.{what}", column.name), text.to_owned());
        [note("unit", &column.unit), note("definition", &column.definition)]
    });
    let mut file = File::new(table.name, &fields, notes)?;
    let mut bytes = file.group(table.columns.iter().map(|column| cells(&column.data)))?;
    bytes.extend(file.finish()?);
    Ok(bytes)
}

fn field(column: &Column) -> Field<'_> {
    let (kind, optional) = match column.data {
        Data::Text(_) => (Kind::Text, false),
        Data::Integers(_) => (Kind::Integer, false),
        Data::Numbers(_) => (Kind::Number, true),
    };
    Field { name: &column.name, kind, optional }
}

fn cells(data: &Data) -> Cells<'_> {
    match data {
        Data::Text(values) => {
            let texts = values.iter().map(String::as_str).collect();
            Cells { values: Values::Texts(texts, (0..values.len() as u32).collect()), present: None }
        }
        Data::Integers(values) => Cells { values: Values::Integers(values), present: None },
        Data::Numbers(values) => {
            let present = values.iter().map(Option::is_some).collect();
            Cells { values: Values::Numbers(values.iter().copied().flatten().collect()), present: Some(present) }
        }
    }
}
