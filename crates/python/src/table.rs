//! Tables as Arrow record batches.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{DataType, Field, Schema};
use lab::export::{self, ColumnData};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

/// A table of a store, or of a trace.
#[pyclass(frozen, module = "lasthop._lasthop")]
pub struct Table {
    name: String,
    /// Columns with their units and definitions, which are in the metadata of the fields.
    batch: RecordBatch,
    fields: Vec<TableField>,
}

/// The description of a column.
struct TableField {
    name: String,
    unit: String,
    definition: String,
}

impl From<export::ExportTable> for Table {
    fn from(table: export::ExportTable) -> Self {
        Table::of(table.name, table.columns)
    }
}

impl Table {
    /// A table of columns of the same length.
    pub fn of(name: &str, columns: Vec<export::ExportColumn>) -> Self {
        let field = |column: &export::ExportColumn| TableField {
            name: column.name.clone(),
            unit: column.unit.clone(),
            definition: column.definition.clone(),
        };
        let fields = columns.iter().map(field).collect();
        let column = |column: export::ExportColumn| -> (Field, ArrayRef) {
            let (kind, array): (DataType, ArrayRef) = match column.data {
                ColumnData::Text(values) => (DataType::Utf8, Arc::new(StringArray::from(values))),
                ColumnData::Integers(values) => (DataType::Int64, Arc::new(Int64Array::from(values))),
                ColumnData::Numbers(values) => (DataType::Float64, Arc::new(Float64Array::from(values))),
            };
            let about = [("unit", column.unit), ("definition", column.definition)];
            let about: HashMap<String, String> = about.map(|(key, value)| (key.to_owned(), value)).into();
            (Field::new(column.name, kind, true).with_metadata(about), array)
        };
        let (columns, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().map(column).unzip();
        // The columns of a table have the same length, and the types of their fields.
        let batch = RecordBatch::try_new(Arc::new(Schema::new(columns)), arrays);
        let batch = batch.unwrap_or_else(|error| panic!("table {name}: {error}"));
        Table { name: name.to_owned(), batch, fields }
    }
}

#[pymethods]
impl Table {
    /// The name of the table.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Name, unit and definition of each column.
    #[getter]
    fn fields(&self) -> Vec<(String, String, String)> {
        let field = |field: &TableField| (field.name.clone(), field.unit.clone(), field.definition.clone());
        self.fields.iter().map(field).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The values of a column; `None` if there is no such column.
    #[pyo3(signature = (name) -> "list[Any] | None")]
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(column) = self.batch.column_by_name(name) else { return Ok(None) };
        if let Some(texts) = column.as_any().downcast_ref::<StringArray>() {
            return Ok(Some(texts.iter().collect::<Vec<_>>().into_pyobject(py)?));
        }
        if let Some(numbers) = column.as_any().downcast_ref::<Int64Array>() {
            return Ok(Some(numbers.iter().collect::<Vec<_>>().into_pyobject(py)?));
        }
        let numbers = column.as_any().downcast_ref::<Float64Array>().map(|numbers| numbers.iter().collect::<Vec<_>>());
        numbers.map(|numbers| numbers.into_pyobject(py)).transpose()
    }

    /// The numbers of a column as bytes of 64-bit numbers, NaN for missing values, and whether the numbers are
    /// integers; `None` if there is no such column of numbers.
    fn numbers<'py>(&self, py: Python<'py>, name: &str) -> Option<(Bound<'py, PyBytes>, bool)> {
        let column = self.batch.column_by_name(name)?;
        if let Some(numbers) = column.as_any().downcast_ref::<Int64Array>() {
            let bytes: Vec<u8> = numbers.values().iter().flat_map(|number| number.to_ne_bytes()).collect();
            return Some((PyBytes::new(py, &bytes), true));
        }
        let numbers = column.as_any().downcast_ref::<Float64Array>()?;
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.unwrap_or(f64::NAN).to_ne_bytes()).collect();
        Some((PyBytes::new(py, &bytes), false))
    }

    /// The Arrow PyCapsule interface: one record batch, whose memory is shared.
    #[pyo3(signature = (requested_schema: "object" = None) -> "object")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
