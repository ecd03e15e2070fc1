//! Collected problems, with the text to which they refer.

use super::Place;
use crate::lines::Lines;
use crate::problem::Problem;

/// The maximum number of reported problems.
const MAX_PROBLEMS: usize = 100;

/// The problems of one text.
pub(super) struct Report<'a> {
    pub(super) file: &'a str,
    text: &'a str,
    lines: Lines,
    problems: Vec<Problem>,
    /// The number of problems not reported.
    more: usize,
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Report { file, text, lines: Lines::new(text), problems: Vec::new(), more: 0 }
    }

    /// Returns another report about the same text, without problems.
    pub(super) fn another(&self) -> Self {
        Report::new(self.file, self.text)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Reports a problem at byte `at`.
    pub(super) fn at(&mut self, at: usize, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            let (place, source) = self.place(at);
            let problem = Problem { place: Some(place), source: Some(source), ..problem };
            self.problems.push(problem.in_file(self.file));
        } else {
            self.more += 1;
        }
    }

    /// Reports a problem of the file as a whole.
    pub(super) fn whole(&mut self, problem: Problem) {
        self.problems.push(problem.in_file(self.file));
    }

    /// Position of byte `at`.
    pub(super) fn place(&self, at: usize) -> Place {
        let (place, source) = self.lines.place(self.text, at);
        (place, source.to_owned())
    }

    /// The line, from 1, of byte `at`.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.line(at)
    }

    /// All problems, in the order of the text.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.place);
        if self.more > 0 {
            let more = format!("{} more problems, not shown", self.more);
            self.whole(Problem::new(more));
        }
        self.problems
    }
}

/// The text of a file that must be plain text.
pub(crate) fn decode_text<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Problem> {
    let refuse = |text: &str, at: usize, byte: u8| {
        let found = match byte {
            b'\r' => "a carriage return without a line feed".to_owned(),
            _ => format!("byte 0x{byte:02x}"),
        };
        let problem = Problem::new("plain text; this looks like a binary file or another encoding");
        let hint = "save the file as plain ASCII or UTF-8 text";
        let mut problem = problem.in_file(file).at_offset(text, at).found(found).hint(hint);
        problem.source = None;
        problem
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        refuse(&String::from_utf8_lossy(bytes), at, bytes[at])
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let bytes = text.as_bytes();
    let bad = |(at, byte): &(usize, &u8)| match byte {
        b'\n' | b'\t' => false,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        byte => byte.is_ascii_control(),
    };
    match bytes.iter().enumerate().find(bad) {
        Some((at, byte)) => Err(refuse(text, at, *byte)),
        None => Ok(text),
    }
}
