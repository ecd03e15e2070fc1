//! A scenario as a tree of values, each with its position in the text, or the origin of its assignment.

use std::ops::Range;
use std::rc::Rc;

use indexmap::IndexMap;
use toml::de::{DeTable, DeValue};

use crate::key_path::{self, PathStep};

/// The origin of an assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// An origin outside of the text, such as an option of the command line.
    Outside(String),
    /// Another key of the text, for example of its sweep.
    Key(String),
}

/// Keys and values, in the order of the text.
pub(crate) type Table = IndexMap<String, Value>;

/// A value and its source.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub data: ValueData,
    pub source: ValueSource,
}

/// A value without its source.
#[derive(Clone, Debug)]
pub(crate) enum ValueData {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    /// A date or a time of day, which no key accepts.
    Date(String),
    List(Vec<Value>),
    Table(Table),
}

/// The source of a value.
#[derive(Clone, Debug)]
pub(crate) enum ValueSource {
    /// Byte positions in the text. An item of a list has no key, and has a position instead.
    Text { key: Range<usize>, value: Range<usize> },
    /// Assigned after a text was read.
    Set(Rc<Origin>),
    /// A scenario in another language.
    Elsewhere,
}

/// A number outside the range of scenarios.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BeyondRange {
    /// Place of the number in the text.
    pub place: Range<usize>,
    /// The permitted numbers.
    pub expected: String,
}

impl Value {
    /// The tree of a TOML text.
    pub fn of_text(text: &DeTable<'_>) -> Result<Self, BeyondRange> {
        // In an empty text, missing keys have no line.
        let source =
            if text.is_empty() { ValueSource::Elsewhere } else { ValueSource::Text { key: 0..0, value: 0..0 } };
        Ok(Value { data: convert_table(text)?, source })
    }

    /// A copy of `value`, all with the source `source`.
    pub fn of_toml(value: toml::Value, source: &ValueSource) -> Self {
        let data = match value {
            toml::Value::String(text) => ValueData::Text(text),
            toml::Value::Integer(number) => ValueData::Integer(number),
            toml::Value::Float(number) => ValueData::Float(number),
            toml::Value::Boolean(value) => ValueData::Bool(value),
            toml::Value::Datetime(date) => ValueData::Date(date.to_string()),
            toml::Value::Array(items) => {
                ValueData::List(items.into_iter().map(|item| Value::of_toml(item, source)).collect())
            }
            toml::Value::Table(table) => {
                ValueData::Table(table.into_iter().map(|(key, value)| (key, Value::of_toml(value, source))).collect())
            }
        };
        Value { data, source: source.clone() }
    }

    /// The value in TOML's type.
    pub fn to_toml(&self) -> toml::Value {
        match &self.data {
            ValueData::Text(text) => toml::Value::String(text.clone()),
            ValueData::Integer(number) => toml::Value::Integer(*number),
            ValueData::Float(number) => toml::Value::Float(*number),
            ValueData::Bool(value) => toml::Value::Boolean(*value),
            ValueData::Date(date) => date.parse().map_or_else(|_| date.as_str().into(), toml::Value::Datetime),
            ValueData::List(items) => toml::Value::Array(items.iter().map(Value::to_toml).collect()),
            ValueData::Table(table) => {
                toml::Value::Table(table.iter().map(|(key, value)| (key.clone(), value.to_toml())).collect())
            }
        }
    }

    /// The table, or `None` for other values.
    pub fn as_table(&self) -> Option<&Table> {
        if let ValueData::Table(table) = &self.data { Some(table) } else { None }
    }

