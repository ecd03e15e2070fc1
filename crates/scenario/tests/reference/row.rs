//! The cells of a key's row.

use serde_json::Value;

use super::presets::Presets;

/// Returns a description as a single line, escaped for a table cell.
pub fn line(description: &Value) -> String {
    description.as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the schema without its alternative `null`.
pub fn given(value: &Value) -> &Value {
    let mut others = list(&value["anyOf"]).filter(|each| each["type"] != "null");
    match (others.next(), others.next()) {
        (Some(only), None) => only,
        _ => value,
    }
}

/// Returns the name of a type, which may be listed together with `null`.
pub fn type_name(value: &Value) -> &str {
    let mut names = list(&value["type"]).chain([&value["type"]]).filter_map(Value::as_str);
    names.find(|name| *name != "null").unwrap_or("text")
}

/// Returns the words that a key accepts, each with its description; empty if other values are accepted.
pub fn words(definition: &Value) -> impl Iterator<Item = (&str, String)> {
    list(&definition["oneOf"]).filter_map(|each| Some((each["const"].as_str()?, line(&each["description"]))))
}

/// Returns the values of an `enum`.
pub fn choices(value: &Value) -> String {
    list(&value["enum"]).filter_map(Value::as_str).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the range of a number as text to be appended to its type.
pub fn range(value: &Value) -> String {
    match [&value["minimum"], &value["maximum"]].map(|bound| bound.as_f64()) {
        [Some(min), Some(max)] => format!(", {min} to {max}"),
        [Some(min), None] => format!(", at least {min}"),
        [None, Some(max)] => format!(", at most {max}"),
        [None, None] => String::new(),
    }
}

/// The cell of a key without a default.
const NO_DEFAULT: &str = "*none*";

/// Returns the default as TOML.
pub fn default(value: &Value, required: bool) -> String {
    match &value["default"] {
        Value::Null if required => "*required*".to_owned(),
        value => code(value),
    }
}

/// Returns the default of the usual preset, and the defaults of the others.
pub fn by_preset(presets: &Presets) -> String {
    let others = presets.others.iter().map(|(names, value)| {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        format!("<br>{names}: {}", code(value))
    });
    code(&presets.usual) + &others.collect::<String>()
}

fn code(value: &Value) -> String {
    if value.is_null() { NO_DEFAULT.to_owned() } else { format!("`{}`", toml(value)) }
}

fn toml(value: &Value) -> String {
    let join = |each: Vec<String>| each.join(", ");
    match value {
        Value::Array(each) => format!("[{}]", join(each.iter().map(toml).collect())),
        Value::Object(table) if table.is_empty() => "{}".to_owned(),
        // A member with its defaults is written as its name.
        Value::Object(table) if table.len() == 1 && table.contains_key("kind") => toml(&table["kind"]),
        Value::Object(table) => {
            let given = table.iter().filter(|(_, value)| !value.is_null());
            format!("{{ {} }}", join(given.map(|(key, value)| format!("{key} = {}", toml(value))).collect()))
        }
        value => value.to_string(),
    }
}
