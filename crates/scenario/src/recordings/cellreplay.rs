//! Base delays as CellReplay records them [Sentosa2025; its src/frontend/cellular_queue.cc]: each line has a time and a
//! one-way delay in milliseconds, then the times at which the packets of a train arrived after the first. CellReplay
//! interpolates the delay between lines, and delivers the first packets after a pause at the times of the train; here each
//! line's delay holds until the next, and the trains are not used. The saturated rate is in another file, in Mahimahi's
//! format: `delivery_trace`.

use engine::Span;
use path::link::variable::recorded::LinkConditions;

use super::recorded::LinkRecording;
use super::{delay_from_millis, lines_with_offsets, refuse_line, span_from_seconds, unless_ended};
use crate::problem::Problem;

/// Reads the delays in `text`. `file` is its name in messages.
pub fn read_cellreplay(file: &str, text: &str) -> Result<LinkRecording, Problem> {
    let mut rows: Vec<LinkConditions> = Vec::new();
    let mut last = (0, "");
    for (offset, line) in lines_with_offsets(text) {
        last = (offset, line);
        let code = line.trim_ascii();
        let wrong = |expected: String| refuse_line(file, text, offset, code, expected);
        let numbers: Result<Vec<f64>, _> = code.split_ascii_whitespace().map(str::parse).collect();
        let Ok([time, millis, train @ ..]) = numbers.as_deref() else {
            return Err(wrong("a time, a delay and times of deliveries, in milliseconds".to_owned()));
        };
        let positive = train.iter().all(|time| delay_from_millis(*time).is_some());
        let (Some(at), Some(delay), true) = (span_from_seconds(time / 1e3), delay_from_millis(*millis), positive)
        else {
            return Err(wrong("milliseconds that are not negative, the second a delay of at most an hour".to_owned()));
        };
        match rows.last_mut() {
            Some(before) if before.at > at => {
                return Err(wrong(format!("a time of at least {}, the time of the previous line", before.at)));
            }
            Some(before) if before.at == at => before.delay = Some(delay),
            _ => rows.push(LinkConditions { at, rate: None, delay: Some(delay), loss: 0.0 }),
        }
    }
    let Some(end) = rows.last().map(|row| row.at).filter(|end| *end > Span::ZERO) else {
        let problem = Problem::new("at least two lines with different times");
        return Err(problem.in_file(file).found(if rows.is_empty() { "nothing" } else { "one time" }));
    };
    match unless_ended(file, text, last.0, last.1) {
        Some(problem) => Err(problem),
        None => Ok(LinkRecording { rows, end }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_delays_hold_until_the_next_line() {
        let recorded =
            read_cellreplay("down", "0 26 0 0 1 3\n100.0 30 0 2\n100 31 0.5\n250 20\n").expect("it is valid");
        let row = |at: u64, millis: u64| LinkConditions {
            at: Span::from_millis(at),
            rate: None,
            delay: Some(Span::from_millis(millis)),
            loss: 0.0,
        };
        assert_eq!(recorded.rows, [row(0, 26), row(100, 31), row(250, 20)]);
        assert_eq!(recorded.end, Span::from_millis(250));
    }

    #[test]
    fn each_error_names_its_line() {
        for (text, said) in [
            ("0 26 0\n5\n", "down:2:1: found 5, expected a time, a delay and times of deliveries"),
            ("0 26 0\n5 x 0\n", "down:2:1: found 5 x 0, expected a time, a delay and times of deliveries"),
            ("0 26 0\n5 9 -1\n", "down:2:1: found 5 9 -1, expected milliseconds that are not negative"),
            ("0 26 0\n5 nan\n", "down:2:1: found 5 nan, expected milliseconds that are not negative"),
            (
                "9 26 0\n5 9 1\n",
                "down:2:1: found 5 9 1, expected a time of at least 9 ms, the time of the previous line",
            ),
            ("0 26 0\n5 9 1", "down:2:1: found 5 9 1, expected a line feed after its last line"),
            ("0 26 0\n", "down: found one time, expected at least two lines with different times"),
            ("", "down: found nothing, expected at least two lines"),
        ] {
            let problem = read_cellreplay("down", text).expect_err(said);
            assert!(problem.to_string().starts_with(said), "{problem}\nshould say {said}");
        }
    }
}
