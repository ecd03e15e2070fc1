//! The receive window of an end: a fixed size, or autotuned.

use std::borrow::Cow;
use std::fmt;

use engine::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The receive window: a size such as `"64 KiB"` or `"fixed 64 KiB"`, `"autotuned"`, or a table of the buffer sizes of
/// an autotuned window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiveWindow {
    /// A receive buffer of constant size, in bytes. It can be advertised completely.
    Fixed(Bytes),
    /// A receive buffer that grows with the rate of the connection.
    Autotuned(BufferSizes),
}

/// Sizes of an autotuned receive buffer. A part of the buffer is reserved for the memory of packets, initially half of
/// it, so that the window is smaller (Linux: `tcp_win_from_space`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferSizes {
    /// Initial size: the second number of Linux's `tcp_rmem`, at least 1 KiB.
    #[serde(default = "default_initial_buffer")]
    pub initial: Bytes,
    /// Maximum size: the third number of Linux's `tcp_rmem`, at least `initial` and at most 1 GiB.
    #[serde(default = "default_max_buffer")]
    pub max: Bytes,
}

fn default_initial_buffer() -> Bytes {
    Bytes(131_072)
}

fn default_max_buffer() -> Bytes {
    Bytes(32 << 20)
}

impl Default for BufferSizes {
    fn default() -> Self {
        BufferSizes { initial: default_initial_buffer(), max: default_max_buffer() }
    }
}

/// Minimum initial size of an autotuned buffer, in bytes.
pub const MIN_BUFFER: u64 = 1024;
/// Maximum window that can be advertised, in bytes [RFC7323 s2.3].
pub const MAX_WINDOW: u64 = 1 << 30;

impl BufferSizes {
    /// Values of valid sizes, in words.
    pub const EXPECTED: &str = "an initial size of at least 1024 B, and a max between it and 1 GiB";

    /// Whether the sizes are in their ranges, and the maximum is not below the initial size.
    pub fn are_valid(&self) -> bool {
        MIN_BUFFER <= self.initial.0 && self.initial <= self.max && self.max.0 <= MAX_WINDOW
    }
}

/// The autotuned window of Linux.
impl Default for ReceiveWindow {
    fn default() -> Self {
        ReceiveWindow::Autotuned(BufferSizes::default())
    }
}

const AUTOTUNED: &str = "autotuned";
const FIXED: &str = "fixed ";

impl ReceiveWindow {
    /// Returns the window of an end before it has received data, in bytes, for segments of `segment` bytes. The window
    /// of an autotuned buffer consists of full segments (Linux: `tcp_select_initial_window`).
    pub fn initial(self, segment: u32) -> u64 {
        match self {
            ReceiveWindow::Fixed(size) => size.0,
            ReceiveWindow::Autotuned(sizes) => {
                let (half, segment) = (sizes.initial.0 / 2, u64::from(segment.max(1)));
                if half > segment { half / segment * segment } else { half }
            }
        }
    }

    /// Returns an upper bound of the window, in bytes.
    pub fn max(self) -> u64 {
        match self {
            ReceiveWindow::Fixed(size) => size.0,
            ReceiveWindow::Autotuned(sizes) => sizes.max.0,
        }
    }

    /// Returns the size of a constant window; `None` for an autotuned one.
    pub fn fixed(self) -> Option<u64> {
        match self {
            ReceiveWindow::Fixed(size) => Some(size.0),
            ReceiveWindow::Autotuned(_) => None,
        }
    }
}

impl From<Bytes> for ReceiveWindow {
    fn from(size: Bytes) -> Self {
        ReceiveWindow::Fixed(size)
    }
}

impl fmt::Display for ReceiveWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReceiveWindow::Fixed(size) => write!(f, "{size}"),
            ReceiveWindow::Autotuned(sizes) if *sizes == BufferSizes::default() => write!(f, "\"{AUTOTUNED}\""),
            ReceiveWindow::Autotuned(BufferSizes { initial, max }) => {
                write!(f, "{{ initial = \"{initial}\", max = \"{max}\" }}")
            }
        }
    }
}

impl Serialize for ReceiveWindow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ReceiveWindow::Fixed(size) => size.serialize(serializer),
            ReceiveWindow::Autotuned(sizes) if *sizes == BufferSizes::default() => serializer.serialize_str(AUTOTUNED),
            ReceiveWindow::Autotuned(sizes) => sizes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ReceiveWindow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeOrTable;
        impl<'de> Visitor<'de> for SizeOrTable {
            type Value = ReceiveWindow;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a size, such as \"64 KiB\", \"{AUTOTUNED}\", or a table such as {{ max = \"6 MiB\" }}")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<ReceiveWindow, E> {
                if text == AUTOTUNED {
                    return Ok(ReceiveWindow::Autotuned(BufferSizes::default()));
                }
                let size = text.strip_prefix(FIXED).unwrap_or(text);
                if !size.starts_with(|first: char| first.is_ascii_digit()) {
                    return Err(E::invalid_value(Unexpected::Str(text), &self));
                }
                Bytes::deserialize(size.into_deserializer()).map(ReceiveWindow::Fixed)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<ReceiveWindow, E> {
                match number {
                    0 => Ok(ReceiveWindow::Fixed(Bytes(0))),
                    _ => Err(E::invalid_type(Unexpected::Signed(number), &self)),
                }
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<ReceiveWindow, E> {
                self.visit_i64(number.try_into().unwrap_or(i64::MAX))
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ReceiveWindow, M::Error> {
                BufferSizes::deserialize(MapAccessDeserializer::new(map)).map(ReceiveWindow::Autotuned)
            }
        }
        deserializer.deserialize_any(SizeOrTable)
    }
}

impl JsonSchema for ReceiveWindow {
    fn schema_name() -> Cow<'static, str> {
        "ReceiveWindow".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sizes = [generator.subschema_for::<Bytes>(), generator.subschema_for::<BufferSizes>()];
        json_schema!({ "anyOf": [sizes[0], { "const": AUTOTUNED }, { "type": "string", "pattern": "^fixed " }, sizes[1]] })
    }
}
