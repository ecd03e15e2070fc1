//! Tables that a bare name stands for: `"cubic"` instead of `{ variant = "cubic" }`.
//!
//! A type derives serde's traits with `#[serde(remote = "Self")]`, which leaves the traits themselves to
//! [`bare_name!`](crate::bare_name!), and JSON Schema with `#[schemars(transform =
//! engine::bare_name::accept_name::<Self>)]`. The value is always written as a table.

use std::fmt;
use std::marker::PhantomData;

use schemars::Schema;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, json};

/// The keyword in a JSON Schema of the key whose value the text is.
pub const KEYWORD: &str = "bareName";

/// A table that a bare name stands for.
pub trait BareName: Sized {
    /// The key whose value the name is.
    const KEY: &'static str;
    /// Whether a quantity may stand for the table too, so that a number that is zero is read as `"0"`.
    const TAKES_VALUE: bool = false;

    /// Reads the table.
    ///
    /// # Errors
    /// Errors of the deserializer.
    fn read_table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;

    /// Reads the table that `name` stands for.
    ///
    /// # Errors
    /// As [`read_table`](Self::read_table).
    fn read_name<E: Error>(name: &str) -> Result<Self, E> {
        Self::read_table(name_table(Self::KEY, name))
    }

    /// Writes the expected value, for messages.
    ///
    /// # Errors
    /// Errors of the formatter.
    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a name, or a table with a `{}`", Self::KEY)
    }
}

/// A table with one key.
pub fn name_table<'a, E: Error>(key: &'a str, name: &'a str) -> impl Deserializer<'a, Error = E> {
    MapDeserializer::<_, E>::new([(key, BareText(name))].into_iter())
}

/// The text of a name, which may be the value of an optional key.
struct BareText<'a>(&'a str);

impl<'a, E: Error> IntoDeserializer<'a, E> for BareText<'a> {
    type Deserializer = TextDeserializer<'a, E>;

    fn into_deserializer(self) -> Self::Deserializer {
        TextDeserializer(self.0, PhantomData)
    }
}

struct TextDeserializer<'a, E>(&'a str, PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for TextDeserializer<'de, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Reads a name or a table.
///
/// # Errors
/// Errors of the deserializer.
pub fn read_bare_name<'de, T: BareName, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(NameOrTable(PhantomData))
}

struct NameOrTable<T>(PhantomData<T>);

impl<'de, T: BareName> Visitor<'de> for NameOrTable<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::expect(f)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        T::read_name(name)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        match number {
            0 if T::TAKES_VALUE => T::read_name("0"),
            _ => Err(E::invalid_type(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
        T::read_table(MapAccessDeserializer::new(map))
    }
}

/// Adds the bare name to the JSON Schema of a table.
pub fn accept_name<T: BareName>(schema: &mut Schema) {
    let mut table = std::mem::take(schema.ensure_object());
    let mut whole = Map::new();
    // The generator looks for these at the top.
    for key in ["$schema", "title", "description", "$defs"] {
        whole.extend(table.remove(key).map(|value| (key.to_owned(), value)));
    }
    let mut name = table["properties"][T::KEY].as_object().cloned().unwrap_or_default();
    name.remove("default");
    // A table without the key has no value there.
    if name.contains_key("type") {
        name.insert("type".to_owned(), "string".into());
    }
    name.insert("description".to_owned(), format!("short for a table with only this `{}`", T::KEY).into());
    name.insert(KEYWORD.to_owned(), T::KEY.into());
    whole.insert("anyOf".to_owned(), json!([Value::Object(name), Value::Object(table)]));
    *schema.ensure_object() = whole;
}

/// Implements [`BareName`] and serde's traits for a type whose derived ones have `#[serde(remote = "Self")]`.
#[macro_export]
macro_rules! bare_name {
    ($type:ty, $key:expr) => {
        impl $crate::bare_name::BareName for $type {
            const KEY: &'static str = $key;

            fn read_table<'de, D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$type>::deserialize(deserializer)
            }
        }

        $crate::bare_name! { @serde $type }
    };
    (@serde $type:ty) => {
        impl $crate::serde::Serialize for $type {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$type>::serialize(self, serializer)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::bare_name::read_bare_name(deserializer)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};

    use super::*;

    #[derive(Serialize, Deserialize, JsonSchema, PartialEq, Debug)]
    #[serde(remote = "Self", deny_unknown_fields)]
    #[schemars(transform = accept_name::<Engine>)]
    struct Engine {
        fuel: Option<String>,
        #[serde(default)]
        cylinders: u32,
    }

    crate::bare_name! { Engine, "fuel" }

    #[test]
    fn bare_name_is_the_table_with_only_its_key() {
        let read = |value: Value| serde_json::from_value::<Engine>(value).map_err(|error| error.to_string());
        let diesel = Engine { fuel: Some("diesel".to_owned()), cylinders: 0 };
        assert_eq!(read(json!("diesel")).as_ref(), Ok(&diesel));
        assert_eq!(read(json!({ "fuel": "diesel" })).as_ref(), Ok(&diesel));
        assert_eq!(serde_json::to_value(&diesel).unwrap(), json!({ "fuel": "diesel", "cylinders": 0 }));
        assert!(read(json!(5)).unwrap_err().contains("expected a name, or a table with a `fuel`"));
        assert!(read(json!({ "fuel": "diesel", "wheels": 4 })).unwrap_err().contains("unknown field `wheels`"));
    }

    #[test]
    fn schema_has_the_name_and_the_table() {
        let schema = schemars::schema_for!(Engine).to_value();
        assert_eq!(schema["anyOf"][0]["type"], "string");
        assert_eq!(schema["anyOf"][0][KEYWORD], "fuel");
        assert_eq!(schema["anyOf"][1]["properties"]["cylinders"]["type"], "integer");
        assert_eq!(schema["title"], "Engine");
    }
}
