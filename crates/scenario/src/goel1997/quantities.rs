//! Types of values and their parsers. Decimals are not parsed as floating point where rounding could change the
//! simulation.

use std::str::FromStr;

use engine::units::UnitError;
use engine::{Bytes, Rate, Span};
use path::agent::AgentConfig;
use path::scheduler::SchedulerConfig;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use sim::Radio;

use crate::document::by_name;

/// A type of value.
pub(super) struct AttributeType<T> {
    /// A description with an example, for messages.
    pub(super) expected: &'static str,
    /// The parser.
    pub(super) read: fn(&str) -> Result<T, Refusal>,
    /// For an enumeration, the allowed words, each with a line about it.
    pub(super) words: &'static [(&'static str, &'static str)],
}

/// The refusal of a text that is not a value of the type, with a suggestion if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) Option<String>);

/// The use of the trace file [goel1997 B.3.1].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TraceMode {
    /// 0: the channel follows the trace.
    Read,
    /// 1: the channel's states are recorded.
    Record,
    /// Mode 2: the channel is scripted, and its states are recorded.
    Script,
}

/// The mode, and the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TraceSetting {
    pub(super) mode: TraceMode,
    /// Instead of `trace.dat` in the folder of the datafile.
    pub(super) file: Option<String>,
}

const fn attribute_type<T>(expected: &'static str, read: fn(&str) -> Result<T, Refusal>) -> AttributeType<T> {
    AttributeType { expected, read, words: &[] }
}

pub(super) const ID: AttributeType<u64> = attribute_type("a numeric id, such as 211", parse_whole);
/// TOML, into which a datafile is converted, has whole numbers up to 2^63 - 1.
pub(super) const SEED: AttributeType<u64> =
    attribute_type("a whole number below 9223372036854775808, such as 2", |text| {
        let number = parse_whole(text)?;
        if i64::try_from(number).is_ok() { Ok(number) } else { refuse_value("too large") }
    });
pub(super) const PACKETS: AttributeType<u64> =
    attribute_type("a number of packets, at least 1, such as 10000", |text| at_least_one(parse_whole(text)?));
pub(super) const BYTES: AttributeType<u64> = attribute_type("a number of bytes, such as 512000", parse_whole);
pub(super) const WINDOW: AttributeType<Bytes> =
    attribute_type("a window in KB of 1024 bytes, at most 1048576, such as 16", parse_receive_window);
pub(super) const PACKET_SIZE: AttributeType<u64> =
    attribute_type("1 to 65495 bytes of data, such as 1024", parse_packet_size);
pub(super) const MILLISECONDS: AttributeType<Span> =
    attribute_type("a time in milliseconds, such as 492", |text| parse_in_unit(text, "ms"));
pub(super) const DURATION: AttributeType<Span> =
    attribute_type("a time in milliseconds, more than 0, such as 4300000", parse_run_duration);
pub(super) const SECONDS: AttributeType<Span> =
    attribute_type("a time in seconds, such as 0.1", |text| parse_in_unit(text, "s"));
pub(super) const BANDWIDTH: AttributeType<Rate> =
    attribute_type("a rate in bits per second, such as 8000000", |text| parse_in_unit(text, "bps"));
pub(super) const PROBABILITY: AttributeType<f64> =
    attribute_type("a probability, 0 to 1, such as 0.01", parse_probability);
pub(super) const INTERVAL: AttributeType<[Span; 2]> =
    attribute_type("two times in milliseconds, from and to, such as 940 1040", parse_bad_interval);
pub(super) const FLAG: AttributeType<bool> = attribute_type("0 (off) or 1 (on)", |text| match parse_whole(text)? {
    0 => Ok(false),
    1 => Ok(true),
    _ => Err(Refusal(None)),
});
pub(super) const TRACE: AttributeType<TraceSetting> = attribute_type(
    "0 (follow trace.dat, or the file named after the 0), 1 (record it) or 2 (script the channel and record it)",
    parse_trace_setting,
);

