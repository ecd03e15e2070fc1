//! Maps keys of a scenario to the datafile: origin, position and name of each.

use std::collections::BTreeMap;

use engine::{Bytes, Rate, Span};

use super::Place;
use super::parser::ComponentBlock;
use super::report::Report;
use crate::problem::Problem;

/// The attributes that become keys, each with its key relative to the key of the component.
const ATTRIBUTES: &[(&str, &str)] = &[
    // simulator
    ("duration", "system_simulation_time"),
    ("output.print_interval", "print_interval"),
    ("seed", "seed"),
    // Nodes and flows.
    ("scheme", "scheme"),
    ("buffer", "buffer_size"),
    ("processing_delay", "processing_delay"),
    ("radio", "radio"),
    ("scheduler", "scheduler"),
    ("to", "dest_id"),
    ("bytes", "num_of_pkts_to_send"),
    ("mss", "pkt_size"),
    ("receive_window", "recv_wnd_size"),
    ("start", "start_time"),
    // Links.
    ("between[0]", "node_id1"),
    ("between[1]", "node_id2"),
    ("rate", "bandwidth"),
    ("delay", "latency"),
    ("loss", "loss_probability"),
    ("random_seed", "random_seed"),
    ("channel.mean_good", "mean_exp_distrib_good_state"),
    ("channel.mean_bad", "mean_exp_distrib_bad_state"),
    ("channel.bad", "bad_interval"),
];

/// The origin of a key.
#[derive(Clone, Debug)]
struct Origin {
    /// The origin as a key of the datafile: `base_station.buffer_size`.
    key: String,
    /// In a sentence: `buffer_size of base_station 212`.
    called: String,
    place: Place,
}

/// The origins of all keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins(BTreeMap<String, Origin>);

impl Origins {
    /// Records that `key` came from the component in `block`, and the keys below it from its attributes. The
    /// simulator's keys are at the top level, with an empty `key`.
    pub(super) fn component(&mut self, key: &str, block: &ComponentBlock<'_>, report: &Report<'_>) {
        let component = block.name.text;
        let called = match key.rsplit_once('.') {
            Some((_, id)) => format!("{component} {id}"),
            None => component.to_owned(),
        };
        for entry in &block.entries {
            let Some((below, _)) = ATTRIBUTES.iter().find(|(_, attribute)| *attribute == entry.name.text) else {
                continue;
            };
            let below = if key.is_empty() { (*below).to_owned() } else { format!("{key}.{below}") };
            let (attribute, at) = (entry.name.text, entry.values.first().map_or(entry.name.at, |value| value.at));
            let origin = Origin {
                key: format!("{component}.{attribute}"),
                called: format!("{attribute} of {called}"),
                place: report.place(at),
            };
            // If an attribute is repeated, its first occurrence is the origin.
            self.0.entry(below).or_insert(origin);
        }
        let key = if key.is_empty() { "output" } else { key };
        let origin = Origin { key: component.to_owned(), called, place: report.place(block.name.at) };
        self.0.insert(key.to_owned(), origin);
    }

    /// Records that `key` came from the text at byte `at`, `attribute` of `component`.
    pub(super) fn attribute(&mut self, key: String, component: &str, attribute: &str, at: usize, report: &Report<'_>) {
        let (name, called) = (format!("{component}.{attribute}"), format!("{attribute} of {component}"));
        self.0.insert(key, Origin { key: name, called, place: report.place(at) });
    }

    /// Translates a problem of the scenario to one of the datafile, as far as its key allows.
    pub(super) fn locate(&self, mut problem: Problem) -> Problem {
        if let (None, Some(origin)) = (problem.place, problem.key.as_deref().and_then(|key| self.of(key))) {
            let (place, source) = origin.place.clone();
            problem.place = Some(place);
            problem.source = Some(source);
            problem.key = Some(origin.key.clone());
        }
        problem.expected = self.in_words(&problem.expected);
        problem.hint = problem.hint.map(|hint| self.assignment(&hint).unwrap_or_else(|| self.in_words(&hint)));
        problem
    }

    /// A hint to write a key with a value, as a line of the datafile.
    fn assignment(&self, hint: &str) -> Option<String> {
        let (key, value) = hint.strip_prefix("write ")?.split_once(" = ")?;
        let origin = self.0.get(key)?;
        let (component, attribute) = origin.key.split_once('.')?;
        let value = in_units(attribute, value.strip_prefix('"')?.strip_suffix('"')?)?;
        let of = origin.called.split_once(" of ").map_or(component, |(_, of)| of);
        Some(format!("write {attribute} = {value} in {of}"))
    }

    /// The origin of `key`, or of a table that contains it.
    fn of(&self, key: &str) -> Option<&Origin> {
        let ends = key.match_indices(['.', '[']).map(|(end, _)| end).chain([key.len()]);
        ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| self.0.get(&key[..end]))
    }

    /// `text` with keys as named in the datafile: keys with a dot, or between backquotes.
    fn in_words(&self, text: &str) -> String {
        let word = |word: &str| {
            let key = word.trim_matches(|c: char| !(c.is_alphanumeric() || "`_]".contains(c)));
            let bare = key.trim_matches('`');
            match self.0.get(bare) {
                Some(origin) if bare != key || bare.contains('.') => word.replace(key, &origin.called),
                _ => word.to_owned(),
            }
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }
}

/// Converts a value of a scenario to the number of an attribute, whose unit is fixed.
fn in_units(attribute: &str, value: &str) -> Option<String> {
    match attribute {
        "buffer_size" | "pkt_size" => Some(value.parse::<Bytes>().ok()?.0.to_string()),
        "recv_wnd_size" => Some(divide_exactly(value.parse::<Bytes>().ok()?.0, 1024)),
        "bandwidth" => Some(value.parse::<Rate>().ok()?.bits_per_sec().to_string()),
        "mean_exp_distrib_good_state" | "mean_exp_distrib_bad_state" => {
            Some(divide_exactly(value.parse::<Span>().ok()?.as_nanos(), 1_000_000_000))
        }
        _ => Some(divide_exactly(value.parse::<Span>().ok()?.as_nanos(), 1_000_000)),
    }
}

/// `number` divided by `unit`, exactly: with a unit of 2^a 5^b the decimals are finite.
fn divide_exactly(number: u64, unit: u64) -> String {
    let (whole, mut rest) = (number / unit, u128::from(number % unit));
    let mut text = whole.to_string();
    if rest > 0 {
        text.push('.');
    }
    while rest > 0 {
        rest *= 10;
        text.push(char::from(b'0' + (rest / u128::from(unit)) as u8));
        rest %= u128::from(unit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_converted_to_the_attributes_unit() {
        let cases = [
            ("buffer_size", "124375 B", "124375"),
            ("buffer_size", "64 kB", "64000"),
            ("recv_wnd_size", "16896 B", "16.5"),
            ("recv_wnd_size", "1 B", "0.0009765625"),
            ("bandwidth", "8 Mbps", "8000000"),
            ("latency", "1500 us", "1.5"),
            ("mean_exp_distrib_bad_state", "100 ms", "0.1"),
            ("system_simulation_time", "4300 s", "4300000"),
        ];
        for (attribute, value, expected) in cases {
            assert_eq!(in_units(attribute, value).as_deref(), Some(expected), "{attribute} {value}");
        }
        assert_eq!(in_units("buffer_size", "50 packets"), None);
    }
}
