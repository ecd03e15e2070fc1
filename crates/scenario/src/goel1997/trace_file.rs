//! `trace.dat`: the times of the channel's changes, in milliseconds [goel1997 B.3.1].
//!
//! The thesis describes the file's purpose, not its format. Here each line is `time GOOD` or `time BAD`, the state from
//! that time on; or each line is only a time, at which the state changes. The two are not mixed, so that a file
//! truncated within a line is detected. The channel is GOOD before the first line. Blank lines and comments after # are
//! skipped; a line that repeats the present state has no effect.

use std::fmt::Write;

use engine::Span;
use path::channel::ChannelState;
use path::channel::timeline::Timeline;

use super::quantities::{MILLISECONDS, Refusal};
use super::report::decode_text;
use crate::problem::{Problem, sanitize_input};

/// The ascending times of the channel's changes, the first one to BAD, the next to GOOD, and so on. `file` is its name
/// in messages.
pub fn parse_switches(file: &str, text: &[u8]) -> Result<Vec<Span>, Problem> {
    let text = decode_text(file, text)?;
    let mut switches: Vec<Span> = Vec::new();
    // Previous line: its number, its time, and whether it has a state.
    let mut before: Option<(usize, Span, bool)> = None;
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let code = line.find('#').map_or(line, |comment| &line[..comment]);
        let at = start + (code.len() - code.trim_ascii_start().len());
        start += line.len();
        let code = code.trim_ascii();
        if code.is_empty() {
            continue;
        }
        let wrong = |problem: Problem| problem.in_file(file).at_offset(text, at).found(sanitize_input(code));
        let (time, state) = parse_switch_line(code).map_err(wrong)?;
        if let Some((line, earlier, with_state)) = before {
            if with_state != state.is_some() {
                let problem = Problem::new(format!("a state or none, as on line {line}"));
                return Err(wrong(problem.hint("is the file truncated? Otherwise give every line a state, or none")));
            }
            if earlier >= time {
                let expected = format!("a time after {} ms, of line {line}", format_switch_time(earlier));
                return Err(wrong(Problem::new(expected).hint("times must increase")));
            }
        }
        before = Some((number + 1, time, state.is_some()));
        let present = Timeline::state_after(switches.len() + 1);
        if state != Some(present) {
            switches.push(time);
        }
    }
    Ok(switches)
}

/// The time in a line, and the state, if there is one.
fn parse_switch_line(code: &str) -> Result<(Span, Option<ChannelState>), Problem> {
    let expected = || Problem::new("a time in milliseconds and GOOD or BAD, such as 1233.5 BAD");
    let mut words = code.split_ascii_whitespace();
    let time = words.next().unwrap_or_default();
    let time = (MILLISECONDS.read)(time).map_err(|Refusal(hint)| Problem { hint, ..expected() })?;
    let state = match words.next() {
        None => None,
        Some("GOOD") => Some(ChannelState::Good),
        Some("BAD") => Some(ChannelState::Bad),
        Some(word) => return Err(expected().nearest(&sanitize_input(&word.to_ascii_uppercase()), ["GOOD", "BAD"])),
    };
    match words.next() {
        Some(_) => Err(expected().hint("write one switch a line")),
        None => Ok((time, state)),
    }
}

/// The text of a trace with these changes; the first one is to BAD.
pub fn write_switches(switches: &[Span]) -> String {
    let mut text = String::new();
    for (index, at) in switches.iter().enumerate() {
        let state = match Timeline::state_after(index) {
            ChannelState::Good => "GOOD",
            ChannelState::Bad => "BAD",
        };
        let _ = writeln!(text, "{} {state}", format_switch_time(*at));
    }
    text
}

/// Milliseconds with the required decimals, at most six.
fn format_switch_time(at: Span) -> String {
    let (whole, nanos) = (at.as_nanos() / 1_000_000, at.as_nanos() % 1_000_000);
    let text = format!("{whole}.{nanos:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switches(text: &str) -> Vec<u64> {
        let switches = parse_switches("trace.dat", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"));
        switches.iter().map(|at| at.as_nanos()).collect()
    }

    #[test]
    fn switches_alternate_beginning_with_bad() {
        let expected = [1_233_500_000, 1_250_000_000, 1_570_000_001];
        assert_eq!(switches("1233.5 BAD\n1250 GOOD\n1570.000001 BAD\n"), expected);
        assert_eq!(switches("1233.5\n1250\n1570.000001"), expected);
        assert_eq!(switches("# air\r\n\r\n 1233.5\tBAD # 1\r\n1250 GOOD\r\n1570.000001 BAD"), expected);
        assert_eq!(switches("0 GOOD\n1233.5 BAD\n1240 BAD\n1250 GOOD\n1570.000001 BAD"), expected);
        assert_eq!(switches(""), [0; 0]);
        assert_eq!(switches("0 BAD"), [0]);
    }

    #[test]
    fn written_file_is_parsed_back() {
        let text = "1233.5 BAD\n1250 GOOD\n1570.000001 BAD\n";
        assert_eq!(write_switches(&parse_switches("trace.dat", text.as_bytes()).unwrap()), text);
    }

    #[test]
    fn each_error_names_its_line() {
        let mistakes: [(&[u8], &str, &str); 13] = [
            (b"5 BAD\n5 GOOD", "2:1: found 5 GOOD, expected a time after 5 ms, of line 1", "times must increase"),
            (b"5 BAD\n\n 4.5 GOOD", "3:2: found 4.5 GOOD, expected a time after", "times must increase"),
            (b"5 BAD\n6 GODO", "2:1: found 6 GODO, expected a time in milliseconds and", "did you mean \"GOOD\"?"),
            (b"5 bad", "1:1: found 5 bad, expected", "did you mean \"BAD\"?"),
            (b"5 BAD\n6 GO", "2:1: found 6 GO, expected", "known: GOOD, BAD"),
            (b"5 BAD\n6", "2:1: found 6, expected a state or none, as on line 1", "is the file truncated?"),
            (b"5\n6.", "2:1: found 6., expected a time in milliseconds", "digits after the point"),
            (b"5 BAD 6 GOOD", "1:1: found 5 BAD 6 GOOD", "one switch a line"),
            (b"BAD 5", "1:1: found BAD 5", ""),
            (b"-5 BAD", "1:1: found -5 BAD", "it cannot be negative"),
            (b"5ms BAD", "1:1: found 5ms BAD", "the unit is fixed"),
            (b"18446744073710 BAD", "1:1: found 18446744073710 BAD", "too large"),
            (b"5 BAD\n\0", "2:1: found byte 0x00, expected plain text", "plain ASCII or UTF-8"),
        ];
        for (text, said, hint) in mistakes {
            let problem = parse_switches("trace.dat", text).expect_err(said);
            assert!(problem.to_string().starts_with(&format!("trace.dat:{said}")), "{problem}\nshould say {said}");
            assert!(problem.hint.as_deref().unwrap_or_default().contains(hint), "{problem}\nshould hint {hint}");
        }
    }
}
