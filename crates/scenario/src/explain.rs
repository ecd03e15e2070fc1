//! What the deserializer says is wrong, in the words of scenarios: what was found, what was expected, what to do.

use engine::near::nearest;
use toml::{Table, Value};

use super::check::check;
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

/// More are not looked for: each costs a reading of the whole.
const MOST: usize = 20;

/// The scenario in `table`, or what is wrong with its form. The deserializer stops at the first mistake; at a key or a word
/// that nobody knows it is asked again as if there stood what was meant, and at what is no quantity as if there stood one, so
/// that all of these are said at once.
pub(super) fn read(table: &Table) -> Result<Scenario, Vec<Problem>> {
    let complaint = match deserialize(table) {
        Ok(scenario) => return Ok(scenario),
        Err(complaint) => complaint,
    };
    let (mut table, mut next) = (table.clone(), Some(complaint));
    let (mut problems, mut meant) = (Vec::new(), Vec::new());
    while let Some(complaint) = next.take().filter(|_| problems.len() < MOST) {
        let (unknown, message) = (unknown_field(&table, &complaint), complaint.message.clone());
        let problem = explain(&table, complaint);
        // What follows from a mistake is not another mistake, nor one that was not in the text.
        let follows = !problems.is_empty() && (problem.found.is_none() && unknown.is_none());
        if follows || problems.contains(&problem) || problem.key.as_ref().is_some_and(|key| meant.contains(key)) {
            break;
        }
        if let Some(Unknown { key, name, known }) = unknown {
            let (parent, _) = key.rsplit_once('.').unwrap_or_default();
            let better = nearest(&name, known.iter().map(String::as_str)).map(str::to_owned);
            change_table(&mut table, parent, |settings| {
                if let (Some(value), Some(better)) = (settings.remove(&name), better) {
                    meant.push(if parent.is_empty() { better.clone() } else { format!("{parent}.{better}") });
                    settings.entry(better).or_insert(value);
                }
            });
            next = deserialize(&table).err();
        } else if let (Some(word), Some(key)) = (meant_word(&message), &problem.key) {
            table = changed(&table, key, |value| *value = Value::String(word));
            next = deserialize(&table).err();
        } else if let (Some(example), Some(key)) = (example(&problem.expected), &problem.key) {
            table = changed(&table, key, |value| *value = Value::String(example.to_owned()));
            next = deserialize(&table).err();
        }
        problems.push(problem);
    }
    Err(problems)
}

/// The word that was probably meant where an unknown one stands.
fn meant_word(message: &str) -> Option<String> {
    let (name, known) = unknown_variant(message)?;
    nearest(name, known).map(str::to_owned)
}

/// The quantity that a message has for an example, where one was expected.
fn example(expected: &str) -> Option<&str> {
    expected.split_once("such as \"")?.1.split('"').next()
}

/// A word that is none of those that may stand there, and those.
fn unknown_variant(message: &str) -> Option<(&str, Vec<&str>)> {
    let mut quoted = message.strip_prefix("unknown variant ")?.split('`').skip(1).step_by(2);
    Some((quoted.next()?, quoted.collect()))
}

/// A key that its table does not have, and those that it has.
struct Unknown {
    key: String,
    name: String,
    known: Vec<String>,
}

fn unknown_field(table: &Table, complaint: &Complaint) -> Option<Unknown> {
    let message = &complaint.message;
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2).map(str::to_owned);
    let name = quoted.next()?;
    // The path may end in the field or in its table, as the format had it.
    let path = holder(table, complaint, &name);
    let key = match path.as_str() {
        "" => name.clone(),
        path if path == name || path.ends_with(&format!(".{name}")) => path.to_owned(),
        path => format!("{path}.{name}"),
    };
    Some(Unknown { key, name, known: quoted.collect() })
}

