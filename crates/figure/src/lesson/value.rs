//! The value of a lesson's expression on given runs.

/// Rows of a time and a value.
pub type Series = Vec<[f64; 2]>;

/// The value of an expression on given runs.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionValue {
    /// A number: a time in seconds, a size in bytes, a rate in bit/s, a count.
    Number(f64),
    /// The result of a comparison.
    Truth(bool),
    /// Rows of a time and a value.
    Series(Series),
}
