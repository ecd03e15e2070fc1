//! The ranges of keys, as the checks of a scenario state them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use scenario::{NoFiles, Overrides, Source};

use crate::schema_keys::{BASE, Key, keys};

/// Expected values in errors of checks, by the key's path in the reference and the kind of its table.
pub type Ranges = BTreeMap<(String, String), String>;

/// Sets each key to values beyond any range, and collects the expected values in the errors.
pub fn ranges() -> Ranges {
    let mut ranges = Ranges::new();
    for key in keys().into_iter().filter(|key| !key.is_repeated()) {
        let expected = extremes(&key.sample).iter().flat_map(|value| expected(&key, value)).collect();
        let range = join(&expected);
        if !range.is_empty() {
            ranges.insert((key.reference_path(), key.kind().unwrap_or_default().to_owned()), range);
        }
    }
    ranges
}

/// Values beyond any range, of the type of `sample`.
fn extremes(sample: &str) -> Vec<String> {
    match sample.split_once(' ') {
        Some((number, unit)) if number.parse::<f64>().is_ok() => {
            ["0", "999999", "99999999"].map(|n| format!("{n} {unit}")).into()
        }
        None if sample.parse::<f64>().is_ok() => ["0", "-1", "1e9", "4294967295"].map(str::to_owned).into(),
        _ => Vec::new(),
    }
}

/// The expected value in an error.
fn expected(key: &Key, value: &str) -> Vec<String> {
    let set = key.needs().chain([format!("{}={value}", key.path)]).collect();
    let overrides = Overrides { set, ..Overrides::default() };
    let source = Source::of_text(Rc::new(NoFiles), "base".into(), "base.toml".into(), BASE.as_bytes(), &overrides);
    let Ok(source) = source else { return Vec::new() };
    let problems = source.resolve(&source.document).err().unwrap_or_default();
    problems
        .into_iter()
        .filter(|problem| problem.key.as_ref() == Some(&key.path))
        .map(|problem| problem.expected)
        .collect()
}

/// The largest numbers of integer types. A range up to one of them contains no information about the key.
const TYPE_LIMITS: [&str; 2] = ["4294967295", "9223372036854775807"];

/// Expected values without plain types, each once.
fn join(expected: &BTreeSet<String>) -> String {
    let is_range = |text: &&String| {
        !text.contains("such as")
            && !["no value", "a channel"].iter().any(|other| text.starts_with(other))
            && !TYPE_LIMITS.iter().any(|limit| text.ends_with(limit))
    };
    let plain = expected.iter().filter(is_range).map(|text| text.trim_start_matches("a whole number, "));
    plain.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("; ").replace('|', "\\|")
}
