//! Rates in the logs of G-NetTrack Pro, as in Raca's 5G dataset [Raca2020]: a line of names, then a line a second with
//! `Timestamp` (2019.11.28_07.27.05), `DL_bitrate` and `UL_bitrate` in kbit/s, and `State`. Lines in which the phone
//! downloads nothing (`State` is I) are skipped, because their rate is not a property of the link, and so are lines
//! without a rate; a rate applies until the next line. Of several lines with one time the last counts. The round trips
//! of the log are measured under load and not used.

use engine::Span;
use path::link::variable::recorded::LinkConditions;

use super::recorded::LinkRecording;
use super::{lines_with_offsets, refuse_line, round_bit_rate, unless_ended};
use crate::problem::Problem;

/// Reads the rates of downloads in `text`. `file` is its name in messages.
pub fn read_downlink(file: &str, text: &str) -> Result<LinkRecording, Problem> {
    read_bitrates(file, text, "DL_bitrate")
}

/// Reads the rates of uploads in `text`. `file` is its name in messages.
pub fn read_uplink(file: &str, text: &str) -> Result<LinkRecording, Problem> {
    read_bitrates(file, text, "UL_bitrate")
}

fn read_bitrates(file: &str, text: &str, column: &str) -> Result<LinkRecording, Problem> {
    let mut all = lines_with_offsets(text).filter(|(_, line)| !line.trim_ascii().is_empty());
    let Some((offset, header)) = all.next() else {
        return Err(Problem::new(format!("columns Timestamp and {column}")).in_file(file).found("nothing"));
    };
    let place = |name: &str| header.split(',').position(|cell| cell.trim_ascii() == name);
    let (Some(stamp), Some(bitrate)) = (place("Timestamp"), place(column)) else {
        return Err(refuse_line(file, text, offset, header, format!("columns Timestamp and {column}")));
    };
    let state = place("State");
    let mut rows: Vec<LinkConditions> = Vec::new();
    let mut start: Option<u64> = None;
    let mut last = (offset, header);
    for (offset, line) in all {
        last = (offset, line);
        let wrong = |expected: String| refuse_line(file, text, offset, line, expected);
        let cells: Vec<&str> = line.split(',').map(str::trim_ascii).collect();
        let (Some(time), Some(kbps)) = (cells.get(stamp), cells.get(bitrate)) else {
            let problem = wrong(format!("{} values, as the first line has names", header.split(',').count()));
            return Err(problem.hint("is the file truncated here?"));
        };
        let time = parse_timestamp(time).ok_or_else(|| wrong("a time such as 2019.11.28_07.27.05".to_owned()))?;
        let idle = state.and_then(|state| cells.get(state)).is_some_and(|state| *state == "I");
        if idle || matches!(*kbps, "" | "-") {
            continue;
        }
        let bits = kbps.parse::<f64>().ok().and_then(|kbps| round_bit_rate(kbps * 1e3));
        let bits = bits.ok_or_else(|| wrong(format!("a rate in kbit/s in {column}; not `{kbps}`")))?;
        let Some(at) = time.checked_sub(*start.get_or_insert(time)).map(Span::from_secs) else {
            return Err(wrong("a time not before the time of the previous line".to_owned()));
        };
        match rows.last_mut() {
            Some(before) if before.at > at => {
                return Err(wrong("a time not before the time of the previous line".to_owned()));
            }
            Some(before) if before.at == at => before.rate = Some(bits),
            _ => rows.push(LinkConditions { at, rate: Some(bits), delay: None, loss: 0.0 }),
        }
    }
    let Some(end) = rows.last().map(|row| row.at + Span::from_secs(1)) else {
        let problem = Problem::new(format!("a line with a {column} while the phone downloads"));
        return Err(problem.in_file(file).found("none"));
    };
    match unless_ended(file, text, last.0, last.1) {
        Some(problem) => Err(problem),
        None => Ok(LinkRecording { rows, end }),
    }
}

/// The seconds of a time such as 2019.11.28_07.27.05 since the year 0.
fn parse_timestamp(stamp: &str) -> Option<u64> {
    let parts: Vec<u64> = stamp.split(['.', '_']).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day, hour, minute, second] = parts[..] else { return None };
    let valid = year < 10_000 && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !valid || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Years that begin in March, so that the leap day is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    Some(86_400 * days + 3_600 * hour + 60 * minute + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "Timestamp,Speed,DL_bitrate,UL_bitrate,State\n2019.12.31_23.59.58,0,1000,50,D\n\
                       2019.12.31_23.59.59,0,9,50,I\n2020.01.01_00.00.00,0,-,60,D\n2020.01.01_00.00.01,0,2000,70,D\n\
                       2020.01.01_00.00.01,0,2500.5,80,D\n";

    fn rates(recorded: LinkRecording) -> Vec<(u64, Option<u64>)> {
        recorded.rows.iter().map(|row| (row.at.as_nanos() / 1_000_000_000, row.rate)).collect()
    }

    #[test]
    fn rates_of_idle_seconds_are_skipped() {
        let down = read_downlink("log.csv", LOG).expect("it is valid");
        assert_eq!(down.end, Span::from_secs(4));
        assert_eq!(rates(down), [(0, Some(1_000_000)), (3, Some(2_500_500))]);
        let up = read_uplink("log.csv", LOG).expect("it is valid");
        assert_eq!(rates(up), [(0, Some(50_000)), (2, Some(60_000)), (3, Some(80_000))]);
    }

    #[test]
    fn timestamps_count_month_ends_and_leap_days() {
        for (from, to, days) in [
            ("2020.02.28_00.00.00", "2020.03.01_00.00.00", 2),
            ("2019.02.28_00.00.00", "2019.03.01_00.00.00", 1),
            ("2019.12.31_00.00.00", "2020.01.01_00.00.00", 1),
            ("2019.04.30_00.00.00", "2019.05.01_00.00.00", 1),
        ] {
            assert_eq!(
                parse_timestamp(to).zip(parse_timestamp(from)).map(|(to, from)| to - from),
                Some(days * 86_400),
                "{from} to {to}"
            );
        }
    }

    #[test]
    fn each_error_names_its_line() {
        let log = |line: &str| format!("{LOG}{line}");
        for (text, said) in [
            (String::new(), "log.csv: found nothing, expected columns Timestamp and DL_bitrate"),
            ("Timestamp,UL_bitrate\n".into(), "log.csv:1:1: found Timestamp,UL_bitrate, expected columns"),
            (log("2020.01.01_00.00\n"), "log.csv:7:1: found 2020.01.01_00.00, expected 5 values"),
            (log("2020.13.01_00.00.00,0,1,1,D\n"), "log.csv:7:1: found 2020.13.01_00.00.00,0,1,1,D, expected a time"),
            (log("2020.01.01_00.00.02,0,x,1,D\n"), "log.csv:7:1: found 2020.01.01_00.00.02,0,x,1,D, expected a rate"),
            (log("2020.01.01_00.00.00,0,1,1,D\n"), "log.csv:7:1: found 2020.01.01_00.00.00,0,1,1,D, expected a time"),
            (
                log("2020.01.01_00.00.02,0,5,1,D"),
                "log.csv:7:1: found 2020.01.01_00.00.02,0,5,1,D, expected a line feed",
            ),
            (
                "Timestamp,DL_bitrate,State\n2020.01.01_00.00.02,5,I\n".into(),
                "log.csv: found none, expected a line with a DL_bitrate",
            ),
        ] {
            let problem = read_downlink("log.csv", &text).expect_err(said);
            assert!(problem.to_string().starts_with(said), "{problem}\nshould say {said}");
        }
    }
}
