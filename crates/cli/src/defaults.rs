//! The keys of a scenario that have their defaults, for --verbose.

use std::collections::BTreeMap;

use lab::load::Overrides;
use scenario::Scenario;
use toml::{Table, Value};

/// Keys that neither `text` nor an option sets, with their defaults, in alphabetical order. Only keys of tables in the
/// text are listed, because copies made by a `count` equal their original. The list is empty for a text in the thesis's
/// language, which has other keys.
pub fn list_defaults(text: &[u8], overrides: &Overrides, scenario: &Scenario) -> Vec<String> {
    let given = std::str::from_utf8(text).ok().and_then(|text| text.parse::<Table>().ok());
    let (Some(given), Ok(full)) = (given, Table::try_from(scenario)) else { return Vec::new() };
    let mut set: Vec<&str> =
        overrides.set.iter().filter_map(|set| set.split_once('=')).map(|(key, _)| key.trim()).collect();
    set.extend(overrides.scheme.as_ref().map(|_| "scheme"));
    set.extend(overrides.seed.map(|_| "seed"));
    let mut values = collect_leaf_values(&full);
    // A written scenario omits these keys at these values.
    for (key, value) in [("profile", "exact"), ("scheme", "unmodified")] {
        if !full.contains_key(key) {
            values.insert(key.to_owned(), Value::from(value));
        }
    }
    for (name, flow) in &scenario.flows {
        values.insert(format!("flows.{name}.tcp.variant"), Value::from(flow.tcp.variant()));
    }
    let written = collect_leaf_values(&given);
    let is_given = |key: &str| {
        let mut ancestors = key.match_indices('.').map(|(end, _)| &key[..end]);
        let by_name = key.ends_with(".kind") && ancestors.clone().any(|above| written.contains_key(above));
        by_name || written.contains_key(key) || set.contains(&key) || ancestors.any(|above| set.contains(&above))
    };
    let is_written = |key: &str| match key.splitn(3, '.').collect::<Vec<_>>()[..] {
        [kind, name, _] => given.get(kind).and_then(|kind| kind.get(name)).is_some(),
        _ => true,
    };
    values
        .iter()
        .filter(|(key, _)| is_written(key) && !is_given(key))
        .map(|(key, value)| format!("{key} = {value}"))
        .collect()
}

/// Returns all values other than tables, by their paths.
fn collect_leaf_values(table: &Table) -> BTreeMap<String, Value> {
    fn collect(table: &Table, prefix: &str, into: &mut BTreeMap<String, Value>) {
        for (key, value) in table {
            let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            match value {
                Value::Table(inner) => collect(inner, &path, into),
                value => drop(into.insert(path, value.clone())),
            }
        }
    }
    let mut into = BTreeMap::new();
    collect(table, "", &mut into);
    into
}
