//! The size of the send buffer: unlimited, fixed, or autotuned.

use std::borrow::Cow;
use std::fmt;

use engine::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The size of the send buffer: `"unlimited"`, a size such as `"64 KiB"`, `"autotuned"`, or a table of the sizes of an
/// autotuned buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SendBufferSize {
    /// The buffer accepts all data at once.
    #[default]
    Unlimited,
    /// Bytes written and not acknowledged are at most this many (SO_SNDBUF).
    Fixed(Bytes),
    /// The buffer grows with cwnd, as in Linux (`tcp_sndbuf_expand`).
    Autotuned(SendBufferSizes),
}

/// Sizes of an autotuned send buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendBufferSizes {
    /// Initial size: the second number of Linux's `tcp_wmem`.
    #[serde(default = "default_initial_send_buffer")]
    pub initial: Bytes,
    /// Maximum size: the third number of Linux's `tcp_wmem`, at least `initial`.
    #[serde(default = "default_max_send_buffer")]
    pub max: Bytes,
}

fn default_initial_send_buffer() -> Bytes {
    Bytes(16_384)
}

fn default_max_send_buffer() -> Bytes {
    Bytes(4 << 20)
}

impl Default for SendBufferSizes {
    fn default() -> Self {
        SendBufferSizes { initial: default_initial_send_buffer(), max: default_max_send_buffer() }
    }
}

const AUTOTUNED: &str = "autotuned";
const UNLIMITED: &str = "unlimited";

impl fmt::Display for SendBufferSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SendBufferSize::Unlimited => f.write_str(UNLIMITED),
            SendBufferSize::Fixed(size) => write!(f, "{size}"),
            SendBufferSize::Autotuned(sizes) if *sizes == SendBufferSizes::default() => f.write_str(AUTOTUNED),
            SendBufferSize::Autotuned(SendBufferSizes { initial, max }) => {
                write!(f, "{{ initial = \"{initial}\", max = \"{max}\" }}")
            }
        }
    }
}

impl Serialize for SendBufferSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SendBufferSize::Unlimited => serializer.serialize_str(UNLIMITED),
            SendBufferSize::Fixed(size) => size.serialize(serializer),
            SendBufferSize::Autotuned(sizes) if *sizes == SendBufferSizes::default() => {
                serializer.serialize_str(AUTOTUNED)
            }
            SendBufferSize::Autotuned(sizes) => sizes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SendBufferSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeOrTable;
        impl<'de> Visitor<'de> for SizeOrTable {
            type Value = SendBufferSize;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "\"{UNLIMITED}\", a size such as \"64 KiB\", \"{AUTOTUNED}\", or a table such as ")?;
                f.write_str("{ max = \"4 MiB\" }")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<SendBufferSize, E> {
                match text {
                    UNLIMITED => Ok(SendBufferSize::Unlimited),
                    AUTOTUNED => Ok(SendBufferSize::Autotuned(SendBufferSizes::default())),
                    _ if text.starts_with(|first: char| first.is_ascii_digit()) => {
                        Bytes::deserialize(text.into_deserializer()).map(SendBufferSize::Fixed)
                    }
                    _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
                }
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<SendBufferSize, M::Error> {
                SendBufferSizes::deserialize(MapAccessDeserializer::new(map)).map(SendBufferSize::Autotuned)
            }
        }
        deserializer.deserialize_any(SizeOrTable)
    }
}

impl JsonSchema for SendBufferSize {
    fn schema_name() -> Cow<'static, str> {
        "SendBufferSize".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sizes = [generator.subschema_for::<Bytes>(), generator.subschema_for::<SendBufferSizes>()];
        json_schema!({ "anyOf": [{ "const": UNLIMITED }, sizes[0], { "const": AUTOTUNED }, sizes[1]] })
    }
}
