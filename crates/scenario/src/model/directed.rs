//! Settings of a link that may differ by direction.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use path::LinkDirection;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a direction in scenarios: `forward` is from the link's first node to its second.
pub const fn direction_name(direction: LinkDirection) -> &'static str {
    match direction {
        LinkDirection::Forward => "forward",
        LinkDirection::Backward => "backward",
    }
}

/// Both names.
pub const NAMES: [&str; 2] = [direction_name(LinkDirection::Forward), direction_name(LinkDirection::Backward)];

/// A value for both directions of a link, or one for each: `"8 Mbps"`, `{ forward = "50 Mbps", backward = "5 Mbps" }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Directed<T> {
    /// The same for both.
    Both(T),
    /// Forward and backward; `None` for a direction without a value. Boxed, because few links have such a value, and
    /// all links would become larger.
    Each(Box<[Option<T>; 2]>),
}

impl<T> Directed<T> {
    /// The value of a direction.
    pub fn of(&self, direction: LinkDirection) -> Option<&T> {
        match self {
            Directed::Both(value) => Some(value),
            Directed::Each(values) => values[direction.index()].as_ref(),
        }
    }

    /// Returns the values that are set, one or two, each with the suffix of its key: empty, or a dot and the name of
    /// the direction.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut T)> {
        let (keys, values): (&[&str], Vec<Option<&mut T>>) = match self {
            Directed::Both(value) => (&[""], vec![Some(value)]),
            Directed::Each(values) => (&[".forward", ".backward"], values.iter_mut().map(Option::as_mut).collect()),
        };
        keys.iter().copied().zip(values).filter_map(|(key, value)| Some((key, value?)))
    }

    /// Whether the directions have separate values.
    pub fn is_each(&self) -> bool {
        matches!(self, Directed::Each(_))
    }
}

impl<T: Serialize> Serialize for Directed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Directed::Both(value) => value.serialize(serializer),
            Directed::Each(values) => serializer
                .collect_map(NAMES.iter().zip(values.iter()).filter_map(|(name, value)| Some((name, value.as_ref()?)))),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Directed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrEach(PhantomData))
    }
}

/// Passes values other than a table of directions to the deserializer of the value.
struct OneOrEach<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrEach<T> {
    type Value = Directed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value, or a table with `forward` and `backward`")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(Directed::Both)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(Directed::Both)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(Directed::Both)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        T::deserialize(value.into_deserializer()).map(Directed::Both)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        T::deserialize(text.into_deserializer()).map(Directed::Both)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(items)).map(Directed::Both)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let first: Option<String> = map.next_key()?;
        let mut key = match first {
            Some(key) if NAMES.contains(&key.as_str()) => Some(key),
            first => {
                let whole = Whole { first, map };
                return T::deserialize(MapAccessDeserializer::new(whole)).map(Directed::Both);
            }
        };
        let mut values = [None, None];
        while let Some(name) = key {
            let Some(direction) = NAMES.iter().position(|known| *known == name) else {
                return Err(A::Error::unknown_field(&name, &NAMES));
            };
            values[direction] = Some(map.next_value()?);
            key = map.next_key()?;
        }
        Ok(Directed::Each(Box::new(values)))
    }
}

/// A table whose first key has been read.
struct Whole<A> {
    first: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Whole<A> {
    type Error = A::Error;

    fn next_key_seed<K: serde::de::DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(first) => seed.deserialize(first.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: serde::de::DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

impl<T: JsonSchema> JsonSchema for Directed<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Directed{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        let by_direction = |about: &str| {
            let mut schema = value.clone();
            schema.insert("description".to_owned(), about.into());
            schema
        };
        let (forward, backward) =
            (by_direction("From the link's first node to its second."), by_direction("From the second to the first."));
        json_schema!({ "anyOf": [value, {
            "type": "object",
            "properties": { "forward": forward, "backward": backward },
            "additionalProperties": false,
        }] })
    }
}
