//! A table of a link's properties over time, comma-separated.
//!
//! The first line names the columns and their units: `time_ms,rate_Mbps,delay_ms,loss`, in any order. `time` is
//! required, and one of the others; missing ones are the link's own settings. Units are as in scenarios. Each line
//! applies from its time until the time of the next, the last to the end. Times increase. Blank lines and lines that begin
//! with # are skipped. The last line ends with a line feed, so that a file truncated within a number is detected.

use engine::{Rate, Span};
use path::link::jitter::MAX_DELAY;
use path::link::variable::recorded::LinkConditions;

use super::recorded::LinkRecording;
use super::{lines_with_offsets, refuse_line, unless_ended};
use crate::problem::{Problem, sanitize_input};

/// A column: its name and its unit.
#[derive(Clone, Copy)]
enum PropertyColumn<'a> {
    Time(&'a str),
    Rate(&'a str),
    Delay(&'a str),
    Loss,
}

const HEADER: &str = "names of columns with units, such as time_s,rate_Mbps,delay_ms,loss";

/// Reads the recording in `text`, which ends at its last row. `file` is the name of the text in messages.
pub fn read_property_table(file: &str, text: &str) -> Result<LinkRecording, Problem> {
    let rows = parse_property_rows(file, text)?;
    let end = rows.last().map_or(Span::ZERO, |row| row.at);
    Ok(LinkRecording { rows, end })
}

/// The rows in `text`.
fn parse_property_rows(file: &str, text: &str) -> Result<Vec<LinkConditions>, Problem> {
    let mut columns: Option<Vec<PropertyColumn<'_>>> = None;
    let mut rows: Vec<LinkConditions> = Vec::new();
    let mut last = (0, "");
    for (at, line) in lines_with_offsets(text) {
        if line.trim_ascii().is_empty() || line.starts_with('#') {
            continue;
        }
        last = (at, line);
        match &columns {
            None => {
                columns =
                    Some(parse_column_names(file, text, at, line).map_err(|problem| hint_at_separator(problem, line))?);
            }
            Some(columns) => rows.push(parse_property_row(file, text, at, line, columns, rows.last())?),
        }
    }
    let (at, line) = last;
    if columns.is_none() {
        return Err(Problem::new(HEADER).in_file(file).found("nothing"));
    }
    if let Some(problem) = unless_ended(file, text, at, line) {
        return Err(problem);
    }
    match rows.last() {
        None => Err(refuse_line(file, text, at, line, "a row after the names of columns")),
        Some(_) => Ok(rows),
    }
}

/// Adds a hint at a separator other than a comma, if columns seem to have one.
fn hint_at_separator(problem: Problem, line: &str) -> Problem {
    let other = !line.contains(',') && line.contains([';', '\t']);
    if other { problem.hint("columns are separated by commas") } else { problem }
}

fn parse_column_names<'a>(
    file: &str,
    text: &str,
    at: usize,
    line: &'a str,
) -> Result<Vec<PropertyColumn<'a>>, Problem> {
    let wrong = |expected: String| refuse_line(file, text, at, line, expected);
    let mut columns = Vec::new();
    let mut seen = Vec::new();
    for name in split_cells(line) {
        let (quantity, unit) = name.split_once('_').unwrap_or((name, ""));
        let (column, fits) = match quantity {
            "time" => (PropertyColumn::Time(unit), format!("1 {unit}").parse::<Span>().is_ok()),
            "delay" => (PropertyColumn::Delay(unit), format!("1 {unit}").parse::<Span>().is_ok()),
            "rate" => (PropertyColumn::Rate(unit), format!("1 {unit}").parse::<Rate>().is_ok()),
            "loss" => (PropertyColumn::Loss, unit.is_empty()),
            _ => {
                let problem = wrong(format!("{HEADER}; not `{}`", sanitize_input(name)));
                return Err(problem.nearest(&sanitize_input(quantity), ["time", "rate", "delay", "loss"]));
            }
        };
        if !fits {
            let units = match quantity {
                "loss" => "`loss` without a unit: it is a probability".to_owned(),
                "rate" => "a unit of bps, kbps, Mbps or Gbps, such as rate_Mbps".to_owned(),
                _ => format!("a unit of h, min, s, ms, us or ns, such as {quantity}_ms"),
            };
            return Err(wrong(format!("{units}; not `{}`", sanitize_input(name))));
        }
        if seen.contains(&quantity) {
            return Err(wrong(format!("one column of {quantity}")));
        }
        seen.push(quantity);
        columns.push(column);
    }
    if !seen.contains(&"time") || seen.len() < 2 {
        return Err(wrong("a column `time` and one of `rate`, `delay`, `loss`".to_owned()).hint(HEADER));
    }
    Ok(columns)
}

