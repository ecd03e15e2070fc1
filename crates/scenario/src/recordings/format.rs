//! The formats of recordings of a link's properties over time, and how a file's format is recognized.
//!
//! A format is a file with a reader, a variant of [`Format`] and a line in [`READERS`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recorded::LinkRecording;
use super::{cellreplay, leo_delay, lines_with_offsets, opportunities, pensieve, raca5g, table};
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
    /// Milliseconds of one-way delay for each 10 ms, as in LeoReplayer's delays.
    LeoDelay,
    /// Time and delay in milliseconds, then times of deliveries, as CellReplay's light traces.
    Cellreplay,
    /// The log of G-NetTrack Pro in Raca's 5G dataset: the rate of downloads.
    Raca5g,
    /// The same file format; the rate of uploads is read.
    Raca5gUplink,
    /// Times of deliveries in milliseconds, as Mahimahi's links: for `delivery_trace`.
    Mahimahi,
}

/// The reader of a format.
pub struct FormatReader {
    /// The format.
    pub format: Format,
    /// Name of the format in scenarios.
    pub name: &'static str,
    /// Description of one line.
    pub summary: &'static str,
    /// Reads a text; the first argument is the file's name in messages.
    read: fn(&str, &str) -> Result<LinkRecording, Problem>,
}

/// The readers of all formats.
pub const READERS: &[FormatReader] = &[
    FormatReader {
        format: Format::Csv,
        name: "csv",
        summary: "columns with units, such as time_s,rate_Mbps",
        read: table::read_property_table,
    },
    FormatReader {
        format: Format::Pensieve,
        name: "pensieve",
        summary: "seconds and Mbit/s",
        read: pensieve::read_pensieve,
    },
    FormatReader {
        format: Format::LeoDelay,
        name: "leo-delay",
        summary: "LeoReplayer's delay in ms, a line for each 10 ms",
        read: leo_delay::read_leo_delay,
    },
    FormatReader {
        format: Format::Cellreplay,
        name: "cellreplay",
        summary: "CellReplay's base delay: time and delay in ms, then times of deliveries",
        read: cellreplay::read_cellreplay,
    },
    FormatReader {
        format: Format::Raca5g,
        name: "raca5g",
        summary: "G-NetTrack's log of Raca's 5G dataset, rates of downloads",
        read: raca5g::read_downlink,
    },
    FormatReader {
        format: Format::Raca5gUplink,
        name: "raca5g-uplink",
        summary: "G-NetTrack's log of Raca's 5G dataset, rates of uploads",
        read: raca5g::read_uplink,
    },
    FormatReader {
        format: Format::Mahimahi,
        name: "mahimahi",
        summary: "Mahimahi's times of deliveries in ms, as rates of whole seconds",
        read: opportunities::read_opportunity_rates,
    },
];

impl Format {
    /// Returns the reader for `text` in this format.
    ///
    /// # Errors
    /// The format is `auto`, and the format of the text is unknown.
    pub fn reader(self, file: &str, text: &str) -> Result<&'static FormatReader, Problem> {
        let format = if self == Format::Auto { recognize_format(file, text)? } else { self };
        let reader = READERS.iter().find(|reader| reader.format == format);
        Ok(reader.unwrap_or_else(|| unreachable!("each format has a reader")))
    }
}

impl FormatReader {
    /// Reads the recording in `text`. `file` is its name in messages.
    pub fn read(&self, file: &str, text: &str) -> Result<LinkRecording, Problem> {
        (self.read)(file, text)
    }
}

/// The format of a text, by its first line that is neither empty nor a comment.
fn recognize_format(file: &str, text: &str) -> Result<Format, Problem> {
    let mut rows = lines_with_offsets(text).map(|(_, line)| line.trim_ascii()).filter(|line| !line.is_empty());
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
        2 => two_numbers_a_line(file, text),
        _ => Ok(Format::Cellreplay),
    }
}

/// Distinguishes delays from times of deliveries, which never decrease.
fn one_number_a_line(file: &str, text: &str) -> Result<Format, Problem> {
    let mut last = 0.0;
    for (_, line) in lines_with_offsets(text) {
        let Ok(number) = line.trim_ascii().parse::<f64>() else { return Ok(Format::LeoDelay) };
        if number < last {
            return Ok(Format::LeoDelay);
        }
        last = number;
    }
    let expected = "a known format; numbers that never decrease are times of deliveries or delays";
    let hint = "name its format: mahimahi for deliveries (packet by packet: `delivery_trace.forward.file`), leo-delay for delays";
    Err(Problem::new(expected).in_file(file).found("one number in each line").hint(hint))
}

/// Time step from which on the times can be milliseconds. Smaller steps must be seconds, because in milliseconds they
/// would be too short for CellReplay's trains.
const LONG_STEP: u64 = 10;

/// Distinguishes rates from delays without trains. Times in whole numbers with long steps may be seconds or
/// milliseconds.
fn two_numbers_a_line(file: &str, text: &str) -> Result<Format, Problem> {
    let mut times: Vec<u64> = Vec::new();
    for (_, line) in lines_with_offsets(text) {
        let mut words = line.split_ascii_whitespace();
        let (time, more) = (words.next(), words.nth(1));
        if more.is_some() {
            return Ok(Format::Cellreplay);
        }
        match time.map(str::parse) {
            Some(Ok(time)) => times.push(time),
            Some(Err(_)) => return Ok(Format::Pensieve),
            None => {}
        }
    }
    if times.windows(2).any(|pair| pair[1].saturating_sub(pair[0]) < LONG_STEP) {
        return Ok(Format::Pensieve);
    }
    let expected = "a known format; whole numbers may be seconds and Mbit/s, or milliseconds of time and of delay";
    Err(Problem::new(expected)
        .in_file(file)
        .found("two numbers in each line")
        .hint("name its format: pensieve for rates, cellreplay for delays"))
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
            ("0 4.5\n5 3.1\n", "pensieve"),
            ("0 26 0 0 1 3\n100 30 0 2\n", "cellreplay"),
            ("0.5 26.25 0 0.5\n100.5 30 0\n", "cellreplay"),
            ("0 26\n100 30 0 2\n", "cellreplay"),
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

    #[test]
    fn whole_numbers_of_time_may_be_seconds_or_milliseconds() {
        let message = name("0 26\n100 30\n250 28\n").unwrap_err();
        assert!(message.contains("pensieve for rates, cellreplay for delays"), "{message}");
    }

    #[test]
    fn format_names_equal_the_names_in_scenarios() {
        for reader in READERS {
            let name = serde_json::to_value(reader.format).expect("a name");
            assert_eq!(name, reader.name);
        }
    }
}
