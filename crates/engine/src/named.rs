//! A member of a registry that is read from its name alone, from a table with its settings, or from the value that the
//! usual member has: `"30 kB"` like `{ kind = "fixed", bytes = "30 kB" }`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde::{Serialize, Serializer};

use crate::bare_name::{self, BareName};
use crate::registry::Registry;
use crate::tagged::{self, KIND, RequiredSetting};

/// Reads `"two-state"` like `{ kind = "two-state" }`; a table is read unchanged.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Named<T>(pub T);

impl<T> Deref for Named<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: DeserializeOwned + Registry> BareName for Named<T> {
    const KEY: &'static str = KIND;
    fn read_table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Named)
    }

    fn read_name<E: serde::de::Error>(name: &str) -> Result<Self, E> {
        // A quantity begins with a digit, a name with a letter.
        let is_value = name.trim_start().starts_with(|first: char| first.is_ascii_digit());
        let read = match T::bare_values().next().filter(|_| is_value) {
            Some((kind, key)) => tagged::deserialize_entries([(KIND, kind), (key, name)]),
            None => tagged::deserialize_entries([(KIND, name)]),
        };
        read.map(Named).map_err(RequiredSetting::into_error)
    }

    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a name, or a table with a `{KIND}`")
    }
}

impl<'de, T: DeserializeOwned + Registry> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bare_name::read_bare_name(deserializer)
    }
}

/// Reads a field of the registry's type as [`Named`] is read; its schema is `#[schemars(with = "Named<T>")]`.
///
/// # Errors
/// As [`Named`].
pub fn deserialize<'de, T: DeserializeOwned + Registry, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Named::deserialize(deserializer).map(|Named(member)| member)
}

impl<T: JsonSchema + Registry> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}OrName", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<T>();
        let names: Vec<&str> = T::members().iter().map(|(name, _)| *name).collect();
        let name = json_schema!({ "type": "string", "enum": names, "description": "name of a kind, with its default settings" });
        let value = T::bare_values().next().map(|(kind, key)| {
            let meaning = format!("a value: short for {{ kind = \"{kind}\", {key} = ... }}");
            json_schema!({ "type": "string", "pattern": "^\\s*[0-9]", "description": meaning })
        });
        let alternatives: Vec<Schema> = [name].into_iter().chain(value).chain([table]).collect();
        json_schema!({ "anyOf": alternatives })
    }
}
