//! The Markdown reference of scenario keys, generated from the JSON Schema.

mod kinds;
mod presets;
mod ranges;
mod row;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use presets::Presets;
use ranges::Ranges;

const HEAD: &str = "\
# Scenario reference

Every table and key of a scenario, generated from the [JSON Schema](../scenario.schema.json) that
`lasthop schema` prints, and from the code that applies defaults and checks ranges.
[Scenarios](../scenario.md) explains how the tables work together.

The type is followed by the range that `lasthop check` accepts, with the defaults of other keys where
it depends on them. *required* marks keys that must be given. *none* marks keys without which there is
nothing of the kind, or what the meaning says. Where another key decides the default, such as the
variant of TCP, the usual one comes first, and those of the other presets follow. `NAME` stands for a
name of your choice.
";

/// Returns the reference page of a schema.
pub fn page(schema: &Value) -> String {
    page_of(&of_both_directions(schema, &schema["$defs"]))
}

/// Returns the schema with settings that may differ by direction shown without directions, because the page states this
/// rule once.
fn of_both_directions(schema: &Value, definitions: &Value) -> Value {
    let inner = |value: &Value| of_both_directions(value, definitions);
    match schema {
        Value::Object(keys) => {
            let directed =
                keys.get("$ref").and_then(Value::as_str).map(name_of).filter(|name| name.starts_with("Directed"));
            let Some(directed) = directed else {
                return keys.iter().map(|(key, value)| (key.clone(), inner(value))).collect();
            };
            inner(&definitions[directed]["anyOf"][0])
        }
        Value::Array(items) => items.iter().map(inner).collect(),
        value => value.clone(),
    }
}

fn page_of(schema: &Value) -> String {
    let (definitions, ranges) = (&schema["$defs"], ranges::ranges());
    let mut reference = Reference { definitions, ranges, sections: Vec::new(), anchors: BTreeMap::new() };
    reference.object("", "Top level", schema);
    let units = units(schema["$defs"].as_object().unwrap());
    [HEAD.to_owned(), units].into_iter().chain(reference.sections).collect::<Vec<_>>().join("\n")
}

/// A reference page under construction.
struct Reference<'a> {
    definitions: &'a Value,
    ranges: Ranges,
    sections: Vec<String>,
    /// Anchor of each definition that already has a section.
    anchors: BTreeMap<&'a str, String>,
}

impl<'a> Reference<'a> {
    /// Writes the section of the table at `path`, and those of its subtables.
    fn object(&mut self, path: &str, heading: &str, object: &'a Value) {
        let place = self.sections.len();
        self.sections.push(String::new());
        let keys = self.keys(path, object);
        self.sections[place] = format!("## {heading}\n\n{}{keys}", paragraph(object));
    }

    /// Writes the table of keys of `object`, without `kind` if that selects the table itself.
    fn keys(&mut self, path: &str, object: &'a Value) -> String {
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = object["properties"].as_object().unwrap();
        let of_kind = properties.get("kind").and_then(|kind| kind["const"].as_str()).unwrap_or_default();
        let mut table = "| key | type | default | meaning |\n|---|---|---|---|\n".to_owned();
        for (key, value) in properties.iter().filter(|(_, value)| value["const"].is_null()) {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let kind = self.type_of(&path, value);
            let range = self.ranges.get(&(path.clone(), of_kind.to_owned())).map(|range| format!("; {range}"));
            let range = range.unwrap_or_else(|| row::range(row::given(value)));
            let default = match Presets::of(&path, value) {
                Some(presets) => row::by_preset(&presets),
                None => row::default(value, required.contains(&key.as_str())),
            };
            let meaning = self.meaning(value);
            table += &format!("| `{key}` | {kind}{range} | {default} | {meaning} |\n");
        }
        table
    }

    /// Returns the description of a key, and of each of its values if they are words.
    fn meaning(&self, value: &'a Value) -> String {
        let words = row::words(self.resolved(value)).map(|(word, meaning)| format!("`{word}`: {meaning}"));
        [row::line(&value["description"])].into_iter().chain(words).collect::<Vec<_>>().join("<br>")
    }

    /// Resolves a reference, also an optional one, to its definition. Other schemata are returned unchanged.
    fn resolved(&self, value: &'a Value) -> &'a Value {
        let value = row::given(value);
        value["$ref"].as_str().map_or(value, |reference| &self.definitions[name_of(reference)])
    }

    /// Returns a link to the section of a definition, which is written first if missing.
    fn linked(&mut self, path: &str, name: &'a str, text: &str) -> String {
        if !self.anchors.contains_key(name) {
            let definition = &self.definitions[name];
            self.anchors.insert(name, anchor(path));
            if definition["oneOf"].is_array() {
                self.choice(path, definition);
            } else {
                let place = self.sections.len();
                self.object(path, &format!("`{path}`"), table_of(definition));
                if let Some(key) = bare_name(definition) {
                    let about = format!("{}{}", paragraph(definition), bare_name_rule(key));
                    let (heading, keys) = self.sections[place].split_once("\n\n").unwrap();
                    self.sections[place] = format!("{heading}\n\n{about}{keys}");
                }
            }
        }
        format!("[{text}](#{})", self.anchors[name])
    }
}

/// Returns the key whose value a bare name is; empty for a name with another rule.
fn bare_name(definition: &Value) -> Option<&str> {
    definition["anyOf"][0][engine::bare_name::KEYWORD].as_str()
}

fn bare_name_rule(key: &str) -> String {
    match key {
        "" => "A file alone stands for both directions.\n\n".to_owned(),
        key => format!("A text alone stands for a table with only this `{key}`.\n\n"),
    }
}

/// Returns the table of a definition for which a bare name may stand too.
fn table_of(definition: &Value) -> &Value {
    if bare_name(definition).is_some() { &definition["anyOf"][1] } else { definition }
}

/// Writes the units of quantities, one line per quantity.
fn units(definitions: &Map<String, Value>) -> String {
    let mut table =
        "## Units\n\nA quantity is a text: a number and a unit. Zero needs no unit and no quotes. A share is a number, or a \
         text in percent: `0.01` or `\"1 %\"`.\n\n| quantity | example | units | read as well |\n|---|---|---|---|\n"
            .to_owned();
    let mut lines = Vec::new();
    for (name, definition) in definitions {
        let Some((quantity, example)) = quantity(definition) else { continue };
        let listed = |key: &str| {
            let names = row::list(&definition[key]).filter_map(Value::as_str).map(|name| format!("`{name}`"));
            names.collect::<Vec<_>>().join(", ")
        };
        let sign = if name.starts_with("Signed") { "; a sign is allowed" } else { "" };
        let (units, spellings) = (listed("units"), listed("spellings"));
        lines.push(format!("| {quantity}{sign} | `{example}` | {units} | {spellings} |\n"));
    }
    lines.sort();
    lines.dedup();
    table.extend(lines);
    table
}

/// Returns name and example of a quantity from a description such as `a time such as "492 ms"`.
fn quantity(definition: &Value) -> Option<(&str, &str)> {
    definition["pattern"].as_str()?;
    definition["description"].as_str()?.strip_prefix("a ")?.split_once(" such as ")
}

/// Writes a description as a paragraph.
fn paragraph(value: &Value) -> String {
    let text = row::line(&value["description"]);
    if text.is_empty() { text } else { text + "\n\n" }
}

fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap()
}

/// Returns the anchor that GitHub and mdBook give to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
