//! Paths of keys: `links.air.delay_spikes[0].at`.

use std::fmt;

/// A step of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PathStep {
    /// The key of a table.
    Key(String),
    /// An index of a list, from 0.
    Item(usize),
}

/// Parses a path into steps. Text in quotes is one key. The parts of `spikes.0.at` are read as keys, because a key may
/// be a number.
pub(crate) fn parse_key_path(path: &str) -> Vec<PathStep> {
    let (mut steps, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        let (step, behind) = split_first_step(rest);
        steps.push(step);
        rest = behind.strip_prefix('.').unwrap_or(behind);
    }
    steps
}

fn split_first_step(path: &str) -> (PathStep, &str) {
    for (open, close) in [('"', '"'), ('\'', '\'')] {
        if let Some((key, rest)) = path.strip_prefix(open).and_then(|path| path.split_once(close)) {
            return (PathStep::Key(key.to_owned()), rest);
        }
    }
    let number = path.strip_prefix('[').and_then(|path| path.split_once(']'));
    if let Some((Ok(number), rest)) = number.map(|(number, rest)| (number.parse(), rest)) {
        return (PathStep::Item(number), rest);
    }
    let end = path.char_indices().skip(1).find(|(_, c)| ".[".contains(*c)).map_or(path.len(), |(end, _)| end);
    (PathStep::Key(path[..end].trim().to_owned()), &path[end..])
}

/// The steps to the outermost list on the path, or all steps without one.
pub(crate) fn without_items(steps: &[PathStep]) -> &[PathStep] {
    let end = steps.iter().position(|step| matches!(step, PathStep::Item(_)));
    &steps[..end.unwrap_or(steps.len())]
}

/// A path from its steps.
pub(crate) fn join_steps(steps: &[PathStep]) -> String {
    steps.iter().fold(String::new(), |path, step| child_path(&path, step))
}

/// The path of the value at `step` of `path`.
pub(crate) fn child_path(path: &str, step: &PathStep) -> String {
    match step {
        PathStep::Key(key) if path.is_empty() => key.clone(),
        _ => format!("{path}{step}"),
    }
}

/// Whether `key` equals `path` or lies below it.
pub(crate) fn is_within(key: &str, path: &str) -> bool {
    key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The path of the table that contains a key, and the key; `""` for a key at the top level.
pub(crate) fn split_last(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap_or(("", key))
}

impl fmt::Display for PathStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathStep::Key(key) => write!(f, ".{key}"),
            PathStep::Item(number) => write!(f, "[{number}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_steps_are_keys_quoted_keys_and_numbers() {
        let key = |key: &str| PathStep::Key(key.to_owned());
        for (path, expected) in [
            ("seed", vec![key("seed")]),
            (
                "links.air.delay_spikes[0].at",
                vec![key("links"), key("air"), key("delay_spikes"), PathStep::Item(0), key("at")],
            ),
            ("channel.bad[1][0]", vec![key("channel"), key("bad"), PathStep::Item(1), PathStep::Item(0)]),
            ("sweep.axes.\"links.air.rate\"", vec![key("sweep"), key("axes"), key("links.air.rate")]),
            ("a[x]", vec![key("a"), key("[x]")]),
            ("", vec![]),
        ] {
            assert_eq!(parse_key_path(path), expected, "{path}");
        }
        assert_eq!(join_steps(&parse_key_path("links.air.delay_spikes[0].at")), "links.air.delay_spikes[0].at");
    }

    #[test]
    fn key_is_found_in_its_table_and_not_in_one_of_the_same_name() {
        assert!(is_within("links.air.rate", "links.air") && is_within("links.air", "links.air"));
        assert!(is_within("links.air[0]", "links.air"));
        assert!(!is_within("links.air2.rate", "links.air"));
    }
}
