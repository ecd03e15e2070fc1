//! Errors distinguished by a reader of scenarios.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::key_path::PathStep;

/// The kind of an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mistake {
    /// A key unknown to its table, and the known keys.
    UnknownKey { name: String, known: &'static [&'static str] },
    /// A required key is missing.
    MissingKey(&'static str),
    /// An unknown word.
    UnknownWord { name: String, known: Vec<String> },
    /// A value of another type, or beyond the range of its type, and a description of the expected one.
    Type { expected: String },
    /// A value refused by its type: a description of the expected value, and a suggestion.
    Refused { expected: String, hint: Option<String> },
    /// A setting that an outside member cannot read, with the message of its reader.
    Unreadable { message: String },
}

/// An error with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Error {
    pub mistake: Mistake,
    /// The path of the value; for an unknown key the path of the key, for a missing key the path of its table.
    pub at: Option<Vec<PathStep>>,
}

impl Error {
    /// A value of another type than `expected`.
    pub fn wrong_type(expected: impl Into<String>) -> Self {
        Mistake::Type { expected: expected.into() }.into()
    }

    /// Sets the position to `path`, unless a more precise one is known.
    pub fn locate(mut self, path: impl FnOnce() -> Vec<PathStep>) -> Self {
        self.at.get_or_insert_with(path);
        self
    }

    /// Extends the position of an unknown key to the key itself: a visitor that reads the keys of a table without a
    /// derived reader knows only the table.
    pub fn at_its_key(mut self) -> Self {
        if let (Mistake::UnknownKey { name, .. }, Some(at)) = (&self.mistake, &mut self.at) {
            let key = PathStep::Key(name.clone());
            if at.last() != Some(&key) {
                at.push(key);
            }
        }
        self
    }

    /// Replaces the description of the expected type by `words`, if the error is about this type and not about a value
    /// inside.
    pub fn in_words(self, words: &str) -> Self {
        match (&self.mistake, &self.at) {
            (Mistake::Type { .. }, None) => Error::wrong_type(words),
            _ => self,
        }
    }
}

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Self {
        Error { mistake, at: None }
    }
}

impl de::Error for Error {
    /// Splits the error of a quantity, which has the expectation in its first line, and a suggestion in its second line
    /// ([`engine::units::UnitError`]).
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        let (expected, hint) =
            message.split_once('\n').map_or((&*message, None), |(first, second)| (first, Some(second)));
        Mistake::Refused { expected: expected.to_owned(), hint: hint.map(str::to_owned) }.into()
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::wrong_type(expected.to_string())
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::wrong_type(expected.to_string())
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Error::wrong_type(expected.to_string())
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        let known = known.iter().map(|word| (*word).to_owned()).collect();
        Mistake::UnknownWord { name: name.to_owned(), known }.into()
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Mistake::UnknownKey { name: name.to_owned(), known }.into()
    }

    fn missing_field(name: &'static str) -> Self {
        Mistake::MissingKey(name).into()
    }

    fn duplicate_field(name: &'static str) -> Self {
        Mistake::Refused { expected: format!("`{name}` once"), hint: None }.into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mistake {
            Mistake::UnknownKey { name, .. } => write!(f, "no such key: {name}"),
            Mistake::MissingKey(name) => write!(f, "`{name}` is missing"),
            Mistake::UnknownWord { name, known } => {
                write!(f, "found \"{name}\", expected one of: {}", known.join(", "))
            }
            Mistake::Type { expected } | Mistake::Refused { expected, .. } => write!(f, "expected {expected}"),
            Mistake::Unreadable { message } => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for Error {}
