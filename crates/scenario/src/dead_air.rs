//! Air through which nothing comes.

use std::collections::BTreeSet;

use path::channel::ChannelConfig;
use path::mac::dcf::sensitivity::minimum_input;
use path::medium::rate::RateControlConfig;
use sim::{LinkSpec, Network};

use super::routes::{Way, full_packet};
use crate::problem::Problem;

/// Fewer bit errors than this in the mean, and a packet comes through at least once in 10^9 tries: none is wrong in a share
/// (1 - rate)^bits of packets, at most e^(-rate bits).
const MOST_ERRORS: f64 = 21.0;

/// A warning for each link that lets no full segment of a flow pass.
pub(super) fn links(network: &Network, ways: &[[Way; 2]]) -> Vec<Problem> {
    let mut said = BTreeSet::new();
    let mut warnings = Vec::new();
    for (flow, [there, _]) in network.flows.iter().zip(ways) {
        for hop in &there.hops {
            let (link, bytes) = (&network.links[hop / 2], full_packet(flow));
            if let Some(warning) = too_weak(network, link)
                && said.insert(hop / 2)
            {
                warnings.push(warning);
            }
            let (key, found) = match &link.channel {
                ChannelConfig::Uniform(config) if config.loss >= 1.0 => ("loss", config.loss),
                ChannelConfig::BitErrors(config) if config.rate * 8.0 * f64::from(bytes) > MOST_ERRORS => {
                    ("rate", config.rate)
                }
                _ => continue,
            };
            if said.insert(hop / 2) {
                let text = format!(
                    "less: hardly one in 10^9 of the {bytes} byte packets of flows.{} comes through",
                    flow.name
                );
                let key = if link.wireless { format!("channel.{key}") } else { key.to_owned() };
                warnings.push(Problem::new(text).key(format!("links.{}.{key}", link.name)).found(found.to_string()));
            }
        }
    }
    warnings
}

/// A signal that is never strong enough for any rate that its link sends at.
fn too_weak(network: &Network, link: &LinkSpec) -> Option<Problem> {
    let ChannelConfig::Signal(config) = &link.channel else { return None };
    let medium = &network.media[link.medium?].config;
    let fixed = matches!(medium.rate_control(), RateControlConfig::Fixed(_));
    let highest = link.medium_rate.unwrap_or(medium.data_rate());
    let rate = if fixed { highest } else { medium.standard.modes()[0].rate };
    let least = minimum_input(rate)?;
    let in_time = config.levels.iter().filter(|level| level.from < network.duration);
    let strongest = in_time.map(|level| level.dbm).fold(f64::NEG_INFINITY, f64::max);
    (strongest < least).then(|| {
        let text = format!(
            "a level of at least {least} dBm at some time, which {rate} need: the strongest is {strongest} dBm, and nothing \
             ever comes through"
        );
        let problem = Problem::new(text).key(format!("links.{}.channel.levels", link.name));
        let all = medium.standard.modes().iter().rev().map(|mode| mode.rate);
        let slower = all.filter(|_| fixed).find(|rate| minimum_input(*rate).is_some_and(|least| strongest >= least));
        match slower {
            Some(slower) => problem.hint(format!("write rate = \"{slower}\", or rate_control = \"minstrel\"")),
            None => problem,
        }
    })
}
