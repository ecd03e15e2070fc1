//! The formats of recordings of a link's properties over time, and how a file's format is recognized.
//!
//! A format is a file with a reader, a variant of [`Format`] and a line in [`READERS`].

use engine::Span;
use path::link::variable::recorded::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{cellreplay, leo_delay, lines, opportunities, pensieve, raca5g, table, wrong};
use crate::problem::Problem;

/// The format of a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Recognized from the text; `lasthop check` prints the result.
    #[default]
    Auto,
    /// lasthop's table, comma-separated, whose first line names columns with units.
    Csv,
    /// Seconds and Mbit/s on each line, as Pensieve's traces.
    Pensieve,
    /// Milliseconds of one-way delay for each 10 ms, as LeoReplayer's delays.
    LeoDelay,
    /// Time and delay in milliseconds, then times of deliveries, as CellReplay's light traces.
    Cellreplay,
    /// The log of G-NetTrack Pro in Raca's 5G dataset: the rate of downloads.
    Raca5g,
    /// The same: the rate of uploads.
    Raca5gUplink,
    /// Times of deliveries in milliseconds, as Mahimahi's links: for `delivery_trace`.
    Mahimahi,
}

/// A recording of a link's properties over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    /// The properties from each row's time on.
    pub rows: Vec<Row>,
    /// The end of the recording, from where it can repeat.
    pub end: Span,
}

impl Recorded {
    /// The mean rate in bit/s over the time of the recording, and the lowest and highest; `None` without rates.
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
        let last = self.rows.last().filter(|row| row.at < self.end).map(|row| Row { at: self.end, ..*row });
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

    /// Rows of a recording that is repeated at most: more would take a gigabyte.
    const MAX_ROWS: u64 = 20_000_000;

    /// The rows for a run without repetition: the last row holds to its end.
    ///
    /// # Errors
    /// The last rate is 0, so that packets would wait forever.
    pub fn once(self, file: &str, text: &str) -> Result<Vec<Row>, Problem> {
        if self.rows.last().is_none_or(|row| row.rate != Some(0)) {
            return Ok(self.rows);
        }
        let used = lines(text).filter(|(_, line)| !line.trim_ascii().is_empty() && !line.starts_with('#'));
        let (offset, line) = used.last().unwrap_or_default();
        let expected = "a rate of more than 0 in the last row, which applies to the end";
        Err(wrong(file, text, offset, line, expected).hint("or repeat = true"))
    }

    /// The rows for a run of `duration` in which the recording repeats from its end. A row at the end, which a table needs to
    /// tell the end, is replaced by the first. The last row has a rate, also if it lies behind the end of the run.
    ///
    /// # Errors
    /// Every rate is 0, the recording has no duration, or it would have too many rows.
    pub fn repeated(self, file: &str, duration: Span) -> Result<Vec<Row>, Problem> {
        let Recorded { mut rows, end } = self;
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
        let round = |number: u64| rows.iter().map(move |row| Row { at: row.at + end.times(number), ..*row });
        let mut all: Vec<Row> = (0..times).flat_map(round).collect();
        while all.last().is_some_and(|row| row.rate == Some(0)) {
            all.pop();
        }
        Ok(all)
    }
}

/// The reader of a format.
pub struct Reader {
    /// The format.
    pub format: Format,
    /// Its name in scenarios.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    /// Reads a text; the first argument is the file's name in messages.
    read: fn(&str, &str) -> Result<Recorded, Problem>,
}

/// The readers of all formats.
pub const READERS: &[Reader] = &[
    Reader {
        format: Format::Csv,
        name: "csv",
        summary: "columns with units, such as time_s,rate_Mbps",
        read: table::read,
    },
    Reader { format: Format::Pensieve, name: "pensieve", summary: "seconds and Mbit/s", read: pensieve::read },
    Reader {
        format: Format::LeoDelay,
        name: "leo-delay",
        summary: "LeoReplayer's delay in ms, a line for each 10 ms",
        read: leo_delay::read,
    },
    Reader {
        format: Format::Cellreplay,
        name: "cellreplay",
        summary: "CellReplay's base delay: time and delay in ms, then times of deliveries",
        read: cellreplay::read,
    },
    Reader {
        format: Format::Raca5g,
        name: "raca5g",
        summary: "G-NetTrack's log of Raca's 5G dataset, rates of downloads",
        read: raca5g::downlink,
    },
    Reader {
        format: Format::Raca5gUplink,
        name: "raca5g-uplink",
        summary: "G-NetTrack's log of Raca's 5G dataset, rates of uploads",
        read: raca5g::uplink,
    },
    Reader {
        format: Format::Mahimahi,
        name: "mahimahi",
        summary: "Mahimahi's times of deliveries in ms, as rates of whole seconds",
        read: opportunities::read,
    },
];

impl Format {
    /// The reader for `text` in this format.
    ///
    /// # Errors
    /// The format is `auto`, and the text has none that is known.
    pub fn reader(self, file: &str, text: &str) -> Result<&'static Reader, Problem> {
        let format = if self == Format::Auto { recognized(file, text)? } else { self };
        let reader = READERS.iter().find(|reader| reader.format == format);
        Ok(reader.unwrap_or_else(|| unreachable!("each format has a reader")))
    }
}

