//! Messages for errors: the value found, the expected one, a hint.

use engine::Members;
use engine::near::nearest_name;

use super::error::{Error, Mistake};
use super::{path_of, read_resolved, words};
use crate::key_path::{PathStep, join_steps};
use crate::keys::{Shape, renamed, suggest};
use crate::model::directed;
use crate::problem::Problem;
use crate::tree::Origin;
use crate::tree::{Value, ValueData, ValueSource};

/// The problem for an error of reading `tree`.
pub(super) fn explain_error(tree: &Value, members: &Members, error: &Error) -> Problem {
    let path = path_of(error);
    let found = tree.at_path(&path);
    let problem = match &error.mistake {
        Mistake::UnknownKey { name, known } => unknown_key(tree, &path, name, known),
        Mistake::MissingKey(name) if path.len() == 1 => missing_at_top(tree, name),
        Mistake::MissingKey(name) => Problem::new(format!("`{name}` is missing")).key(join_steps(&path)),
        Mistake::UnknownWord { name, known } => {
            let problem = Problem::new(format!("one of: {}", known.join(", "))).key(join_steps(&path));
            problem.found(format!("\"{name}\"")).did_you_mean(name, known.iter().map(String::as_str))
        }
        Mistake::Unreadable { message } => Problem::new(message).key(join_steps(&path)),
        Mistake::Type { expected } | Mistake::Refused { expected, .. } => {
            let problem = Problem::new(expected).key(join_steps(&path));
            Problem { found: found.map(|value| value.to_toml().to_string()), ..problem }
        }
    };
    if let Some(hint) = hint_direction(tree, error, &path) {
        return problem.hint(hint);
    }
    match (&error.mistake, found) {
        (Mistake::Refused { hint: Some(hint), .. }, _) => problem.hint(hint),
        (Mistake::Type { .. }, Some(value)) => match number_for_text(tree, members, &path, value, &problem.expected) {
            Some(hint) => problem.hint(hint),
            None => problem,
        },
        _ => problem,
    }
}

/// Returns the key in the same table that an unknown key probably means.
pub(super) fn meant_key(name: &str, table: &[PathStep], known: &[&str]) -> Option<String> {
    let mut path = table.to_vec();
    path.push(PathStep::Key(name.to_owned()));
    let renamed = renamed::new_name(&path).map(str::to_owned);
    let meant = renamed.or_else(|| suggest::find_synonym(name, table)).filter(|meant| known.contains(&meant.as_str()));
    meant.or_else(|| nearest_name(name, known.iter().copied()).map(str::to_owned))
}

fn unknown_key(tree: &Value, path: &[PathStep], name: &str, known: &[&str]) -> Problem {
    let problem = Problem::new("no such key").key(join_steps(path));
    let table = &path[..path.len() - 1];
    // The key may belong to another kind.
    if let Some(new) = renamed::new_name(path).filter(|new| known.contains(new)) {
        return problem.hint(format!("\"{name}\" is now called \"{new}\""));
    }
    if let Some(meant) = meant_key(name, table, known) {
        return problem.hint(format!("did you mean \"{meant}\"?"));
    }
    let shape = Shape::at(table);
    let is_tagged = tree.at_path(table).and_then(Value::as_table).is_some_and(|table| table.contains_key("kind"));
    let kinds = if is_tagged { shape.kinds_with(name) } else { Vec::new() };
    if !kinds.is_empty() {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
        return problem.hint(format!("`{name}` belongs to kind = {}", kinds.join(" or ")));
    }
    let longer = find_longer_keys(name, known);
    if !longer.is_empty() {
        return problem.hint(format!("write {}", longer.join(" or ")));
    }
    match suggest::find_synonym(name, table).or_else(|| suggest::find_key_elsewhere(name, table)) {
        Some(meant) => problem.hint(format!("did you mean \"{meant}\"?")),
        None => problem.nearest(name, known.iter().copied()),
    }
}

