//! Recordings of links, in files relative to the scenario: delivery opportunities, and properties over time.
//!
//! The recording of channel states, GOOD and BAD, has the form of the thesis:
//! [`trace_file`](crate::goel1997::trace_file).

mod cellreplay;
pub mod format;
mod leo_delay;
pub mod opportunities;
mod pensieve;
mod raca5g;
pub mod recorded;
pub mod table;

use std::cell::RefCell;
use std::collections::BTreeMap;

use engine::Span;
use path::link::jitter::MAX_DELAY;
use path::link::variable::recorded::Opportunities;

use crate::problem::{Problem, sanitize_input};
use format::Format;
use recorded::LinkRecording;

/// Parsed recordings, by their text. They are cached because a sweep checks its scenario at every point, and recordings
/// do not change.
#[derive(Default)]
pub struct RecordingCache {
    opportunities: RefCell<BTreeMap<String, Opportunities>>,
    tables: RefCell<BTreeMap<String, (&'static str, LinkRecording)>>,
}

impl RecordingCache {
    /// The opportunities in `text`; `file` is its name in messages.
    pub fn opportunities(&self, file: &str, text: &str) -> Result<Opportunities, Problem> {
        parse_once(&self.opportunities, text, || opportunities::parse_opportunities(file, text))
    }

    /// Returns the properties over time in `text`, and the name of their format. `file` is the name of the text in
    /// messages.
    pub fn table(&self, file: &str, text: &str, format: Format) -> Result<(&'static str, LinkRecording), Problem> {
        let reader = format.reader(file, text)?;
        parse_once(&self.tables, &format!("{}\n{text}", reader.name), || Ok((reader.name, reader.read(file, text)?)))
    }
}

fn parse_once<T: Clone>(
    read: &RefCell<BTreeMap<String, T>>,
    text: &str,
    parse: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, Problem> {
    if let Some(known) = read.borrow().get(text) {
        return Ok(known.clone());
    }
    let parsed = parse()?;
    read.borrow_mut().insert(text.to_owned(), parsed.clone());
    Ok(parsed)
}

/// Parses a time in seconds of at most 400 days; `None` for other numbers.
fn span_from_seconds(seconds: f64) -> Option<Span> {
    let nanos = seconds * 1e9;
    (0.0..=400.0 * 86_400e9).contains(&nanos).then(|| Span::from_nanos(nanos.round() as u64))
}

/// Rounds a rate of at most 1 Pbit/s to bit/s; `None` for other numbers.
fn round_bit_rate(bits_per_sec: f64) -> Option<u64> {
    (0.0..=1e15).contains(&bits_per_sec).then(|| bits_per_sec.round() as u64)
}

/// Parses a delay in milliseconds; `None` if no link can have it.
fn delay_from_millis(millis: f64) -> Option<Span> {
    let nanos = millis * 1e6;
    (0.0..=MAX_DELAY.as_nanos() as f64).contains(&nanos).then(|| Span::from_nanos(nanos.round() as u64))
}

/// The lines of `text` with their offsets, without line ends.
fn lines_with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

/// Refuses a text whose last line, `line` at `offset`, has no line end, since it may be truncated within a number.
fn unless_ended(file: &str, text: &str, offset: usize, line: &str) -> Option<Problem> {
    let problem = || refuse_line(file, text, offset, line, "a line feed after its last line");
    (!text.ends_with('\n')).then(|| problem().hint("is the file truncated? If it is complete, end its last line"))
}

/// The problem of a line of `file`, which begins at `offset`.
fn refuse_line(file: &str, text: &str, offset: usize, found: &str, expected: impl Into<String>) -> Problem {
    let found = if found.is_empty() { "an empty line".to_owned() } else { sanitize_input(found) };
    Problem::new(expected).in_file(file).at_offset(text, offset).found(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text is parsed once; errors are reported each time.
    #[test]
    fn table_is_parsed_once() {
        let read = RefCell::default();
        let mut times = 0;
        let mut ask = |text: &str, answer: Result<u32, Problem>| {
            let parse = || {
                times += 1;
                answer
            };
            (parse_once(&read, text, parse), times)
        };
        let wrong = || Err(Problem::new("wrong"));
        assert_eq!(ask("a", wrong()), (wrong(), 1));
        assert_eq!(ask("a", Ok(7)), (Ok(7), 2));
        assert_eq!(ask("a", Ok(8)), (Ok(7), 2));
        assert_eq!(ask("b", Ok(9)), (Ok(9), 3));
    }

    #[test]
    fn table_with_another_separator_is_refused_with_a_hint() {
        for text in ["time_s;rate_Mbps\n0;1\n", "time_s\trate_Mbps\n0\t1\n"] {
            let problem = table::read_property_table("walk.csv", text).unwrap_err();
            assert_eq!(problem.hint.as_deref(), Some("columns are separated by commas"), "{problem}");
        }
    }
}
