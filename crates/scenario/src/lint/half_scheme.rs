//! Schemes with parts at the sender and at the base station of which only one part is selected: either no sender
//! responds to messages, or a sender never receives messages.

use std::collections::BTreeSet;

use engine::Members;
use path::agent::SchemeNode;
use tcp::response::ResponseConfig;

use super::Context;
use super::scheme_without_link_layer::has_link_layer;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { network, routes, members, .. } = *context;
    let has_sender_part = |scheme: &str| has_sender_part(scheme, members);
    let mut reported = BTreeSet::new();
    let mut warnings = Vec::new();
    for (flow, [there, _]) in network.flows.iter().zip(routes) {
        let sender = &network.nodes[flow.from];
        let (response, followed) = (&flow.tcp.response, flow.tcp.response.name());
        let with_link_layer = there.hops.iter().filter(|hop| has_link_layer(&network.links[*hop / 2]));
        let stations: Vec<usize> = with_link_layer.map(|hop| network.links[hop / 2].between[hop % 2]).collect();
        let schemes: Vec<&str> = stations.iter().map(|node| network.nodes[*node].agent.name()).collect();
        // A scheme without a sender's part is complete at the node.
        let halves = stations.iter().zip(&schemes);
        let halves = halves.filter(|(station, scheme)| {
            network.nodes[**station].agent.traits().changes(SchemeNode::Sender) && has_sender_part(scheme)
        });
        for (station, scheme) in halves {
            let station = &network.nodes[*station].name;
            if let Some(warning) = sender_lacks_half([scheme, station], [followed, &sender.name])
                && reported.insert((flow.from, station))
            {
                warnings.push(warning);
            }
        }
        let no_messages = !schemes.is_empty() && !schemes.iter().any(|scheme| has_sender_part(scheme));
        if no_messages && *response != ResponseConfig::default() {
            let text =
                format!("{} waits for messages of {followed} about flows.{} that never come", sender.name, flow.name);
            let problem = Problem::new(text).key(format!("nodes.{}.scheme", sender.name));
            warnings.push(problem.hint("set the scheme at the node that sends the flow over the radio link too"));
        }
    }
    warnings
}

/// Whether a scheme has a sender's part: a response of the same name.
fn has_sender_part(scheme: &str, members: &Members) -> bool {
    scheme != ResponseConfig::default().name() && members.names::<ResponseConfig>().any(|name| name == scheme)
}

/// Returns the warning for a sender that does not follow the scheme of a station's agent with a sender's part: the
/// response, and its name.
fn sender_lacks_half([scheme, station]: [&str; 2], [followed, sender]: [&str; 2]) -> Option<Problem> {
    if scheme == followed {
        return None;
    }
    let key = format!("nodes.{sender}.scheme");
    let text = format!(
        "{station} follows {scheme} and {sender}, which sends over it, {followed}: its half of {scheme} is missing"
    );
    let hint = format!("write scheme = \"{scheme}\" there too, or once for all nodes at the top");
    Some(Problem::new(text).key(key).hint(hint))
}

#[cfg(test)]
pub(super) mod tests {
    use engine::Members;

    use super::{has_sender_part, sender_lacks_half};
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network, reverse_flow};

    fn at_station() -> String {
        at_node(&modify_network(&[]), "x", ", scheme = \"refined-icmp\"")
    }

    pub fn examples() -> [String; 2] {
        [at_station(), format!("scheme = \"refined-icmp\"\n{}", modify_network(&[]))]
    }

    #[test]
    fn sender_without_its_part_of_a_scheme_is_reported() {
        for (sender, followed) in [("", "unmodified"), (", scheme = \"simple-icmp\"", "simple-icmp")] {
            let hint = "write scheme = \"refined-icmp\"";
            let text = at_node(&at_station(), "a", sender);
            assert_only_warning(&text, &["nodes.a.scheme", "x follows refined-icmp", followed, hint]);
        }
        assert_no_warnings(&at_node(&at_station(), "a", ", scheme = \"refined-icmp\""));
        assert_no_warnings(&examples()[1]);
    }

    #[test]
    fn sender_that_gets_no_messages_is_reported() {
        let text = at_node(&modify_network(&[]), "a", ", scheme = \"refined-icmp\"");
        assert_only_warning(&text, &["nodes.a.scheme", "about flows.down that never come"]);
        // Over wires alone no scheme sends messages, so none are expected.
        let wires = text.replace("kind = \"wireless\"", "kind = \"wired\"").replace("arq = \"stop-and-wait\"\n", "");
        assert_no_warnings(&wires);
    }

    /// The mobile's data does not pass the radio of the base station, and the mobile has an agent of its own.
    #[test]
    fn sender_part_of_a_scheme_is_required_at_the_node_that_sends_over_radio() {
        assert_no_warnings(&at_node(&reverse_flow(&modify_network(&[])), "b", ", scheme = \"refined-icmp\""));
    }

    #[test]
    fn scheme_without_a_part_at_the_sender_is_not_reported() {
        let warning = sender_lacks_half(["refined-icmp", "x"], ["unmodified", "a"]).unwrap();
        assert!(warning.expected.contains("its half of refined-icmp is missing"), "{warning}");
        assert_eq!(warning.key.as_deref(), Some("nodes.a.scheme"));
        assert!(sender_lacks_half(["refined-icmp", "x"], ["refined-icmp", "a"]).is_none());
        let members = Members::default();
        let with_part = ["refined-icmp", "snoop", "unmodified"].map(|scheme| has_sender_part(scheme, &members));
        assert_eq!(with_part, [true, false, false]);
    }
}
