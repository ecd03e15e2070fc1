//! Recordings of links, in files beside the scenario: chances to send, and properties over time.
//!
//! The air's own recording, GOOD and BAD, is of the thesis: [`trace_file`](crate::goel1997::trace_file).

pub mod opportunities;
pub mod table;

use crate::problem::{Problem, shown};

/// The lines of `text` with their offsets, without what ends them.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

/// What is wrong with a line of `file`, which begins at `offset`.
fn wrong(file: &str, text: &str, offset: usize, found: &str, expected: impl Into<String>) -> Problem {
    let found = if found.is_empty() { "an empty line".to_owned() } else { shown(found) };
    Problem::new(expected).in_file(file).at_offset(text, offset).found(found)
}
