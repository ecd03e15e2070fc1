//! A member of a registry that is read from its name alone, or from a table with its settings.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::registry::Registry;
use crate::tagged::{self, RequiredSetting};

/// Reads `"two-state"` like `{ kind = "two-state" }`; a table is read unchanged.
#[derive(Clone, PartialEq, Debug)]
pub struct Named<T>(pub T);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable<T>(PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for NameOrTable<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a name, or a table with a `kind`")
            }
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<T, E> {
                tagged::deserialize_name(name).map_err(RequiredSetting::into_error)
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(NameOrTable(PhantomData)).map(Named)
    }
}

impl<T: JsonSchema + Registry> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}OrName", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<T>();
        let names: Vec<&str> = T::members().iter().map(|(name, _)| *name).collect();
        json_schema!({ "anyOf": [{ "type": "string", "enum": names, "description": "name of a kind, with its default settings" }, table] })
    }
}
