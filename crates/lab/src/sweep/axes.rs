//! What a sweep varies and compares, as lists of changes to the scenario.

use toml::{Table, Value};

use super::range;
use crate::problem::Problem;

/// One change to a scenario: a key and its value.
pub type Change = (String, Value);

/// One dimension of the grid.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The keys that change together.
    pub keys: Vec<String>,
    /// For each place along the axis, what changes there.
    pub places: Vec<Vec<Change>>,
}

/// One of the things that are compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// What it is called.
    pub name: String,
    /// What changes for it.
    pub changes: Vec<Change>,
}

/// The dimensions of `sweep.axes` and `sweep.zip`, in their order.
pub(super) fn axes(axes: &Table, zip: &[Table]) -> Result<Vec<Axis>, Problem> {
    let mut dimensions = Vec::new();
    for (key, value) in leaves(axes, "") {
        let values = range::values(&format!("sweep.axes.{key}"), value)?;
        let places = values.into_iter().map(|value| vec![(key.clone(), value)]).collect();
        dimensions.push(Axis { keys: vec![key], places });
    }
    for (number, table) in zip.iter().enumerate() {
        let at = format!("sweep.zip[{number}]");
        let mut keys: Vec<String> = Vec::new();
        let mut places: Vec<Vec<Change>> = Vec::new();
        for (key, value) in leaves(table, "") {
            let values = range::values(&format!("{at}.{key}"), value)?;
            if keys.is_empty() {
                places = vec![Vec::new(); values.len()];
            } else if values.len() != places.len() {
                let expected = format!("{} values, as many as `{}` has", places.len(), keys[0]);
                return Err(Problem::new(expected)
                    .key(format!("{at}.{key}"))
                    .found(format!("{} values", values.len())));
            }
            for (place, value) in places.iter_mut().zip(values) {
                place.push((key.clone(), value));
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(Problem::new("at least one key with its values").key(at));
        }
        dimensions.push(Axis { keys, places });
    }
    let mut seen: Vec<&String> = Vec::new();
    for key in dimensions.iter().flat_map(|axis| &axis.keys) {
        if seen.contains(&key) {
            return Err(Problem::new("each key on one axis only").key("sweep").found(key.clone()));
        }
        seen.push(key);
    }
    Ok(dimensions)
}

/// What is compared; one case without name and changes if nothing is.
pub(super) fn cases(compare: &Table) -> Result<Vec<Case>, Problem> {
    if compare.is_empty() {
        return Ok(vec![Case { name: String::new(), changes: Vec::new() }]);
    }
    let leaves = leaves(compare, "");
    let is_list = |value: &Value| value.is_array() || value.as_table().is_some_and(range::is_range);
    if let [(key, value)] = &leaves[..]
        && is_list(value)
    {
        let values = range::values(&format!("sweep.compare.{key}"), value)?;
        let case = |value: Value| Case { name: shown(&value), changes: vec![(key.clone(), value)] };
        return Ok(values.into_iter().map(case).collect());
    }
    compare
        .iter()
        .map(|(name, changes)| match changes {
            Value::Table(changes) => Ok(Case { name: name.clone(), changes: flat(changes) }),
            other => {
                let expected = "either one key with a list of values, or for each case a table of changes";
                let problem = Problem::new(expected).key(format!("sweep.compare.{name}")).found(other.to_string());
                Err(problem.hint("several keys that vary together: give each case a name and a table"))
            }
        })
        .collect()
}

/// The keys of a table of lists with what they list: `links.wire.delay`, written with quotes or without.
fn leaves<'a>(table: &'a Table, prefix: &str) -> Vec<(String, &'a Value)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) if !range::is_range(inner) && !inner.is_empty() => found.extend(leaves(inner, &key)),
            _ => found.push((key, value)),
        }
    }
    found
}

/// The changes that a case's table describes. A table that says what `kind` it is, is a value; others are parts of keys.
fn flat(table: &Table) -> Vec<Change> {
    let mut found = Vec::new();
    for (name, value) in table {
        match value {
            Value::Table(inner) if !inner.contains_key("kind") => {
                let inner = flat(inner).into_iter();
                found.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            _ => found.push((name.clone(), value.clone())),
        }
    }
    found
}

/// A value as tables and pictures show it: text without its quotes.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Table(table) if table.len() == 1 && table.contains_key("kind") => shown(&table["kind"]),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    #[test]
    fn keys_may_be_quoted_or_not() {
        let quoted = axes(&table("\"links.wire.delay\" = [\"1 ms\"]\n\"seed\" = [1, 2]"), &[]).unwrap();
        let plain = axes(&table("links.wire.delay = [\"1 ms\"]\nseed = [1, 2]"), &[]).unwrap();
        assert_eq!(quoted, plain);
        assert_eq!(plain[0].keys, ["links.wire.delay"]);
        assert_eq!(plain[1].places.len(), 2);
    }

    #[test]
    fn zipped_keys_move_together() {
        let zip = table("a = [1, 2, 3]\nb = { from = 10, to = 30, step = 10 }");
        let dimensions = axes(&Table::new(), &[zip]).unwrap();
        assert_eq!(dimensions.len(), 1);
        let second = vec![("a".to_owned(), Value::Integer(2)), ("b".to_owned(), Value::Integer(20))];
        assert_eq!(dimensions[0].places[1], second);
        let uneven = axes(&Table::new(), &[table("a = [1, 2]\nb = [1]")]).unwrap_err();
        assert_eq!(uneven.key.as_deref(), Some("sweep.zip[0].b"));
        let twice = axes(&table("a = [1]"), &[table("a = [1]")]).unwrap_err();
        assert_eq!(twice.found.as_deref(), Some("a"));
    }

    #[test]
    fn cases_are_values_of_a_key_or_named_changes() {
        let names = |text: &str| cases(&table(text)).unwrap().into_iter().map(|case| case.name).collect::<Vec<_>>();
        assert_eq!(names("scheme = [\"unmodified\", \"refined-icmp\"]"), ["unmodified", "refined-icmp"]);
        assert_eq!(names("flows.a.tcp.initial_window = [1, 2]"), ["1", "2"]);
        assert_eq!(names(""), [""]);
        let named =
            cases(&table("[clear]\nlinks.air.channel = { kind = \"perfect\" }\n[bad]\nscheme = \"unmodified\""));
        let named = named.unwrap();
        assert_eq!(named[0].changes[0].0, "links.air.channel");
        assert_eq!(named[1].name, "bad");
        assert!(cases(&table("a = [1]\nb = [2]")).is_err());
        assert!(cases(&table("a = 1")).is_err());
    }
}
