//! `trace.dat`: when the air switched, in milliseconds [goel1997 B.3.1].
//!
//! The thesis says what the file is for, not what it looks like. Here each line is `time GOOD` or `time BAD`, the
//! state from that time on; or a bare time, at which the state changes. The air is GOOD before the first line. Blank
//! lines and comments behind # are skipped; a line that repeats the state the air is in changes nothing.

use std::fmt::Write;

use engine::Span;
use path::channel::State;

use super::quantities::{MILLISECONDS, Refusal};
use super::report::decode;
use crate::problem::{Problem, shown};

/// The times at which the air switches: the first leads into BAD, the next into GOOD, and so on. They rise.
/// `file` is what the user called it.
pub fn parse(file: &str, text: &[u8]) -> Result<Vec<Span>, Problem> {
    let text = decode(file, text)?;
    let mut switches: Vec<Span> = Vec::new();
    // Where and when the line before stood.
    let mut before: Option<(usize, Span)> = None;
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let code = line.find('#').map_or(line, |comment| &line[..comment]);
        let at = start + (code.len() - code.trim_ascii_start().len());
        start += line.len();
        if code.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |problem: Problem| problem.in_file(file).at_offset(text, at).found(shown(code.trim_ascii()));
        let present = if switches.len().is_multiple_of(2) { State::Good } else { State::Bad };
        let (time, state) = switch(code, present).map_err(wrong)?;
        if let Some((line, earlier)) = before.filter(|(_, earlier)| *earlier >= time) {
            let expected = format!("a time after {} ms, of line {line}", millis(earlier));
            return Err(wrong(Problem::new(expected).hint("times must rise from line to line")));
        }
        before = Some((number + 1, time));
        if state != present {
            switches.push(time);
        }
    }
    Ok(switches)
}

/// The time in a line, and the state from then on, if it is `present` now.
fn switch(code: &str, present: State) -> Result<(Span, State), Problem> {
    let expected = || Problem::new("a time in milliseconds and GOOD or BAD, such as 1233.5 BAD");
    let mut words = code.split_ascii_whitespace();
    let (time, state) = (words.next().unwrap_or_default(), words.next());
    let time = (MILLISECONDS.read)(time).map_err(|Refusal(hint)| Problem { hint, ..expected() })?;
    let state = match state {
        None if present == State::Good => State::Bad,
        None => State::Good,
        Some("GOOD") => State::Good,
        Some("BAD") => State::Bad,
        Some(word) => return Err(expected().nearest(&shown(&word.to_ascii_uppercase()), ["GOOD", "BAD"])),
    };
    match words.next() {
        Some(_) => Err(expected().hint("write one switch a line")),
        None => Ok((time, state)),
    }
}

/// A trace of these switches; the first leads into BAD.
pub fn write(switches: &[Span]) -> String {
    let mut text = String::new();
    for (index, at) in switches.iter().enumerate() {
        let state = if index.is_multiple_of(2) { "BAD" } else { "GOOD" };
        let _ = writeln!(text, "{} {state}", millis(*at));
    }
    text
}

/// Milliseconds with as many of six decimals as are needed.
fn millis(at: Span) -> String {
    let (whole, nanos) = (at.as_nanos() / 1_000_000, at.as_nanos() % 1_000_000);
    let text = format!("{whole}.{nanos:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
