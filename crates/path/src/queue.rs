//! How much may wait.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

use engine::units::UnitError;
use engine::{Bytes, Time};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most that may wait in front of a link. The packet being sent does not count, nor does one that can be sent at
/// once: even a limit of nothing lets a packet through whenever the transmitter is idle. A packet that does not fit is
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

/// Which event is handled first when a packet arrives at the very moment at which the one being sent has left. The
/// coincidence is frequent: where acknowledgments clock a sender, packets arrive at the spacing of the slowest link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tie {
    /// The departure: the place is free.
    #[default]
    DepartureFirst,
    /// The arrival: the place is not free yet.
    ArrivalFirst,
}

impl Limit {
    /// Whether `packets` packets of `bytes` bytes are more than this: where it is a threshold for marks.
    #[inline]
    pub fn is_exceeded(self, packets: usize, bytes: u64) -> bool {
        match self {
            Limit::None => false,
            Limit::Packets(most) => packets > most as usize,
            Limit::Bytes(most) => bytes > most,
        }
    }

    /// Whether a packet of `size` bytes may join `packets` packets of `bytes` bytes.
    #[inline]
    pub fn admits(self, packets: usize, bytes: u64, size: u32) -> bool {
        match self {
            Limit::None => true,
            Limit::Packets(most) => packets < most as usize,
            Limit::Bytes(most) => bytes + u64::from(size) <= most,
        }
    }
}

impl FromStr for Limit {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let expected = || "a queue limit such as \"50 packets\" or \"64 kB\", or \"unlimited\"".to_string();
        let text = text.trim();
        if text == "unlimited" {
            return Ok(Limit::None);
        }
        if let Some(number) = text.strip_suffix("packets").or_else(|| text.strip_suffix("packet")) {
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
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "QueueLimit".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "such as \"50 packets\", \"64 kB\" or \"unlimited\"" })
    }
}

/// The buffers of one router, shared by all its links: a packet holds its bytes from arrival until it has been sent.
#[derive(Default)]
pub struct Buffer {
    limit: Option<u64>,
    used: u64,
    /// When packets with a known departure will have left. The heap, because links differ in speed.
    departures: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Buffer {
    /// Buffers for `limit` bytes, or for everything.
    pub fn new(limit: Option<Bytes>) -> Self {
        Buffer { limit: limit.map(|bytes| bytes.0), ..Self::default() }
    }

    /// Whether anything can be refused.
    #[inline]
    pub fn limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Takes room for `size` bytes, if there is room at `now`.
    #[inline]
    pub fn admit(&mut self, now: Time, size: u32) -> bool {
        let Some(limit) = self.limit else { return true };
        while let Some(Reverse((_, gone))) = self.departures.peek().filter(|Reverse((at, _))| *at <= now) {
            self.used -= u64::from(*gone);
            self.departures.pop();
        }
        let fits = self.used + u64::from(size) <= limit;
        if fits {
            self.used += u64::from(size);
        }
        fits
    }

    /// Bytes held at `now` and the limit; none of buffers without a limit, which keep no count.
    pub fn state(&self, now: Time) -> Option<(u64, u64)> {
        let gone = self.departures.iter().filter(|Reverse((at, _))| *at <= now);
        let gone: u64 = gone.map(|Reverse((_, size))| u64::from(*size)).sum();
        self.limit.map(|limit| (self.used - gone, limit))
    }

    /// A packet that was admitted will have left at `at`.
    #[inline]
    pub fn leaves_at(&mut self, at: Time, size: u32) {
        if self.limit.is_some() {
            self.departures.push(Reverse((at, size)));
        }
    }

    /// A packet that was admitted will have left at `leaves`, or was dropped behind this buffer.
    #[inline]
    pub fn taken_until(&mut self, leaves: Option<Time>, size: u32) {
        if self.limited() {
            match leaves {
                Some(leaves) => self.leaves_at(leaves, size),
                None => self.left(size),
            }
        }
    }

    /// A packet that was admitted has left, or was dropped behind this buffer.
    #[inline]
    pub fn left(&mut self, size: u32) {
        if self.limit.is_some() {
            self.used -= u64::from(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_and_show() {
        for text in ["50 packets", "64 kB", "unlimited"] {
            assert_eq!(text.parse::<Limit>().unwrap().to_string(), text);
        }
        assert!("50".parse::<Limit>().is_err());
        assert!("many packets".parse::<Limit>().is_err());
    }

    #[test]
    fn a_buffer_frees_what_has_left() {
        let mut buffer = Buffer::new(Some(Bytes(3000)));
        assert!(buffer.admit(Time::ZERO, 1000));
        assert!(buffer.admit(Time::ZERO, 2000));
        assert!(!buffer.admit(Time::ZERO, 1));
        buffer.leaves_at(Time::from_millis(5), 1000);
        assert!(!buffer.admit(Time::from_millis(4), 1));
        assert!(buffer.admit(Time::from_millis(5), 1000));
        buffer.left(2000);
        assert!(buffer.admit(Time::from_millis(5), 2000));
    }
}