/// Names of directions that depend on the place of the sender.
const OTHER_DIRECTIONS: [&str; 12] =
    ["down", "up", "downlink", "uplink", "download", "upload", "downstream", "upstream", "dl", "ul", "tx", "rx"];

/// The hint for a table such as `{ down = ..., up = ... }` in place of one value for each direction.
fn hint_direction(tree: &Value, error: &Error, path: &[PathStep]) -> Option<String> {
    let table = match error.mistake {
        Mistake::UnknownKey { .. } | Mistake::MissingKey(_) => path.split_last()?.1,
        _ => path,
    };
    let is_direction = |name: &String| OTHER_DIRECTIONS.contains(&name.as_str());
    let keys = Shape::at(table).keys();
    let has_directions = directed::NAMES.iter().all(|name| keys.contains(name));
    if !has_directions || !tree.at_path(table)?.as_table()?.keys().any(is_direction) {
        return None;
    }
    let between = table.get(..2).and_then(|link| tree.at_path(link)?.at("between")).and_then(Value::as_list);
    let ends: Vec<&str> = between.into_iter().flatten().filter_map(Value::text).collect();
    let [forward, backward] = directed::NAMES;
    Some(match ends[..] {
        [first, second] => {
            format!(
                "write {forward}, from \"{first}\" to \"{second}\", or {backward}, from \"{second}\" to \"{first}\""
            )
        }
        _ => format!("write {forward}, from the first node of `between` to the second, or {backward}"),
    })
}

/// Keys that contain the same words and one more: `short_retry_limit` for `retry_limit`. A single word is too
/// ambiguous.
fn find_longer_keys<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    let has = |known: &&str| known.strip_suffix(name).is_some_and(|before| before.ends_with('_'));
    known.iter().copied().filter(|_| name.contains('_')).filter(has).collect()
}

/// Required keys missing at the top level, including `first`.
fn missing_at_top(tree: &Value, first: &str) -> Problem {
    let has = |key: &&str| tree.as_table().is_some_and(|table| table.contains_key(*key));
    let shape = Shape::scenario();
    let keys: Vec<String> = shape.required_keys().filter(|key| !has(key)).map(|key| format!("`{key}`")).collect();
    match &keys[..] {
        [all @ .., last] if !all.is_empty() => {
            let problem = Problem::new(format!("{} and {last} are missing", all.join(", ")));
            problem.hint("every scenario has these; begin with a copy of one in examples/")
        }
        _ => Problem::new(format!("`{first}` is missing")).key(first),
    }
}

/// A suggestion how to write a number where text is expected.
fn number_for_text(
    tree: &Value,
    members: &Members,
    path: &[PathStep],
    value: &Value,
    expected: &str,
) -> Option<String> {
    let (ValueData::Integer(_) | ValueData::Float(_)) = value.data else { return None };
    let number = value.to_toml().to_string();
    let unit = match expected {
        words::TEXT => ", with a unit if it is a quantity",
        words::NAME if reads_as_name(tree, members, path, &number) => "",
        _ => return None,
    };
    Some(match &value.source {
        ValueSource::Set(origin) => match &**origin {
            Origin::Outside(option) if option.starts_with("--set ") => {
                let whole = format!("--set '{}=\"{number}\"'", join_steps(path));
                format!("the shell removes one pair of quotes: type {whole}{unit}")
            }
            _ => format!("write \"{number}\"{unit}"),
        },
        _ if unit.is_empty() => format!("write \"{number}\", in quotes"),
        _ => format!("write \"{number}\"{unit}"),
    })
}

/// Whether `word` is one of the names allowed at a path.
fn reads_as_name(tree: &Value, members: &Members, path: &[PathStep], word: &str) -> bool {
    let mut changed = tree.clone();
    let Some(value) = changed.at_path_mut(path) else { return false };
    value.data = ValueData::Text(word.to_owned());
    let is_unknown = |error: &Error| matches!(error.mistake, Mistake::UnknownWord { .. }) && path_of(error) == path;
    read_resolved(&changed, members).err().is_none_or(|error| !is_unknown(&error))
}
