//! The axes and cases of a sweep, as lists of changes to the scenario.

pub(crate) mod files;
mod range;
pub mod suggest;

use toml::{Table, Value};

use crate::problem::Problem;

/// One change to a scenario: a key and its value.
pub type Change = (String, Value);

/// One dimension of the grid.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// Key in the scenario that declares the change: `sweep.axes` or `sweep.zip[0]`.
    pub at: String,
    /// Keys with joint changes.
    pub keys: Vec<String>,
    /// Changes at each point along the axis.
    pub places: Vec<Vec<Change>>,
}

/// One of the compared cases.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The name.
    pub name: String,
    /// Key in the scenario that declares each change.
    pub at: Vec<String>,
    /// The changes of the case.
    pub changes: Vec<Change>,
}

/// Keys that have no effect on results and are therefore not varied.
const WITHOUT_EFFECT: [&str; 4] = ["sweep", "output", "title", "replication"];

/// The dimensions of `sweep.axes` and `sweep.zip`, in their order.
pub fn parse_axes(axes: &Table, zip: &[Table]) -> Result<Vec<Axis>, Problem> {
    let mut dimensions = Vec::new();
    for (key, value) in collect_leaves(axes, "") {
        let at = format!("sweep.axes.{key}");
        has_effect(&key, &at)?;
        let values = range::list_axis_values(&at, value)?;
        let places = values.into_iter().map(|value| vec![(key.clone(), value)]).collect();
        dimensions.push(Axis { at: "sweep.axes".into(), keys: vec![key], places });
    }
    for (number, table) in zip.iter().enumerate() {
        let at = format!("sweep.zip[{number}]");
        let mut keys: Vec<String> = Vec::new();
        let mut places: Vec<Vec<Change>> = Vec::new();
        for (key, value) in collect_leaves(table, "") {
            has_effect(&key, &format!("{at}.{key}"))?;
            let values = range::list_axis_values(&format!("{at}.{key}"), value)?;
            if keys.is_empty() {
                places = vec![Vec::new(); values.len()];
            } else if values.len() != places.len() {
                let count = |count: usize| format!("{count} value{}", if count == 1 { "" } else { "s" });
                let expected = format!("{}, as for `{}`", count(places.len()), keys[0]);
                return Err(Problem::new(expected).key(format!("{at}.{key}")).found(count(values.len())));
            }
            for (place, value) in places.iter_mut().zip(values) {
                place.push((key.clone(), value));
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(Problem::new("at least one key with its values").key(at));
        }
        dimensions.push(Axis { at, keys, places });
    }
    let mut seen: Vec<&String> = Vec::new();
    for (at, key) in dimensions.iter().flat_map(|axis| axis.keys.iter().map(|key| (&axis.at, key))) {
        if seen.contains(&key) {
            let problem = Problem::new("each key on one axis only").key(format!("{at}.{key}"));
            return Err(problem.found(format!("{key} again")));
        }
        seen.push(key);
    }
    Ok(dimensions)
}

impl Axis {
    /// The changes at a point, and the keys in the scenario that declare them.
    pub fn at(&self, place: usize) -> impl Iterator<Item = (String, &Change)> {
        let at = move |key: &str| format!("{}.{key}[{place}]", self.at);
        self.places[place].iter().map(move |change| (at(&change.0), change))
    }
}

fn has_effect(key: &str, at: &str) -> Result<(), Problem> {
    let head = key.split('.').next().unwrap_or_default();
    if !WITHOUT_EFFECT.contains(&head) {
        return Ok(());
    }
    let problem = Problem::new("a key on which results depend").key(at).found(key);
    Err(if head == "replication" { problem.hint("sweep.replications = N repeats every point") } else { problem })
}

/// Returns the compared cases, or a single case without name and changes if the scenario compares nothing. `axes` are
/// the dimensions of the grid.
pub fn parse_cases(compare: &Table, axes: &[Axis]) -> Result<Vec<Case>, Problem> {
    if compare.is_empty() {
        return Ok(vec![Case { name: String::new(), at: Vec::new(), changes: Vec::new() }]);
    }
    let cases = match &collect_leaves(compare, "")[..] {
        [(key, value)] if is_list(value) => cases_of_values(key, value, axes)?,
        _ => compare.iter().map(|(name, changes)| parse_named_case(name, changes)).collect::<Result<_, _>>()?,
    };
    for case in &cases {
        case.changes.iter().zip(&case.at).try_for_each(|((key, _), at)| has_effect(key, at))?;
    }
    Ok(cases)
}

fn is_list(value: &Value) -> bool {
    value.is_array() || value.as_table().is_some_and(range::is_range)
}

/// A case for each value of a key.
fn cases_of_values(key: &str, value: &Value, axes: &[Axis]) -> Result<Vec<Case>, Problem> {
    let at = format!("sweep.compare.{key}");
    if axes.iter().any(|axis| axis.keys.iter().any(|varied| varied == key)) {
        let problem = Problem::new("each key either on an axis or compared").key(at);
        return Err(problem.found(format!("{key} again")));
    }
    let values = range::list_axis_values(&at, value)?.into_iter().enumerate();
    let case = |(number, value): (usize, Value)| Case {
        name: format_axis_value(&value),
        at: vec![format!("{at}[{number}]")],
        changes: vec![(key.to_owned(), value)],
    };
    Ok(values.map(case).collect())
}

/// The case called `name`.
fn parse_named_case(name: &str, changes: &Value) -> Result<Case, Problem> {
    let at = format!("sweep.compare.{name}");
    let is_key = crate::schema()["properties"].get(name).is_some();
    match changes {
        Value::Table(changes) if !is_key => {
            let changes = flatten_changes(changes);
            let at = changes.iter().map(|(key, _)| format!("{at}.{key}")).collect();
            Ok(Case { name: name.to_owned(), at, changes })
        }
        other => {
            let expected = "either one key with a list of values, or for each case a name with a table of changes";
            let problem = Problem::new(expected).key(at).found(other.to_string());
            Err(problem.hint("several keys that differ together: [sweep.compare.NAME] and the changes below it"))
        }
    }
}

/// The keys of a table with their lists of values: `links.wire.delay`, with or without quotes.
fn collect_leaves<'a>(table: &'a Table, prefix: &str) -> Vec<(String, &'a Value)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) if !range::is_range(inner) && !inner.is_empty() => {
                found.extend(collect_leaves(inner, &key));
            }
            _ => found.push((key, value)),
        }
    }
    found
}