/// The path of the table that has the unknown key. The deserializer reads a member of a registry whole before it knows its
/// `kind`, and then names the member where one of the tables in it is meant.
fn holder(table: &Table, complaint: &Complaint, name: &str) -> String {
    let mut path = complaint.path.clone();
    while let Some(Value::Table(settings)) = value(table, &path)
        && !settings.contains_key(name)
    {
        let tables = settings.iter().filter(|(_, value)| value.is_table()).map(|(key, _)| format!("{path}.{key}"));
        let mut tables = tables.filter(|key| deserialize(&without(table, key)).err().as_ref() != Some(complaint));
        let Some(inner) = tables.next() else { break };
        path = inner;
    }
    path
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
    if let Some(Unknown { key, name, known }) = unknown_field(table, &complaint) {
        let of = kinds_with(table, &key, &name);
        let problem = Problem::new("no such key").key(key).did_you_mean(&name, known.iter().map(String::as_str));
        return match (&problem.hint, &of[..]) {
            (None, []) => match longer(&name, &known).join(" or ") {
                none if none.is_empty() => problem.nearest(&name, known.iter().map(String::as_str)),
                longer => problem.hint(format!("write {longer}")),
            },
            (None, of) => problem.hint(format!("`{name}` belongs to kind = {}", of.join(" or "))),
            _ => problem,
        };
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        let name = quoted(rest);
        return match path.is_empty() {
            true => missing(table, &name),
            false => Problem::new(format!("`{name}` is missing")).key(join(&name)),
        };
    }
    if let Some((name, known)) = unknown_variant(message) {
        // In a member of a registry it is a setting without which the deserializer would not complain, or else the kind.
        let culprit = culprit(table, &complaint);
        let is_kind = culprit == *path && value(table, &join("kind")).is_some();
        let key = if is_kind { join("kind") } else { culprit };
        let problem = Problem::new(format!("one of: {}", known.join(", "))).key(key).found(format!("\"{name}\""));
        return problem.did_you_mean(name, known);
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
    // A name that reads as a number: 802.11.
    if problem.expected == NAME
        && let (Some(number @ (Value::Integer(_) | Value::Float(_))), Some(key)) = (found, &problem.key)
    {
        let word = number.to_string();
        let quoted = deserialize(&changed(table, key, |value| *value = Value::String(word)));
        if quoted.err().is_none_or(|other| unknown_variant(&other.message).is_none()) {
            problem = problem.hint(format!("write \"{number}\", in quotes"));
        }
    }
    problem
}

/// The keys that say the same with one more word: `short_retry_limit` for `retry_limit`. One word alone says too little.
fn longer<'a>(name: &str, known: &'a [String]) -> Vec<&'a str> {
    let has = |known: &&str| known.strip_suffix(name).is_some_and(|before| before.ends_with('_'));
    known.iter().map(String::as_str).filter(|_| name.contains('_')).filter(has).collect()
}

/// The kinds of the registry whose member has the unknown key `key`, called `name`, that do have such a setting.
fn kinds_with(table: &Table, key: &str, name: &str) -> Vec<String> {
    let member = key.rsplit_once('.').and_then(|(member, _)| Some((member, value(table, member)?.as_table()?)));
    let Some((member, settings)) = member.filter(|(_, settings)| settings.contains_key("kind")) else { return vec![] };
    let complaint = |kind: &str| {
        let mut alone = Table::new();
        alone.insert("kind".into(), Value::String(kind.into()));
        alone.extend(settings.get(name).map(|value| (name.to_owned(), value.clone())));
        deserialize(&changed(table, member, |value| *value = Value::Table(alone))).err()
    };
    // The registry names its members when it is asked for one that it does not have.
    let asked = complaint("").map(|complaint| complaint.message).unwrap_or_default();
    let Some((_, kinds)) = unknown_variant(&asked) else { return vec![] };
    let has = |kind: &&str| complaint(kind).is_none_or(|complaint| !complaint.message.starts_with("unknown field "));
    kinds.into_iter().filter(has).map(|kind| format!("\"{kind}\"")).collect()
}

/// The keys that the scenario as a whole lacks, of which `first` is one.
fn missing(table: &Table, first: &str) -> Problem {
    let schema = crate::schema();
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
pub(super) const TEXT: &str = "text in quotes";
/// What [`plain`] calls one of several strings.
pub(super) const NAME: &str = "a name in quotes";

/// What was expected at `path`, in plain words.
fn plain(table: &Table, path: &str, complaint: &Complaint) -> String {
    let expected = complaint.expected();
    let list_of = |length: &str| format!("a list of {length}, in brackets");
    match expected {
        "u64" => format!("a whole number, 0 to {}", i64::MAX),
        "u32" => range_at(table, path).unwrap_or_else(|| format!("a whole number, 0 to {}", u32::MAX)),
        "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a string" => TEXT.into(),
        "string only" | "variant identifier" => NAME.into(),
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

/// The numbers that may stand at `path`, as the check says it that knows more of them than their type: it is asked about the
/// least and the greatest.
fn range_at(table: &Table, path: &str) -> Option<String> {
    let expected = |number: u32| {
        let scenario = deserialize(&changed(table, path, |value| *value = Value::Integer(number.into()))).ok()?;
        let problems = check(&scenario).err()?;
        let problem = problems.into_iter().find(|problem| problem.key.as_deref() == Some(path))?;
        Some(format!("a whole number, {}", problem.expected))
    };
    [0, u32::MAX].into_iter().find_map(expected)
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

pub(super) fn value<'a>(table: &'a Table, path: &str) -> Option<&'a Value> {
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

/// Changes the table at `path`; the whole if that is empty.
fn change_table(table: &mut Table, path: &str, change: impl FnOnce(&mut Table)) {
    if path.is_empty() {
        return change(table);
    }
    *table = changed(table, path, |value| {
        if let Value::Table(settings) = value {
            change(settings);
        }
    });
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
