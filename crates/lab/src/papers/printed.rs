//! What papers print: numbers, readings of ambiguous passages, and contradictory statements.

/// A reading: an interpretation of a passage that a paper leaves open. The file of a paper declares each reading once.
#[derive(PartialEq, Eq, Debug)]
pub struct Reading {
    /// The short name.
    pub name: &'static str,
    /// The assumption. For an alternative reading, the difference from the primary reading.
    pub what: &'static str,
    /// Evidence for the assumption: a page of the paper, or a property of the paper's simulator.
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
    /// Place of the statements, such as "pages 5 and 6".
    pub pages: &'static str,
    /// The two statements as printed; the statement with the number first.
    pub values: [&'static str; 2],
    /// Reason why the statements contradict each other, as a sentence.
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
