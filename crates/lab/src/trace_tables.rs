//! Encodes the tables of traces.

use std::io;

use columnar::{Cells, Field, File, Kind};
use observe::output::table::{Column, TableEncoder, Values};

struct Encoder(File);

/// Begins the encoding of the table in the Parquet file called `name`, with these columns.
///
/// # Errors
/// Two columns have the same name.
pub fn parquet(name: &str, columns: &[Column]) -> io::Result<Box<dyn TableEncoder>> {
    let fields: Vec<Field<'_>> = columns.iter().map(trace_field).collect();
    Ok(Box::new(Encoder(File::new(name, &fields, [])?)))
}

impl TableEncoder for Encoder {
    fn rows(&mut self, columns: &[Column]) -> io::Result<Vec<u8>> {
        self.0.group(columns.iter().map(trace_cells))
    }

    fn finish(self: Box<Self>) -> io::Result<Vec<u8>> {
        self.0.finish()
    }
}

fn trace_field(column: &Column) -> Field<'_> {
    let kind = match column.values {
        Values::Integers(_) => Kind::Integer,
        Values::Numbers(_) => Kind::Number,
        Values::Flags(_) => Kind::Flag,
        Values::Texts(_) => Kind::Text,
    };
    Field { name: column.name, kind, optional: column.present.is_some() }
}

fn trace_cells(column: &Column) -> Cells<'_> {
    let values = match &column.values {
        Values::Integers(values) => columnar::Values::Integers(values),
        Values::Numbers(values) => columnar::Values::Numbers(values.into()),
        Values::Flags(values) => columnar::Values::Flags(values),
        Values::Texts(texts) => columnar::Values::Texts(texts.distinct().collect(), texts.numbers().into()),
    };
    Cells { values, present: column.present.as_ref().map(Into::into) }
}
