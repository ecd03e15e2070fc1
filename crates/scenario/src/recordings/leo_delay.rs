//! Delays as LeoReplayer records them [Lai2025; its traces/README.md]: line number i has the one-way delay in
//! milliseconds of the i-th interval of 10 ms. At the end LeoReplayer begins again.

use engine::Span;
use path::link::variable::recorded::LinkConditions;

use super::recorded::LinkRecording;
use super::{delay_from_millis, lines_with_offsets, refuse_line, unless_ended};
use crate::problem::Problem;

/// Duration of an interval.
const INTERVAL: Span = Span::from_millis(10);

/// Reads the delays in `text`. `file` is its name in messages.
pub fn read_leo_delay(file: &str, text: &str) -> Result<LinkRecording, Problem> {
    let mut rows: Vec<LinkConditions> = Vec::new();
    let mut end = Span::ZERO;
    let mut last = (0, "");
    for (offset, line) in lines_with_offsets(text) {
        last = (offset, line);
        let code = line.trim_ascii();
        let expected = "a delay in milliseconds, 0 to an hour, alone on its line";
        let delay = code.parse::<f64>().ok().and_then(delay_from_millis);
        let delay = delay.ok_or_else(|| refuse_line(file, text, offset, code, expected))?;
        if rows.last().is_none_or(|row| row.delay != Some(delay)) {
            rows.push(LinkConditions { at: end, rate: None, delay: Some(delay), loss: 0.0 });
        }
        end = end + INTERVAL;
    }
    if rows.is_empty() {
        return Err(Problem::new("at least one line with a delay in milliseconds").in_file(file).found("nothing"));
    }
    match unless_ended(file, text, last.0, last.1) {
        Some(problem) => Err(problem),
        None => Ok(LinkRecording { rows, end }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_an_interval_of_ten_milliseconds() {
        let recorded = read_leo_delay("delay.txt", "24\n24\n18.5\n").expect("it is valid");
        let row = |at: u64, micros: u64| LinkConditions {
            at: Span::from_millis(at),
            rate: None,
            delay: Some(Span::from_nanos(micros * 1000)),
            loss: 0.0,
        };
        assert_eq!(recorded, LinkRecording { rows: vec![row(0, 24_000), row(20, 18_500)], end: Span::from_millis(30) });
    }

    #[test]
    fn each_error_names_its_line() {
        for (text, said) in [
            ("24\nx\n", "delay.txt:2:1: found x, expected a delay in milliseconds"),
            ("24\n\n", "delay.txt:2:1: found an empty line, expected a delay in milliseconds"),
            ("24\n-1\n", "delay.txt:2:1: found -1, expected a delay in milliseconds"),
            ("24\n4000000\n", "delay.txt:2:1: found 4000000, expected a delay in milliseconds"),
            ("24\n1", "delay.txt:2:1: found 1, expected a line feed after its last line"),
            ("", "delay.txt: found nothing, expected at least one line"),
        ] {
            let problem = read_leo_delay("delay.txt", text).expect_err(said);
            assert!(problem.to_string().starts_with(said), "{problem}\nshould say {said}");
        }
    }
}
