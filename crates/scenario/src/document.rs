//! A scenario's text, which can be parsed, changed with `--set`, and read. The line of every error is known.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::Members;
use toml::de::DeTable;
use toml::{Table, Value as Toml};

use crate::as_written::as_written;
use crate::assign::assign_value;
use crate::key_path::{parse_key_path, split_last};
use crate::keys::renamed;
use crate::lines::Lines;
use crate::model::Scenario;
use crate::problem::Problem;
use crate::read::{self, Reading};
pub use crate::tree::Origin;
use crate::tree::{BeyondRange, Value, ValueData, ValueSource};
use crate::{expand_counts, quotes};
pub use engine::registry::by_name;

/// Maximum number of syntax errors.
const MAX_SYNTAX_ERRORS: usize = 20;

/// A TOML text with the positions of its keys.
#[derive(Clone)]
pub struct Document {
    file: String,
    text: Rc<str>,
    lines: Rc<Lines>,
    tree: Value,
}

impl Document {
    /// Parses `text`; `file` is its name in messages.
    pub fn parse(file: &str, text: &[u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(text).map_err(|error| {
            Problem::new("UTF-8 text; this looks like a binary file").in_file(file).found(format!(
                "byte 0x{:02x} at offset {}",
                text[error.valid_up_to()],
                error.valid_up_to()
            ))
        })?;
        let tree = parse_tree(text).map_err(|problem| problem.in_file(file))?;
        Ok(Document { file: file.to_owned(), text: text.into(), lines: Rc::new(Lines::new(text)), tree })
    }

    /// Parses `text` as [`parse`](Self::parse) does.
    ///
    /// # Errors
    /// All syntax errors, and the errors of values in the lines that could be read.
    pub(crate) fn parse_completely(file: &str, text: &[u8]) -> Result<Self, Vec<Problem>> {
        let first = match Self::parse(file, text) {
            Ok(document) => return Ok(document),
            Err(problem) => problem,
        };
        let Ok(text) = std::str::from_utf8(text) else { return Err(vec![first]) };
        let (spanned, errors) = DeTable::parse_recoverable(text);
        let mut problems: Vec<Problem> = Vec::new();
        for error in errors {
            let problem = explain_syntax(text, &error).in_file(file);
            // Further errors in a line are mostly consequences of its first.
            let line = |problem: &Problem| problem.place.map(|(line, _)| line);
            if problems.len() < MAX_SYNTAX_ERRORS && problems.iter().all(|other| line(other) != line(&problem)) {
                problems.push(problem);
            }
        }
        let lines: BTreeSet<usize> =
            problems.iter().filter_map(|problem| problem.place).map(|(line, _)| line).collect();
        // Keys after a wrong header would belong to the table before it.
        let is_header = |problem: &Problem| problem.source.as_deref().is_none_or(|line| line.trim().starts_with('['));
        if problems.iter().all(|problem| !is_header(problem))
            && let Ok(tree) = Value::of_text(spanned.get_ref())
        {
            let document =
                Document { file: file.to_owned(), text: text.into(), lines: Rc::new(Lines::new(text)), tree };
            let reading = document.reading(&Members::default());
            // A missing value may be in a line with an error.
            let is_present = |problem: &Problem| {
                problem.found.is_some() && problem.place.is_some_and(|(line, _)| !lines.contains(&line))
            };
            problems.extend(reading.problems.into_iter().filter(is_present));
        }
        problems.sort_by_key(|problem| problem.place);
        Err(if problems.is_empty() { vec![first] } else { problems })
    }

    /// A document for a scenario that was written in another language.
    pub fn of(file: &str, scenario: &Scenario) -> Result<Self, Problem> {
        let table = Table::try_from(scenario).map_err(|error| Problem::new(error.to_string()).in_file(file))?;
        let tree = Value::of_toml(table.into(), &ValueSource::Elsewhere);
        Ok(Document { file: file.to_owned(), text: "".into(), lines: Rc::new(Lines::new("")), tree })
    }

    /// Sets a key of the scenario on behalf of the option named after it, and removes it from every node.
    pub fn set_everywhere(&mut self, key: &str, value: &str) {
        let Some(table) = self.tree.as_table_mut() else { return };
        let nodes = table.get_mut("nodes").and_then(Value::as_table_mut);
        for node in nodes.into_iter().flat_map(|nodes| nodes.values_mut()).filter_map(Value::as_table_mut) {
            node.shift_remove(key);
        }
        let source = ValueSource::Set(Rc::new(Origin::Outside(format!("--{key} {value}"))));
        table.insert(key.to_owned(), Value { data: ValueData::Text(value.to_owned()), source });
    }

    /// Sets `links.air.rate=2 Mbps`: the value is TOML if it parses as such, otherwise text.
    ///
    /// # Errors
    ///
    /// A value that is not valid TOML, or a key below a missing entry. An unknown key is set, and refused when the
    /// document is read.
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
        let value = value_of(value).map_err(|problem| problem.key(key).in_file(&origin))?;
        self.assign(key, value, Origin::Outside(origin))
    }

