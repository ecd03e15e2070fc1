//! A scenario's text: parsed, changed with `--set`, and read, with every error traced back to its line.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::model::Scenario;
use crate::problem::Problem;

/// A TOML text with the places of its keys.
#[derive(Clone)]
pub struct Document {
    file: String,
    text: String,
    table: Table,
    places: BTreeMap<String, Place>,
    /// What was set from outside: the key, and who set it.
    set: Vec<(String, String)>,
}

/// Where a key and its value stand.
#[derive(Clone, Debug)]
struct Place {
    key: Range<usize>,
    value: Range<usize>,
}

impl Document {
    /// Parses `text`; `file` is what the user called it.
    pub fn parse(file: &str, text: &[u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(text).map_err(|error| {
            Problem::new("UTF-8 text; this looks like a binary file").in_file(file).found(format!(
                "byte 0x{:02x} at offset {}",
                text[error.valid_up_to()],
                error.valid_up_to()
            ))
        })?;
        let syntax = |error: toml::de::Error| {
            let problem = Problem::new(error.message().trim()).in_file(file);
            match error.span() {
                Some(span) => problem.at_offset(text, span.start),
                None => problem,
            }
        };
        let spanned = DeTable::parse(text).map_err(syntax)?;
        let mut places = BTreeMap::new();
        collect_table(spanned.get_ref(), "", &mut places);
        let table = text.parse::<Table>().map_err(syntax)?;
        Ok(Document { file: file.to_owned(), text: text.to_owned(), table, places, set: Vec::new() })
    }

    /// The document that `scenario` would be, for scenarios that were written in another language.
    pub fn of(file: &str, scenario: &Scenario) -> Result<Self, Problem> {
        let text = write(scenario);
        let table = text.parse::<Table>().map_err(|error| Problem::new(error.message().trim()).in_file(file))?;
        // Its lines are not the user's, so it has no places.
        Ok(Document { file: file.to_owned(), text, table, places: BTreeMap::new(), set: Vec::new() })
    }

    /// Sets a key of the scenario and takes it away from every node.
    pub fn set_everywhere(&mut self, key: &str, value: &str) -> Result<(), Problem> {
        if let Some(Value::Table(nodes)) = self.table.get_mut("nodes") {
            for (_, node) in nodes.iter_mut() {
                if let Value::Table(node) = node {
                    node.remove(key);
                }
            }
        }
        self.table.insert(key.to_owned(), Value::String(value.to_owned()));
        self.set.push((key.to_owned(), format!("--set {key}={value}")));
        Ok(())
    }

    /// Sets `links.air.rate=2 Mbps`: the value is TOML where it reads as that, else text.
    pub fn set(&mut self, assignment: &str) -> Result<(), Problem> {
        let origin = format!("--set {assignment}");
        let Some((key, value)) = assignment.split_once('=') else {
            let expected = "KEY=VALUE, such as links.air.rate=\"2 Mbps\"";
            return Err(Problem::new(expected).in_file(origin));
        };
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || key.ends_with('.') {
            return Err(Problem::new("a key before the =").in_file(origin));
        }
        let value = format!("value = {value}")
            .parse::<Table>()
            .ok()
            .and_then(|mut parsed| parsed.remove("value"))
            .unwrap_or_else(|| Value::String(value.to_owned()));
        self.assign(key, value, &origin)
    }

    /// Gives the key `links.air.rate` a value. `origin` says who asks for it, for messages.
    pub fn assign(&mut self, key: &str, value: Value, origin: &str) -> Result<(), Problem> {
        /// Tables that may be left out as long as all in them have their defaults.
        const OPTIONAL: [&str; 3] = ["tcp", "output", "sweep"];
        let at = || Problem::default().in_file(origin);
        let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
        let mut table = &mut self.table;
        let mut walked = String::new();
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let known: Vec<String> = table.keys().cloned().collect();
            if !table.contains_key(part) && OPTIONAL.contains(&part) {
                table.insert(part.to_owned(), Value::Table(Table::new()));
            }
            table = match table.get_mut(part) {
                Some(Value::Table(inner)) => inner,
                Some(_) => {
                    let expected = format!("{walked}{part} is a single value here, it has no {last}");
                    return Err(Problem { expected, ..at() }.hint(format!("set {walked}{part} itself to a table")));
                }
                None => {
                    let problem = Problem { expected: format!("there is no {walked}{part}"), ..at() };
                    return Err(problem.nearest(part, known.iter().map(String::as_str)));
                }
            };
            walked.push_str(part);
            walked.push('.');
        }
        table.insert(last.to_owned(), value);
        self.set.push((key.to_owned(), origin.to_owned()));
        Ok(())
    }

    /// The scenario that the text, with what was set, describes.
    pub fn read(&self) -> Result<Scenario, Problem> {
        serde_path_to_error::deserialize::<_, Scenario>(Value::Table(self.table.clone())).map_err(|error| {
            let path = error.path().to_string();
            let path = if path == "." { String::new() } else { path };
            self.locate(self.explain(&path, error.inner().message()))
        })
    }

