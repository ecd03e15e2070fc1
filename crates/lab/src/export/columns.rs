//! A table by columns, each with its unit and definition.

use serde_json::Value;

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// What its file is called, without ending.
    pub name: &'static str,
    /// Its columns, all equally long.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The unit of its values; empty if they have none.
    pub unit: String,
    /// What its values are.
    pub definition: String,
    /// Its values.
    pub data: Data,
}

/// Values of one kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// Texts.
    Text(Vec<String>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers; `None` where there is none.
    Numbers(Vec<Option<f64>>),
}

impl Table {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.data.len())
    }
}

impl Data {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Data::Text(values) => values.len(),
            Data::Integers(values) => values.len(),
            Data::Numbers(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A value as text; numbers so that they read back exactly.
    pub(super) fn text(&self, row: usize) -> String {
        match self {
            Data::Text(values) => values[row].clone(),
            Data::Integers(values) => values[row].to_string(),
            Data::Numbers(values) => values[row].map_or_else(String::new, |value| value.to_string()),
        }
    }

    /// A value as JSON.
    pub(super) fn value(&self, row: usize) -> Value {
        match self {
            Data::Text(values) => values[row].as_str().into(),
            Data::Integers(values) => values[row].into(),
            Data::Numbers(values) => values[row].into(),
        }
    }
}
