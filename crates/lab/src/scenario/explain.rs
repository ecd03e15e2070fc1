//! What the deserializer says is wrong, in the words of scenarios: what was found, what was expected, what to do.

use toml::{Table, Value};

use super::model::Scenario;
use crate::problem::Problem;

/// Where the deserializer stumbled, and what it said.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Complaint {
    path: String,
    message: String,
}

impl Complaint {
    /// What should have stood there, as the deserializer calls it.
    fn expected(&self) -> &str {
        let first = self.message.lines().next().unwrap_or_default();
        first.rsplit_once("expected ").map_or(first, |(_, expected)| expected)
    }
}

/// The scenario in `table`, or what is wrong with its form.
pub(super) fn read(table: &Table) -> Result<Scenario, Problem> {
    deserialize(table).map_err(|complaint| explain(table, complaint))
}

fn deserialize(table: &Table) -> Result<Scenario, Complaint> {
    serde_path_to_error::deserialize::<_, Scenario>(Value::Table(table.clone())).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        Complaint { path, message: error.inner().message().to_owned() }
    })
}

fn explain(table: &Table, complaint: Complaint) -> Problem {
    let Complaint { path, message } = &complaint;
    let quoted = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
    let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let name = quoted(rest);
        // The path may end in the field or in its table, as the format had it.
        let key = if *path == name || path.ends_with(&format!(".{name}")) { path.clone() } else { join(&name) };
        let known: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
        return Problem::new("no such key").key(key).nearest(&name, known);
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        let name = quoted(rest);
        return match path.is_empty() {
            true => missing(table, &name),
            false => Problem::new(format!("`{name}` is missing")).key(join(&name)),
        };
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let name = quoted(rest);
        let known: Vec<&str> = rest.split('`').skip(3).step_by(2).collect();
        let key = if value(table, &join("kind")).is_some() { join("kind") } else { path.clone() };
        let problem = Problem::new(format!("one of: {}", known.join(", "))).key(key).found(format!("\"{name}\""));
        return problem.did_you_mean(&name, known);
    }
    let path = culprit(table, &complaint);
    let found = value(table, &path);
    let mut problem = Problem::new(plain(table, &path, &complaint)).key(path);
    problem.found = found.map(ToString::to_string);
    problem.hint = message.lines().nth(1).map(str::to_owned);
    if problem.expected == TEXT
        && let Some(number @ (Value::Integer(_) | Value::Float(_))) = found
    {
        problem = problem.hint(format!("write \"{number}\", with a unit if it is a quantity"));
    }
    problem
}

/// The keys that the scenario as a whole lacks, of which `first` is one.
fn missing(table: &Table, first: &str) -> Problem {
    let schema = crate::catalogue::schema();
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let required = required.iter().filter_map(|key| key.as_str());
    let keys: Vec<String> = required.filter(|key| !table.contains_key(*key)).map(|key| format!("`{key}`")).collect();
    match &keys[..] {
        [all @ .., last] if !all.is_empty() => {
            let problem = Problem::new(format!("{} and {last} are missing", all.join(", ")));
            problem.hint("every scenario has these; begin with a copy of one in examples/")
        }
        _ => Problem::new(format!("`{first}` is missing")).key(first),
    }
}

/// What [`plain`] calls a string.
const TEXT: &str = "text in quotes";

/// What was expected at `path`, in plain words.
fn plain(table: &Table, path: &str, complaint: &Complaint) -> String {
    let expected = complaint.expected();
    let list_of = |length: &str| format!("a list of {length}, in brackets");
    match expected {
        "u64" => format!("a whole number, 0 to {}", i64::MAX),
        "u32" => format!("a whole number, 0 to {}", u32::MAX),
        "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a string" => TEXT.into(),
        "string only" | "variant identifier" => "a name in quotes".into(),
        "a sequence" => "a list, in brackets".into(),
        "a map" => "a table".into(),
        expected if expected.starts_with("struct ") => "a table".into(),
        "fewer elements in array" => {
            // It does not say how many. As many as it does not mind.
            let length = value(table, path).and_then(Value::as_array).map_or(0, Vec::len);
            let too_long = first(length, |length| same_expected(&shortened(table, path, length), complaint));
            list_of(&too_long.unwrap_or(length).saturating_sub(1).to_string())
        }
        expected => {
            let length =
                expected.strip_prefix("an array of length ").or(expected.strip_suffix(" elements in sequence"));
            length.map_or(expected.into(), list_of)
        }
    }
}

/// The path of what is to blame. The deserializer reads a member of a registry whole before it knows its `kind`, and
/// then cannot say where in it it stumbled: it is the setting, or the item of a list, without which it would not.
fn culprit(table: &Table, complaint: &Complaint) -> String {
    let mut path = complaint.path.clone();
    loop {
        let inner = match value(table, &path) {
            Some(Value::Table(settings)) if settings.contains_key("kind") => {
                // No member has that many; whoever writes more gets the whole to look at.
                let keys = settings.keys().filter(|key| *key != "kind").take(100);
                keys.map(|key| format!("{path}.{key}"))
                    .find(|key| deserialize(&without(table, key)).err().as_ref() != Some(complaint))
            }
            Some(Value::Array(items)) if !same_expected(&shortened(table, &path, 0), complaint) => {
                let first = first(items.len(), |n| same_expected(&shortened(table, &path, n + 1), complaint));
                // A list that is too long is to blame itself, not its last item.
                let too_long = complaint.message.starts_with("invalid length");
                first.filter(|n| !too_long || items[*n].is_array()).map(|n| format!("{path}[{n}]"))
            }
            _ => None,
        };
        match inner {
            Some(inner) => path = inner,
            None => return path,
        }
    }
}

/// The first of `0..end` that is bad, if all behind it are. A list may be long, and each look reads the scenario again.
fn first(end: usize, bad: impl Fn(usize) -> bool) -> Option<usize> {
    let numbers: Vec<usize> = (0..end).collect();
    Some(numbers.partition_point(|number| !bad(*number))).filter(|first| *first < end)
}

fn same_expected(table: &Table, complaint: &Complaint) -> bool {
    deserialize(table).is_err_and(|other| other.expected() == complaint.expected())
}

/// The steps of a path such as `output.traces[1]`.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[']).map(|step| step.trim_end_matches(']'))
}

fn value<'a>(table: &'a Table, path: &str) -> Option<&'a Value> {
    let mut steps = steps(path);
    let mut value = table.get(steps.next()?)?;
    for step in steps {
        value = match value {
            Value::Table(table) => table.get(step)?,
            Value::Array(array) => array.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// `table` with the value at `path` changed.
fn changed(table: &Table, path: &str, change: impl FnOnce(&mut Value)) -> Table {
    let mut whole = Value::Table(table.clone());
    let end = steps(path).try_fold(&mut whole, |value, step| match value {
        Value::Table(table) => table.get_mut(step),
        Value::Array(array) => array.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    });
    if let Some(value) = end {
        change(value);
    }
    if let Value::Table(table) = whole { table } else { Table::new() }
}

fn without(table: &Table, path: &str) -> Table {
    let Some((parent, key)) = path.rsplit_once('.') else { return table.clone() };
    changed(table, parent, |value| {
        if let Value::Table(settings) = value {
            settings.remove(key);
        }
    })
}

fn shortened(table: &Table, path: &str, length: usize) -> Table {
    changed(table, path, |value| {
        if let Value::Array(items) = value {
            items.truncate(length);
        }
    })
}
