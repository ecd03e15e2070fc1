//! Writes at recorded times.

use std::fmt::Arguments;

use engine::registry::{ContentFault, Fault, FileReader, FileSetting, Settings};
use engine::{Bytes, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AppCx, Application};
use crate::transport::Transport;

/// The recording, or its file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// File relative to the scenario's folder, with a line `time_s,bytes` for each write, in the order of time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The writes in the order of time: [time after the start, bytes].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<(Span, Bytes)>>,
}

/// Reads the contents of a file: comma-separated times in seconds and bytes, with or without a first line of names.
///
/// # Errors
///
/// The first wrong line.
pub fn parse_writes(text: &str) -> Result<Vec<(Span, Bytes)>, ContentFault> {
    let mut writes = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(number, line)| (number + 1, line.trim())) {
        if line.is_empty() || line.starts_with('#') || (number == 1 && line.replace(' ', "") == "time_s,bytes") {
            continue;
        }
        let parsed = line.split_once(',').and_then(|(time, bytes)| {
            // The text of a quantity is read exactly.
            let time: Span = format!("{} s", time.trim()).parse().ok()?;
            Some((time, Bytes(bytes.trim().parse().ok()?)))
        });
        writes
            .push(parsed.ok_or_else(|| ContentFault::new(number, "a time in seconds, a comma and a number of bytes"))?);
    }
    Ok(writes)
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let Some(writes) = &self.writes else {
            if self.file.is_some() {
                return Vec::new();
            }
            let expected = "`file` or `writes` is missing".to_owned();
            return vec![Fault { key: "writes".into(), entry: None, found: None, expected, hint: None }];
        };
        if writes.is_empty() {
            return vec![Fault::new("writes", "none", "at least one write")];
        }
        for (number, pair) in writes.windows(2).enumerate() {
            if pair[1].0 < pair[0].0 {
                let expected = format!("at least {}, the time of the previous write", pair[0].0);
                return vec![Fault::new("writes", pair[1].0, expected).entry(number + 1)];
            }
        }
        match writes.iter().position(|(_, bytes)| *bytes == Bytes(0)) {
            Some(number) => vec![Fault::new("writes", Bytes(0), "at least one byte").entry(number)],
            None => Vec::new(),
        }
    }

    fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F) {
        let (file, content) = (&mut self.file, &mut self.writes);
        reader.read_text(FileSetting { key: format_args!("{key}.file"), file, content }, parse_writes);
    }
}

impl Config {
    /// The application. The scenario loader has read `file` into `writes`.
    pub fn build(&self, _: Stream) -> Box<dyn Application> {
        Box::new(RecordedWrites { writes: self.writes.clone().unwrap_or_default(), next: 0, start: Time::ZERO })
    }
}

struct RecordedWrites {
    writes: Vec<(Span, Bytes)>,
    next: usize,
    start: Time,
}

impl RecordedWrites {
    fn act(&mut self, cx: &mut AppCx<'_>) {
        while let Some((_, bytes)) = self.writes.get(self.next).filter(|(at, _)| self.start + *at <= cx.now) {
            cx.write(0, bytes.0);
            self.next += 1;
        }
        if self.next == self.writes.len() {
            cx.finish();
        }
    }
}

impl Application for RecordedWrites {
    fn transports(&self) -> &'static [Transport] {
        // Writes become datagrams only if all of them fit.
        if self.writes.iter().all(|(_, bytes)| bytes.0 <= super::MAX_DATAGRAM) {
            &[Transport::Tcp, Transport::Udp]
        } else {
            &[Transport::Tcp]
        }
    }

    fn total(&self) -> Option<u64> {
        Some(self.writes.iter().fold(0, |sum, (_, bytes)| sum.saturating_add(bytes.0)))
    }

    fn start(&mut self, cx: &mut AppCx<'_>) {
        self.start = cx.now;
        self.act(cx);
    }

    fn deadline(&self) -> Time {
        self.writes.get(self.next).map_or(Time::NEVER, |(at, _)| self.start + *at)
    }

    fn wake(&mut self, cx: &mut AppCx<'_>) {
        self.act(cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_read_with_and_without_names() {
        let expected = Ok(vec![(Span::ZERO, Bytes(100)), (Span::from_millis(20), Bytes(1500))]);
        assert_eq!(parse_writes("time_s,bytes\n0,100\n0.02, 1500\n"), expected);
        assert_eq!(parse_writes("# a call\n0,100\n\n0.02,1500"), expected);
        assert_eq!(parse_writes("0,100\n1;5\n").map_err(|fault| fault.line), Err(2));
        assert_eq!(parse_writes("-1,100\n").map_err(|fault| fault.line), Err(1));
    }

    #[test]
    fn decreasing_times_and_empty_writes_are_faults() {
        let ms = Span::from_millis;
        let entry = |writes: &[(Span, Bytes)]| {
            let config = Config { file: None, writes: Some(writes.to_vec()) };
            config.check().into_iter().map(|fault| fault.entry).next()
        };
        assert_eq!(entry(&[(ms(2), Bytes(1)), (ms(1), Bytes(1))]), Some(Some(1)));
        assert_eq!(entry(&[(ms(2), Bytes(1)), (ms(2), Bytes(0))]), Some(Some(1)));
        assert_eq!(entry(&[]), Some(None));
        assert_eq!(entry(&[(ms(2), Bytes(1)), (ms(2), Bytes(1))]), None);
    }
}
