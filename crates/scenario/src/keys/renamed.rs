//! Renamed keys.

use engine::tagged::KIND;

use super::Shape;
use super::suggest::Pattern;
use crate::key_path::{PathStep, join_steps, parse_key_path};
use crate::tree::{Table, Value, ValueData};

/// Each old key, by its path with `*` for a name of the scenario, and the new name of its last part. A key in a renamed
/// table is listed under the table's new name.
const RENAMED: &[(&str, &str)] = &[
    ("flows.*.segment", "mss"),
    ("flows.*.window", "receive_window"),
    ("flows.*.tcp.growth", "cwnd_validation"),
    ("flows.*.tcp.closed_window", "zero_window"),
    ("flows.*.tcp.retries.steady_syn", "syn_linear_timeouts"),
    ("flows.*.tcp.delayed_ack.at_once", "quick_acks"),
    ("links.*.gaps", "outages"),
    ("links.*.spikes", "delay_spikes"),
    ("links.*.delay_spikes[0].extra", "extra_delay"),
    ("links.*.delay_spikes[0].lasts", "duration"),
    ("links.*.opportunities", "delivery_trace"),
    ("links.*.table", "link_trace"),
    ("links.*.channel.gaps", "gap_law"),
    ("links.*.channel.away", "disconnections"),
    ("links.*.channel.every", "period"),
    ("links.*.channel.times", "repetitions"),
    ("links.*.channel.shift", "random_offset"),
    ("links.*.channel.hears", "reception"),
    ("links.*.channel.ways", "directions"),
    ("links.*.delay_spikes[0].ways", "directions"),
    ("links.*.jitter.ways", "directions"),
    ("links.*.outages[0].ways", "directions"),
    ("links.*.arq.transmissions", "max_transmissions"),
    ("media.*.retry_growth.most", "max"),
    ("media.*.rate_control.least", "min_share"),
    ("nodes.*.scheduler.rest", "skip_time"),
    ("nodes.*.scheme.held", "max_held"),
    ("nodes.*.scheme.notices", "link_failures"),
    ("nodes.*.scheme.silence", "ack_timeout"),
    ("nodes.*.scheme.stretches", "max_ranges"),
    ("nodes.*.scheme.within", "max_delay"),
    ("scheme.held", "max_held"),
    ("scheme.notices", "link_failures"),
    ("scheme.silence", "ack_timeout"),
    ("scheme.stretches", "max_ranges"),
    ("scheme.within", "max_delay"),
];

/// The new name of the key at the end of `path`, if it was renamed.
pub(crate) fn new_name(path: &[PathStep]) -> Option<&'static str> {
    RENAMED.iter().find(|(old, _)| Pattern::of(old).is_of(path)).map(|(_, new)| *new)
}

/// Renames the keys of a scenario written by an earlier version, including those varied by its sweep.
pub(crate) fn rename_keys(scenario: &mut Value) {
    rename_nested(scenario, &[]);
    let sweep = scenario.as_table_mut().and_then(|table| table.get_mut("sweep")).and_then(Value::as_table_mut);
    for (part, value) in sweep.into_iter().flatten() {
        match (part.as_str(), &mut value.data) {
            ("axes", _) => rename_in_changes(value, &[]),
            ("zip", ValueData::List(tables)) => tables.iter_mut().for_each(|table| rename_in_changes(table, &[])),
            ("compare", ValueData::Table(cases)) => {
                let is_key = |name: &str| {
                    Shape::scenario()
                        .keys()
                        .iter()
                        .any(|key| parse_key_path(name).first() == parse_key_path(key).first())
                };
                if cases.keys().any(|name| is_key(name)) {
                    rename_in_changes(value, &[]);
                } else {
                    cases.values_mut().for_each(|case| rename_in_changes(case, &[]));
                }
            }
            _ => {}
        }
    }
}

/// Renames the keys in the value at `path`.
fn rename_nested(value: &mut Value, path: &[PathStep]) {
    match &mut value.data {
        ValueData::Table(table) => {
            rename_in_table(table, |key| vec![PathStep::Key(key.to_owned())], path, rename_nested);
        }
        ValueData::List(items) => {
            for (number, item) in items.iter_mut().enumerate() {
                rename_nested(item, &[path, &[PathStep::Item(number)]].concat());
            }
        }
        _ => {}
    }
}

/// Renames the keys in a table of changes: paths with a value, or a list of values, for the key.
fn rename_in_changes(value: &mut Value, path: &[PathStep]) {
    match &mut value.data {
        ValueData::Table(table) => rename_in_table(table, parse_key_path, path, rename_in_changes),
        ValueData::List(values) => values.iter_mut().for_each(|value| rename_nested(value, path)),
        _ => {}
    }
}

