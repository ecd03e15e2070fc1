//! Figures as a head in JSON and columns of numbers.

use wasm_bindgen::prelude::*;

/// A figure: a head, and the columns to which it refers.
#[wasm_bindgen]
pub struct Figure(pub(crate) ::figure::Figure);

#[wasm_bindgen]
impl Figure {
    /// The head as JSON.
    pub fn head(&self) -> String {
        self.0.head.to_string()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.0.columns.len()
    }

    /// Takes a column out of the figure, row by row; empty if it was taken earlier or does not exist.
    pub fn take(&mut self, column: usize) -> Vec<f64> {
        self.0.columns.get_mut(column).map(std::mem::take).unwrap_or_default()
    }
}
