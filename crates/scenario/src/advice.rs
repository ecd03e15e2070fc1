//! What is not wrong with a scenario and yet may not be meant.

use std::collections::BTreeSet;

use path::agent::Place;
use path::queue::Limit;
use sim::{LinkSpec, Network};
use tcp::response::ResponseConfig;

use super::bandwidth_delay;
use super::incidence::Incidence;
use super::model::{NodeKind, Scenario};
use super::places::out_of_range;
use super::routes::{Way, empty_packet, full_packet};
use super::without_effect;
use super::{dead_air, idle_media, idle_schemes, rate_reach};
use crate::problem::Problem;

/// Warnings about a scenario without problems; `network` is what it describes, and `ways` are those of its flows.
pub(super) fn advise(scenario: &Scenario, network: &Network, ways: &[[Way; 2]], incidence: &Incidence) -> Vec<Problem> {
    let mut warnings = agents_without_link_layer(scenario, network, incidence);
    warnings.extend(halves_of_schemes(network, ways));
    warnings.extend(idle_schemes::schemes(scenario, network, incidence));
    warnings.extend(dead_air::links(network, ways));
    warnings.extend(queues_without_room(network, ways));
    warnings.extend(thresholds_never_met(network));
    warnings.extend(out_of_range(network));
    warnings.extend(rate_reach::links(network));
    warnings.extend(idle_media::settings(scenario, network, incidence));
    warnings.extend(without_effect::settings(scenario, network, ways));
    let paths = bandwidth_delay::paths(network, ways);
    warnings.extend(bandwidth_delay::buffers_out_of_proportion(network, &paths));
    warnings.extend(bandwidth_delay::too_short_to_warm_up(network, &paths));
    warnings
}

/// Some agents live on what link layers tell, and these have none.
fn agents_without_link_layer(scenario: &Scenario, network: &Network, incidence: &Incidence) -> Vec<Problem> {
    let with_link_layer = |node: usize| incidence.links(network, node).any(has_link_layer);
    let mut warnings = Vec::new();
    for (number, node) in network.nodes.iter().enumerate() {
        let asked = scenario.nodes[number].scheme.is_some() || scenario.scheme.is_some();
        let base_station = scenario.nodes[number].kind == NodeKind::BaseStation;
        if asked && base_station && node.agent.traits().hears_link_layer && !with_link_layer(number) {
            let text =
                format!("scheme {} has nothing to go by: no link of {} has a link layer", node.agent.name(), node.name);
            let problem = Problem::new(text).key(format!("nodes.{}", node.name));
            warnings.push(problem.hint("give its wireless link arq = \"stop-and-wait\""));
        }
    }
    warnings
}

/// Whether frames are acknowledged on a link.
fn has_link_layer(link: &LinkSpec) -> bool {
    link.medium.is_some() || link.arq.build().ack_size().is_some()
}

/// A scheme of which only one half was chosen is not measured: messages that nobody heeds, or a sender that is never
/// told anything.
fn halves_of_schemes(network: &Network, ways: &[[Way; 2]]) -> Vec<Problem> {
    let mut said = BTreeSet::new();
    let mut warnings = Vec::new();
    for (flow, [there, _]) in network.flows.iter().zip(ways) {
        let sender = &network.nodes[flow.from];
        let followed = flow.tcp.response.name();
        let with_link_layer = there.hops.iter().filter(|hop| has_link_layer(&network.links[*hop / 2]));
        let stations: Vec<usize> = with_link_layer.map(|hop| network.links[hop / 2].between[hop % 2]).collect();
        let schemes: Vec<&str> = stations.iter().map(|node| network.nodes[*node].agent.name()).collect();
        // A scheme that asks nothing of senders has no other half.
        let halves = stations.iter().zip(&schemes);
        let halves = halves.filter(|(station, _)| network.nodes[**station].agent.traits().changes(Place::Sender));
        for (station, scheme) in halves {
            let station = &network.nodes[*station].name;
            if let Some(warning) = half_a_scheme([scheme, station], [followed, &sender.name])
                && said.insert((flow.from, station))
            {
                warnings.push(warning);
            }
        }
        let nobody_speaks = !schemes.is_empty() && !schemes.iter().any(|scheme| speaks(scheme));
        if nobody_speaks && followed != "unmodified" {
            let text =
                format!("{} waits for messages of {followed} about flows.{} that never come", sender.name, flow.name);
            let problem = Problem::new(text).key(format!("nodes.{}.scheme", sender.name));
            warnings.push(problem.hint("let the node that sends the flow into the air follow the scheme too"));
        }
    }
    warnings
}

