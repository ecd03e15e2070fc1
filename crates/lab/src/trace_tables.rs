//! Encodes the tables of traces.

use std::io;

use columnar::{ColumnCells, Field, FieldKind, File};
use observe::output::table::{ColumnValues, EncodedColumn, TableEncoder};

struct Encoder(File);

/// Begins the encoding of the table in the Parquet file called `name`, with these columns.
///
/// # Errors
/// Two columns have the same name.
pub fn parquet(name: &str, columns: &[EncodedColumn]) -> io::Result<Box<dyn TableEncoder>> {
    let fields: Vec<Field<'_>> = columns.iter().map(trace_field).collect();
    Ok(Box::new(Encoder(File::new(name, &fields, [])?)))
}

impl TableEncoder for Encoder {
    fn rows(&mut self, columns: &[EncodedColumn]) -> io::Result<Vec<u8>> {
        self.0.group(columns.iter().map(trace_cells))
    }

    fn finish(self: Box<Self>) -> io::Result<Vec<u8>> {
        self.0.finish()
    }
}

fn trace_field(column: &EncodedColumn) -> Field<'_> {
    let kind = match column.values {
        ColumnValues::Integers(_) => FieldKind::Integer,
        ColumnValues::Numbers(_) => FieldKind::Number,
        ColumnValues::Flags(_) => FieldKind::Flag,
        ColumnValues::Texts(_) => FieldKind::Text,
    };
    Field { name: column.name, kind, optional: column.present.is_some() }
}

fn trace_cells(column: &EncodedColumn) -> ColumnCells<'_> {
    let values = match &column.values {
        ColumnValues::Integers(values) => columnar::CellValues::Integers(values),
        ColumnValues::Numbers(values) => columnar::CellValues::Numbers(values.into()),
        ColumnValues::Flags(values) => columnar::CellValues::Flags(values),
        ColumnValues::Texts(texts) => columnar::CellValues::Texts(texts.distinct().collect(), texts.numbers().into()),
    };
    ColumnCells { values, present: column.present.as_ref().map(Into::into) }
}