impl Reader {
    /// The recording in `text`; `file` is its name in messages.
    pub fn read(&self, file: &str, text: &str) -> Result<Recorded, Problem> {
        (self.read)(file, text)
    }
}

/// The format of a text, by its first line that is neither empty nor a comment.
fn recognized(file: &str, text: &str) -> Result<Format, Problem> {
    let mut rows = lines(text).map(|(_, line)| line.trim_ascii()).filter(|line| !line.is_empty());
    let Some(first) = rows.find(|line| !line.starts_with('#')) else { return Ok(Format::Csv) };
    if first.contains("DL_bitrate") {
        return Ok(Format::Raca5g);
    }
    let numbers: Vec<&str> = first.split_ascii_whitespace().collect();
    if first.contains(',') || !numbers.iter().all(|number| number.parse::<f64>().is_ok()) {
        return Ok(Format::Csv);
    }
    match numbers.len() {
        1 => one_number_a_line(file, text),
        2 => Ok(Format::Pensieve),
        _ => Ok(Format::Cellreplay),
    }
}

/// Delays, or times of deliveries, which never decrease.
fn one_number_a_line(file: &str, text: &str) -> Result<Format, Problem> {
    let mut last = 0.0;
    for (_, line) in lines(text) {
        let Ok(number) = line.trim_ascii().parse::<f64>() else { return Ok(Format::LeoDelay) };
        if number < last {
            return Ok(Format::LeoDelay);
        }
        last = number;
    }
    let expected = "a known format; numbers that never decrease are times of deliveries or delays";
    let hint = "times of deliveries, as Mahimahi's: `delivery_trace.forward.file`; delays: format = \"leo-delay\"";
    Err(Problem::new(expected).in_file(file).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Result<&'static str, String> {
        Format::Auto.reader("trace", text).map(|reader| reader.name).map_err(|problem| problem.to_string())
    }

    #[test]
    fn format_is_recognized_by_the_first_line() {
        for (text, expected) in [
            ("# measured\n\ntime_s,rate_Mbps\n0,1\n", "csv"),
            ("0.0\t4.03\n0.55\t4.79\n", "pensieve"),
            ("180.0 0.46\r\n185.0 1.1\r\n", "pensieve"),
            ("24\n24\n18\n", "leo-delay"),
            ("0 26 0 0 1 3\n100 30 0 2\n", "cellreplay"),
            ("Timestamp,Longitude,DL_bitrate,UL_bitrate,State\n", "raca5g"),
            ("", "csv"),
            ("rate,1\n", "csv"),
        ] {
            assert_eq!(name(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn numbers_that_never_decrease_are_ambiguous() {
        let message = name("0\n5\n5\n12\n").unwrap_err();
        assert!(message.contains("delivery_trace.forward.file") && message.contains("leo-delay"), "{message}");
    }

    fn row(at: u64, rate: u64) -> Row {
        Row { at: Span::from_secs(at), rate: Some(rate), delay: None, loss: 0.0 }
    }

    #[test]
    fn recording_repeats_from_its_end() {
        let recorded = Recorded { rows: vec![row(0, 5), row(2, 0), row(3, 0)], end: Span::from_secs(3) };
        let rows = recorded.clone().repeated("trace", Span::from_secs(5)).expect("it can be repeated");
        // Three times; the last row is the last with a rate.
        assert_eq!(rows, [row(0, 5), row(2, 0), row(3, 5), row(5, 0), row(6, 5)]);
        let once = recorded.once("trace", "0 9\n2 5\n3 0\n").expect_err("the last rate is 0").to_string();
        assert!(once.starts_with("trace:3:1: found 3 0, expected a rate of more than 0 in the last row"), "{once}");
    }

    #[test]
    fn table_of_a_recording_gives_the_same_rows_when_repeated() {
        let text = "10.5\t0\n11\t1.25\n12.000000001\t0\n13\t2\n";
        let reader = Format::Auto.reader("trace", text).expect("it is known");
        let recorded = reader.read("trace", text).expect("it is valid");
        let csv = recorded.to_csv();
        let again = Format::Auto.reader("trace", &csv).and_then(|reader| reader.read("trace", &csv)).expect(&csv);
        let rows = |recorded: &Recorded| recorded.clone().repeated("trace", Span::from_secs(10)).expect("it repeats");
        assert_eq!((rows(&again), again.end), (rows(&recorded), recorded.end), "{csv}");
        assert_eq!(recorded.rates(), Some([(0.5 * 1.25e6 + 0.999999999 * 2e6) / 2.5, 0.0, 2e6]));
    }

    #[test]
    fn recording_without_a_beginning_rate_or_bound_is_not_repeated() {
        let repeated = |rows: Vec<Row>, duration: u64| {
            let recorded = Recorded { rows, end: Span::from_secs(2) };
            recorded.repeated("trace", Span::from_secs(duration)).expect_err("it cannot be repeated").to_string()
        };
        assert!(repeated(vec![row(1, 5)], 5).contains("a first row at time 0"));
        assert!(repeated(vec![row(0, 0), row(2, 7)], 5).contains("a rate of more than 0"));
        assert!(repeated(vec![row(0, 5), row(1, 6)], 40_000_000).contains("at most 20000000 rows"));
    }

    #[test]
    fn names_are_those_of_scenarios() {
        for reader in READERS {
            let name = serde_json::to_value(reader.format).expect("a name");
            assert_eq!(name, reader.name);
        }
    }
}
