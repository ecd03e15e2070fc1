//! Rates as in the traces of Pensieve [Mao2017; its sim/env.py], and of the collections that use its form: Norway's 3G,
//! FCC, Oboe, Puffer, Lumos5G. Each line has a time in seconds and a rate in Mbit/s, which applies from the time of the
//! previous line to the time of the same line, as in Pensieve's simulator: only the time of the first line counts, as
//! the start of the run. Rates are rounded to bit/s.

use engine::Span;
use path::link::variable::recorded::LinkConditions;

use super::recorded::LinkRecording;
use super::{lines_with_offsets, refuse_line, round_bit_rate, span_from_seconds, unless_ended};
use crate::problem::Problem;

const LINE: &str = "a time in seconds and a rate in Mbit/s";

/// Reads the rates in `text`. `file` is its name in messages.
pub fn read_pensieve(file: &str, text: &str) -> Result<LinkRecording, Problem> {
    let mut points: Vec<(Span, u64)> = Vec::new();
    let mut last = (0, "");
    for (offset, line) in lines_with_offsets(text) {
        let code = line.trim_ascii();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        last = (offset, line);
        let wrong = |expected: String| refuse_line(file, text, offset, code, expected);
        let numbers: Vec<Option<f64>> = code.split_ascii_whitespace().map(|number| number.parse().ok()).collect();
        let [Some(time), Some(mbps)] = numbers[..] else { return Err(wrong(LINE.to_owned())) };
        let (Some(time), Some(bits)) = (span_from_seconds(time), round_bit_rate(mbps * 1e6)) else {
            return Err(wrong(format!("{LINE}, neither of them negative or out of range")));
        };
        if let Some((before, _)) = points.last().filter(|(before, _)| *before >= time) {
            let problem = wrong(format!("a time after {before}, the time of the previous line"));
            return Err(problem.hint("is the file truncated here?"));
        }
        points.push((time, bits));
    }
    let [first, .., end] = points[..] else {
        let found = if points.is_empty() { "nothing" } else { "one line" };
        return Err(Problem::new(format!("at least two lines, each with {LINE}")).in_file(file).found(found));
    };
    if let Some(problem) = unless_ended(file, text, last.0, last.1) {
        return Err(problem);
    }
    let row = |pair: &[(Span, u64)]| LinkConditions {
        at: pair[0].0 - first.0,
        rate: Some(pair[1].1),
        delay: None,
        loss: 0.0,
    };
    Ok(LinkRecording { rows: points.windows(2).map(row).collect(), end: end.0 - first.0 })
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    /// The rate on a line applies until the time of the line.
    #[test]
    fn rates_hold_until_the_time_of_their_line() {
        let recorded =
            read_pensieve("trace", "180.0\t9\n185.0\t1.5\n190 0\r\n200.25 2.0000004\n").expect("it is valid");
        let rows: Vec<(u64, Option<u64>)> =
            recorded.rows.iter().map(|row| (row.at.as_nanos() / 1_000_000, row.rate)).collect();
        assert_eq!(rows, [(0, Some(1_500_000)), (5_000, Some(0)), (10_000, Some(2_000_000))]);
        assert_eq!(recorded.end, Span::from_millis(20_250));
    }

    #[test]
    fn table_of_a_recording_gives_the_same_rows_when_repeated() {
        let text = "10.5\t0\n11\t1.25\n12.000000001\t0\n13\t2\n";
        let recorded = read_pensieve("trace", text).expect("it is valid");
        let csv = recorded.to_csv();
        let again = table::read_property_table("trace", &csv).expect(&csv);
        let rows =
            |recorded: &LinkRecording| recorded.clone().repeat_rows("trace", Span::from_secs(10)).expect("it repeats");
        assert_eq!((rows(&again), again.end), (rows(&recorded), recorded.end), "{csv}");
        assert_eq!(recorded.rates(), Some([(0.5 * 1.25e6 + 0.999999999 * 2e6) / 2.5, 0.0, 2e6]));
    }

    #[test]
    fn each_error_names_its_line() {
        for (text, said) in [
            ("0 1\n1\n", "trace:2:1: found 1, expected a time in seconds and a rate in Mbit/s"),
            ("0 1\n1 x\n", "trace:2:1: found 1 x, expected a time in seconds and a rate"),
            ("0 1\n1 2 3\n", "trace:2:1: found 1 2 3, expected a time in seconds and a rate"),
            ("0 1\n1 -2\n", "trace:2:1: found 1 -2, expected a time in seconds and a rate in Mbit/s, neither of them"),
            ("0 1\n1 nan\n", "trace:2:1: found 1 nan, expected a time in seconds and a rate in Mbit/s, neither"),
            ("0 1\n1e300 2\n", "trace:2:1: found 1e300 2, expected a time in seconds and a rate in Mbit/s, neither"),
            ("0 1\n2 1\n1 1\n", "trace:3:1: found 1 1, expected a time after 2 s, the time of the previous line"),
            ("0 1\n2 1.", "trace:2:1: found 2 1., expected a line feed after its last line"),
            ("0 1\n", "trace: found one line, expected at least two lines"),
            ("# none\n", "trace: found nothing, expected at least two lines"),
        ] {
            let problem = read_pensieve("trace", text).expect_err(said);
            assert!(problem.to_string().starts_with(said), "{problem}\nshould say {said}");
        }
    }
}
