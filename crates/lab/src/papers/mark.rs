//! What a number can be marked as, and by what: readings of a paper, and its contradictions.

use std::fmt;

use stats::Level;

use super::number::Number;

/// A way to read what a paper leaves open. A paper's file declares each of its readings once.
#[derive(PartialEq, Eq, Debug)]
pub struct Reading {
    /// Its short name.
    pub name: &'static str,
    /// What is taken so; of an alternative, what differs from the primary reading.
    pub what: &'static str,
    /// Why it can be meant: a page of the paper, or how the paper's simulator works.
    pub source: &'static str,
}

/// What the paper prints: a value, or only a bound ("at least one back-off").
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Printed {
    /// A value.
    Value(f64),
    /// A value or more.
    AtLeast(f64),
    /// A value or less.
    AtMost(f64),
}

/// Two statements of a paper that exclude each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// Where they are: "pages 5 and 6".
    pub pages: &'static str,
    /// What they say, as printed; the number's own first.
    pub values: [&'static str; 2],
    /// Why both cannot hold: a sentence.
    pub why: &'static str,
}

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

/// How many numbers have each mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// Reproduced.
    pub reproduced: usize,
    /// Reproduced under another reading.
    pub under: usize,
    /// Contradicted by their own paper.
    pub contradicts: usize,
    /// Not reproduced.
    pub not: usize,
}

impl Score {
    /// Counts.
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

    /// All of them.
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

impl From<f64> for Printed {
    fn from(value: f64) -> Self {
        Printed::Value(value)
    }
}

impl Printed {
    /// The value or the bound.
    pub fn value(self) -> f64 {
        let (Printed::Value(value) | Printed::AtLeast(value) | Printed::AtMost(value)) = self;
        value
    }

    /// The word before it: "at least ", or nothing.
    pub fn prefix(self) -> &'static str {
        match self {
            Printed::Value(_) => "",
            Printed::AtLeast(_) => "at least ",
            Printed::AtMost(_) => "at most ",
        }
    }
}
