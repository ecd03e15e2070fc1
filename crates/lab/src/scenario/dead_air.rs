//! Air through which nothing comes.

use std::collections::BTreeSet;

use path::channel::ChannelConfig;
use sim::Network;

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
