//! What ran, in a few words: a title says what its author meant, this says what was computed.

use std::collections::BTreeSet;

use serde_json::json;
use sim::Network;

use crate::load::Loaded;
use crate::scenario::Scenario;
use crate::scenario::model::{LinkKind, NodeKind};

/// Scheme, seed and profile, as scenarios name them.
pub fn what_ran(loaded: &Loaded) -> Vec<String> {
    let network = &loaded.network;
    let profile = json!(loaded.scenario.profile);
    vec![
        in_words(&grouped(followers(&loaded.scenario, network))),
        format!("seed {}", network.seed),
        format!("profile {}", profile.as_str().unwrap_or_default()),
    ]
}

/// Scheme and name of each node that can act on a scheme, in order of nodes: base stations, and hosts that send or have a
/// radio. A host at the far end of a wire does the same under every scheme.
pub fn followers<'a>(scenario: &Scenario, network: &'a Network) -> impl Iterator<Item = (&'a str, &'a str)> {
    let links = scenario.links.values().zip(&network.links);
    let wireless = links.filter(|(link, _)| link.kind == LinkKind::Wireless).flat_map(|(_, link)| link.between);
    let at_work: BTreeSet<usize> = wireless.chain(network.flows.iter().map(|flow| flow.from)).collect();
    let kinds = scenario.nodes.values().map(|node| node.kind);
    let nodes = network.nodes.iter().zip(kinds).enumerate();
    let followers = nodes.filter(move |(number, (_, kind))| match kind {
        NodeKind::BaseStation => true,
        NodeKind::Host => at_work.contains(number),
        NodeKind::Router => false,
    });
    followers.map(|(_, (node, _))| (node.agent.name(), node.name.as_str()))
}

/// Each scheme with the nodes that follow it, from both one by one.
pub fn grouped<'a>(followers: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (scheme, node) in followers {
        match groups.iter_mut().find(|(known, _)| *known == scheme) {
            Some((_, nodes)) => nodes.push(node),
            None => groups.push((scheme, vec![node])),
        }
    }
    groups
}

/// One name for all; where they differ, each scheme with its nodes.
pub fn in_words(schemes: &[(&str, Vec<&str>)]) -> String {
    if let [(scheme, _)] = schemes {
        return (*scheme).to_owned();
    }
    let at = |nodes: &[&str]| match nodes.len() {
        1..=3 => nodes.join(", "),
        many => format!("{many} nodes"),
    };
    let groups: Vec<String> = schemes.iter().map(|(scheme, nodes)| format!("{scheme} ({})", at(nodes))).collect();
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

    /// The server sends and has no radio; the mobile has one; a host that only receives, over a wire, does the same
    /// whatever its scheme is, and a router has none.
    #[test]
    fn only_nodes_that_can_act_on_a_scheme_count() {
        let wired = [
            "nodes.desk={ kind = \"host\", scheme = \"unmodified\" }",
            "nodes.core={ kind = \"router\" }",
            "links.lan={ kind = \"wired\", between = [\"core\", \"desk\"], rate = \"8 Mbps\", delay = \"1 ms\" }",
            "links.trunk={ kind = \"wired\", between = [\"server\", \"core\"], rate = \"8 Mbps\", delay = \"1 ms\" }",
            "flows.down={ from = \"server\", to = \"desk\", bytes = \"1 MB\" }",
        ];
        assert_eq!(ran(&wired, None), "refined-icmp / seed 7 / profile goel1997");
        let sends = "flows.up={ from = \"desk\", to = \"server\", bytes = \"1 MB\" }";
        let both = ran(&[&wired[..], &[sends]].concat(), None);
        assert_eq!(both, "refined-icmp (server, station, mobile), unmodified (desk) / seed 7 / profile goel1997");
    }
}
