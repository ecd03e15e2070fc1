//! Settings whose values are a name, a number or a table.

use std::borrow::Cow;
use std::fmt;

use engine::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::settings::{TableValue, settings};

/// Range of an initial window.
pub(super) const INITIAL_WINDOW: &str = "a whole number of segments, 1 to 1000";

/// Reads an initial window; an error names its unit and range.
pub(super) fn initial_window<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    struct Segments;
    impl Visitor<'_> for Segments {
        type Value = u32;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{INITIAL_WINDOW}")
        }
        fn visit_i64<E: Error>(self, number: i64) -> Result<u32, E> {
            u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
        }
        fn visit_u64<E: Error>(self, number: u64) -> Result<u32, E> {
            u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
        }
    }
    deserializer.deserialize_any(Segments).map(Some)
}

/// Delayed acknowledgments [RFC5681 s4.2]: `false`, `true`, a table of their parameters, or `"linux"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DelayedAck {
    /// Each segment is acknowledged immediately.
    #[default]
    Off,
    /// Acknowledgments are delayed.
    On(Delay),
    /// Acknowledgments are sent as by Linux's receiver: quick acknowledgments, a delay that follows the time between
    /// segments, and compression of duplicates. Their parameters are the settings of `receiver`.
    Linux,
}

const LINUX: &str = "linux";

/// Parameters of delayed acknowledgments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// Number of full segments per acknowledgment, 1 to 64; TCP allows at most 2 [RFC5681 s4.2].
    #[serde(default = "two_segments_per_ack")]
    pub every: u32,
    /// Maximum delay, at most 500 ms [RFC5681 s4.2].
    #[serde(default = "default_ack_delay")]
    pub delay: Span,
    /// Number of segments at the start of a connection that are acknowledged without delay (Linux's quick
    /// acknowledgments).
    #[serde(default)]
    pub quick_acks: u32,
}

fn two_segments_per_ack() -> u32 {
    2
}

fn default_ack_delay() -> Span {
    Span::from_millis(200)
}

impl Default for Delay {
    fn default() -> Self {
        Delay { every: two_segments_per_ack(), delay: default_ack_delay(), quick_acks: 0 }
    }
}

impl DelayedAck {
    /// Returns the parameters. Without delayed acknowledgments these are the parameters for one acknowledgment per
    /// segment; `None` for Linux's receiver, whose delays vary.
    pub fn delay(self) -> Option<Delay> {
        match self {
            DelayedAck::Off => Some(Delay { every: 1, ..Delay::default() }),
            DelayedAck::On(delay) => Some(delay),
            DelayedAck::Linux => None,
        }
    }
}

impl Serialize for DelayedAck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DelayedAck::Off => serializer.serialize_bool(false),
            DelayedAck::On(delay) => delay.serialize(serializer),
            DelayedAck::Linux => serializer.serialize_str(LINUX),
        }
    }
}

impl<'de> Deserialize<'de> for DelayedAck {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoolOrTable;
        impl<'de> Visitor<'de> for BoolOrTable {
            type Value = DelayedAck;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "true, false, \"{LINUX}\", or a table such as {{ every = 2, delay = \"200 ms\" }}")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<DelayedAck, E> {
                match text {
                    LINUX => Ok(DelayedAck::Linux),
                    _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
                }
            }
            fn visit_bool<E: Error>(self, on: bool) -> Result<DelayedAck, E> {
                Ok(if on { DelayedAck::On(Delay::default()) } else { DelayedAck::Off })
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<DelayedAck, M::Error> {
                Delay::deserialize(MapAccessDeserializer::new(map)).map(DelayedAck::On)
            }
        }
        deserializer.deserialize_any(BoolOrTable)
    }
}

impl JsonSchema for DelayedAck {
    fn schema_name() -> Cow<'static, str> {
        "DelayedAck".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "const": LINUX }, generator.subschema_for::<Delay>()] })
    }
}

settings! {
    /// Maximum numbers of retransmissions of a segment before the connection is aborted [RFC9293 s3.8.3].
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
    pub struct Retries {}

    /// Maximum numbers of retransmissions of a segment before the connection is aborted [RFC9293 s3.8.3]. Unset keys
    /// default to the value of the variant.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[schemars(rename = "Retries")]
    pub struct PartialRetries {}

    keys {
        /// Retransmissions of a SYN with exponential back-off, after `syn_linear_timeouts` retransmissions without
        /// back-off; 0 to 255.
        #[given(schemars(range(max = 255)))]
        syn: u32 = 6,
        /// Retransmissions of a SYN before the back-off begins, 0 to 255: not in RFC 6298 (Linux:
        /// `tcp_syn_linear_timeouts`).
        #[given(schemars(range(max = 255)))]
        syn_linear_timeouts: u32 = 0,
        /// Retransmissions of a segment with data, 0 to 255 or `"unlimited"`.
        data: Tries = Tries::Unlimited,
    }
}

