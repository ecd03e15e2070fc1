//! What came of a run.

/// What a program says at the end of a run.
#[derive(PartialEq, Debug)]
pub struct Outcome {
    /// Distinct packets of data that arrived.
    pub delivered: u64,
    /// Events it took, if the program counts them.
    pub events: Option<u64>,
}
