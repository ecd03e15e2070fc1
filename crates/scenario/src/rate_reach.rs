//! Rates whose frames do not reach as far as the ends of a link are from each other.

use engine::{Length, Rate};
use path::medium::rate::RateControlConfig;
use path::place::square_of;
use sim::{LinkSpec, Network};

use super::places::{ends, ever_within, in_three_digits, nearest};
use crate::problem::Problem;

/// A warning for each link that sends at one rate only, and whose ends, in range, never come near enough for it.
pub(super) fn links(network: &Network) -> Vec<Problem> {
    network.links.iter().filter_map(|link| too_fast(network, link)).collect()
}

fn too_fast(network: &Network, link: &LinkSpec) -> Option<Problem> {
    let medium = &network.media[link.medium?];
    let (standard, ranges) = (medium.config.standard, medium.config.ranges()?);
    let fixed = matches!(medium.config.rate_control(), RateControlConfig::Fixed(_));
    let rate = link.medium_rate.unwrap_or(medium.config.data_rate());
    let (ends, range) = ends(network, link)?;
    let arrives = |rate: Rate| ever_within(ends, ranges.square_at(rate) as i128, network);
    // Who is out of range at every rate has been told so.
    if !fixed || arrives(rate) || !ever_within(ends, square_of(range.0), network) {
        return None;
    }
    let reach = |rate: Rate| Length((ranges.square_at(rate).sqrt() / NANOMETRES) as u64);
    let nearest = nearest(ends, network);
    let about = |length: Length| in_three_digits(length)[0];
    // What differs in later digits is told in all of them.
    let [near, far] = match [about(nearest), about(reach(rate))] {
        [near, far] if near > far => [near, far],
        _ => [nearest, reach(rate)],
    };
    let [a, b] = link.between.map(|node| &network.nodes[node].name);
    let expected = format!(
        "a slower one: at {rate} frames reach {far}, and {a} and {b} come no nearer than {near}: nothing arrives"
    );
    let key =
        if link.medium_rate.is_some() { format!("links.{}.rate", link.name) } else { format!("links.{}", link.name) };
    let found = link.medium_rate.map(|rate| rate.to_string());
    let slower = standard.modes().iter().rev().map(|mode| mode.rate).find(|slower| arrives(*slower));
    let expected = if found.is_some() { expected } else { format!("its rate should be {expected}") };
    let problem = Problem { found, ..Problem::new(expected).key(key) };
    let control = format!("rate_control = \"minstrel\" in [media.{}]", medium.name);
    Some(problem.hint(match slower {
        Some(slower) => format!("write rate = \"{slower}\", which reaches {}, or {control}", about(reach(slower))),
        None => format!("write {control}"),
    }))
}

/// Nanometres in a millimetre.
const NANOMETRES: f64 = 1e6;
