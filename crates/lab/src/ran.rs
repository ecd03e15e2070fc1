//! What ran, in a few words: a title says what its author meant, this says what was computed.

use serde_json::json;

use crate::load::Loaded;
use crate::scenario::Scenario;
use crate::scenario::model::NodeKind;

/// Scheme, seed and profile, as scenarios name them.
pub fn what_ran(loaded: &Loaded) -> Vec<String> {
    let network = &loaded.network;
    let profile = json!(loaded.scenario.profile);
    vec![
        schemes(&loaded.scenario, network),
        format!("seed {}", network.seed),
        format!("profile {}", profile.as_str().unwrap_or_default()),
    ]
}

/// The scheme of all nodes that may follow one; where they differ, each scheme with its nodes.
fn schemes(scenario: &Scenario, network: &sim::Network) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let followers = scenario.nodes.values().zip(&network.nodes).filter(|(node, _)| node.kind != NodeKind::Router);
    for (_, spec) in followers {
        match groups.iter_mut().find(|(scheme, _)| *scheme == spec.agent.name()) {
            Some((_, names)) => names.push(&spec.name),
            None => groups.push((spec.agent.name(), vec![&spec.name])),
        }
    }
    if let [(scheme, _)] = groups[..] {
        return scheme.to_owned();
    }
    let at = |names: &[&str]| match names.len() {
        1..=3 => names.join(", "),
        many => format!("{many} nodes"),
    };
    let groups: Vec<String> = groups.iter().map(|(scheme, names)| format!("{scheme} ({})", at(names))).collect();
    groups.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Overrides, load};
    use std::path::Path;

    fn ran(set: &[&str], scheme: Option<&str>) -> String {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/goel-refined.toml");
        let overrides = Overrides {
            set: set.iter().map(|set| (*set).to_owned()).collect(),
            scheme: scheme.map(str::to_owned),
            seed: Some(7),
        };
        what_ran(&load(&example, &overrides).expect("a scenario")).join(" / ")
    }

    #[test]
    fn what_ran_is_not_what_the_title_says() {
        assert_eq!(ran(&[], None), "refined-icmp / seed 7 / profile goel1997");
        assert_eq!(ran(&["profile=exact"], Some("unmodified")), "unmodified / seed 7 / profile exact");
    }

    #[test]
    fn nodes_that_differ_are_named() {
        let alone = ran(&["nodes.server.scheme=unmodified", "nodes.mobile.scheme=unmodified"], None);
        assert_eq!(alone, "unmodified (server, mobile), refined-icmp (station) / seed 7 / profile goel1997");
    }
}