    /// The items, or `None` if the value is not a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let ValueData::List(items) = &self.data { Some(items) } else { None }
    }

    /// The text, or `None` for other values.
    pub fn text(&self) -> Option<&str> {
        if let ValueData::Text(text) = &self.data { Some(text) } else { None }
    }

    /// The table, or `None` for other values.
    pub fn as_table_mut(&mut self) -> Option<&mut Table> {
        if let ValueData::Table(table) = &mut self.data { Some(table) } else { None }
    }

    /// The value at a path of keys, such as `links.air.between[1]`.
    pub fn at(&self, path: &str) -> Option<&Value> {
        let (values, complete) = self.along(path);
        values.last().copied().filter(|_| complete)
    }

    /// Returns the values on the path, beginning with this one. Also returns whether the last of them is at the end of
    /// the path.
    pub fn along(&self, path: &str) -> (Vec<&Value>, bool) {
        let (mut values, mut rest) = (vec![self], path);
        while let (Some(value), false) = (values.last(), rest.is_empty()) {
            let Some((inner, behind)) = value.step(rest) else { return (values, false) };
            values.push(inner);
            rest = behind;
        }
        (values, true)
    }

    /// The value at the first key or index of `path`, and the rest of the path. A key may contain dots.
    fn step<'p>(&self, path: &'p str) -> Option<(&Value, &'p str)> {
        match &self.data {
            ValueData::Table(table) => {
                let ends = path.match_indices(['.', '[']).map(|(end, _)| end).chain([path.len()]);
                let mut found = ends.filter_map(|end| Some((table.get(&path[..end])?, &path[end..])));
                found.next().map(|(value, rest)| (value, rest.strip_prefix('.').unwrap_or(rest)))
            }
            ValueData::List(items) => {
                let (number, rest) = path.strip_prefix('[')?.split_once(']')?;
                Some((items.get(number.parse::<usize>().ok()?)?, rest.strip_prefix('.').unwrap_or(rest)))
            }
            _ => None,
        }
    }

    /// The value at the end of `steps`.
    pub fn at_path(&self, steps: &[PathStep]) -> Option<&Value> {
        steps.iter().try_fold(self, |value, step| match (&value.data, step) {
            (ValueData::Table(table), PathStep::Key(key)) => table.get(key),
            (ValueData::List(items), PathStep::Item(number)) => items.get(*number),
            _ => None,
        })
    }

    /// The value at the end of `steps`.
    pub fn at_path_mut(&mut self, steps: &[PathStep]) -> Option<&mut Value> {
        steps.iter().try_fold(self, |value, step| match (&mut value.data, step) {
            (ValueData::Table(table), PathStep::Key(key)) => table.get_mut(key),
            (ValueData::List(items), PathStep::Item(number)) => items.get_mut(*number),
            _ => None,
        })
    }

    /// Removes the key at the end of `steps`, or for an item of a list the whole list; false if the key does not exist.
    pub fn remove(&mut self, steps: &[PathStep]) -> bool {
        let keys = key_path::without_items(steps);
        let Some((PathStep::Key(last), parent)) = keys.split_last() else { return false };
        let table = self.at_path_mut(parent).and_then(Value::as_table_mut);
        table.is_some_and(|table| table.shift_remove(last).is_some())
    }
}

fn convert_table(text: &DeTable<'_>) -> Result<ValueData, BeyondRange> {
    let entries = text.iter().map(|(key, inner)| {
        let source = ValueSource::Text { key: key.span(), value: inner.span() };
        Ok((key.get_ref().to_string(), Value { data: convert_value(inner.get_ref(), inner.span())?, source }))
    });
    Ok(ValueData::Table(entries.collect::<Result<_, _>>()?))
}

fn convert_value(text: &DeValue<'_>, span: Range<usize>) -> Result<ValueData, BeyondRange> {
    Ok(match text {
        DeValue::String(text) => ValueData::Text(text.to_string()),
        DeValue::Integer(number) => {
            let expected = || format!("a whole number, {} to {}", i64::MIN, i64::MAX);
            let number = i64::from_str_radix(number.as_str(), number.radix());
            ValueData::Integer(number.map_err(|_| BeyondRange { place: span, expected: expected() })?)
        }
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            Ok(value) if value.is_finite() || number.as_str().contains(['i', 'n']) => ValueData::Float(value),
            _ => return Err(BeyondRange { place: span, expected: format!("a number of at most {:e}", f64::MAX) }),
        },
        DeValue::Boolean(value) => ValueData::Bool(*value),
        DeValue::Datetime(date) => ValueData::Date(date.to_string()),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| {
                let source = ValueSource::Text { key: item.span(), value: item.span() };
                Ok(Value { data: convert_value(item.get_ref(), item.span())?, source })
            });
            ValueData::List(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(inner) => convert_table(inner)?,
    })
}
