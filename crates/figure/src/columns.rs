//! Columns of numbers, and a head in JSON that refers to them.

use serde::Serialize;
use serde_json::{Value, json};

/// The data of a figure, which consists of a head and the columns to which the head refers.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Names and texts. A column is `{"column": INDEX, "width": VALUES A ROW}`.
    pub head: Value,
    /// The columns, row by row.
    pub columns: Vec<Vec<f64>>,
}

/// A column's place in the list, and the number of values in each of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "{ values: Float64Array; width: number }"))]
pub struct Column {
    column: usize,
    width: usize,
}

/// Collects columns.
#[derive(Default)]
pub struct Columns {
    columns: Vec<Vec<f64>>,
}

impl Columns {
    /// Adds a column of rows of `N` values.
    pub fn add<const N: usize>(&mut self, rows: impl IntoIterator<Item = [f64; N]>) -> Column {
        self.columns.push(rows.into_iter().flatten().collect());
        Column { column: self.columns.len() - 1, width: N }
    }

    /// The figure with these columns.
    pub fn finish(self, head: impl Serialize) -> Figure {
        // Heads consist of maps with text keys, lists, texts and numbers. Therefore their serialization cannot fail.
        Figure {
            head: serde_json::to_value(head).unwrap_or_else(|error| json!(error.to_string())),
            columns: self.columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_refers_to_columns_by_index_and_width() {
        let mut columns = Columns::default();
        columns.add([[1.0, 2.0], [3.0, 4.0]]);
        let second = columns.add([[5.0]]);
        let figure = columns.finish(json!({ "second": second }));
        assert_eq!(figure.head, json!({ "second": { "column": 1, "width": 1 } }));
        assert_eq!(figure.columns, [vec![1.0, 2.0, 3.0, 4.0], vec![5.0]]);
    }
}