pub(super) const SCHEME: AttributeType<AgentConfig> = AttributeType {
    expected: "a scheme",
    read: |text| by_name(text).ok_or(Refusal(None)),
    words: AgentConfig::MEMBERS,
};
pub(super) const SCHEDULER: AttributeType<SchedulerConfig> = AttributeType {
    expected: "an order of service",
    read: |text| by_name(text).ok_or(Refusal(None)),
    words: SchedulerConfig::MEMBERS,
};
pub(super) const RADIO: AttributeType<Radio> =
    AttributeType { expected: "how links use transmitters, per-link or shared", read: one_of, words: Radio::MEMBERS };

/// The variant of an enum that scenarios call `text`.
fn one_of<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    let text: StrDeserializer<'_, serde::de::value::Error> = text.into_deserializer();
    T::deserialize(text).or(Err(Refusal(None)))
}

fn refuse_value<T>(hint: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal(Some(hint.into())))
}

/// `text` if it consists of digits with at most one point, including `.5`.
fn check_decimal(text: &str) -> Result<&str, Refusal> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, rest) = (&text[..end], text[end..].trim_start());
    if !number.bytes().any(|byte| byte.is_ascii_digit()) {
        let negative = text.strip_prefix('-').is_some_and(|rest| check_decimal(rest).is_ok());
        return if negative { refuse_value("it cannot be negative") } else { Err(Refusal(None)) };
    }
    if number.matches('.').count() > 1 {
        return Err(Refusal(None));
    }
    if number.ends_with('.') {
        return refuse_value("write digits after the point");
    }
    match rest.as_bytes() {
        [] => Ok(number),
        [b'e' | b'E', b'0'..=b'9' | b'+' | b'-', ..] => refuse_value("write the number out, without an exponent"),
        [b',', ..] => refuse_value("write a point, and no separators between thousands"),
        rest if rest.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'/') => {
            refuse_value("write the number alone: the unit is fixed")
        }
        _ => Err(Refusal(None)),
    }
}

fn parse_whole(text: &str) -> Result<u64, Refusal> {
    let number = check_decimal(text)?;
    if number.contains('.') {
        return refuse_value("write a whole number");
    }
    number.parse().or_else(|_| refuse_value("too large"))
}

fn at_least_one(number: u64) -> Result<u64, Refusal> {
    if number == 0 { refuse_value("nothing would be sent") } else { Ok(number) }
}

/// `text` as a number of `unit`s, exactly.
fn parse_in_unit<T: FromStr<Err = UnitError>>(text: &str, unit: &str) -> Result<T, Refusal> {
    let number = check_decimal(text)?.trim_start_matches('0');
    let zero = if number.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    format!("{zero}{number} {unit}").parse().map_err(|error: UnitError| Refusal(error.hint))
}

fn parse_run_duration(text: &str) -> Result<Span, Refusal> {
    match parse_in_unit(text, "ms")? {
        Span::ZERO => refuse_value("nothing would happen"),
        span => Ok(span),
    }
}

fn parse_packet_size(text: &str) -> Result<u64, Refusal> {
    /// Payload of the largest IPv4 packet after 40 bytes of headers.
    const MAX: u64 = 65_495;
    match at_least_one(parse_whole(text)?)? {
        size if size > MAX => refuse_value("too large for an IP packet"),
        size => Ok(size),
    }
}

fn parse_receive_window(text: &str) -> Result<Bytes, Refusal> {
    /// Maximum window that TCP can advertise [RFC7323 s2.3].
    const MAX: Bytes = Bytes(1 << 30);
    match parse_in_unit(text, "KiB")? {
        Bytes(0) => refuse_value("nothing could be sent"),
        window if window > MAX => refuse_value("larger than TCP can advertise"),
        window => Ok(window),
    }
}

