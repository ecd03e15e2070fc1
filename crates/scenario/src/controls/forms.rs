//! The forms that the value of a key may have, from its JSON Schema.

use serde_json::Value as Json;

use super::stops::{Dimension, NumberBounds};
use crate::keys::Shape;
use crate::model::directed;

/// A permitted word as value of a key.
pub(super) struct Word {
    pub word: &'static str,
    pub meaning: &'static str,
}

/// A member of a tagged union.
pub(super) struct UnionMember {
    pub name: &'static str,
    pub meaning: &'static str,
    /// The table of settings.
    pub table: &'static Json,
}

/// The forms of a value; several may be allowed.
#[derive(Default)]
pub(super) struct Forms {
    pub meaning: &'static str,
    pub default: Option<&'static Json>,
    /// Whether the key is optional without having a default.
    pub optional: bool,
    pub words: Vec<Word>,
    pub kinds: Vec<UnionMember>,
    /// Whether a kind's name alone can replace its table.
    pub named: bool,
    pub table: Option<&'static Json>,
    /// Whether a table with a value for each direction may replace the single value.
    pub directed: bool,
    /// The schema of the entries of a table of names.
    pub names: Option<&'static Json>,
    pub list: Option<&'static Json>,
    pub dimension: Option<Dimension>,
    /// Whether the limit of a queue is allowed, in packets or bytes.
    pub limit: bool,
    pub integer: Option<NumberBounds>,
    pub number: Option<NumberBounds>,
    pub boolean: bool,
    pub text: bool,
    /// Whether the value is a table with any keys.
    pub free: bool,
}

impl Forms {
    /// The forms that the schema of a key allows.
    pub fn of(schema: &'static Json) -> Self {
        let mut forms = Forms { default: schema.get("default"), ..Forms::default() };
        for alternative in Shape::of(schema).alternatives() {
            forms.add(alternative);
        }
        if let Some(ends) = forms.number.as_mut().filter(|_| forms.meaning.contains("0 to 1")) {
            *ends = NumberBounds { min: ends.min.or(Some(0.0)), max: ends.max.or(Some(1.0)) };
        }
        forms.text &= forms.dimension.is_none() && !forms.limit;
        let is_directions = |table: &'static Json| setting_keys(table).eq(directed::NAMES);
        let is_other = forms.dimension.is_some() || forms.limit || forms.number.is_some() || !forms.kinds.is_empty();
        forms.directed = is_other && forms.table.is_some_and(is_directions);
        if forms.directed {
            forms.table = None;
        }
        let words = forms.words.len();
        forms.words.retain(|word| !forms.kinds.iter().any(|kind| kind.name == word.word));
        forms.named = forms.words.len() < words;
        forms
    }

    fn add(&mut self, schema: &'static Json) {
        // A control shows the table that a bare name stands for.
        if schema.get(engine::bare_name::KEYWORD).is_some() {
            return;
        }
        let description = schema["description"].as_str().unwrap_or_default();
        if self.meaning.is_empty() {
            self.meaning = description;
        }
        let target = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()).unwrap_or_default();
        self.limit |= target == "QueueLimit";
        self.dimension = self.dimension.or_else(|| Dimension::of(target));
        let words = schema["enum"].as_array().into_iter().flatten().filter_map(Json::as_str).map(|word| (word, ""));
        let words = words.chain(schema["const"].as_str().map(|word| (word, description)));
        self.words.extend(words.map(|(word, meaning)| Word { word, meaning }));
        let types = match &schema["type"] {
            Json::Array(types) => types.iter().filter_map(Json::as_str).collect(),
            other => Vec::from_iter(other.as_str()),
        };
        let ends = NumberBounds { min: schema["minimum"].as_f64(), max: schema["maximum"].as_f64() };
        for name in types {
            match name {
                "null" => self.optional = true,
                "boolean" => self.boolean = true,
                "integer" => self.integer = Some(ends),
                "number" => self.number = Some(ends),
                "array" => self.list = Some(schema),
                "object" => self.add_table(schema, description),
                "string" => {
                    let is_word = schema.get("enum").is_some() || schema.get("const").is_some();
                    self.text |= !is_word && schema.get("pattern").is_none();
                }
                _ => {}
            }
        }
    }

    fn add_table(&mut self, schema: &'static Json, meaning: &'static str) {
        let kind = schema["properties"][engine::tagged::KIND]["const"].as_str();
        if let Some(name) = kind {
            self.kinds.push(UnionMember { name, meaning, table: schema });
        } else if schema["properties"].is_object() {
            self.table = Some(schema);
        } else if schema["additionalProperties"].is_object() {
            self.names = Some(&schema["additionalProperties"]);
        } else {
            self.free = true;
        }
    }

    /// The kind called `name`.
    pub fn kind(&self, name: &str) -> Option<&UnionMember> {
        self.kinds.iter().find(|kind| kind.name == name)
    }
}

/// The keys of a table, other than its kind.
pub(super) fn setting_keys(table: &'static Json) -> impl Iterator<Item = &'static str> {
    let all = table["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    all.filter(|key| *key != engine::tagged::KIND)
}

/// The required keys of a table, other than its kind.
pub(super) fn required_settings(table: &'static Json) -> impl Iterator<Item = &'static str> {
    let all = table["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    all.filter(|key| *key != engine::tagged::KIND)
}
