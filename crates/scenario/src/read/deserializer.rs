//! A serde deserializer for a tree of values. It records the path while it descends, so that each error has its
//! position.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::error::Error;
use super::words;
use crate::key_path::PathStep;
use crate::tree::{Table, Value, ValueData};

/// The path to a value, from the value outwards.
#[derive(Clone, Copy)]
pub(super) enum ValuePath<'p> {
    Whole,
    Key(&'p ValuePath<'p>, &'p str),
    Item(&'p ValuePath<'p>, usize),
}

impl ValuePath<'_> {
    fn steps(&self) -> Vec<PathStep> {
        match self {
            ValuePath::Whole => Vec::new(),
            ValuePath::Key(parent, key) => {
                let mut steps = parent.steps();
                steps.push(PathStep::Key((*key).to_owned()));
                steps
            }
            ValuePath::Item(parent, number) => {
                let mut steps = parent.steps();
                steps.push(PathStep::Item(*number));
                steps
            }
        }
    }
}

/// Reads the value at a path.
pub(super) struct TreeReader<'de, 'p> {
    pub value: &'de Value,
    pub path: ValuePath<'p>,
}

impl<'de> TreeReader<'de, '_> {
    /// Deserializes the value by its actual type, whatever type is expected.
    fn any<V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Error> {
        match &self.value.data {
            ValueData::Text(text) => visitor.visit_borrowed_str(text),
            ValueData::Integer(number) => visitor.visit_i64(*number),
            ValueData::Float(number) => visitor.visit_f64(*number),
            ValueData::Bool(value) => visitor.visit_bool(*value),
            ValueData::Date(_) => Err(Error::invalid_type(Unexpected::Other("a date"), &visitor)),
            ValueData::List(items) => visitor.visit_seq(Items { items: items.iter(), number: 0, path: self.path }),
            ValueData::Table(table) => visitor.visit_map(Entries::new(table, self.path)),
        }
    }

    /// Deserializes the value by its actual type. If the type is wrong, `words` describe the expected type.
    fn read<V: Visitor<'de>>(self, words: Option<&str>, visitor: V) -> Result<V::Value, Error> {
        let read = self.any(visitor);
        read.map_err(|error| self.place(error, words))
    }

    /// Deserializes a table. Each visitor is compiled only for the types that it accepts, because the code of derived
    /// visitors is a third of this crate.
    fn table<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let read = match &self.value.data {
            ValueData::Table(table) => visitor.visit_map(Entries::new(table, self.path)),
            _ => Err(Error::wrong_type(words::TABLE)),
        };
        read.map_err(|error| self.place(error, Some(words::TABLE)))
    }

    /// Sets the position of an error, and the words for the expected type.
    fn place(&self, error: Error, words: Option<&str>) -> Error {
        let error = if let Some(words) = words { error.in_words(words) } else { error };
        error.locate(|| self.path.steps())
    }
}

/// The methods that describe the expected type in words.
macro_rules! in_words {
    ($($method:ident => $words:expr),+ $(,)?) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                self.read(Some($words), visitor)
            }
        )+
    };
}

impl<'de> Deserializer<'de> for TreeReader<'de, '_> {
    type Error = Error;

    /// Deserializes a value for a visitor of several types, which describes these types itself. A quantity, which is
    /// text, describes itself too.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.read(None, visitor)
    }

    in_words! {
        deserialize_u8 => &words::whole_number(0, u8::MAX.into()),
        deserialize_u16 => &words::whole_number(0, u16::MAX.into()),
        deserialize_u32 => words::U32,
        deserialize_u64 => &words::whole_number(0, i64::MAX),
        deserialize_i8 => &words::whole_number(i8::MIN.into(), i8::MAX.into()),
        deserialize_i16 => &words::whole_number(i16::MIN.into(), i16::MAX.into()),
        deserialize_i32 => &words::whole_number(i32::MIN.into(), i32::MAX.into()),
        deserialize_i64 => &words::whole_number(i64::MIN, i64::MAX),
        deserialize_f32 => words::NUMBER,
        deserialize_f64 => words::NUMBER,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let read = match &self.value.data {
            ValueData::Bool(value) => visitor.visit_bool(*value),
            _ => Err(Error::wrong_type(words::BOOL)),
        };
        read.map_err(|error| self.place(error, Some(words::BOOL)))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let read = match &self.value.data {
            ValueData::Text(text) => visitor.visit_borrowed_str(text),
            _ => Err(Error::wrong_type(words::TEXT)),
        };
        read.map_err(|error| self.place(error, Some(words::TEXT)))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let read = match &self.value.data {
            ValueData::List(items) => visitor.visit_seq(Items { items: items.iter(), number: 0, path: self.path }),
            _ => Err(Error::wrong_type(words::LIST)),
        };
        read.map_err(|error| self.place(error, Some(words::LIST)))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.table(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Error> {
        match &self.value.data {
            ValueData::List(items) if items.len() == length => {
                let read = visitor.visit_seq(Items { items: items.iter(), number: 0, path: self.path });
                read.map_err(|error| self.place(error, None))
            }
            _ => Err(Error::wrong_type(words::list_of(length)).locate(|| self.path.steps())),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.table(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let read = match &self.value.data {
            ValueData::Text(word) => visitor.visit_enum(BorrowedStrDeserializer::new(word)),
            _ => Err(Error::wrong_type(words::NAME)),
        };
        read.map_err(|error: Error| error.locate(|| self.path.steps()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i128 u128 char str bytes byte_buf unit unit_struct tuple_struct identifier ignored_any
    }
}

/// The items of a list.
struct Items<'de, 'p> {
    items: std::slice::Iter<'de, Value>,
    number: usize,
    path: ValuePath<'p>,
}

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.items.next() else { return Ok(None) };
        let path = ValuePath::Item(&self.path, self.number);
        self.number += 1;
        seed.deserialize(TreeReader { value, path }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of a table: a `kind` that is text first, for [`engine::tagged`], the others in the order of the text.
struct Entries<'de, 'p> {
    kind: Option<(&'de String, &'de Value)>,
    others: indexmap::map::Iter<'de, String, Value>,
    has_kind: bool,
    next: Option<(&'de str, &'de Value)>,
    path: ValuePath<'p>,
}

impl<'de, 'p> Entries<'de, 'p> {
    fn new(table: &'de Table, path: ValuePath<'p>) -> Self {
        let kind =
            table.get_key_value(engine::tagged::KIND).filter(|(_, kind)| matches!(kind.data, ValueData::Text(_)));
        Entries { kind, others: table.iter(), has_kind: kind.is_some(), next: None, path }
    }

    fn advance(&mut self) -> Option<(&'de String, &'de Value)> {
        if let Some(kind) = self.kind.take() {
            return Some(kind);
        }
        let has_kind = self.has_kind;
        self.others.find(|(key, _)| !(has_kind && *key == engine::tagged::KIND))
    }
}

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.advance() else { return Ok(None) };
        self.next = Some((key, value));
        let read = seed.deserialize(BorrowedStrDeserializer::new(key));
        read.map(Some).map_err(|error: Error| error.locate(|| ValuePath::Key(&self.path, key).steps()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (key, value) = self.next.take().ok_or_else(|| Error::custom("a key before its value"))?;
        seed.deserialize(TreeReader { value, path: ValuePath::Key(&self.path, key) })
    }
}
