//! A recording in any format.

use engine::Span;
use path::link::variable::recorded::LinkConditions;

use super::{lines_with_offsets, refuse_line};
use crate::problem::Problem;

/// A recording of a link's properties over time.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkRecording {
    /// Properties that apply from the time of each row on.
    pub rows: Vec<LinkConditions>,
    /// End of the recording, after which it can repeat.
    pub end: Span,
}

impl LinkRecording {
    /// Returns the mean rate in bit/s over the time of the recording, and the lowest and the highest rate; `None`
    /// without rates.
    pub fn rates(&self) -> Option<[f64; 3]> {
        let until = self.rows.iter().skip(1).map(|row| row.at).chain([self.end]);
        let rates = || self.rows.iter().filter_map(|row| row.rate.map(|rate| rate as f64));
        let (bits, time) = self.rows.iter().zip(until).fold((0.0, 0.0), |(bits, time), (row, until)| {
            let lasted = (until - row.at).as_secs_f64();
            row.rate.map_or((bits, time), |rate| (bits + rate as f64 * lasted, time + lasted))
        });
        (time > 0.0).then(|| [bits / time, rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max)])
    }

    /// The lowest and highest delay; `None` without delays.
    pub fn delays(&self) -> Option<[Span; 2]> {
        let delays = || self.rows.iter().filter_map(|row| row.delay);
        Some([delays().min()?, delays().max()?])
    }

    /// The recording as lasthop's table.
    pub fn to_csv(&self) -> String {
        let [rates, delays, losses] = [
            self.rows.iter().any(|row| row.rate.is_some()),
            self.rows.iter().any(|row| row.delay.is_some()),
            self.rows.iter().any(|row| row.loss > 0.0),
        ];
        let mut text = String::from("time_ns");
        for (column, used) in [(",rate_bps", rates), (",delay_ns", delays), (",loss", losses)] {
            text.push_str(if used { column } else { "" });
        }
        text.push('\n');
        // The last row marks the end, for `repeat`.
        let last = self.rows.last().filter(|row| row.at < self.end).map(|row| LinkConditions { at: self.end, ..*row });
        for row in self.rows.iter().chain(last.as_ref()) {
            text.push_str(&row.at.as_nanos().to_string());
            let mut cell = |used: bool, value: String| {
                if used {
                    text.push_str(&format!(",{value}"));
                }
            };
            cell(rates, row.rate.unwrap_or_default().to_string());
            cell(delays, row.delay.unwrap_or_default().as_nanos().to_string());
            cell(losses, row.loss.to_string());
            text.push('\n');
        }
        text
    }

    /// Maximum number of rows after repetition: more would take a gigabyte.
    const MAX_ROWS: u64 = 20_000_000;

    /// Returns the rows for a run without repetition, in which the last row applies until the end of the run.
    ///
    /// # Errors
    /// The last rate is 0, so that packets would wait forever.
    pub fn once(self, file: &str, text: &str) -> Result<Vec<LinkConditions>, Problem> {
        if self.rows.last().is_none_or(|row| row.rate != Some(0)) {
            return Ok(self.rows);
        }
        let used = lines_with_offsets(text).filter(|(_, line)| !line.trim_ascii().is_empty() && !line.starts_with('#'));
        let (offset, line) = used.last().unwrap_or_default();
        let expected = "a rate of more than 0 in the last row, which applies to the end";
        Err(refuse_line(file, text, offset, line, expected).hint("or repeat = true"))
    }

    /// The rows for a run of `duration` in which the recording repeats from its end. A row at the end, with which a table
    /// marks its end, is replaced by the first. The rate of the last row is not 0; the row may lie after the end of the run.
    ///
    /// # Errors
    /// Every rate is 0, the recording has no duration, or it would have too many rows.
    pub fn repeat_rows(self, file: &str, duration: Span) -> Result<Vec<LinkConditions>, Problem> {
        let LinkRecording { mut rows, end } = self;
        rows.retain(|row| row.at < end);
        let starts_late = rows.first().is_none_or(|row| row.at > Span::ZERO);
        if starts_late || rows.iter().all(|row| row.rate == Some(0)) {
            let expected =
                "a first row at time 0, a later one, and a rate of more than 0 before the last, to be repeated";
            return Err(Problem::new(expected).in_file(file));
        }
        let times = duration.as_nanos() / end.as_nanos() + 2;
        if times.saturating_mul(rows.len() as u64) > Self::MAX_ROWS {
            let expected = format!("at most {} rows over the whole run", Self::MAX_ROWS);
            return Err(Problem::new(expected).in_file(file).found(format!("{} rows, {times} times", rows.len())));
        }
        let round = |number: u64| rows.iter().map(move |row| LinkConditions { at: row.at + end.times(number), ..*row });
        let mut all: Vec<LinkConditions> = (0..times).flat_map(round).collect();
        while all.last().is_some_and(|row| row.rate == Some(0)) {
            all.pop();
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(at: u64, rate: u64) -> LinkConditions {
        LinkConditions { at: Span::from_secs(at), rate: Some(rate), delay: None, loss: 0.0 }
    }

    #[test]
    fn recording_repeats_from_its_end() {
        let recorded = LinkRecording { rows: vec![row(0, 5), row(2, 0), row(3, 0)], end: Span::from_secs(3) };
        let rows = recorded.clone().repeat_rows("trace", Span::from_secs(5)).expect("it can be repeated");
        // The recording runs three times; the last row is the last one with a rate.
        assert_eq!(rows, [row(0, 5), row(2, 0), row(3, 5), row(5, 0), row(6, 5)]);
        let once = recorded.once("trace", "0 9\n2 5\n3 0\n").expect_err("the last rate is 0").to_string();
        assert!(once.starts_with("trace:3:1: found 3 0, expected a rate of more than 0 in the last row"), "{once}");
    }

    #[test]
    fn recording_without_a_beginning_rate_or_bound_is_not_repeated() {
        let repeated = |rows: Vec<LinkConditions>, duration: u64| {
            let recorded = LinkRecording { rows, end: Span::from_secs(2) };
            recorded.repeat_rows("trace", Span::from_secs(duration)).expect_err("it cannot be repeated").to_string()
        };
        assert!(repeated(vec![row(1, 5)], 5).contains("a first row at time 0"));
        assert!(repeated(vec![row(0, 0), row(2, 7)], 5).contains("a rate of more than 0"));
        assert!(repeated(vec![row(0, 5), row(1, 6)], 40_000_000).contains("at most 20000000 rows"));
    }
}
