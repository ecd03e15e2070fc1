//! Mahimahi's recordings of cellular links (Netravali2015): one line per opportunity to deliver a packet, its time in
//! whole milliseconds. Times do not decrease; several opportunities may have the same time. At the last time the
//! recording repeats. The last line ends with a line feed, so that a file truncated within a number is detected.

use engine::Span;
use path::link::variable::recorded::{LinkConditions, Opportunities};

use super::recorded::LinkRecording;
use super::{lines_with_offsets, refuse_line, unless_ended};
use crate::problem::Problem;

/// Reads the opportunities in `text`. `file` is its name in messages.
pub fn parse_opportunities(file: &str, text: &str) -> Result<Opportunities, Problem> {
    let mut millis: Vec<u64> = Vec::new();
    let mut last = (0, "");
    for (at, line) in lines_with_offsets(text) {
        last = (at, line);
        let expected = "a time in whole milliseconds, alone on its line";
        let code = line.trim_ascii();
        let digits = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return Err(
                refuse_line(file, text, at, code, expected).hint("each line is one opportunity to deliver 1504 bytes")
            );
        }
        let Some(time) = code.parse::<u64>().ok().filter(|time| *time <= Opportunities::MAX_MILLIS) else {
            let expected = format!("a time of at most {} ms, 400 days", Opportunities::MAX_MILLIS);
            return Err(refuse_line(file, text, at, code, expected));
        };
        if let Some(before) = millis.last().filter(|before| **before > time) {
            let problem = refuse_line(
                file,
                text,
                at,
                code,
                format!("a time of at least {before}, the time of the previous line"),
            );
            return Err(problem.hint("times must not decrease; is the file truncated here?"));
        }
        millis.push(time);
    }
    let (at, line) = last;
    if let Some(problem) = unless_ended(file, text, at, line).filter(|_| !text.is_empty()) {
        return Err(problem);
    }
    Opportunities::new(millis).ok_or_else(|| {
        let problem = Problem::new("at least one line, and a last time of more than 0, at which the recording repeats");
        problem.in_file(file).found(if text.is_empty() { "nothing" } else { "a recording of zero duration" })
    })
}

/// The rates of whole seconds of the opportunities in `text`.
pub fn read_opportunity_rates(file: &str, text: &str) -> Result<LinkRecording, Problem> {
    let opportunities = parse_opportunities(file, text)?;
    let bits = |packets: u64| packets * u64::from(8 * Opportunities::BYTES);
    let counts = opportunities.per_second();
    let row = |(second, packets): (usize, &u64)| LinkConditions {
        at: Span::from_secs(second as u64),
        rate: Some(bits(*packets)),
        delay: None,
        loss: 0.0,
    };
    let end = Span::from_secs(counts.len() as u64);
    Ok(LinkRecording { rows: counts.iter().enumerate().map(row).collect(), end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parsed_as_times() {
        let read = |text: &str| parse_opportunities("down.trace", text).unwrap_or_else(|problem| panic!("{problem}"));
        // Three opportunities in 12 ms: 3 x 1504 x 8 bits.
        assert_eq!(read("0\n5\n12\n").mean_rate().bits_per_sec(), 3_008_000);
        assert_eq!(read("0\r\n5\r\n12\r\n"), read("0\n5\n12\n"));
        assert_eq!(read("12\n12\n12\n").mean_rate().bits_per_sec(), 3_008_000);
    }

    #[test]
    fn rates_are_averages_over_whole_seconds() {
        let recorded = read_opportunity_rates("down.trace", "0\n5\n999\n1000\n3500\n")
            .unwrap_or_else(|problem| panic!("{problem}"));
        let rates: Vec<u64> = recorded.rows.iter().filter_map(|row| row.rate).collect();
        assert_eq!((rates, recorded.end), (vec![3 * 12_032, 12_032, 0, 12_032], Span::from_secs(4)));
    }

    #[test]
    fn each_error_names_its_line() {
        for (text, said) in [
            ("5\n7\n6\n", "down.trace:3:1: found 6, expected a time of at least 7, the time of the previous line"),
            ("1\n12", "down.trace:2:1: found 12, expected a line feed after its last line"),
            ("500\n700\n90", "down.trace:3:1: found 90, expected a time of at least 700"),
            ("5\n\n6\n", "down.trace:2:1: found an empty line, expected a time in whole milliseconds"),
            ("5\n6.5\n", "down.trace:2:1: found 6.5, expected a time in whole milliseconds"),
            ("-5\n", "down.trace:1:1: found -5, expected a time in whole milliseconds"),
            ("5 6\n", "down.trace:1:1: found 5 6, expected a time in whole milliseconds"),
            ("5\nNaN\n", "down.trace:2:1: found NaN, expected a time in whole milliseconds"),
            ("99999999999999999999\n", "down.trace:1:1: found 99999999999999999999, expected a time of at most"),
            ("", "down.trace: found nothing, expected at least one line"),
            ("0\n0\n", "down.trace: found a recording of zero duration, expected at least one line"),
        ] {
            let problem = parse_opportunities("down.trace", text).expect_err(said);
            assert!(problem.to_string().starts_with(said), "{problem}\nshould say {said}");
        }
    }
}
