//! Labels of a run. The title states the intention of the scenario's author, and the labels state the scheme, seed and
//! profile that ran.

use std::collections::BTreeSet;

use serde_json::json;
use sim::{Network, NodeKind};

use crate::Scenario;
use crate::load::Loaded;
use crate::model::LinkKind;

/// Scheme, seed and profile under their names in scenarios.
pub fn label_run(loaded: &Loaded) -> Vec<String> {
    let network = &loaded.network;
    let profile = json!(loaded.scenario.profile);
    vec![
        describe_schemes(&group_by_scheme(list_followers(&loaded.scenario, network))),
        format!("seed {}", network.seed),
        format!("profile {}", profile.as_str().unwrap_or_default()),
    ]
}

/// Lists scheme and name of each node on which a scheme can have an effect, in order of nodes. These are base stations,
/// and hosts that send or have a radio. A receiving host on a wire behaves the same under every scheme.
pub fn list_followers<'a>(scenario: &Scenario, network: &'a Network) -> impl Iterator<Item = (&'a str, &'a str)> {
    let links = scenario.links.values().zip(&network.links);
    let wireless = links.filter(|(link, _)| link.kind == LinkKind::Wireless).flat_map(|(_, link)| link.between);
    let at_work: BTreeSet<usize> = wireless.chain(network.flows.iter().map(|flow| flow.from)).collect();
    let acts = move |number: &usize, kind: NodeKind| kind.is_base_station() || at_work.contains(number);
    let nodes = network.nodes.iter().enumerate();
    let followers = nodes.filter(move |(number, node)| node.kind.runs_agent() && acts(number, node.kind));
    followers.map(|(_, node)| (node.agent.name(), node.name.as_str()))
}

/// Groups pairs of a scheme and a node by scheme, in the order of first occurrence.
pub fn group_by_scheme<'a>(followers: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (scheme, node) in followers {
        match groups.iter_mut().find(|(known, _)| *known == scheme) {
            Some((_, nodes)) => nodes.push(node),
            None => groups.push((scheme, vec![node])),
        }
    }
    groups
}

/// Describes the schemes of nodes: by a single name if all are equal, otherwise by each scheme with its nodes.
pub fn describe_schemes(schemes: &[(&str, Vec<&str>)]) -> String {
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
