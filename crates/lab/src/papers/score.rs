//! Counts the numbers of a paper by verdict.

use std::fmt;

use stats::Level;

use super::mark::Mark;
use super::number::Number;

/// Number of a paper's printed values by verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// Reproduced.
    pub reproduced: usize,
    /// Reproduced under another reading.
    pub under: usize,
    /// Contradicted by another statement of the same paper.
    pub contradicts: usize,
    /// Not reproduced.
    pub not: usize,
}

impl Score {
    /// Counts the verdicts.
    pub fn of(numbers: &[Number], level: Level) -> Self {
        let mut score = Score::default();
        for number in numbers {
            *match number.mark(level) {
                Mark::Reproduced => &mut score.reproduced,
                Mark::ReproducedUnder(_) => &mut score.under,
                Mark::Contradicts(_) => &mut score.contradicts,
                Mark::NotReproduced => &mut score.not,
            } += 1;
        }
        score
    }

    /// The number of all numbers.
    pub fn all(&self) -> usize {
        self.reproduced + self.under + self.contradicts + self.not
    }
}

/// "12 of 20 numbers reproduced, 3 more under another reading; 1 contradicts its own paper, 4 not reproduced".
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} numbers reproduced", self.reproduced, self.all())?;
        if self.under > 0 {
            write!(f, ", {} more under another reading", self.under)?;
        }
        match self.contradicts {
            0 => {}
            1 => write!(f, "; 1 contradicts its own paper")?,
            more => write!(f, "; {more} contradict their own paper")?,
        }
        if self.not > 0 {
            write!(f, "; {} not reproduced", self.not)?;
        }
        Ok(())
    }
}
