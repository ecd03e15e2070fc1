//! A table stored by columns, each with its unit and definition.

use serde_json::Value;

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct ExportTable {
    /// The file name without its extension.
    pub name: &'static str,
    /// The columns, all of equal length.
    pub columns: Vec<ExportColumn>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct ExportColumn {
    /// The name of the column.
    pub name: String,
    /// The unit of the values; empty for values without a unit.
    pub unit: String,
    /// The definition of the values.
    pub definition: String,
    /// The values.
    pub data: ColumnData,
}

/// Values of one type.
#[derive(Clone, PartialEq, Debug)]
pub enum ColumnData {
    /// Text.
    Text(Vec<String>),
    /// Integers.
    Integers(Vec<i64>),
    /// Numbers; `None` for a missing value.
    Numbers(Vec<Option<f64>>),
}

impl ExportTable {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.data.len())
    }
}

impl ColumnData {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            ColumnData::Text(values) => values.len(),
            ColumnData::Integers(values) => values.len(),
            ColumnData::Numbers(values) => values.len(),
        }
    }

    /// Whether the column has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A value as text; numbers in the shortest form that reads back exactly.
    pub(super) fn text(&self, row: usize) -> String {
        match self {
            ColumnData::Text(values) => values[row].clone(),
            ColumnData::Integers(values) => values[row].to_string(),
            ColumnData::Numbers(values) => values[row].map_or_else(String::new, |value| value.to_string()),
        }
    }

    /// A value as JSON.
    pub(super) fn value(&self, row: usize) -> Value {
        match self {
            ColumnData::Text(values) => values[row].as_str().into(),
            ColumnData::Integers(values) => values[row].into(),
            ColumnData::Numbers(values) => values[row].into(),
        }
    }
}
