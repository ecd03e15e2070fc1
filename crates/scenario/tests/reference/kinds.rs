//! Types of keys, and sections of tables that are selected by `kind`.

use serde_json::Value;

use super::{Reference, anchor, name_of, paragraph, quantity, row};

impl<'a> Reference<'a> {
    /// Writes the section of a table with a `kind`: a list of the kinds, and a table of keys for each kind with
    /// settings.
    pub(super) fn choice(&mut self, path: &str, choice: &'a Value) {
        let kinds: Vec<(&str, &Value)> = row::list(&choice["oneOf"]).filter_map(kind).collect();
        let mut section = format!("## `{path}`\n\n{}| kind | meaning |\n|---|---|\n", paragraph(choice));
        for (name, table) in &kinds {
            let shown = if has_settings(table) {
                format!("[`{name}`](#{})", anchor(&format!("{path} {name}")))
            } else {
                format!("`{name}`")
            };
            section += &format!("| {shown} | {} |\n", row::line(&table["description"]));
        }
        self.sections.push(section);
        for (name, table) in kinds.into_iter().filter(|(_, table)| has_settings(table)) {
            let place = self.sections.len();
            self.sections.push(String::new());
            let keys = self.keys(path, table);
            self.sections[place] = format!("### `{path}` `{name}`\n\n{}{keys}", paragraph(table));
        }
    }

    /// Returns the type of the key at `path` as text, with its range.
    pub(super) fn type_of(&mut self, path: &str, value: &'a Value) -> String {
        let value = row::given(value);
        if let Some(reference) = value["$ref"].as_str() {
            return self.type_of_definition(path, name_of(reference));
        }
        let alternatives: Vec<&Value> = ["anyOf", "oneOf"].iter().flat_map(|of| row::list(&value[*of])).collect();
        if !alternatives.is_empty() {
            let each = alternatives.into_iter().map(|value| self.type_of(path, value) + &row::range(value));
            return each.collect::<Vec<_>>().join(" or ");
        }
        if let Some(word) = value["const"].as_str() {
            return format!("`{word}`");
        }
        match row::type_name(value) {
            "array" => self.type_of_list(path, value),
            "object" => match value["additionalProperties"]["$ref"].as_str() {
                Some(reference) => self.linked(&format!("{path}.NAME"), name_of(reference), "tables by name"),
                None => "table of keys and their values".to_owned(),
            },
            "boolean" => "`true`, `false`".to_owned(),
            "string" if value["enum"].is_array() => row::choices(value),
            "string" => "text".to_owned(),
            number => number.to_owned(),
        }
    }

    fn type_of_definition(&mut self, path: &str, name: &'a str) -> String {
        let definition = &self.definitions[name];
        if let Some((quantity, _)) = quantity(definition) {
            return format!("[{quantity}](#units)");
        }
        let words = row::words(definition).map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>();
        if !words.is_empty() {
            return words.join(", ");
        }
        if let Some(named) = name.strip_suffix("OrName") {
            return self.linked(path, named, "name or table");
        }
        if super::bare_name(definition).is_some() {
            return self.linked(path, name, "name or table");
        }
        if definition["anyOf"][1]["const"] == 0 {
            return format!("text {}", row::line(&definition["description"]));
        }
        if definition["properties"].is_object() || row::list(&definition["oneOf"]).any(|each| kind(each).is_some()) {
            return self.linked(path, name, "table");
        }
        match (definition["anyOf"].is_array(), definition["description"].as_str()) {
            (false, Some(text)) => format!("text {text}"),
            _ => self.type_of(path, definition),
        }
    }

    fn type_of_list(&mut self, path: &str, value: &'a Value) -> String {
        let items = self.type_of(&format!("{path}[]"), &value["items"]);
        match value["minItems"].as_u64() {
            Some(count) if value["maxItems"].as_u64() == Some(count) => format!("list of {count}: {items}"),
            _ => format!("list: {items}"),
        }
    }
}

/// Returns the table and its `kind`; `None` for a table without one.
fn kind(table: &Value) -> Option<(&str, &Value)> {
    table["properties"]["kind"]["const"].as_str().map(|name| (name, table))
}

fn has_settings(table: &Value) -> bool {
    table["properties"].as_object().is_some_and(|keys| keys.len() > 1)
}
