//! What a number of a paper can be marked as.

use std::fmt;

use super::printed::{Contradiction, Reading};

/// What became of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mark {
    /// It fits our single runs under the primary reading.
    Reproduced,
    /// It does so under another one.
    ReproducedUnder(&'static Reading),
    /// It fits under no reading, and the paper contradicts it elsewhere.
    Contradicts(Contradiction),
    /// None of these.
    NotReproduced,
}

impl Mark {
    /// Its name, without the reading.
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
