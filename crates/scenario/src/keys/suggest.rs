//! Suggestions for unknown keys.

use super::Shape;
use super::synonyms::SYNONYMS;
use crate::key_path::{PathStep, join_steps, parse_key_path};

/// A path in which `*` matches any name, and an index any index.
pub(crate) struct Pattern(Vec<PathStep>);

impl Pattern {
    pub fn of(path: &str) -> Self {
        Pattern(parse_key_path(path))
    }

    /// Whether a path matches.
    pub fn is_of(&self, path: &[PathStep]) -> bool {
        self.0.len() == path.len() && self.common(path) == path.len()
    }

    /// Number of leading steps that a path has in common with this one.
    fn common(&self, path: &[PathStep]) -> usize {
        let is_same = |own: &PathStep, other: &PathStep| match (own, other) {
            (PathStep::Item(_), PathStep::Item(_)) => true,
            _ => is_any(own) || own == other,
        };
        self.0.iter().zip(path).take_while(|(own, other)| is_same(own, other)).count()
    }

    /// The path as written in the table at `table`: relative if the path lies below that table, otherwise absolute.
    fn written_in(&self, table: &[PathStep]) -> String {
        let common = self.common(table);
        let name = |(at, step): (usize, &PathStep)| match table.get(at).filter(|_| at < common) {
            Some(given) => given.clone(),
            None if is_any(step) => PathStep::Key("NAME".to_owned()),
            None => step.clone(),
        };
        let written: Vec<PathStep> = self.0.iter().enumerate().map(name).collect();
        join_steps(if common == table.len() { &written[common..] } else { &written })
    }
}

fn is_any(step: &PathStep) -> bool {
    matches!(step, PathStep::Key(key) if key == "*")
}

/// The key for which `name`, found in `table`, is a common synonym, as written there. The receiving end of a flow has keys
/// of the flow.
pub(crate) fn find_synonym(name: &str, table: &[PathStep]) -> Option<String> {
    if let [flows, flow, PathStep::Key(peer), below @ ..] = table
        && peer == "peer"
    {
        let of_flow = [&[flows.clone(), flow.clone()], below].concat();
        return find_synonym(name, &of_flow).filter(|key| !key.contains("NAME"));
    }
    let plain = normalize_key(name);
    let meant = SYNONYMS.iter().filter(|(_, names)| names.iter().any(|name| self::normalize_key(name) == plain));
    nearest_to(table, meant.map(|(path, _)| *path))
}

/// A key with this name elsewhere in the same part of a scenario, written relative to `table`.
pub(crate) fn find_key_elsewhere(name: &str, table: &[PathStep]) -> Option<String> {
    let Some(PathStep::Key(part)) = table.first() else { return None };
    let mut paths = Vec::new();
    collect_paths(&Shape::at(&table[..1]), part, name, &mut paths);
    nearest_to(table, paths.iter().map(String::as_str))
}

/// Returns the path with the most leading steps in common with the table's path, among several paths in the same part
/// of a scenario. Of equal ones the shortest is returned, then the first.
fn nearest_to<'a>(table: &[PathStep], paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let patterns = paths.map(Pattern::of).filter(|pattern| table.is_empty() || pattern.common(table) > 0);
    let distance = |pattern: &Pattern| (table.len() - pattern.common(table), pattern.0.len());
    patterns.min_by_key(distance).map(|pattern| pattern.written_in(table))
}

/// Collects the paths of the keys called `name`, with nested tables to the depth that scenarios have.
fn collect_paths(shape: &Shape<'static>, path: &str, name: &str, paths: &mut Vec<String>) {
    const MAX_DEPTH: usize = 5;
    if path.matches('.').count() > MAX_DEPTH {
        return;
    }
    let names = shape.has_names().then_some("*");
    for key in shape.keys().into_iter().chain(names) {
        let below = format!("{path}.{key}");
        if key == name {
            paths.push(below.clone());
        }
        collect_paths(&shape.below(&PathStep::Key(key.to_owned())), &below, name, paths);
    }
}

/// Reduces a name to its letters and digits: `DataRate`, `data_rate` and `data-rate` are one name.
fn normalize_key(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_table(table: &str, name: &str) -> Option<String> {
        find_synonym(name, &parse_key_path(table))
    }

    #[test]
    fn suggested_synonym_path_is_relative_to_its_table() {
        assert_eq!(in_table("links.air", "bandwidth").as_deref(), Some("rate"));
        assert_eq!(in_table("links.air", "DataRate").as_deref(), Some("rate"));
        assert_eq!(in_table("media.cell", "data-rate").as_deref(), Some("rate"));
        assert_eq!(in_table("flows.down", "cc").as_deref(), Some("tcp.control"));
        assert_eq!(in_table("flows.down.tcp", "cwnd").as_deref(), Some("initial_window"));
        assert_eq!(in_table("", "latency").as_deref(), Some("links.NAME.delay"));
        assert_eq!(in_table("", "stop_time").as_deref(), Some("duration"));
        assert_eq!(in_table("flows.down.tcp", "rwnd").as_deref(), Some("flows.down.receive_window"));
        assert_eq!(in_table("flows.down.peer", "rwnd").as_deref(), Some("receive_window"));
        assert_eq!(in_table("flows.down.peer", "cc").as_deref(), Some("tcp.control"));
        assert_eq!(in_table("flows.down.peer.tcp", "delack").as_deref(), Some("delayed_ack"));
        assert_eq!(in_table("links.air", "frobnicate"), None);
        // Links have no such key.
        assert_eq!(in_table("links.air", "cwnd"), None);
    }

    #[test]
    fn key_of_another_table_is_suggested() {
        assert_eq!(find_key_elsewhere("control", &parse_key_path("flows.down")).as_deref(), Some("tcp.control"));
        assert_eq!(find_key_elsewhere("bytes", &parse_key_path("flows.down.tcp")).as_deref(), Some("flows.down.bytes"));
        assert_eq!(find_key_elsewhere("control", &parse_key_path("links.air")), None);
        assert_eq!(find_key_elsewhere("control", &[]), None);
    }
}
