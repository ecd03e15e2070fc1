//! What papers print: numbers, readings of what they leave open, statements that exclude each other.

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
