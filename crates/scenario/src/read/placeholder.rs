//! Values that stand for missing and wrong ones, so that a tree with errors can be read to its end.
//!
//! A placeholder has the type that the JSON Schema states. Its value has no meaning: errors in the same entry of the
//! scenario are not reported by the check, because the entry is not as written.

use engine::tagged::KIND;
use indexmap::IndexMap;
use serde_json::Value as Json;

use super::Repairs;
use crate::key_path::{PathStep, join_steps};
use crate::keys::Shape;
use crate::tree::{Value, ValueData, ValueSource};

/// Inserts a value for the missing key `name` of the table at `table`. False if that has not helped before, or if no
/// value is known.
pub(super) fn insert_missing(tree: &mut Value, table: &[PathStep], name: &str, repairs: &mut Repairs) -> bool {
    let names: Vec<&str> = if table.is_empty() { Shape::scenario().required_keys().collect() } else { vec![name] };
    let mut inserted = false;
    for name in names {
        let at = [table, &[PathStep::Key(name.to_owned())]].concat();
        let shape = Shape::at(table);
        let Some(entries) = tree.at_path_mut(table).and_then(Value::as_table_mut) else { return false };
        let value = if name == KIND && !shape.kinds().is_empty() {
            shape
                .kinds()
                .into_iter()
                .find(|kind| entries.keys().all(|key| shape.kinds_with(key).contains(kind)))
                .map(|kind| ValueData::Text(kind.to_owned()))
        } else {
            placeholder(&Shape::at(&at))
        };
        let Some(data) = value.filter(|_| !entries.contains_key(name)) else { continue };
        if !repairs.add_placeholder(&at) {
            continue;
        }
        entries.insert(name.to_owned(), Value { data, source: ValueSource::Elsewhere });
        inserted = true;
    }
    inserted
}

/// Replaces a wrong value within a list, so that later items keep their numbers. False outside of lists, or if a
/// replacement has not helped before.
pub(super) fn replace_in_list(tree: &mut Value, at: &[PathStep], repairs: &mut Repairs) -> bool {
    if !at.iter().any(|step| matches!(step, PathStep::Item(_))) {
        return false;
    }
    let (Some(data), Some(value)) = (placeholder(&Shape::at(at)), tree.at_path_mut(at)) else { return false };
    if !repairs.add_placeholder(at) {
        return false;
    }
    value.data = data;
    true
}

impl Repairs {
    /// Records a placeholder; false if the path already has one.
    fn add_placeholder(&mut self, at: &[PathStep]) -> bool {
        let key = join_steps(at);
        if self.placeholders.contains(&key) {
            return false;
        }
        self.keys.push(key.clone());
        self.placeholders.push(key);
        true
    }
}

/// A value of this shape.
fn placeholder(shape: &Shape<'_>) -> Option<ValueData> {
    let all = shape.alternatives();
    let word = |schema: &&Json| schema["const"].as_str().or(schema["enum"][0].as_str()).map(str::to_owned);
    let example = |schema: &&Json| {
        let (_, behind) = schema["description"].as_str()?.split_once("such as \"")?;
        schema["pattern"].is_string().then(|| behind.split('"').next().unwrap_or_default().to_owned())
    };
    let text = all.iter().find_map(word).or_else(|| all.iter().find_map(example));
    text.map(ValueData::Text).or_else(|| all.iter().find_map(|schema| of_type(schema)))
}

/// A value of a schema's type.
fn of_type(schema: &Json) -> Option<ValueData> {
    let name = schema["type"].as_str().or(schema["type"][0].as_str())?;
    Some(match name {
        "integer" => ValueData::Integer(schema["minimum"].as_i64().unwrap_or(1).max(1)),
        "number" => ValueData::Float(0.5),
        "boolean" => ValueData::Bool(true),
        "array" => {
            let item = placeholder(&Shape::of(schema).below(&PathStep::Item(0)))?;
            let item = Value { data: item, source: ValueSource::Elsewhere };
            ValueData::List(vec![item; schema["minItems"].as_u64().unwrap_or(1) as usize])
        }
        "object" => ValueData::Table(IndexMap::new()),
        _ => ValueData::Text("placeholder".to_owned()),
    })
}
