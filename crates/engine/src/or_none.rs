//! Optional settings that accept `"none"`, because a sweep or `--set` can set a key but not remove it.
//!
//! Usage at a field: `#[serde(deserialize_with = "engine::or_none::deserialize")]` and `#[schemars(schema_with =
//! "engine::or_none::schema::<T>")]`.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, Unexpected, Visitor};

/// The value that omits a setting.
pub const NONE: &str = "none";

/// A deserialization error that keeps only the description of the expected type.
#[derive(Debug, Default)]
struct Expected(String);

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Expected {}

impl Error for Expected {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Expected(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn serde::de::Expected) -> Self {
        Expected(expected.to_string())
    }
}

/// Reads `"none"` as `None`, and any other text or table as a `T`.
pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    struct OrNone<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for OrNone<T> {
        type Value = Option<T>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Expected(expected) = T::deserialize(().into_deserializer()).err().unwrap_or_default();
            write!(f, "{expected}, or \"{NONE}\"")
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
            if text == NONE { Ok(None) } else { T::deserialize(text.into_deserializer()).map(Some) }
        }
        fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
            match number {
                0 => T::deserialize(number.into_deserializer()).map(Some),
                _ => Err(E::invalid_type(Unexpected::Signed(number), &self)),
            }
        }
        fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
            match number {
                0 => T::deserialize(number.into_deserializer()).map(Some),
                _ => Err(E::invalid_type(Unexpected::Unsigned(number), &self)),
            }
        }
        fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Option<T>, M::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
    }
    deserializer.deserialize_any(OrNone(PhantomData))
}

/// Returns the JSON schema of `T` or `"none"`.
pub fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let given = generator.subschema_for::<T>();
    json_schema!({ "anyOf": [given, { "const": NONE, "description": "the same as leaving the key out" }] })
}

#[cfg(test)]
mod tests {
    use crate::units::Bytes;
    use serde::Deserialize;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, MapDeserializer};

    #[derive(Deserialize, PartialEq, Debug)]
    struct Table {
        size: Bytes,
    }

    #[test]
    fn none_is_read_as_none_and_other_values_as_the_type() {
        let read =
            |text: &'static str| super::deserialize::<_, Bytes>(IntoDeserializer::<Error>::into_deserializer(text));
        assert_eq!(read("none"), Ok(None));
        assert_eq!(read("500 B"), Ok(Some(Bytes(500))));
        let zero: serde::de::value::I64Deserializer<Error> = 0i64.into_deserializer();
        assert_eq!(super::deserialize::<_, Bytes>(zero), Ok(Some(Bytes(0))));
        assert!(read("None").is_err());
        let table = MapDeserializer::<_, Error>::new([("size", "500 B")].into_iter());
        assert_eq!(super::deserialize(table), Ok(Some(Table { size: Bytes(500) })));
    }

    #[test]
    fn error_names_the_expected_quantity_or_none() {
        let number: serde::de::value::I64Deserializer<Error> = 5i64.into_deserializer();
        let said = super::deserialize::<_, Bytes>(number).unwrap_err().to_string();
        assert!(said.contains("expected a size such as \"512 kB\"") && said.ends_with(", or \"none\""), "{said}");
    }
}
