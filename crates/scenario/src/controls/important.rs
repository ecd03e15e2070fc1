//! Keys of a scenario that readers probably want to change first.

use toml::Table;

use crate::axes::{parse_axes, parse_cases};
use crate::key_path::split_last;
use crate::tree::Value;

/// Last parts of the keys that matter in any scenario that sets them, the most important first.
const USUAL: [&str; 17] = [
    "scheme",
    "rate",
    "delay",
    "loss",
    "channel",
    "mean_good",
    "mean_bad",
    "arq",
    "max_transmissions",
    "queue",
    "limit",
    "variant",
    "control",
    "traffic",
    "bytes",
    "receive_window",
    "count",
];

/// The important keys, the most important first: keys named in the comment at the head of the text, then keys varied or
/// compared by the sweep, then the generally important keys.
pub(super) fn rank_important_keys<'c>(
    text: &str,
    tree: &Value,
    controls: impl Iterator<Item = (&'c str, bool)>,
) -> Vec<String> {
    let head: String = text.lines().take_while(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let varied = list_varied_keys(tree);
    let rank = |(path, is_written): (&'c str, bool)| {
        let last = split_last(path).1;
        let usual = USUAL.iter().position(|name| *name == last).filter(|_| is_written && !path.contains('['));
        let rank = match (place_of(path, &head), varied.iter().position(|key| key == path), usual) {
            (Some(place), _, _) => (0, place),
            (None, Some(place), _) => (1, place),
            (None, None, Some(place)) => (2, place),
            _ => return None,
        };
        Some((rank, path.to_owned()))
    };
    let mut ranked: Vec<_> = controls.filter_map(rank).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.dedup();
    ranked.into_iter().map(|(_, path)| path).collect()
}

/// Returns the position at which a comment names a key, or the option with the same name.
fn place_of(path: &str, comment: &str) -> Option<usize> {
    let option = format!("--{path}");
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-[".contains(c);
    let found = comment.match_indices(path).map(|(place, _)| place).find(|place| {
        let before = comment[..*place].chars().next_back().is_none_or(|c| !is_part(c));
        let behind = &comment[place + path.len()..];
        // A key at the end of a sentence is followed by a full stop.
        let after = behind.chars().next().is_none_or(|c| !is_part(c)) || behind.starts_with(". ") || behind == ".";
        // A key of one word counts only if the scenario sets it, because otherwise the word may be ordinary text.
        before && after && (path.contains('.') || behind.starts_with('='))
    });
    found.or_else(|| comment.find(&option).filter(|place| !comment[place + option.len()..].starts_with(is_part)))
}

/// The keys that the sweep of a scenario varies or compares.
fn list_varied_keys(tree: &Value) -> Vec<String> {
    let sweep = tree.at("sweep").map(Value::to_toml);
    let table = |key: &str| -> Table {
        sweep.as_ref().and_then(|sweep| sweep.get(key)?.as_table().cloned()).unwrap_or_default()
    };
    let zip = sweep.as_ref().and_then(|sweep| sweep.get("zip")?.as_array()).into_iter().flatten();
    let zip: Vec<Table> = zip.filter_map(|table| table.as_table().cloned()).collect();
    let axes = parse_axes(&table("axes"), &zip).unwrap_or_default();
    let compared = parse_cases(&table("compare"), &axes).unwrap_or_default();
    let compared = compared.into_iter().flat_map(|case| case.changes).map(|(key, _)| key);
    axes.into_iter().flat_map(|axis| axis.keys).chain(compared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_names_a_key_only_as_a_whole_word() {
        let comment = "# the delay: --set links.air.queue=codel, --scheme snoop; links.air.rate.";
        assert!(place_of("links.air.queue", comment) < place_of("links.air.rate", comment));
        assert!(place_of("scheme", comment).is_some());
        for other in ["delay", "links.air", "air.queue", "links.air.queue.limit", "queue", "set"] {
            let named = place_of(other, comment).is_some();
            assert_eq!(named, other == "set", "{other}");
        }
    }
}