    /// Sets the key `links.air.rate` to a value, and creates the tables on its path. `origin` is named in messages.
    ///
    /// # Errors
    ///
    /// A key below a missing entry.
    pub fn assign(&mut self, key: &str, value: Toml, origin: Origin) -> Result<(), Problem> {
        let source = ValueSource::Set(Rc::new(origin.clone()));
        let assigned = assign_value(&mut self.tree, &parse_key_path(key), Value::of_toml(value, &source));
        assigned.map_err(|problem| self.place(problem, &origin))
    }

    /// The scenario described by the text with its assignments, or the errors of its form, in the order of the text.
    pub fn read(&self) -> Result<Scenario, Vec<Problem>> {
        match self.reading(&Members::default()) {
            Reading { scenario: Some(scenario), problems, .. } if problems.is_empty() => Ok(scenario),
            Reading { problems, .. } => Err(problems),
        }
    }

    /// Reads the scenario with `members` added to the registries, and repairs it as far as possible.
    pub(crate) fn reading(&self, members: &Members) -> Reading {
        let mut reading = read::read_tree(&self.tree, members);
        let located = reading.problems.into_iter().map(|problem| self.locate(self.of_kind(problem)));
        reading.problems = located.collect();
        reading.problems.sort_by_key(|problem| problem.place);
        reading
    }

    /// Explains a setting that is invalid or missing because only `kind` was assigned.
    fn of_kind(&self, problem: Problem) -> Problem {
        let (table, key) = split_last(problem.key.as_deref().unwrap_or_default());
        let Some(settings) = self.tree.at(table) else { return problem };
        let kind = settings.as_table().and_then(|settings| settings.get(engine::tagged::KIND));
        let Some(ValueSource::Set(origin)) = kind.map(|kind| &kind.source) else { return problem };
        let is_set = |value: &Value| matches!(value.source, ValueSource::Set(_));
        if problem.found.is_some() || is_set(settings) || settings.at(key).is_some_and(is_set) {
            return problem;
        }
        let whole = match &**origin {
            Origin::Outside(_) => format!("--set '{table}={{kind=..., ...}}'"),
            Origin::Key(_) => format!("{table} = {{ kind = ..., ... }}"),
        };
        self.place(problem.hint(format!("only `kind` was set; set the whole table: {whole}")), origin)
    }

    /// Whether `key`, or a table that contains it, was assigned after the text was read.
    pub fn was_set(&self, key: Option<&str>) -> bool {
        key.is_some_and(|key| self.origin(key).is_some())
    }

    /// The text as it was parsed; empty for a scenario in another language.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The values, with all assignments.
    pub(crate) fn tree(&self) -> &Value {
        &self.tree
    }

    /// Whether `key` has a value that is not a table, in the text or by an assignment.
    pub(crate) fn has_value(&self, key: &str) -> bool {
        self.tree.at(key).is_some_and(|value| value.as_table().is_none())
    }

    /// The origin of the assignment of `key`, or of a table that contains it.
    fn origin(&self, key: &str) -> Option<Rc<Origin>> {
        let (values, _) = self.tree.along(key);
        match values.last().map(|value| &value.source) {
            Some(ValueSource::Set(origin)) => Some(origin.clone()),
            _ => None,
        }
    }

