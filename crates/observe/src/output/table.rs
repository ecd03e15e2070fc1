//! Tables in columns, the input of the encoder of a file format.

use std::io;

use foldhash::fast::FixedState;
use indexmap::IndexSet;

/// Encodes one table in a file format.
pub trait TableEncoder {
    /// The next bytes of the file, with these rows. Each call has the columns of the first one, all of equal length.
    fn rows(&mut self, columns: &[EncodedColumn]) -> io::Result<Vec<u8>>;
    /// The last bytes of the file.
    fn finish(self: Box<Self>) -> io::Result<Vec<u8>>;
}

/// A column of a table.
pub struct EncodedColumn {
    /// The name.
    pub name: &'static str,
    /// Present values, without missing ones.
    pub values: ColumnValues,
    /// Whether each row has a value; `None` if no value of the column can be missing.
    pub present: Option<Vec<bool>>,
}

/// Values of one type.
pub enum ColumnValues {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Numbers.
    Numbers(Vec<f64>),
    /// Truth values.
    Flags(Vec<bool>),
    /// Text.
    Texts(Texts),
}

/// Text by number.
#[derive(Default)]
pub struct Texts {
    distinct: IndexSet<String, FixedState>,
    numbers: Vec<u32>,
}

impl EncodedColumn {
    /// Removes all values.
    pub(super) fn clear(&mut self) {
        match &mut self.values {
            ColumnValues::Integers(values) => values.clear(),
            ColumnValues::Numbers(values) => values.clear(),
            ColumnValues::Flags(values) => values.clear(),
            ColumnValues::Texts(values) => values.clear(),
        }
        self.present.iter_mut().for_each(Vec::clear);
    }
}

impl Texts {
    /// Each different text once.
    pub fn distinct(&self) -> impl Iterator<Item = &str> {
        self.distinct.iter().map(String::as_str)
    }

    /// Texts, as indices into the list of different texts.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    pub(super) fn push(&mut self, text: &str) {
        // The text equals the previous one in most rows.
        let last = self.numbers.last().copied().filter(|last| self.distinct[*last as usize] == text);
        let number = last.unwrap_or_else(|| self.number(text));
        self.numbers.push(number);
    }

    fn number(&mut self, text: &str) -> u32 {
        let known = self.distinct.get_index_of(text);
        known.unwrap_or_else(|| self.distinct.insert_full(text.to_owned()).0) as u32
    }

    fn clear(&mut self) {
        self.distinct.clear();
        self.numbers.clear();
    }
}
