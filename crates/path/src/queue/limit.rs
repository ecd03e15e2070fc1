//! Limits of queues, in packets or bytes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use engine::Bytes;
use engine::units::UnitError;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The maximum backlog in front of a link. The packet in transmission does not count, nor does a packet that can be
/// sent immediately: with a limit of zero, packets pass while the transmitter is idle. A packet that does not fit is
/// dropped at the tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Limit {
    /// No limit.
    #[default]
    None,
    /// A limit in packets.
    Packets(u32),
    /// A limit in bytes.
    Bytes(u64),
}

impl Limit {
    /// Returns true if `packets` packets of `bytes` bytes exceed this limit, as a threshold for marks.
    #[inline]
    pub fn is_exceeded(self, packets: usize, bytes: u64) -> bool {
        match self {
            Limit::None => false,
            Limit::Packets(most) => packets > most as usize,
            Limit::Bytes(most) => bytes > most,
        }
    }

    /// Returns true if a packet of `size` bytes may join a backlog of `packets` packets and `bytes` bytes.
    #[inline]
    pub fn admits(self, packets: usize, bytes: u64, size: u32) -> bool {
        match self {
            Limit::None => true,
            Limit::Packets(most) => packets < most as usize,
            Limit::Bytes(most) => bytes + u64::from(size) <= most,
        }
    }
}

/// The expected value in messages.
const EXPECTED: &str = "a queue limit such as \"50 packets\" or \"64 kB\", or \"unlimited\"";

impl FromStr for Limit {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let expected = || EXPECTED.to_owned();
        let text = text.trim();
        if text == "unlimited" {
            return Ok(Limit::None);
        }
        let spellings = ["packets", "packet", "pkts", "pkt"];
        if let Some(number) = spellings.iter().find_map(|unit| text.strip_suffix(unit)) {
            let number = number.trim().parse();
            return number.map(Limit::Packets).map_err(|_| UnitError { expected: expected(), hint: None });
        }
        match text.parse::<Bytes>() {
            Ok(bytes) => Ok(Limit::Bytes(bytes.0)),
            Err(error) => Err(UnitError { expected: expected(), hint: error.hint }),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::None => write!(f, "unlimited"),
            Limit::Packets(most) => write!(f, "{most} packets"),
            Limit::Bytes(most) => write!(f, "{}", Bytes(*most)),
        }
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LimitText;
        impl Visitor<'_> for LimitText {
            type Value = Limit;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Limit, E> {
                text.parse().map_err(E::custom)
            }
            engine::visit_zero!();
        }
        deserializer.deserialize_any(LimitText)
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "QueueLimit".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let description = "such as \"50 packets\", \"64 kB\" or \"unlimited\"";
        json_schema!({ "anyOf": [{ "type": "string" }, { "const": 0 }], "description": description })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_parsed_and_displayed() {
        for text in ["50 packets", "64 kB", "unlimited"] {
            assert_eq!(text.parse::<Limit>().unwrap().to_string(), text);
        }
        assert_eq!("50 pkts".parse(), Ok(Limit::Packets(50)));
        assert_eq!("0".parse(), Ok(Limit::Bytes(0)));
        assert_eq!("50".parse::<Limit>().unwrap_err().hint.as_deref(), Some("add a unit after 50"));
        assert!("many packets".parse::<Limit>().is_err());
    }
}
