//! What an expression of a lesson is on given runs.

/// Rows of a time and a value.
pub type Series = Vec<[f64; 2]>;

/// What an expression is on given runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number: a time in seconds, a size in bytes, a rate in bit/s, a count.
    Number(f64),
    /// The result of a comparison.
    Truth(bool),
    /// Rows of a time and a value.
    Series(Series),
}
