//! Tables as Apache Parquet files, written in groups of rows. In each group text is encoded by a dictionary, and whole numbers
//! by their differences. Nothing is compressed.
//!
//! The functions of the crate `parquet` are generic and therefore compiled with this crate, which calls them. It is
//! optimized in profiles in which other crates that access a disk are not.
//!
//! ```
//! use columnar::{CellValues, ColumnCells, Field, FieldKind, File};
//!
//! let fields = [Field { name: "seq", kind: FieldKind::Integer, optional: false }];
//! let mut file = File::new("segments", &fields, [("seq.unit".to_owned(), "B".to_owned())])?;
//! let mut bytes = file.group([ColumnCells { values: CellValues::Integers(&[0, 1460]), present: None }])?;
//! bytes.extend(file.finish()?);
//! assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

/// A file in progress.
pub struct File {
    /// Buffers bytes for the caller.
    writer: SerializedFileWriter<Vec<u8>>,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The name.
    pub name: &'a str,
    /// The type of the values.
    pub kind: FieldKind,
    /// Whether values may be missing.
    pub optional: bool,
}

/// The type of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// Text.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// Truth values.
    Flag,
}

/// A column of a group of rows.
#[derive(Clone, Debug)]
pub struct ColumnCells<'a> {
    /// The present values, without missing ones.
    pub values: CellValues<'a>,
    /// Whether each row has a value; `None` if no value of the column can be missing.
    pub present: Option<Cow<'a, [bool]>>,
}

/// Values of one type.
#[derive(Clone, Debug)]
pub enum CellValues<'a> {
    /// Text by number: some texts, and the place of each value among them.
    Texts(Vec<&'a str>, Cow<'a, [u32]>),
    /// Whole numbers.
    Integers(&'a [i64]),
    /// Numbers.
    Numbers(Cow<'a, [f64]>),
    /// Truth values.
    Flags(&'a [bool]),
}

impl File {
    /// Creates a file with a table called `name` and these columns. The metadata of the file includes `notes`, by name.
    ///
    /// # Errors
    /// Two columns have the same name.
    pub fn new(
        name: &str,
        fields: &[Field<'_>],
        notes: impl IntoIterator<Item = (String, String)>,
    ) -> io::Result<Self> {
        let notes = notes.into_iter().map(|(name, note)| KeyValue::new(name, note)).collect();
        let writer = build_parquet_schema(name, fields).and_then(|schema| {
            SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(build_writer_properties(fields, notes)))
        });
        Ok(File { writer: writer.map_err(io::Error::other)? })
    }

    /// Appends rows, by columns in the order of the fields; returns the next bytes of the file.
    ///
    /// # Errors
    /// The columns differ from the fields in type, have different lengths, or have numbers without a text.
    pub fn group<'a>(&mut self, columns: impl IntoIterator<Item = ColumnCells<'a>>) -> io::Result<Vec<u8>> {
        self.write_group(columns).map_err(io::Error::other)?;
        self.writer.flush()?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }

    /// Returns the last bytes of the file.
    ///
    /// # Errors
    /// A group was not written completely.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        self.writer.into_inner().map_err(io::Error::other)
    }

    fn write_group<'a>(&mut self, columns: impl IntoIterator<Item = ColumnCells<'a>>) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for ColumnCells { values, present } in columns {
            let Some(mut column) = group.next_column()? else { break };
            write_column(column.untyped(), values, present.as_deref())?;
            column.close()?;
        }
        group.close().map(drop)
    }
}

fn write_column(
    column: &mut ColumnWriter<'_>,
    values: CellValues<'_>,
    present: Option<&[bool]>,
) -> Result<usize, ParquetError> {
    let levels: Option<Vec<i16>> = present.map(|present| present.iter().copied().map(i16::from).collect());
    let levels = levels.as_deref();
    match (column, values) {
        (ColumnWriter::ByteArrayColumnWriter(writer), CellValues::Texts(texts, numbers)) => {
            let texts: Vec<ByteArray> = texts.into_iter().map(ByteArray::from).collect();
            let values = numbers.iter().map(|number| texts.get(*number as usize).cloned());
            let values: Option<Vec<ByteArray>> = values.collect();
            writer.write_batch(&values.ok_or_else(|| create_parquet_error("a number has no text"))?, levels, None)
        }
        (ColumnWriter::Int64ColumnWriter(writer), CellValues::Integers(values)) => {
            writer.write_batch(values, levels, None)
        }
        (ColumnWriter::DoubleColumnWriter(writer), CellValues::Numbers(values)) => {
            writer.write_batch(&values, levels, None)
        }
        (ColumnWriter::BoolColumnWriter(writer), CellValues::Flags(values)) => writer.write_batch(values, levels, None),
        _ => Err(create_parquet_error("the values are not of the column's type")),
    }
}

fn create_parquet_error(message: &str) -> ParquetError {
    ParquetError::General(message.to_owned())
}

fn build_parquet_schema(name: &str, fields: &[Field<'_>]) -> Result<Type, ParquetError> {
    let column = |field: &Field<'_>| {
        let (physical, logical) = match field.kind {
            FieldKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            FieldKind::Integer => (Physical::INT64, None),
            FieldKind::Number => (Physical::DOUBLE, None),
            FieldKind::Flag => (Physical::BOOLEAN, None),
        };
        let repetition = if field.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let column = Type::primitive_type_builder(field.name, physical).with_logical_type(logical);
        column.with_repetition(repetition).build().map(Arc::new)
    };
    Type::group_type_builder(name).with_fields(fields.iter().map(column).collect::<Result<_, _>>()?).build()
}

fn build_writer_properties(fields: &[Field<'_>], notes: Vec<KeyValue>) -> WriterProperties {
    let all = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(notes))
        .set_created_by(concat!("lasthop ", env!("CARGO_PKG_VERSION")).to_owned());
    let each = fields.iter().fold(all, |all, field| {
        let path = ColumnPath::from(field.name);
        match field.kind {
            FieldKind::Text => all
                .set_column_dictionary_enabled(path.clone(), true)
                .set_column_statistics_enabled(path, EnabledStatistics::None),
            FieldKind::Integer => all.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            FieldKind::Number | FieldKind::Flag => all,
        }
    });
    each.build()
}
