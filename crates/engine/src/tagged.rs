//! Tables whose key `kind` selects the type of the other keys.
//!
//! serde's own `#[serde(tag = "kind")]` copies a table before it is read, which loses the position of each value in the
//! file. Here the settings are read directly from the table if `kind` is its first key.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The key that selects the variant.
pub const KIND: &str = "kind";

/// An enum with one variant per kind, each with its settings.
pub trait Tagged<'de>: Sized {
    /// The names of the kinds in scenarios.
    const KINDS: &'static [&'static str];

    /// Reads the other keys of a table with this `kind`, which is one of [`KINDS`](Self::KINDS).
    fn settings<D: Deserializer<'de>>(kind: &'static str, settings: D) -> Result<Self, D::Error>;
}

/// Reads a table: the key `kind`, in any position, and the settings of that kind.
pub fn deserialize<'de, T: Tagged<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(Table(PhantomData))
}

struct Table<T>(PhantomData<T>);

impl<'de, T: Tagged<'de>> Visitor<'de> for Table<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table with a `{KIND}`")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let Some(key) = map.next_key::<String>()? else { return Err(M::Error::missing_field(KIND)) };
        if key == KIND {
            let kind = map.next_value_seed(Kind(T::KINDS))?;
            return T::settings(kind, MapAccessDeserializer::new(map));
        }
        // `kind` is not the first key: collect the others until it is found.
        let mut settings = Map::new();
        settings.insert(key, map.next_value()?);
        while let Some((key, value)) = map.next_entry()? {
            settings.insert(key, value);
        }
        let kind = settings.remove(KIND).ok_or_else(|| M::Error::missing_field(KIND))?;
        let kind = Kind(T::KINDS).deserialize(kind).map_err(M::Error::custom)?;
        T::settings(kind, Value::Object(settings)).map_err(M::Error::custom)
    }
}

/// Reads the name of a kind.
struct Kind(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Kind {
    type Value = &'static str;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Kind {
    type Value = &'static str;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a name in quotes")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<&'static str, E> {
        let kind = self.0.iter().find(|kind| **kind == name);
        kind.copied().ok_or_else(|| E::unknown_variant(name, self.0))
    }
}