/// The changes that a case's table describes. A table with a key `kind` is a value; other tables are parts of keys.
fn flatten_changes(table: &Table) -> Vec<Change> {
    let mut found = Vec::new();
    for (name, value) in table {
        match value {
            Value::Table(inner) if !inner.contains_key("kind") => {
                let inner = flatten_changes(inner).into_iter();
                found.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            _ => found.push((name.clone(), value.clone())),
        }
    }
    found
}

/// Formats a value for tables and plots: text without quotes.
pub fn format_axis_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Table(table) if table.len() == 1 && table.contains_key("kind") => format_axis_value(&table["kind"]),
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
    fn keys_with_and_without_quotes_are_equal() {
        let quoted = parse_axes(&table("\"links.wire.delay\" = [\"1 ms\"]\n\"seed\" = [1, 2]"), &[]).unwrap();
        let plain = parse_axes(&table("links.wire.delay = [\"1 ms\"]\nseed = [1, 2]"), &[]).unwrap();
        assert_eq!(quoted, plain);
        assert_eq!(plain[0].keys, ["links.wire.delay"]);
        assert_eq!(plain[1].places.len(), 2);
    }

    #[test]
    fn zipped_keys_move_together() {
        let zip = table("a = [1, 2, 3]\nb = { from = 10, to = 30, step = 10 }");
        let dimensions = parse_axes(&Table::new(), &[zip]).unwrap();
        assert_eq!(dimensions.len(), 1);
        let second = vec![("a".to_owned(), Value::Integer(2)), ("b".to_owned(), Value::Integer(20))];
        assert_eq!(dimensions[0].places[1], second);
        let uneven = parse_axes(&Table::new(), &[table("a = [1, 2]\nb = [1]")]).unwrap_err();
        assert_eq!(uneven.key.as_deref(), Some("sweep.zip[0].b"));
        let twice = parse_axes(&table("a = [1]"), &[table("a = [1]")]).unwrap_err();
        assert_eq!(twice.found.as_deref(), Some("a again"));
    }

    #[test]
    fn cases_are_values_of_a_key_or_named_changes() {
        let names =
            |text: &str| parse_cases(&table(text), &[]).unwrap().into_iter().map(|case| case.name).collect::<Vec<_>>();
        assert_eq!(names("scheme = [\"unmodified\", \"refined-icmp\"]"), ["unmodified", "refined-icmp"]);
        assert_eq!(names("flows.a.tcp.initial_window = [1, 2]"), ["1", "2"]);
        assert_eq!(names(""), [""]);
        let named = parse_cases(
            &table("[clear]\nlinks.air.channel = { kind = \"perfect\" }\n[bad]\nscheme = \"unmodified\""),
            &[],
        );
        let named = named.unwrap();
        assert_eq!(named[0].at, ["sweep.compare.clear.links.air.channel"]);
        assert_eq!(named[0].changes[0].0, "links.air.channel");
        assert_eq!(named[1].name, "bad");
        for wrong in [
            "a = [1]\nb = [2]",
            "a = 1",
            "scheme = \"unmodified\"",
            "links.a.delay = [\"1 ms\"]\nlinks.b.delay = [\"1 ms\"]",
            "flows.a.receive_window = \"1 KiB\"",
        ] {
            let problem = parse_cases(&table(wrong), &[]).unwrap_err();
            assert!(problem.expected.starts_with("either one key with a list of values"), "{wrong}: {problem}");
        }
        let varied = parse_axes(&table("seed = [1, 2]"), &[]).unwrap();
        let twice = parse_cases(&table("seed = [1, 2]"), &varied).unwrap_err();
        assert_eq!(twice.key.as_deref(), Some("sweep.compare.seed"));
    }

    #[test]
    fn keys_without_effect_on_results_are_refused() {
        for key in ["title", "replication", "output.traces", "sweep.metrics", "\"sweep.replications\""] {
            let found = [
                parse_axes(&table(&format!("{key} = [1, 2]")), &[]).err(),
                parse_axes(&Table::new(), &[table(&format!("{key} = [1, 2]"))]).err(),
                parse_cases(&table(&format!("one.{key} = 1\ntwo.seed = 1")), &[]).err(),
            ];
            for problem in found {
                assert_eq!(problem.expect("a problem").expected, "a key on which results depend", "{key}");
            }
        }
    }
}
