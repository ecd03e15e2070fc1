//! The reference of a scenario's keys as a Markdown page, written from the JSON Schema.

mod kinds;
mod row;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

const HEAD: &str = "\
# Scenario reference

Every table and key of a scenario, generated from the [JSON Schema](../scenario.schema.json) that
`lasthop schema` prints. [Scenarios](../scenario.md) explains how the tables work together, and which
further rules `lasthop check` applies.

A key without a default may be left out; its meaning says what holds then. *required* marks keys that
must be given. `NAME` stands for a name of your choice.
";

/// The page for a schema.
pub fn page(schema: &Value) -> String {
    let mut reference = Reference { definitions: &schema["$defs"], sections: Vec::new(), anchors: BTreeMap::new() };
    reference.object("", "Top level", schema);
    let units = units(schema["$defs"].as_object().unwrap());
    [HEAD.to_owned(), units].into_iter().chain(reference.sections).collect::<Vec<_>>().join("\n")
}

/// The page while it is written.
struct Reference<'a> {
    definitions: &'a Value,
    sections: Vec<String>,
    /// The heading's anchor of each definition that has a section.
    anchors: BTreeMap<&'a str, String>,
}

impl<'a> Reference<'a> {
    /// Writes the section of a table at `path`, and those of the tables in it.
    fn object(&mut self, path: &str, heading: &str, object: &'a Value) {
        let place = self.sections.len();
        self.sections.push(String::new());
        let keys = self.keys(path, object);
        self.sections[place] = format!("## {heading}\n\n{}{keys}", paragraph(object));
    }

    /// The table of the keys of `object`, but for `kind` where that selects the table itself.
    fn keys(&mut self, path: &str, object: &'a Value) -> String {
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = object["properties"].as_object().unwrap();
        let mut table = "| key | type | default | meaning |\n|---|---|---|---|\n".to_owned();
        for (key, value) in properties.iter().filter(|(_, value)| value["const"].is_null()) {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let kind = self.type_of(&path, value);
            let default = row::default(value, required.contains(&key.as_str()));
            table += &format!("| `{key}` | {kind} | {default} | {} |\n", self.meaning(value));
        }
        table
    }

    /// What a key means, and what each of its values means if they are words.
    fn meaning(&self, value: &'a Value) -> String {
        let words = row::words(self.resolved(value)).map(|(word, meaning)| format!("`{word}`: {meaning}"));
        [row::line(&value["description"])].into_iter().chain(words).collect::<Vec<_>>().join("<br>")
    }

    /// The definition behind a reference, which may be optional; other schemata as they are.
    fn resolved(&self, value: &'a Value) -> &'a Value {
        let value = row::given(value);
        value["$ref"].as_str().map_or(value, |reference| &self.definitions[name_of(reference)])
    }

    /// A link to the section of a definition, which is written if it is not there yet.
    fn linked(&mut self, path: &str, name: &'a str, text: &str) -> String {
        if !self.anchors.contains_key(name) {
            let definition = &self.definitions[name];
            self.anchors.insert(name, anchor(path));
            if definition["oneOf"].is_array() {
                self.choice(path, definition);
            } else {
                self.object(path, &format!("`{path}`"), definition);
            }
        }
        format!("[{text}](#{})", self.anchors[name])
    }
}

/// The units of quantities, a line for each kind.
fn units(definitions: &Map<String, Value>) -> String {
    let mut table =
        "## Units\n\nA quantity is a text: a number and a unit.\n\n| quantity | example | units |\n|---|---|---|\n"
            .to_owned();
    let mut lines = Vec::new();
    for (name, definition) in definitions {
        let Some((quantity, example)) = quantity(definition) else { continue };
        let units = definition["pattern"].as_str().and_then(|pattern| pattern.rsplit_once('(')).unwrap().1;
        let units = units.split(')').next().unwrap().replace('|', "`, `");
        let sign = if name.starts_with("Signed") { "; a sign is allowed" } else { "" };
        lines.push(format!("| {quantity}{sign} | `{example}` | `{units}` |\n"));
    }
    lines.sort();
    lines.dedup();
    table.extend(lines);
    table
}

/// The name of a quantity and an example, of a definition such as `a time such as "492 ms"`.
fn quantity(definition: &Value) -> Option<(&str, &str)> {
    definition["pattern"].as_str()?;
    definition["description"].as_str()?.strip_prefix("a ")?.split_once(" such as ")
}

/// A description as a paragraph.
fn paragraph(value: &Value) -> String {
    let text = row::line(&value["description"]);
    if text.is_empty() { text } else { text + "\n\n" }
}

fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap()
}

/// The anchor that a heading gets from GitHub and from mdBook.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