    /// Whether `key`, or something around it, was set from outside.
    pub fn was_set(&self, key: Option<&str>) -> bool {
        key.is_some_and(|key| self.origin(key).is_some())
    }

    /// What set `key`, or something around it, from outside.
    fn origin(&self, key: &str) -> Option<&str> {
        let covers = |set: &str| key == set || key.strip_prefix(set).is_some_and(|rest| rest.starts_with(['.', '[']));
        self.set.iter().rev().find(|(set, _)| covers(set)).map(|(_, origin)| origin.as_str())
    }

    /// Fills in where a problem's key stands, and what was found there.
    pub fn locate(&self, mut problem: Problem) -> Problem {
        let key = problem.key.clone().unwrap_or_default();
        if let Some(origin) = self.origin(&key) {
            return problem.in_file(origin);
        }
        problem.file.get_or_insert_with(|| self.file.clone());
        let mut path = key.as_str();
        loop {
            if let Some(place) = self.places.get(path) {
                // A problem of the key itself shows the value; one of something missing in it, its head.
                let offset = if path == key { place.value.start } else { place.key.start };
                let offset = if self.text[offset..].starts_with('[') && path == key { place.key.start } else { offset };
                return problem.at_offset(&self.text, offset);
            }
            match path.rfind('.') {
                Some(dot) => path = &path[..dot],
                // Missing from the whole: its beginning, where the text is the user's.
                None if self.places.is_empty() => return problem,
                None => return problem.at_offset(&self.text, 0),
            }
        }
    }

    /// Turns a message of the deserializer into what was found, what was expected, and what to do.
    fn explain(&self, path: &str, message: &str) -> Problem {
        let quoted = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
        let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if let Some(rest) = message.strip_prefix("unknown field ") {
            let name = quoted(rest);
            // The path may end in the field or in its table, as the format had it.
            let key = if path == name || path.ends_with(&format!(".{name}")) { path.to_owned() } else { join(&name) };
            let known: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
            return Problem::new("no such key").key(key).nearest(&name, known);
        }
        if let Some(rest) = message.strip_prefix("missing field ") {
            let name = quoted(rest);
            return Problem::new(format!("`{name}` is missing")).key(join(&name));
        }
        if let Some(rest) = message.strip_prefix("unknown variant ") {
            let name = quoted(rest);
            let known: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
            let key = if self.value(&join("kind")).is_some() { join("kind") } else { path.to_owned() };
            return Problem::new(format!("one of: {}", known.join(", ")))
                .key(key)
                .found(format!("\"{name}\""))
                .nearest(&name, known);
        }
        let mut lines = message.lines();
        let first = lines.next().unwrap_or_default();
        let expected = first.rsplit_once("expected ").map_or(first, |(_, expected)| expected);
        // serde's words for what TOML calls a table.
        let expected = if expected == "a map" || expected.starts_with("struct ") { "a table" } else { expected };
        let mut problem = Problem::new(expected).key(path);
        problem.found = self.value(path).map(|value| value.to_string());
        problem.hint = lines.next().map(str::to_owned);
        problem
    }

    fn value(&self, path: &str) -> Option<&Value> {
        let mut parts = path.split('.');
        let mut value = self.table.get(parts.next()?)?;
        for part in parts {
            value = match value {
                Value::Table(table) => table.get(part)?,
                Value::Array(array) => array.get(part.trim_matches(['[', ']']).parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }
}

fn collect_table(table: &DeTable<'_>, prefix: &str, places: &mut BTreeMap<String, Place>) {
    for (key, value) in table {
        let path = if prefix.is_empty() { key.get_ref().to_string() } else { format!("{prefix}.{}", key.get_ref()) };
        places.insert(path.clone(), Place { key: key.span(), value: value.span() });
        collect_value(value.get_ref(), &path, places);
    }
}

fn collect_value(value: &DeValue<'_>, path: &str, places: &mut BTreeMap<String, Place>) {
    match value {
        DeValue::Table(table) => collect_table(table, path, places),
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let path = format!("{path}[{index}]");
                places.insert(path.clone(), Place { key: item.span(), value: item.span() });
                collect_value(item.get_ref(), &path, places);
            }
        }
        _ => {}
    }
}

/// A scenario as TOML text.
pub fn write(scenario: &Scenario) -> String {
    toml::to_string(scenario).expect("a scenario is a table of tables")
}

/// The member of a registry that has no settings of its own, by name.
pub fn by_name<'de, T: Deserialize<'de>>(name: &'de str) -> Option<T> {
    let kind = serde::de::value::MapDeserializer::<_, serde::de::value::Error>::new([("kind", name)].into_iter());
    T::deserialize(kind).ok()
}