/// Whether a scheme asks something of senders: it has a member of its name among their parts.
fn speaks(scheme: &str) -> bool {
    scheme != "unmodified" && ResponseConfig::MEMBERS.iter().any(|(name, _)| *name == scheme)
}

/// The warning if the agent's scheme at a station is not followed by the sender: which response it has, and at which node.
fn half_a_scheme([scheme, station]: [&str; 2], [followed, sender]: [&str; 2]) -> Option<Problem> {
    if !speaks(scheme) || scheme == followed {
        return None;
    }
    let key = format!("nodes.{sender}.scheme");
    let text = format!(
        "{station} follows {scheme} and {sender}, which sends over it, {followed}: its half of {scheme} is missing"
    );
    let hint = format!("write scheme = \"{scheme}\" there too, or once for all nodes at the top");
    Some(Problem::new(text).key(key).hint(hint))
}

/// Queues in which some packet that comes by can never wait.
fn queues_without_room(network: &Network, ways: &[[Way; 2]]) -> Vec<Problem> {
    // For each link the largest packet that passes, and the flow it belongs to.
    let mut largest: Vec<Option<(u32, &str)>> = vec![None; network.links.len()];
    for (flow, [there, back]) in network.flows.iter().zip(ways) {
        for (way, size) in [(there, full_packet(flow)), (back, empty_packet(flow))] {
            for hop in &way.hops {
                let known = &mut largest[hop / 2];
                if known.is_none_or(|(most, _)| size > most) {
                    *known = Some((size, &flow.name));
                }
            }
        }
    }
    let mut warnings = Vec::new();
    for (link, largest) in network.links.iter().zip(largest) {
        let Some((size, flow)) = largest else { continue };
        if link.queue.admits(0, 0, size) {
            continue;
        }
        let expected = match link.queue {
            Limit::Bytes(_) => format!("at least {size} B, a packet of flows.{flow}"),
            Limit::Packets(_) | Limit::None => "at least 1 packet".to_owned(),
        };
        let problem = Problem::new(format!("{expected}: as it is, what finds the transmitter busy is dropped"));
        warnings.push(problem.key(format!("links.{}.queue", link.name)).found(format!("\"{}\"", link.queue)));
    }
    warnings
}

/// Thresholds for marks that a queue never passes: it is full before.
fn thresholds_never_met(network: &Network) -> Vec<Problem> {
    let never = |link: &&LinkSpec| match (link.ecn_threshold, link.queue) {
        // The last packet that finds room finds one less waiting than there may be.
        (Limit::Packets(threshold), Limit::Packets(most)) => u64::from(threshold) + 1 >= u64::from(most),
        (Limit::Bytes(threshold), Limit::Bytes(most)) => threshold >= most,
        _ => false,
    };
    let warning = |link: &LinkSpec| {
        let text = format!(
            "a threshold that the queue (\"{}\") passes before it is full: as it is, nothing is marked",
            link.queue
        );
        let problem = Problem::new(text).key(format!("links.{}.ecn_threshold", link.name));
        problem.found(format!("\"{}\"", link.ecn_threshold))
    };
    network.links.iter().filter(never).map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::half_a_scheme;

    #[test]
    fn a_scheme_that_asks_nothing_of_senders_has_no_half() {
        let warning = half_a_scheme(["refined-icmp", "x"], ["unmodified", "a"]).unwrap();
        assert!(warning.expected.contains("its half of refined-icmp is missing"), "{warning}");
        assert_eq!(warning.key.as_deref(), Some("nodes.a.scheme"));
        assert!(half_a_scheme(["refined-icmp", "x"], ["refined-icmp", "a"]).is_none());
        assert!(half_a_scheme(["snoop", "x"], ["unmodified", "a"]).is_none());
        assert!(half_a_scheme(["unmodified", "x"], ["refined-icmp", "a"]).is_none());
    }
}
