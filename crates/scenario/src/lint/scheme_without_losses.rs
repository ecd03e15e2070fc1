//! Schemes that act on losses, at base stations whose radio links lose nothing, or that no flow over TCP crosses.
//!
//! A frame is lost only by the channel, by an outage or recording of the link, or in a medium by collisions and range.
//! Without any of these a scheme that waits for losses does nothing.

use engine::Stream;
use sim::{LinkSpec, Transport};

use super::Context;
use super::proxy_window::scheme_key;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let network = context.network;
    let mut warnings: Vec<Problem> = Vec::new();
    for (number, node) in network.nodes.iter().enumerate().filter(|(_, node)| node.kind.is_base_station()) {
        let Some(agent) = node.agent.build() else { continue };
        let crossing: Vec<(&str, bool, bool)> = radio_crossings(context, number).collect();
        let key = scheme_key(context, number);
        let found = format!("\"{}\"", node.agent.name());
        let Some((link, ..)) = crossing.first() else { continue };
        let (text, hint) = if crossing.iter().all(|(_, is_tcp, _)| !is_tcp) {
            let text = format!("a flow over TCP across the radio links of {}: the scheme acts on TCP only", node.name);
            (text, "leave out the scheme".to_owned())
        } else if agent.acts_on_losses() && crossing.iter().all(|(.., can_lose)| !can_lose) {
            let lossy = format!("links.{link}.channel = {{ kind = \"uniform\", loss = 0.01 }}");
            (
                format!(
                    "losses on the radio links of {}: nothing is lost there, so the scheme does nothing",
                    node.name
                ),
                format!("write a channel that loses frames, such as {lossy}, or leave out the scheme"),
            )
        } else {
            continue;
        };
        let problem = Problem::new(text).key(&key).found(found).hint(hint);
        if warnings.iter().all(|other| other.key != problem.key) {
            warnings.push(problem);
        }
    }
    warnings
}

/// The radio links of a node that flows cross, each with whether the flow uses TCP, and whether the link can lose.
fn radio_crossings<'a>(context: &Context<'a>, node: usize) -> impl Iterator<Item = (&'a str, bool, bool)> {
    let Context { network, routes, .. } = *context;
    let flows = network.flows.iter().map(|flow| flow.transport == Transport::Tcp);
    let flows = flows.chain(network.arrivals.iter().map(|_| true));
    flows.zip(routes).flat_map(move |(is_tcp, [there, _])| {
        let links = there.hops.iter().map(|hop| &network.links[hop / 2]);
        let radio = links.filter(move |link| link.wireless && link.between.contains(&node));
        radio.map(move |link| (link.name.as_str(), is_tcp, can_lose(link)))
    })
}

/// Whether frames may be lost on a link.
fn can_lose(link: &LinkSpec) -> bool {
    let is_lossy = link.directions().iter().any(|way| match way.channel.traits().steady_loss {
        Some(steady) => steady.value.probability() > 0.0,
        None => way.channel.build(Stream::default()).loses(),
    });
    link.medium.is_some() || link.changes.is_some() || is_lossy
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network};

    /// The station follows a scheme; the radio link has this channel.
    fn scheme(name: &str, channel: &str) -> String {
        let text = modify_network(&[("arq = \"stop-and-wait\"\n", &format!("arq = \"stop-and-wait\"\n{channel}\n"))]);
        at_node(&text, "x", &format!(", scheme = \"{name}\""))
    }

    pub fn examples() -> [String; 2] {
        ["0", "0.01"].map(|loss| scheme("snoop", &format!("channel = {{ kind = \"uniform\", loss = {loss} }}")))
    }

    #[test]
    fn scheme_that_acts_on_losses_is_reported_on_a_perfect_link() {
        let parts = ["nodes.x.scheme: found \"snoop\"", "nothing is lost there", "links.air.channel"];
        assert_only_warning(&scheme("snoop", "channel = \"perfect\""), &parts);
        assert_no_warnings(&scheme("split", ""));
        assert_no_warnings(&scheme(
            "snoop",
            "channel = { kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"1 s\" }",
        ));
    }

    #[test]
    fn scheme_without_a_flow_over_tcp_is_reported() {
        let text = scheme("split", "") + "traffic = \"voip\"\n";
        assert_only_warning(&text.replace("mss = \"1000 B\"\n", ""), &["a flow over TCP across the radio links of x"]);
    }
}
