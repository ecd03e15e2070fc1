//! Settings of media, of their stations and of what is in the air that say something and do nothing.

use engine::Time;
use path::channel::ChannelConfig;
use path::medium::rate::RateControlConfig;
use sim::network::MediumSpec;
use sim::{LinkSpec, Network};

use super::incidence::Incidence;
use super::model::{Radio, Scenario};
use crate::problem::{Problem, listed};

/// A warning about each.
pub(super) fn settings(scenario: &Scenario, network: &Network, incidence: &Incidence) -> Vec<Problem> {
    let mut warnings = places_without_range(scenario, network, incidence);
    warnings.extend(motions_behind_the_end(scenario));
    warnings.extend(radios_that_nothing_shares(scenario, network, incidence));
    warnings
        .extend((0..network.media.len()).filter_map(|medium| rate_control_without_choice(network, incidence, medium)));
    warnings.extend(absences_behind_the_end(network));
    warnings
}

/// Places and motions by which nothing goes, as no medium of the node's links has a range. Of the stations of a medium it is
/// said once.
fn places_without_range(scenario: &Scenario, network: &Network, incidence: &Incidence) -> Vec<Problem> {
    let mut warnings = Vec::new();
    let mut idle: Vec<(&MediumSpec, Vec<&str>)> = network.media.iter().map(|medium| (medium, Vec::new())).collect();
    for (number, node) in network.nodes.iter().enumerate().filter(|(_, node)| node.place.is_some()) {
        let mut media = incidence.links(network, number).filter_map(|link| link.medium);
        if media.clone().any(|medium| network.media[medium].config.range.is_some()) {
            continue;
        }
        if let Some(medium) = media.next() {
            idle[medium].1.push(&node.name);
            continue;
        }
        let moves = scenario.nodes.get(&node.name).is_some_and(|node| node.motion.is_some());
        let key = format!("nodes.{}.{}", node.name, if moves { "motion" } else { "position" });
        let text =
            format!("nothing goes by it: {} has no link in a medium, whose `range` is what places are for", node.name);
        warnings.push(Problem::new(text).key(key).hint("leave it out, or write medium = \"NAME\" in a wireless link"));
    }
    for (medium, stations) in idle.iter().filter(|(_, stations)| !stations.is_empty()) {
        let text = format!(
            "no `range`: everybody hears everybody, wherever they are, and the places and motion of {} do nothing",
            listed(stations)
        );
        let hint = format!("write range = \"250 m\" in [media.{}], or leave out the places", medium.name);
        warnings.push(Problem::new(text).key(format!("media.{}", medium.name)).hint(hint));
    }
    warnings
}

fn motions_behind_the_end(scenario: &Scenario) -> Vec<Problem> {
    let late = scenario.nodes.iter().filter_map(|(name, node)| {
        let from = node.motion.as_ref()?.from.filter(|from| *from >= scenario.duration)?;
        let text = format!("a time before the end (`duration`): as it is, {name} stands still");
        Some(Problem::new(text).key(format!("nodes.{name}.motion.from")).found(format!("\"{from}\"")))
    });
    late.collect()
}

/// A station of a medium has one transmitter there in any case.
fn radios_that_nothing_shares(scenario: &Scenario, network: &Network, incidence: &Incidence) -> Vec<Problem> {
    let mut warnings = Vec::new();
    for (number, (name, _)) in scenario.nodes.iter().enumerate().filter(|(_, (_, node))| node.radio == Radio::Shared) {
        let air: Vec<&LinkSpec> = incidence.links(network, number).filter(|link| link.wireless).collect();
        if !air.is_empty() && air.iter().all(|link| link.medium.is_some()) {
            let text = format!(
                "nothing: all wireless links of {name} are in media, and a station has one transmitter in each in any case"
            );
            let problem = Problem::new(text).key(format!("nodes.{name}.radio")).found("\"shared\"");
            warnings.push(problem.hint("leave it out"));
        }
    }
    warnings
}

/// A rate is the highest that a rate control uses: below the lowest there is none.
fn rate_control_without_choice(network: &Network, incidence: &Incidence, number: usize) -> Option<Problem> {
    let MediumSpec { name, config } = &network.media[number];
    let control = config.rate_control();
    let modes = config.standard.modes();
    let choice =
        incidence.links_in(network, number).any(|link| link.medium_rate.unwrap_or(config.data_rate()) != modes[0].rate);
    if choice || matches!(control, RateControlConfig::Fixed(_)) {
        return None;
    }
    let text = format!(
        "more than {}, the lowest rate of {}: a rate is the highest that rate control uses, so {} has nothing to choose",
        modes[0].rate,
        config.standard,
        control.name()
    );
    let highest = modes[modes.len() - 1].rate;
    Some(match config.rate {
        Some(rate) => {
            let problem = Problem::new(text).key(format!("media.{name}.rate")).found(rate.to_string());
            problem.hint(format!("leave it out for the highest, {highest}"))
        }
        None => {
            let problem =
                Problem::new(format!("rates of its links of {text}")).key(format!("media.{name}.rate_control"));
            let problem = problem.found(format!("\"{}\"", control.name()));
            problem.hint(format!("leave out `rate` in the links for the highest, {highest}"))
        }
    })
}

fn absences_behind_the_end(network: &Network) -> Vec<Problem> {
    let end = Time::ZERO + network.duration;
    let never = network.links.iter().filter_map(|link| {
        let ChannelConfig::Absence(config) = &link.channel else { return None };
        let [from, _] = config.away.first()?;
        (Time::ZERO + *from >= end).then(|| {
            let text = format!(
                "intervals that begin after the end (`duration`, {}): as they are, nobody is ever away",
                network.duration
            );
            Problem::new(text).key(format!("links.{}.channel.away", link.name))
        })
    });
    never.collect()
}
