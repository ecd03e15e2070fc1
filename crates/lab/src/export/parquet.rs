//! Writes a table as Apache Parquet: one row group; columns with missing values are optional. Units and definitions are
//! stored in the file's key-value metadata under `COLUMN.unit` and `COLUMN.definition`.

use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::columns::{Column, Data, Table};

pub(super) fn write(table: &Table) -> io::Result<Vec<u8>> {
    encode(table).map_err(io::Error::other)
}

fn encode(table: &Table) -> Result<Vec<u8>, ParquetError> {
    let fields = table.columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>()?;
    let schema = Arc::new(Type::group_type_builder(table.name).with_fields(fields).build()?);
    let notes = table.columns.iter().flat_map(|column| {
        let note = |what: &str, text: &str| KeyValue::new(format!("{}.{what}", column.name), text.to_owned());
        [note("unit", &column.unit), note("definition", &column.definition)]
    });
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_key_value_metadata(Some(notes.collect()))
        .set_created_by(concat!("lasthop ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in &table.columns {
        let Some(mut writer) = group.next_column()? else { break };
        match &column.data {
            Data::Text(values) => {
                let values: Vec<ByteArray> = values.iter().map(|text| text.as_str().into()).collect();
                writer.typed::<ByteArrayType>().write_batch(&values, None, None)?;
            }
            Data::Integers(values) => {
                writer.typed::<Int64Type>().write_batch(values, None, None)?;
            }
            Data::Numbers(values) => {
                let present: Vec<f64> = values.iter().copied().flatten().collect();
                let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                writer.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?;
            }
        }
        writer.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    match column.data {
        Data::Text(_) => Type::primitive_type_builder(&column.name, Physical::BYTE_ARRAY)
            .with_logical_type(Some(LogicalType::String))
            .with_repetition(Repetition::REQUIRED)
            .build(),
        Data::Integers(_) => {
            Type::primitive_type_builder(&column.name, Physical::INT64).with_repetition(Repetition::REQUIRED).build()
        }
        Data::Numbers(_) => {
            Type::primitive_type_builder(&column.name, Physical::DOUBLE).with_repetition(Repetition::OPTIONAL).build()
        }
    }
}
