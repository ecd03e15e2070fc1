//! Schemes that depend on reports of link layers, at base stations without one.

use sim::LinkSpec;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { scenario, network, incidence, .. } = *context;
    let with_link_layer = |node: usize| incidence.links(network, node).any(has_link_layer);
    let mut warnings = Vec::new();
    for (number, node) in network.nodes.iter().enumerate() {
        let asked = scenario.nodes[number].scheme.is_some() || scenario.scheme.is_some();
        if asked && node.kind.is_base_station() && node.agent.traits().needs_link_reports && !with_link_layer(number) {
            let text = format!(
                "scheme {} needs reports from a link layer, and no link of {} has a link layer",
                node.agent.name(),
                node.name
            );
            let problem = Problem::new(text).key(format!("nodes.{}", node.name));
            warnings.push(problem.hint("give its wireless link arq = \"stop-and-wait\""));
        }
    }
    warnings
}

/// Whether frames are acknowledged on a link.
pub(super) fn has_link_layer(link: &LinkSpec) -> bool {
    link.medium.is_some() || link.directions().iter().any(|way| way.arq.build().ack_size().is_some())
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network};

    fn without_link_layer() -> String {
        modify_network(&[("arq = \"stop-and-wait\"\n", "")])
    }

    pub fn examples() -> [String; 2] {
        [without_link_layer(), modify_network(&[])].map(|text| format!("scheme = \"refined-icmp\"\n{text}"))
    }

    #[test]
    fn scheme_without_link_layer_is_reported() {
        assert_only_warning(&examples()[0], &["needs reports from a link layer"]);
    }

    #[test]
    fn scheme_that_needs_no_link_layer_is_not_reported() {
        assert_no_warnings(&at_node(&modify_network(&[]), "x", ", scheme = \"split\""));
        assert_no_warnings(&at_node(&without_link_layer(), "x", ", scheme = \"split\""));
    }
}