settings! {
    /// Parameters of Linux's receiver, by the names of the kernel (`net.ipv4`). They apply to `delayed_ack = "linux"`.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
    pub struct ReceiverSettings {}

    /// Parameters of Linux's receiver, by the names of the kernel (`net.ipv4`). They apply to `delayed_ack = "linux"`.
    /// Unset keys default to the value of the variant.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[schemars(rename = "Receiver")]
    pub struct PartialReceiverSettings {}

    keys {
        /// Number of segments sent soon after received data from which on the connection counts as interactive, so that
        /// acknowledgments wait for data to send; 1 to 255.
        #[given(schemars(range(min = 1, max = 255)))]
        tcp_pingpong_thresh: u32 = 1,
        /// Maximum number of duplicate acknowledgments that are held back together; 0 for no compression.
        #[given(schemars(range(max = 255)))]
        tcp_comp_sack_nr: u32 = 44,
        /// Maximum time for which duplicate acknowledgments are held back, at most 100 ms.
        tcp_comp_sack_delay: Span = Span::from_millis(1),
        /// Maximum time for which duplicate acknowledgments are held back, in percent of the round trip, 1 to 100. Linux
        /// before 7.0 has 5, later versions 33.
        #[given(schemars(range(min = 1, max = 100)))]
        tcp_comp_sack_rtt_percent: u32 = 5,
        /// Whether segments that arrive together are joined before TCP processes them (generic receive offload). A host
        /// behind a TUN device has none, a network card usually has it.
        gro: bool = false,
        /// Time for which segments wait for further ones that continue them, at most 100 ms. With `"0 s"`, segments of
        /// the same moment are joined, such as the segments of one aggregated frame. Needs `gro = true`.
        gro_flush_timeout: Span = Span::ZERO,
    }
}

impl TableValue<ReceiverSettings> for PartialReceiverSettings {
    fn set(&self, setting: &mut ReceiverSettings) {
        setting.merge(self);
    }
}

impl TableValue<Retries> for PartialRetries {
    fn set(&self, setting: &mut Retries) {
        setting.merge(self);
    }
}

/// A maximum number of retransmissions, or `"unlimited"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tries {
    /// The connection is never aborted.
    Unlimited,
    /// The maximum number.
    Max(u32),
}

const UNLIMITED: &str = "unlimited";

impl Tries {
    /// Returns the maximum number; `None` if unlimited.
    pub fn max(self) -> Option<u32> {
        match self {
            Tries::Unlimited => None,
            Tries::Max(times) => Some(times),
        }
    }
}

impl Serialize for Tries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tries::Unlimited => serializer.serialize_str(UNLIMITED),
            Tries::Max(times) => serializer.serialize_u32(*times),
        }
    }
}

impl<'de> Deserialize<'de> for Tries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrUnlimited;
        impl Visitor<'_> for NumberOrUnlimited {
            type Value = Tries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number, such as 15, or \"unlimited\"")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Tries, E> {
                let times = u32::try_from(number);
                times.map(Tries::Max).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Tries, E> {
                let times = u32::try_from(number);
                times.map(Tries::Max).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Tries, E> {
                match text {
                    UNLIMITED => Ok(Tries::Unlimited),
                    _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(NumberOrUnlimited)
    }
}

impl JsonSchema for Tries {
    fn schema_name() -> Cow<'static, str> {
        "Tries".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 255 }, { "const": UNLIMITED }] })
    }
}

/// The window scale option [RFC7323 s2]: `false`, `true`, or a shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WindowScaling {
    /// No option is sent.
    Off,
    /// The minimum shift with which the whole receive buffer can be advertised.
    #[default]
    Auto,
    /// This shift, 0 to 14.
    Shift(u8),
}

/// Maximum shift [RFC7323 s2.3].
pub(crate) const MAX_SHIFT: u8 = 14;

impl WindowScaling {
    /// Returns the shift of an end with a receive buffer of `buffer` bytes; `None` without the option.
    pub fn shift(self, buffer: u64) -> Option<u8> {
        match self {
            WindowScaling::Off => None,
            WindowScaling::Auto => {
                Some((0..MAX_SHIFT).find(|shift| buffer >> shift <= u64::from(u16::MAX)).unwrap_or(MAX_SHIFT))
            }
            WindowScaling::Shift(shift) => Some(shift.min(MAX_SHIFT)),
        }
    }
}

impl Serialize for WindowScaling {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WindowScaling::Off => serializer.serialize_bool(false),
            WindowScaling::Auto => serializer.serialize_bool(true),
            WindowScaling::Shift(shift) => serializer.serialize_u8(*shift),
        }
    }
}

impl<'de> Deserialize<'de> for WindowScaling {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoolOrShift;
        impl Visitor<'_> for BoolOrShift {
            type Value = WindowScaling;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "true, false, or a shift, 0 to 14")
            }
            fn visit_bool<E: Error>(self, on: bool) -> Result<WindowScaling, E> {
                Ok(if on { WindowScaling::Auto } else { WindowScaling::Off })
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<WindowScaling, E> {
                let shift = u8::try_from(number).ok().filter(|shift| *shift <= MAX_SHIFT);
                shift.map(WindowScaling::Shift).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<WindowScaling, E> {
                self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
            }
        }
        deserializer.deserialize_any(BoolOrShift)
    }
}

impl JsonSchema for WindowScaling {
    fn schema_name() -> Cow<'static, str> {
        "WindowScaling".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "integer", "minimum": 0, "maximum": MAX_SHIFT }] })
    }
}