fn parse_probability(text: &str) -> Result<f64, Refusal> {
    match check_decimal(text)?.parse::<f64>() {
        Ok(value) if value <= 1.0 => Ok(value),
        _ => refuse_value("more than certain"),
    }
}

fn parse_bad_interval(text: &str) -> Result<[Span; 2], Refusal> {
    let mut times = text.split(' ');
    let (Some(from), Some(to), None) = (times.next(), times.next(), times.next()) else { return Err(Refusal(None)) };
    match [parse_in_unit(from, "ms")?, parse_in_unit(to, "ms")?] {
        [from, to] if from >= to => refuse_value("it must end after it begins"),
        ends => Ok(ends),
    }
}

fn parse_trace_setting(text: &str) -> Result<TraceSetting, Refusal> {
    let (mode, file) = text.split_once(' ').map_or((text, None), |(mode, file)| (mode, Some(file)));
    let mode = match parse_whole(mode)? {
        0 => TraceMode::Read,
        1 => TraceMode::Record,
        2 => TraceMode::Script,
        _ => return Err(Refusal(None)),
    };
    match file {
        Some(_) if mode != TraceMode::Read => {
            refuse_value("only 0 takes a file; a run writes trace.dat to its result directory")
        }
        Some(file) if file.contains(' ') => refuse_value("a file here cannot have blanks in its name"),
        file => Ok(TraceSetting { mode, file: file.map(str::to_owned) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_parsed_exactly() {
        let ms = |text: &str| (MILLISECONDS.read)(text).map(Span::as_nanos).ok();
        assert_eq!(ms("1233.5"), Some(1_233_500_000));
        assert_eq!(ms("0.000001"), Some(1));
        assert_eq!(ms(".5"), Some(500_000));
        assert_eq!(ms("00000000000000000000007"), Some(7_000_000));
        assert_eq!(ms("0"), Some(0));
        assert_eq!((SECONDS.read)("0.1"), Ok(Span::from_millis(100)));
        assert_eq!((WINDOW.read)("16"), Ok(Bytes(16_384)));
        assert_eq!((WINDOW.read)("0.5"), Ok(Bytes(512)));
        assert_eq!((INTERVAL.read)("940 1040.25").map(|ends| ends[1].as_nanos()), Ok(1_040_250_000));
        assert_eq!((PROBABILITY.read)("0.01"), Ok(0.01));
        assert_eq!((ID.read)("0211"), Ok(211));
    }

    #[test]
    fn error_messages_suggest_a_correction() {
        let hint = |text: &str| (MILLISECONDS.read)(text).unwrap_err().0.unwrap_or_default();
        assert_eq!(hint("-5"), "it cannot be negative");
        assert_eq!(hint("5 ms"), "write the number alone: the unit is fixed");
        assert_eq!(hint("1e6"), "write the number out, without an exponent");
        assert_eq!(hint("5."), "write digits after the point");
        assert_eq!(hint("1,5"), "write a point, and no separators between thousands");
        assert_eq!(hint("0.0000001"), "finer than one ns");
        assert_eq!(hint("99999999999999999999"), "too large");
        for text in ["", ".", "-", "1.2.3", "five", "0x10", "1_000", "5 6", "NaN", "inf"] {
            assert!((MILLISECONDS.read)(text).is_err(), "{text}");
            assert!((PROBABILITY.read)(text).is_err(), "{text}");
            assert!((SEED.read)(text).is_err(), "{text}");
            assert!((SEED.read)("9223372036854775808").is_err());
        }
    }

    #[test]
    fn every_keyword_is_accepted_by_its_type() {
        assert!(SCHEME.words.iter().all(|(word, _)| (SCHEME.read)(word).is_ok()));
        assert!(SCHEDULER.words.iter().all(|(word, _)| (SCHEDULER.read)(word).is_ok()));
        assert!(RADIO.words.iter().all(|(word, _)| (RADIO.read)(word).is_ok()));
    }
}