    /// Fills in the position of `origin`.
    fn place(&self, problem: Problem, origin: &Origin) -> Problem {
        match origin {
            Origin::Outside(origin) => problem.in_file(origin),
            Origin::Key(key) => {
                // The assigned value is the error.
                let given = Problem::default().key(key).found(String::new());
                let Problem { file, place, source, .. } = self.locate(given);
                Problem { file, place, source, ..problem }
            }
        }
    }

    /// Returns the key in the text for a key of a copy: `nodes.m.scheme` for `nodes.m3.scheme` if `m` has a `count`.
    /// Any other key is returned unchanged.
    pub fn key_of_copies(&self, key: String) -> String {
        expand_counts::key_of_original(&key, |key| self.tree.at(key).is_some()).unwrap_or(key)
    }

    /// Fills in the position of a problem's key, and quotes the value as written there.
    pub fn locate(&self, mut problem: Problem) -> Problem {
        // A problem of another file, or of an option, has no position in this text.
        if problem.file.is_some() {
            return problem;
        }
        problem.key = problem.key.map(|key| self.key_of_copies(key));
        let key = problem.key.clone().unwrap_or_default();
        let (values, complete) = self.tree.along(&key);
        let value = values.last().copied().unwrap_or(&self.tree);
        if let (Some(found), true) = (&mut problem.found, complete)
            && let Some(written) = as_written(found, &value.to_toml())
        {
            *found = written;
        }
        match &value.source {
            ValueSource::Set(origin) => self.place(problem, origin),
            ValueSource::Elsewhere => problem.in_file(&self.file),
            ValueSource::Text { key, value } => {
                // The mark is at the value if a value was found. Otherwise the mark is at the key, or at the table in
                // which a key is missing.
                let is_value = complete && problem.found.is_some() && !self.text[value.start..].starts_with('[');
                let at = if is_value { value.start } else { key.start };
                let (place, source) = self.lines.place(&self.text, at);
                Problem { place: Some(place), source: Some(source.to_owned()), ..problem.in_file(&self.file) }
            }
        }
    }
}

/// The tree of a TOML text, or its syntax errors.
fn parse_tree(text: &str) -> Result<Value, Problem> {
    let spanned = DeTable::parse(text).map_err(|error| explain_syntax(text, &error))?;
    Value::of_text(spanned.get_ref()).map_err(|BeyondRange { place, expected }| {
        Problem::new(expected).at_offset(text, place.start).found(&text[place])
    })
}

/// The problem for a syntax error.
fn explain_syntax(text: &str, error: &toml::de::Error) -> Problem {
    let problem = Problem::new(error.message().trim());
    let Some(span) = error.span() else { return problem };
    Problem { hint: quotes::add_quotes(text, span.start), ..problem }.at_offset(text, span.start)
}

/// Parses a value given by an option, as TOML or as text without quotes.
pub(crate) fn value_of(text: &str) -> Result<Toml, Problem> {
    const BEFORE: &str = "value = ";
    match parse_tree(&format!("{BEFORE}{text}")) {
        Ok(tree) => Ok(tree.at("value").map_or_else(|| text.into(), Value::to_toml)),
        // A value that begins as a table or a list is never text, even if it is invalid.
        Err(problem) if text.starts_with(['{', '[']) => {
            Err(Problem { place: None, source: None, hint: None, ..problem })
        }
        Err(_) => Ok(text.into()),
    }
}

/// Reads a scenario from a text that [`render_scenario`] wrote, in this version or an earlier one, for inspection:
/// outside members have their settings but cannot build. `None` if this version cannot read the text.
pub fn read_back(text: &str) -> Option<Scenario> {
    read::read_unresolved(&Document::parse("kept", with_new_names(text)?.as_bytes()).ok()?.tree)
}

/// Returns the text of a scenario written by an earlier version, with the current names of its keys. `None` if the text
/// is not TOML.
pub fn with_new_names(text: &str) -> Option<String> {
    let mut tree = parse_tree(text).ok()?;
    renamed::rename_keys(&mut tree);
    toml::to_string(&tree.to_toml()).ok()
}

/// Returns a scenario as TOML text.
///
/// The scenario is converted to a table first. As [`Document::of`] needs this conversion too, only one serializer is
/// compiled.
pub fn render_scenario(scenario: &Scenario) -> String {
    let text = Table::try_from(scenario).and_then(|table| toml::to_string(&table));
    text.expect("a scenario is a table of tables")
}
