//! Tables whose key `kind` selects the type of the other keys.
//!
//! serde's own `#[serde(tag = "kind")]` copies a table before it is read, which loses the position of each value in the
//! file. Here the settings are read directly from the table if `kind` is its first key.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::setting::Setting;

/// The key that selects the variant.
pub const KIND: &str = "kind";

/// An enum with one variant per kind, each with its settings.
pub trait Tagged<'de>: Sized {
    /// Reads the other keys of a table with this `kind`.
    ///
    /// # Errors
    /// Those of the deserializer, and an unknown `kind`.
    fn settings<D: Deserializer<'de>>(kind: &str, settings: D) -> Result<Self, D::Error>;
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
            let Kind(kind) = map.next_value()?;
            return T::settings(&kind, MapAccessDeserializer::new(map));
        }
        // `kind` is not the first key: collect the others until it is found.
        let mut settings = Map::new();
        let Setting(value) = map.next_value()?;
        settings.insert(key, value);
        while let Some((key, Setting(value))) = map.next_entry()? {
            settings.insert(key, value);
        }
        let kind = settings.remove(KIND).ok_or_else(|| M::Error::missing_field(KIND))?;
        let Kind(kind) = Kind::deserialize(kind).map_err(M::Error::custom)?;
        T::settings(&kind, Value::Object(settings)).map_err(M::Error::custom)
    }
}

/// The name of a kind.
struct Kind(String);

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Name)
    }
}

struct Name;

impl Visitor<'_> for Name {
    type Value = Kind;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a name in quotes")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Kind, E> {
        Ok(Kind(name.to_owned()))
    }
}
