//! Schemes without effect: they are for the other direction of data, or run at a node that does not use their agent.

use engine::Named;
use path::agent::AgentConfig;

use super::Context;
use crate::followers::{Followers, name_places};
use crate::problem::{Problem, join_names};

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let scenario = context.scenario;
    let mut followers = Followers::new(scenario);
    let other_direction = scenario.scheme.iter().filter_map(|scheme| other_direction(&mut followers, scheme));
    let mut warnings: Vec<Problem> = other_direction.collect();
    for (name, node) in &scenario.nodes {
        warnings.extend(node.scheme.as_ref().and_then(|scheme| other_node(&mut followers, name, scheme)));
    }
    warnings
}

/// A scheme for a direction of data that no flow has.
fn other_direction(followers: &mut Followers<'_>, Named(scheme): &Named<AgentConfig>) -> Option<Problem> {
    let traits = scheme.traits();
    let anywhere = traits.changes.is_empty() && traits.uploads.is_empty();
    if anywhere || !followers.requirements(&traits).places.is_empty() {
        return None;
    }
    let wanted = if traits.changes.is_empty() { "data comes from the mobile" } else { "data goes to the mobile" };
    let text = format!("another scheme: this one has an effect only if {wanted}");
    Some(Problem::new(text).key("scheme").found(format!("\"{}\"", scheme.name())))
}

/// A scheme at a node where it needs no agent.
fn other_node(followers: &mut Followers<'_>, node: &str, Named(scheme): &Named<AgentConfig>) -> Option<Problem> {
    let traits = scheme.traits();
    let asked = followers.requirements(&traits);
    if (traits.changes.is_empty() && traits.uploads.is_empty()) || asked.nodes.contains(node) {
        return None;
    }
    let of_whom = match &asked.places[..] {
        [] => "no node".to_owned(),
        places => {
            let nodes: Vec<&str> = asked.nodes.iter().map(String::as_str).collect();
            format!("the {} ({})", name_places(places), join_names(&nodes))
        }
    };
    let text = format!("a scheme with an effect at this node: for these flows this one needs {of_whom}");
    Some(Problem::new(text).key(format!("nodes.{node}.scheme")).found(format!("\"{}\"", scheme.name())))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network, reverse_flow};

    const STATES: &str = "channel = { kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"1 s\" }\n";

    fn download() -> String {
        modify_network(&[("arq = \"stop-and-wait\"\n", STATES)])
    }

    fn at(text: &str, node: &str, scheme: &str) -> String {
        at_node(text, node, &format!(", scheme = \"{scheme}\""))
    }

    pub fn examples() -> [String; 2] {
        [at(&download(), "b", "snoop"), at(&download(), "x", "snoop")]
    }

    #[test]
    fn scheme_at_a_node_without_effect_is_reported() {
        for (text, node, scheme, part) in [
            (download(), "b", "snoop", "needs the base station (x)"),
            (download(), "x", "freeze-tcp", "needs the receiver (b)"),
            (reverse_flow(&download()), "x", "snoop", "needs no node"),
            (reverse_flow(&download()), "x", "packet-control", "needs the sender (b)"),
            (reverse_flow(&download()), "b", "tack", "needs the base station (x)"),
            (reverse_flow(&modify_network(&[])), "x", "refined-icmp", "needs the sender (b)"),
        ] {
            let key = format!("nodes.{node}.scheme: found \"{scheme}\"");
            assert_only_warning(&at(&text, node, scheme), &[&key, part]);
        }
        for (text, node, scheme) in [
            (download(), "x", "snoop"),
            (download(), "b", "tack"),
            (reverse_flow(&download()), "x", "tack"),
            (reverse_flow(&download()), "b", "packet-control"),
            (reverse_flow(&download()), "x", "split"),
        ] {
            assert_no_warnings(&at(&text, node, scheme));
        }
    }

    #[test]
    fn scheme_for_the_other_direction_is_reported() {
        let everywhere = |scheme: &str, text: String| format!("scheme = \"{scheme}\"\n{text}");
        assert_only_warning(
            &everywhere("eln", download()),
            &["scheme: found \"eln\"", "has an effect only if data comes from the mobile"],
        );
        assert_only_warning(
            &everywhere("snoop", reverse_flow(&download())),
            &["scheme: found \"snoop\"", "has an effect only if data goes to the mobile"],
        );
        assert_no_warnings(&everywhere("split", download()));
        assert_no_warnings(&everywhere("split", reverse_flow(&download())));
    }
}