fn rename_in_table(
    table: &mut Table,
    split: fn(&str) -> Vec<PathStep>,
    path: &[PathStep],
    inner: fn(&mut Value, &[PathStep]),
) {
    let kind = match table.get(KIND).map(|kind| &kind.data) {
        Some(ValueData::Text(kind)) => Some(kind.clone()),
        _ => None,
    };
    for (key, mut value) in std::mem::take(table) {
        let mut at = path.to_vec();
        for step in split(&key) {
            at.push(step);
            let new = new_name(&at).filter(|new| at.len() > path.len() + 1 || is_key_of(kind.as_deref(), path, new));
            if let (Some(new), Some(last)) = (new, at.last_mut()) {
                *last = PathStep::Key(new.to_owned());
            }
        }
        inner(&mut value, &at);
        table.insert(join_steps(&at[path.len()..]), value);
    }
}

/// Whether a table of this kind at `path` may have the key. An outside member may have settings with any names. Paths
/// of several steps occur only in a sweep. Their table does not state the kind, so that they are renamed without regard
/// to it.
fn is_key_of(kind: Option<&str>, path: &[PathStep], key: &str) -> bool {
    let kinds = Shape::at(path).kinds_with(key);
    kinds.is_empty() || kind.is_none_or(|kind| kinds.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::with_new_names;

    #[test]
    fn settings_of_outside_members_keep_their_names() {
        let outside =
            "links.air.channel = { kind = \"outside\", every = 3, times = 2 }\nscheme = { held = 5, kind = \"own\" }";
        let table = |text: &str| text.parse::<toml::Table>().unwrap();
        assert_eq!(table(&with_new_names(outside).unwrap()), table(outside));
        let own = "links.air.channel = { kind = \"absence\", times = 2 }";
        assert_eq!(table(&with_new_names(own).unwrap()), table(&own.replace("times", "repetitions")));
    }

    #[test]
    fn old_key_is_refused_with_its_new_name() {
        const LINK: &str =
            "links.wire = { kind = \"wired\", between = [\"a\", \"b\"], rate = \"8 Mbps\", delay = \"1 ms\" }";
        let text = format!(
            "duration = \"10 s\"\nnodes = {{ a = {{ kind = \"host\" }}, b = {{ kind = \"host\" }} }}\n{LINK}\n\
             [flows.down]\nfrom = \"a\"\nto = \"b\"\nsegment = \"1000 B\"\nwindow = \"5 parsecs\"\n"
        );
        let said: Vec<String> =
            crate::from_toml("old.toml", &text).unwrap_err().iter().map(ToString::to_string).collect();
        let [segment, window] = &said[..] else { panic!("{said:?}") };
        assert!(segment.starts_with("old.toml:7:1: flows.down.segment: no such key"), "{segment}");
        assert!(segment.ends_with("hint: \"segment\" is now called \"mss\""), "{segment}");
        assert!(window.ends_with("hint: \"window\" is now called \"receive_window\""), "{window}");
        assert_eq!(new_name(&parse_key_path("links.air.delay_spikes[3].lasts")), Some("duration"));
        assert_eq!(new_name(&parse_key_path("links.air.arq.window")), None);
    }

    #[test]
    fn old_keys_are_removed_and_new_keys_exist() {
        for (old, new) in RENAMED {
            let (table, name) = old.rsplit_once('.').unwrap_or(("", old));
            let keys = Shape::at(&parse_key_path(&table.replace('*', "any"))).keys();
            assert!(keys.contains(new) && !keys.contains(&name), "{old} -> {new}: {keys:?}");
        }
    }

    #[test]
    fn stored_scenario_is_read_with_renamed_keys() {
        let old = r#"
            flows.down = { segment = "1 kB", tcp = { control = "reno" } }
            links.air = { spikes = [{ at = "1 s", extra = "2 s", lasts = "3 s" }], arq = { kind = "go-back-n", window = 5, transmissions = 3 } }
            sweep.axes = { "flows.down.window" = ["8 KiB"], links.air.spikes = [[{ extra = "1 s" }]] }
            sweep.zip = [{ flows.down.segment = ["1 kB"] }]
            sweep.compare.patient = { "links.air.arq.transmissions" = 9 }
        "#;
        let new = r#"
            flows.down = { mss = "1 kB", tcp = { control = "reno" } }
            links.air = { delay_spikes = [{ at = "1 s", extra_delay = "2 s", duration = "3 s" }], arq = { kind = "go-back-n", window = 5, max_transmissions = 3 } }
            sweep.axes = { "flows.down.receive_window" = ["8 KiB"], links.air.delay_spikes = [[{ extra_delay = "1 s" }]] }
            sweep.zip = [{ flows.down.mss = ["1 kB"] }]
            sweep.compare.patient = { "links.air.arq.max_transmissions" = 9 }
        "#;
        let table = |text: &str| text.parse::<toml::Table>().unwrap();
        assert_eq!(table(&with_new_names(old).unwrap()), table(new));
        assert_eq!(table(&with_new_names(new).unwrap()), table(new));
    }
}
