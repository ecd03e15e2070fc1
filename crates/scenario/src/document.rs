//! A scenario's text: parsed, changed with `--set`, and read, with every error traced back to its line.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use crate::lines::Lines;
use crate::model::Scenario;
use crate::problem::Problem;
use crate::written::as_written;
use crate::{copies, explain, quotes};
pub use engine::registry::by_name;

/// A TOML text with the places of its keys.
#[derive(Clone)]
pub struct Document {
    file: String,
    text: String,
    lines: Lines,
    table: Table,
    places: BTreeMap<String, Place>,
    /// What was set after the text was read: the key, and who set it.
    set: Vec<(String, Origin)>,
}

/// Who sets a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// What stands outside of the text, such as an option of the command line.
    Outside(String),
    /// Another key of the text, such as one of its sweep.
    Key(String),
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
            let Some(span) = error.span() else { return problem };
            let problem = problem.at_offset(text, span.start);
            let problem = Problem { hint: quotes::add_quotes(text, span.start), ..problem };
            if is_range(&error) { Problem { expected: plainly(&error), ..problem }.found(&text[span]) } else { problem }
        };
        let spanned = DeTable::parse(text).map_err(syntax)?;
        let mut places = BTreeMap::new();
        collect_table(spanned.get_ref(), "", &mut places);
        let table = text.parse::<Table>().map_err(syntax)?;
        let (file, lines) = (file.to_owned(), Lines::new(text));
        Ok(Document { file, text: text.to_owned(), lines, table, places, set: Vec::new() })
    }

    /// The document that `scenario` would be, for scenarios that were written in another language.
    pub fn of(file: &str, scenario: &Scenario) -> Result<Self, Problem> {
        let text = write(scenario);
        let table = text.parse::<Table>().map_err(|error| Problem::new(error.message().trim()).in_file(file))?;
        // Its lines are not the user's, so it has no places.
        let (file, lines) = (file.to_owned(), Lines::new(&text));
        Ok(Document { file, text, lines, table, places: BTreeMap::new(), set: Vec::new() })
    }

    /// Sets a key of the scenario, as the option called after it says, and takes it away from every node.
    pub fn set_everywhere(&mut self, key: &str, value: &str) {
        if let Some(Value::Table(nodes)) = self.table.get_mut("nodes") {
            for (_, node) in nodes.iter_mut() {
                if let Value::Table(node) = node {
                    node.remove(key);
                }
            }
        }
        self.table.insert(key.to_owned(), Value::String(value.to_owned()));
        self.set.push((key.to_owned(), Origin::Outside(format!("--{key} {value}"))));
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
        const BEFORE: &str = "value = ";
        let text = format!("{BEFORE}{value}");
        let value = match text.parse::<Table>() {
            Ok(mut parsed) => parsed.remove("value").unwrap_or_else(|| Value::String(value.to_owned())),
            // A table or a list is no text, whatever is wrong in it.
            Err(error) if value.starts_with(['{', '[']) => {
                let problem = Problem::new(plainly(&error)).key(key).in_file(&origin);
                let found = error.span().and_then(|span| text.get(span)).filter(|found| !found.trim().is_empty());
                return Err(found.map_or(problem.clone(), |found| problem.found(found)));
            }
            Err(_) => Value::String(value.to_owned()),
        };
        self.assign(key, value, Origin::Outside(origin))
    }

    /// Gives the key `links.air.rate` a value. `origin` says who asks for it, for messages.
    pub fn assign(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), Problem> {
        /// Tables that may be left out as long as all in them have their defaults.
        const OPTIONAL: [&str; 5] = ["tcp", "delayed_ack", "retries", "output", "sweep"];
        let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
        let mut table = &mut self.table;
        let mut walked = String::new();
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let known: Vec<String> = table.keys().cloned().collect();
            // What a sweep varies is a key too, and stands in as many tables as the key has parts.
            let optional = OPTIONAL.contains(&part) || walked.starts_with("sweep.");
            if !table.contains_key(part) && optional {
                table.insert(part.to_owned(), Value::Table(Table::new()));
            }
            table = match table.get_mut(part) {
                Some(Value::Table(inner)) => inner,
                Some(_) => {
                    let problem = Problem::new(format!("{walked}{part} is a single value here, it has no {last}"));
                    return Err(self.place(problem.hint(format!("set {walked}{part} itself to a table")), &origin));
                }
                None => {
                    let problem = Problem::new(format!("there is no {walked}{part}"));
                    return Err(self.place(problem.nearest(part, known.iter().map(String::as_str)), &origin));
                }
            };
            walked.push_str(part);
            walked.push('.');
        }
        table.insert(last.to_owned(), value);
        self.set.push((key.to_owned(), origin));
        Ok(())
    }

    /// The scenario that the text, with what was set, describes, or what is wrong with its form, in the order of the text.
    pub fn read(&self) -> Result<Scenario, Vec<Problem>> {
        explain::read(&self.table).and_then(copies::written_out).map_err(|problems| {
            let mut problems: Vec<Problem> =
                problems.into_iter().map(|problem| self.locate(self.requoted(self.kept_by(problem)))).collect();
            problems.sort_by_key(|problem| problem.place);
            problems
        })
    }

    /// A setting that does not fit, or is missing, because `kind` was set from outside and the rest was not.
    fn kept_by(&self, problem: Problem) -> Problem {
        let Some((parent, _)) = problem.key.as_deref().and_then(|key| key.rsplit_once('.')) else { return problem };
        let kind = format!("{parent}.kind");
        let set = self.set.iter().rev().find(|(key, _)| *key == kind);
        match (set, self.origin(problem.key.as_deref().unwrap_or_default())) {
            (Some((_, origin)), None) if problem.found.is_none() => {
                let whole = match origin {
                    Origin::Outside(_) => format!("--set '{parent}={{kind=..., ...}}'"),
                    Origin::Key(_) => format!("{parent} = {{ kind = ..., ... }}"),
                };
                self.place(problem.hint(format!("only the kind was set; set the whole of it: {whole}")), origin)
            }
            _ => problem,
        }
    }

    /// A text from outside that has lost its quotes on the way.
    fn requoted(&self, problem: Problem) -> Problem {
        match problem.key.as_deref().and_then(|key| self.origin(key)) {
            Some(Origin::Outside(origin)) => quotes::keep_quotes(problem, origin),
            _ => problem,
        }
    }

    /// Whether `key`, or something around it, was set from outside.
    pub fn was_set(&self, key: Option<&str>) -> bool {
        key.is_some_and(|key| self.origin(key).is_some())
    }

    /// What set `key`, or something around it.
    fn origin(&self, key: &str) -> Option<&Origin> {
        let covers = |set: &str| key == set || key.strip_prefix(set).is_some_and(|rest| rest.starts_with(['.', '[']));
        self.set.iter().rev().find(|(set, _)| covers(set)).map(|(_, origin)| origin)
    }

    /// Fills in where what `origin` is stands.
    fn place(&self, problem: Problem, origin: &Origin) -> Problem {
        match origin {
            Origin::Outside(origin) => problem.in_file(origin),
            Origin::Key(key) => {
                // What it gives is what is wrong.
                let given = Problem::default().key(key).found(String::new());
                let Problem { file, place, source, .. } = self.locate(given);
                Problem { file, place, source, ..problem }
            }
        }
    }

    /// Fills in where a problem's key stands, and what was found there in the words that stand there.
    pub fn locate(&self, mut problem: Problem) -> Problem {
        // What another file, or an option, is about does not stand in this one.
        if problem.file.is_some() {
            return problem;
        }
        let is_there = |key: &str| explain::value(&self.table, key).is_some();
        if let Some(original) = problem.key.as_deref().and_then(|key| copies::original(key, is_there)) {
            problem.key = Some(original);
        }
        let key = problem.key.clone().unwrap_or_default();
        if let (Some(found), Some(value)) = (&mut problem.found, explain::value(&self.table, &key))
            && let Some(written) = as_written(found, value)
        {
            *found = written;
        }
        if let Some(origin) = self.origin(&key) {
            return self.place(problem, origin);
        }
        problem.file = Some(self.file.clone());
        let mut path = key.as_str();
        loop {
            if let Some(place) = self.places.get(path) {
                // What was found is the value; where nothing was, it is the key itself, or something is missing in it.
                let offset = if path == key && problem.found.is_some() { place.value.start } else { place.key.start };
                let offset = if self.text[offset..].starts_with('[') && path == key { place.key.start } else { offset };
                return self.at_offset(problem, offset);
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = &path[..end],
                // Missing from the whole: its beginning, where the text is the user's.
                None if self.places.is_empty() => return problem,
                None => return self.at_offset(problem, 0),
            }
        }
    }

    fn at_offset(&self, problem: Problem, offset: usize) -> Problem {
        let (place, source) = self.lines.place(&self.text, offset);
        Problem { place: Some(place), source: Some(source.to_owned()), ..problem }
    }
}

/// Whether a number does not fit into the parser's integers.
fn is_range(error: &toml::de::Error) -> bool {
    let message = error.message().trim();
    // So large that the parser has an integer for it, and TOML's value has none.
    let beyond = message.starts_with("invalid type: integer") && message.ends_with("any valid TOML value");
    beyond || ["value was too large", "value was too small"].iter().any(|end| message.ends_with(end))
}

/// What is wrong with a text. The parser names its own integers; TOML has these.
fn plainly(error: &toml::de::Error) -> String {
    if is_range(error) {
        return format!("a whole number, {} to {}", i64::MIN, i64::MAX);
    }
    error.message().trim().to_owned()
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

/// The scenario in a text that [`write()`] once wrote; none if another version did, whose words are not known.
pub fn read_back(text: &str) -> Option<Scenario> {
    Document::parse("kept", text.as_bytes()).ok()?.read().ok()
}

/// A scenario as TOML text.
pub fn write(scenario: &Scenario) -> String {
    toml::to_string(scenario).expect("a scenario is a table of tables")
}
