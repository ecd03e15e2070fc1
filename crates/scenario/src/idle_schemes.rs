//! Schemes that somebody chose and that do nothing in this network.

use engine::Stream;
use path::agent::{AgentConfig, Place};
use path::channel::ChannelConfig;
use sim::Network;

use super::followers::Followers;
use super::incidence::Incidence;
use super::model::Scenario;
use crate::followers::in_words;
use crate::problem::{Problem, listed};
use engine::Named;

/// A warning about each.
pub(super) fn schemes(scenario: &Scenario, network: &Network, incidence: &Incidence) -> Vec<Problem> {
    let mut followers = Followers::new(scenario);
    let mut warnings: Vec<Problem> =
        scenario.scheme.iter().filter_map(|scheme| for_nobody(&mut followers, scheme)).collect();
    for (number, (name, node)) in scenario.nodes.iter().enumerate() {
        let own = node.scheme.as_ref();
        warnings.extend(own.and_then(|scheme| not_asked_here(&mut followers, name, scheme)));
        let follows = &network.nodes[number].agent;
        if followers.asked(&follows.traits()).nodes.contains(name) {
            let key = if own.is_some() { format!("nodes.{name}.scheme") } else { "scheme".to_owned() };
            let idle = nothing_foreseen(network, incidence, number, follows).or_else(|| nothing_filtered(follows));
            warnings.extend(idle.map(|warning| warning.key(key).found(format!("\"{}\"", follows.name()))));
        }
    }
    warnings
}

/// A scheme that is for another direction than the flows have.
fn for_nobody(followers: &mut Followers<'_>, Named(scheme): &Named<AgentConfig>) -> Option<Problem> {
    let traits = scheme.traits();
    let anywhere = traits.changes.is_empty() && traits.uploads.is_empty();
    if anywhere || !followers.asked(&traits).places.is_empty() {
        return None;
    }
    let wanted = if traits.changes.is_empty() { "data comes from the mobile" } else { "data goes to the mobile" };
    let text = format!("a scheme for these flows: this one does something where {wanted}, and here it does not");
    Some(Problem::new(text).key("scheme").found(format!("\"{}\"", scheme.name())))
}

/// A scheme at a node that it does not ask.
fn not_asked_here(followers: &mut Followers<'_>, node: &str, Named(scheme): &Named<AgentConfig>) -> Option<Problem> {
    let traits = scheme.traits();
    let asked = followers.asked(&traits);
    if (traits.changes.is_empty() && traits.uploads.is_empty()) || asked.nodes.contains(node) {
        return None;
    }
    let of_whom = match &asked.places[..] {
        [] => "nobody".to_owned(),
        places => {
            let nodes: Vec<&str> = asked.nodes.iter().map(String::as_str).collect();
            format!("the {} ({})", in_words(places), listed(&nodes))
        }
    };
    let text = format!("a scheme that is for this node: for these flows this one is for {of_whom}");
    Some(Problem::new(text).key(format!("nodes.{node}.scheme")).found(format!("\"{}\"", scheme.name())))
}

/// A scheme that lives on changes of the air that a radio sees coming, where the air has no states.
fn nothing_foreseen(network: &Network, incidence: &Incidence, node: usize, scheme: &AgentConfig) -> Option<Problem> {
    let states = |channel: &ChannelConfig| channel.build(Stream::named(0, 0, "states")).has_states();
    let mut air = incidence.links(network, node).filter(|link| link.wireless);
    if scheme.build()?.foresight().is_none()
        || !scheme.traits().changes(Place::Receiver)
        || air.any(|link| states(&link.channel))
    {
        return None;
    }
    let text = format!(
        "air that becomes BAD as a whole, on which it lives: none of the links of {} has a channel with states",
        network.nodes[node].name
    );
    Some(Problem::new(text).hint("write channel = { kind = \"two-state\", ... }, or a scripted or recorded one"))
}

/// Filters that are both off.
fn nothing_filtered(scheme: &AgentConfig) -> Option<Problem> {
    let AgentConfig::PacketControl(config) = scheme else { return None };
    (!config.ack_filter && !config.data_filter)
        .then(|| Problem::new("one of its filters: without both it does nothing"))
}
