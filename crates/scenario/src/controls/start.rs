//! Initial values of the keys that a table or a member requires when it is chosen.

use serde_json::Value as Json;
use toml::{Table, Value};

use super::forms::{Forms, required_settings, setting_keys};

/// Initial values of keys whose type has no suitable usual value.
const BY_KEY: [(&str, &str); 21] = [
    ("at", "\"1 s\""),
    ("dbm", "-60"),
    ("deviation", "\"2 ms\""),
    ("disconnections", "[[\"2 s\", \"3 s\"]]"),
    ("duration", "\"1 s\""),
    ("from", "\"0 s\""),
    ("gap_bad", "5"),
    ("gap_good", "100"),
    ("high", "\"20 ms\""),
    ("loss", "0.01"),
    ("max", "20"),
    ("mean", "\"10 ms\""),
    ("mean_good", "\"5 s\""),
    ("motion", "{ velocity = [\"1 m/s\", \"0 m/s\"] }"),
    ("p", "0.01"),
    ("position", "[\"0 m\", \"0 m\"]"),
    ("probability", "1"),
    ("scale", "\"10 ms\""),
    ("shape", "2"),
    ("to", "\"2 s\""),
    ("value", "\"10 ms\""),
];

/// Bit errors are much rarer than other losses.
const BIT_ERRORS: (&str, f64) = ("rate", 1e-6);

/// A value for a key.
pub(super) fn initial_value(key: &str, schema: &'static Json) -> Value {
    let forms = Forms::of(schema);
    if let Some((_, text)) = BY_KEY.iter().find(|(known, _)| *known == key) {
        return crate::document::value_of(text).unwrap_or_else(|_| (*text).into());
    }
    if let Some(dimension) = forms.dimension {
        return dimension.usual().into();
    }
    if let Some(kind) = forms.kinds.first() {
        return initial_member(kind.name, kind.table, forms.named);
    }
    if let Some(table) = forms.table {
        return initial_settings(table).into();
    }
    if let Some(word) = forms.words.first() {
        return word.word.into();
    }
    if let Some(list) = forms.list {
        let items = list["minItems"].as_u64().unwrap_or(1) as usize;
        return vec![initial_value("", &list["items"]); items].into();
    }
    match (forms.number, forms.integer) {
        (Some(_), _) if key == BIT_ERRORS.0 => BIT_ERRORS.1.into(),
        (Some(ends), _) => ends.min.filter(|min| *min >= 1.0).unwrap_or(0.1).into(),
        (_, Some(ends)) => Value::Integer(ends.min.unwrap_or(0.0).max(1.0) as i64),
        _ if forms.boolean => true.into(),
        _ => "".into(),
    }
}

/// A member of a registry: its name if that suffices, or a table with its required settings.
pub(super) fn initial_member(name: &'static str, table: &'static Json, is_named: bool) -> Value {
    if is_named && required_settings(table).next().is_none() {
        return name.into();
    }
    let mut all = Table::from_iter([(engine::tagged::KIND.to_owned(), name.into())]);
    all.extend(initial_settings(table));
    all.into()
}

fn initial_settings(table: &'static Json) -> Table {
    let needed: Vec<&str> = required_settings(table).collect();
    let values = setting_keys(table).filter(|key| needed.contains(key));
    values.map(|key| (key.to_owned(), initial_value(key, &table["properties"][key]))).collect()
}
