//! The verdicts on a paper's numbers.

use std::fmt;

use super::printed::{Contradiction, Reading};

/// The result of the comparison of a paper's number with the interval of our runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mark {
    /// The number lies within the range of single simulated runs under the primary reading.
    Reproduced,
    /// The number lies within this range under another reading only.
    ReproducedUnder(&'static Reading),
    /// The number is reproduced under no reading, and another statement of the paper contradicts it.
    Contradicts(Contradiction),
    /// Every other number.
    NotReproduced,
}

impl Mark {
    /// The name of the verdict, without the name of the reading.
    pub fn name(&self) -> &'static str {
        match self {
            Mark::Reproduced => "reproduced",
            Mark::ReproducedUnder(_) => "reproduced under another reading",
            Mark::Contradicts(_) => "contradicts its own paper",
            Mark::NotReproduced => "not reproduced",
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::ReproducedUnder(reading) => write!(f, "reproduced under \"{}\"", reading.name),
            other => f.write_str(other.name()),
        }
    }
}