fn parse_property_row(
    file: &str,
    text: &str,
    at: usize,
    line: &str,
    columns: &[PropertyColumn<'_>],
    before: Option<&LinkConditions>,
) -> Result<LinkConditions, Problem> {
    let wrong = |expected: String| refuse_line(file, text, at, line, expected);
    let count = split_cells(line).count();
    if count != columns.len() {
        let problem = wrong(format!("{} values, as the first line has names; here are {count}", columns.len()));
        return Err(problem.hint("is the file truncated here?"));
    }
    let mut row = LinkConditions { at: Span::ZERO, rate: None, delay: None, loss: 0.0 };
    for (cell, column) in split_cells(line).zip(columns) {
        let span = |unit: &str| format!("{cell} {unit}").parse::<Span>();
        let refused = |what: &str, hint: Option<String>| {
            let problem = wrong(format!("{what}; not `{}`", sanitize_input(cell)));
            Problem { hint, ..problem }
        };
        match column {
            PropertyColumn::Time(unit) => {
                row.at =
                    span(unit).map_err(|error| refused("a time as a number, in the unit of its column", error.hint))?;
            }
            PropertyColumn::Delay(unit) => {
                let delay = span(unit)
                    .map_err(|error| refused("a delay as a number, in the unit of its column", error.hint))?;
                if delay > MAX_DELAY {
                    return Err(refused("a delay of at most an hour", None));
                }
                row.delay = Some(delay);
            }
            // The rate of a link cannot be zero, but a row may have rate zero: then no packet is sent.
            PropertyColumn::Rate(_)
                if cell.parse::<f64>().is_ok() && cell.bytes().all(|byte| b"0.".contains(&byte)) =>
            {
                row.rate = Some(0);
            }
            PropertyColumn::Rate(unit) => {
                let rate = format!("{cell} {unit}").parse::<Rate>();
                let rate =
                    rate.map_err(|error| refused("a rate as a number, in the unit of its column", error.hint))?;
                row.rate = Some(rate.bits_per_sec());
            }
            PropertyColumn::Loss => {
                let loss = cell.parse::<f64>().ok().filter(|loss| (0.0..=1.0).contains(loss));
                row.loss = loss.ok_or_else(|| refused("a probability, 0 to 1", None))?;
            }
        }
    }
    match before {
        Some(before) if before.at >= row.at => Err(wrong(format!("a time after {}, of the previous row", before.at))),
        _ => Ok(row),
    }
}

/// The values of a line. Programs that write tables may quote names.
fn split_cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|cell| cell.trim_ascii().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(at: u64, rate: Option<u64>, delay: Option<u64>, loss: f64) -> LinkConditions {
        LinkConditions { at: Span::from_millis(at), rate, delay: delay.map(Span::from_millis), loss }
    }

    #[test]
    fn columns_are_converted_from_their_units() {
        let read = |text: &str| parse_property_rows("walk.csv", text).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(
            read("time_s,rate_Mbps,delay_ms,loss\n0,8,20,0\n1.5,0.0,20,0\n 2 , 0.5 ,40,0.01\n"),
            [
                row(0, Some(8_000_000), Some(20), 0.0),
                row(1500, Some(0), Some(20), 0.0),
                row(2000, Some(500_000), Some(40), 0.01)
            ]
        );
        assert_eq!(
            read("# measured\r\n\"loss\",\"time_ms\"\r\n\r\n1e-3,7\r\n# there\r\n1,9\r\n"),
            [row(7, None, None, 1e-3), row(9, None, None, 1.0)]
        );
    }

    #[test]
    fn each_error_names_its_line() {
        let header = "time_s,rate_Mbps\n";
        for (text, said) in [
            ("".to_owned(), "walk.csv: found nothing, expected names of columns with units"),
            ("0,8\n".to_owned(), "walk.csv:1:1: found 0,8, expected names of columns with units"),
            ("time_s,rat_Mbps\n0,8\n".to_owned(), "walk.csv:1:1: found time_s,rat_Mbps, expected names of columns"),
            ("time,rate_Mbps\n0,8\n".to_owned(), "walk.csv:1:1: found time,rate_Mbps, expected a unit of h, min, s"),
            ("time_s,rate_mbps\n0,8\n".to_owned(), "walk.csv:1:1: found time_s,rate_mbps, expected a unit of bps"),
            (
                "time_s,loss_percent\n0,8\n".to_owned(),
                "walk.csv:1:1: found time_s,loss_percent, expected `loss` without",
            ),
            ("time_s\n0\n".to_owned(), "walk.csv:1:1: found time_s, expected a column `time` and one of"),
            (
                "time_s,loss,loss\n0,0,0\n".to_owned(),
                "walk.csv:1:1: found time_s,loss,loss, expected one column of loss",
            ),
            (header.to_owned(), "walk.csv:1:1: found time_s,rate_Mbps, expected a row after"),
            (format!("{header}0,8\n1\n"), "walk.csv:3:1: found 1, expected 2 values, as the first line has names"),
            (format!("{header}0,8\n1,8,9\n"), "walk.csv:3:1: found 1,8,9, expected 2 values"),
            (format!("{header}0,8\n0,9\n"), "walk.csv:3:1: found 0,9, expected a time after 0 ns, of the previous row"),
            (
                format!("{header}0,8\n1,-9\n"),
                "walk.csv:3:1: found 1,-9, expected a rate as a number, in the unit of its column; not `-9`",
            ),
            (format!("{header}0,8\n1,nan\n"), "walk.csv:3:1: found 1,nan, expected a rate"),
            (
                format!("{header}0,8\n1,\n"),
                "walk.csv:3:1: found 1,, expected a rate as a number, in the unit of its column; not ``",
            ),
            (
                format!("{header}0,.\n1,8\n"),
                "walk.csv:2:1: found 0,., expected a rate as a number, in the unit of its column; not `.`",
            ),
            (
                format!("{header}0,0.0.0\n1,8\n"),
                "walk.csv:2:1: found 0,0.0.0, expected a rate as a number, in the unit of its column",
            ),
            (
                format!("{header}0,-0\n1,8\n"),
                "walk.csv:2:1: found 0,-0, expected a rate as a number, in the unit of its column",
            ),
            (format!("{header}0,8\n1,9"), "walk.csv:3:1: found 1,9, expected a line feed after its last line"),
            ("time_s,loss\n0,1.5\n".to_owned(), "walk.csv:2:1: found 0,1.5, expected a probability, 0 to 1; not `1.5`"),
            ("time_s,loss\n0,NaN\n".to_owned(), "walk.csv:2:1: found 0,NaN, expected a probability"),
            ("time_s,delay_h\n0,1.1\n".to_owned(), "walk.csv:2:1: found 0,1.1, expected a delay of at most an hour"),
        ] {
            let problem = parse_property_rows("walk.csv", &text).expect_err(said);
            assert!(problem.to_string().starts_with(said), "{problem}\nshould say {said}");
        }
    }
}
