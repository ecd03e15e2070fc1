//! What papers print: numbers, readings of ambiguous passages, and contradictory statements.

/// A reading, that is, an interpretation of what a paper leaves open. A paper's file declares each of its readings
/// once.
#[derive(PartialEq, Eq, Debug)]
pub struct Reading {
    /// The short name.
    pub name: &'static str,
    /// The assumption; for an alternative reading, how it differs from the primary one.
    pub what: &'static str,
    /// The evidence for it: a page of the paper, or how the paper's simulator works.
    pub source: &'static str,
}

/// A printed value, or only a bound ("at least one back-off").
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PrintedValue {
    /// An exact value.
    Value(f64),
    /// A lower bound.
    AtLeast(f64),
    /// An upper bound.
    AtMost(f64),
}

/// Two statements of a paper that contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// Where they are, such as "pages 5 and 6".
    pub pages: &'static str,
    /// The two statements as printed; the statement of the number itself first.
    pub values: [&'static str; 2],
    /// Why both cannot hold: a sentence.
    pub why: &'static str,
}

impl From<f64> for PrintedValue {
    fn from(value: f64) -> Self {
        PrintedValue::Value(value)
    }
}

impl PrintedValue {
    /// The value or the bound.
    pub fn value(self) -> f64 {
        let (PrintedValue::Value(value) | PrintedValue::AtLeast(value) | PrintedValue::AtMost(value)) = self;
        value
    }

    /// The prefix of a bound, such as "at least "; empty for a value.
    pub fn prefix(self) -> &'static str {
        match self {
            PrintedValue::Value(_) => "",
            PrintedValue::AtLeast(_) => "at least ",
            PrintedValue::AtMost(_) => "at most ",
        }
    }
}
