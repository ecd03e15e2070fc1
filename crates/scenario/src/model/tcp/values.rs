//! Values that are a word, a number or a table.

use std::borrow::Cow;
use std::fmt;

use engine::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use tcp::config::Acks;

/// What an initial window may be.
pub(crate) const INITIAL_WINDOW: &str = "a whole number of segments, 1 to 1000";

/// Reads an initial window, so that what is no such number is answered in its own words.
pub(crate) fn initial_window<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
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

/// `false`, `true`, or when acknowledgments go out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DelayedAck {
    /// Each segment is acknowledged at once.
    Off,
    /// They are kept back.
    On(Delay),
}

/// When acknowledgments go out that are kept back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// One goes out with every so many full segments.
    #[serde(default = "two")]
    pub every: u32,
    /// How long it is kept back at most.
    #[serde(default = "fifth_of_a_second")]
    pub delay: Span,
    /// So many segments at the beginning are acknowledged one by one.
    #[serde(default)]
    pub at_once: u32,
}

fn two() -> u32 {
    2
}

fn fifth_of_a_second() -> Span {
    Span::from_millis(200)
}

impl DelayedAck {
    /// As TCP has it.
    pub fn acks(self) -> Acks {
        match self {
            DelayedAck::Off => Acks { every: 1, ..Acks::default() },
            DelayedAck::On(Delay { every, delay, at_once }) => Acks { every, delay, at_once },
        }
    }
}

impl Serialize for DelayedAck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DelayedAck::Off => serializer.serialize_bool(false),
            DelayedAck::On(delay) => delay.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for DelayedAck {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoolOrTable;
        impl<'de> Visitor<'de> for BoolOrTable {
            type Value = DelayedAck;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "true, false, or a table such as {{ every = 2, delay = \"200 ms\" }}")
            }
            fn visit_bool<E: Error>(self, on: bool) -> Result<DelayedAck, E> {
                let delay = Delay { every: two(), delay: fifth_of_a_second(), at_once: 0 };
                Ok(if on { DelayedAck::On(delay) } else { DelayedAck::Off })
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
        json_schema!({ "anyOf": [{ "type": "boolean" }, generator.subschema_for::<Delay>()] })
    }
}

/// How often something is sent again before the connection is given up. What is not given is as the variant has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retries {
    /// A SYN, with a timeout that doubles each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 255))]
    pub syn: Option<u32>,
    /// A SYN before these, with a timeout that does not double yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 255))]
    pub steady_syn: Option<u32>,
    /// Data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Tries>,
}

/// A number, or `"unlimited"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tries {
    /// As often as it takes.
    Unlimited,
    /// So often.
    Most(u32),
}

const UNLIMITED: &str = "unlimited";

impl Tries {
    /// As TCP has it.
    pub fn most(self) -> Option<u32> {
        match self {
            Tries::Unlimited => None,
            Tries::Most(times) => Some(times),
        }
    }
}

impl Serialize for Tries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tries::Unlimited => serializer.serialize_str(UNLIMITED),
            Tries::Most(times) => serializer.serialize_u32(*times),
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
                times.map(Tries::Most).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Tries, E> {
                let times = u32::try_from(number);
                times.map(Tries::Most).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
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

/// `false`, `true`, or how far windows are shifted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowScaling {
    /// They are not.
    Off,
    /// As little as lets the whole window be said.
    Least,
    /// So far.
    Shift(u8),
}

impl WindowScaling {
    /// As TCP has it.
    pub fn shift(self) -> Option<Option<u8>> {
        match self {
            WindowScaling::Off => None,
            WindowScaling::Least => Some(None),
            WindowScaling::Shift(shift) => Some(Some(shift)),
        }
    }
}

impl Serialize for WindowScaling {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WindowScaling::Off => serializer.serialize_bool(false),
            WindowScaling::Least => serializer.serialize_bool(true),
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
                Ok(if on { WindowScaling::Least } else { WindowScaling::Off })
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<WindowScaling, E> {
                // [RFC7323 s2.3]
                let shift = u8::try_from(number).ok().filter(|shift| *shift <= 14);
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
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "integer", "minimum": 0, "maximum": 14 }] })
    }
}
