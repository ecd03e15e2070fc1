//! The values that the JSON Schema allows at a key.

use std::sync::LazyLock;

use serde_json::Value;

use crate::key_path::PathStep;

static SCHEMA: LazyLock<Value> = LazyLock::new(crate::schema);

/// The alternative schemas of a value.
#[derive(Clone, Debug)]
pub(crate) struct Shape<'s>(Vec<&'s Value>);

impl Shape<'static> {
    /// The shape of a scenario.
    pub fn scenario() -> Self {
        Shape::of(&SCHEMA)
    }

    /// The shape of the key at the end of `steps`; empty if the key does not exist.
    pub fn at(steps: &[PathStep]) -> Self {
        steps.iter().fold(Shape::scenario(), |shape, step| shape.below(step))
    }
}

impl<'s> Shape<'s> {
    /// The shape of the values that a schema allows.
    pub fn of(schema: &'s Value) -> Self {
        let mut all = Vec::new();
        expand_schema(schema, &mut all);
        Shape(all)
    }

    /// Shape of the value at a key or index below this one.
    pub fn below(&self, step: &PathStep) -> Self {
        let mut all = Vec::new();
        for schema in &self.0 {
            let inner = match step {
                PathStep::Key(key) => schema["properties"].get(key).or_else(|| schema.get("additionalProperties")),
                PathStep::Item(_) => schema.get("items"),
            };
            inner.into_iter().for_each(|inner| expand_schema(inner, &mut all));
        }
        Shape(all)
    }

    /// Alternative schemas, each before the schemas to which it refers.
    pub fn alternatives(&self) -> &[&'s Value] {
        &self.0
    }

    /// Whether the value may be a list.
    pub fn takes_list(&self) -> bool {
        self.has_type("array")
    }

    /// Whether the value may be a table.
    pub fn takes_table(&self) -> bool {
        self.has_type("object")
    }

    fn has_type(&self, name: &str) -> bool {
        self.0.iter().any(|schema| match &schema["type"] {
            Value::String(only) => only == name,
            Value::Array(any) => any.iter().any(|one| one == name),
            _ => false,
        })
    }

    /// Whether the table has entries by name, as `links` has.
    pub fn has_names(&self) -> bool {
        self.0.iter().any(|schema| schema["additionalProperties"].is_object())
    }

    /// Keys of the table for any `kind`, without duplicates.
    pub fn keys(&self) -> Vec<&'s str> {
        let mut keys = Vec::new();
        for (key, _) in self.0.iter().filter_map(|schema| schema["properties"].as_object()).flatten() {
            if !keys.contains(&key.as_str()) {
                keys.push(key);
            }
        }
        keys
    }

    /// The kinds of the table.
    pub fn kinds(&self) -> Vec<&'s str> {
        self.0.iter().filter_map(|schema| schema_kind(schema)).collect()
    }

    /// The kinds of the table that have a key `name`.
    pub fn kinds_with(&self, name: &str) -> Vec<&'s str> {
        let has = |schema: &&&'s Value| Shape::of(schema).keys().contains(&name);
        self.0.iter().filter(has).filter_map(|schema| schema_kind(schema)).collect()
    }

    /// The key whose value a bare name is, if a name may stand for the table.
    pub fn bare_name(&self) -> Option<&'s str> {
        self.0.iter().find_map(|schema| schema[engine::bare_name::KEYWORD].as_str()).filter(|key| !key.is_empty())
    }

    /// The required keys of the table.
    pub fn required_keys(&self) -> impl Iterator<Item = &'s str> {
        self.0.iter().filter_map(|schema| schema["required"].as_array()).flatten().filter_map(Value::as_str)
    }
}

fn schema_kind(schema: &Value) -> Option<&str> {
    schema["properties"][engine::tagged::KIND]["const"].as_str()
}

/// Expands a schema's references and alternatives.
fn expand_schema<'s>(schema: &'s Value, into: &mut Vec<&'s Value>) {
    into.push(schema);
    // A bare name has the words of the key for which it stands, and they are not kinds of the table.
    if schema.get(engine::bare_name::KEYWORD).is_some() {
        return;
    }
    let target = schema["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    if let Some(target) = target.and_then(|target| SCHEMA.pointer(target)) {
        expand_schema(target, into);
    }
    for alternative in ["anyOf", "oneOf", "allOf"].iter().filter_map(|all| schema[*all].as_array()).flatten() {
        expand_schema(alternative, into);
    }
}
