//! Channels that lose practically every packet.

use std::collections::BTreeSet;

use path::channel::ChannelConfig;

use super::Context;
use crate::problem::Problem;
use crate::routes::full_packet;

/// With fewer bit errors per packet in the mean, at least one packet in 10^9 is delivered: the share without errors is
/// (1 - rate)^bits, at most e^(-rate bits).
const MAX_ERRORS: f64 = 21.0;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { network, routes, .. } = *context;
    let mut reported = BTreeSet::new();
    let mut warnings = Vec::new();
    for (flow, [there, _]) in network.flows.iter().zip(routes) {
        for hop in &there.hops {
            let (link, bytes) = (&network.links[hop / 2], full_packet(flow));
            let (key, found) = match link.direction(hop % 2).channel {
                ChannelConfig::Uniform(config) if config.loss >= 1.0 => ("loss", config.loss),
                ChannelConfig::BitErrors(config) if config.rate * 8.0 * f64::from(bytes) > MAX_ERRORS => {
                    ("rate", config.rate)
                }
                _ => continue,
            };
            if reported.insert(if link.backward.is_some() { *hop } else { hop / 2 * 2 }) {
                let text = format!(
                    "less: at most about one in 10^9 of the {bytes} byte packets of flows.{} is delivered",
                    flow.name
                );
                let key = match link.wireless {
                    true => format!("{}.{key}", context.key(link, hop % 2, "channel")),
                    false => context.key(link, hop % 2, key),
                };
                warnings.push(Problem::new(text).key(key).found(found.to_string()));
            }
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{network, silent, warned, wire};

    fn air(channel: &str) -> String {
        network(&[("arq = \"stop-and-wait\"", &format!("channel = {{ {channel} }}"))])
    }

    pub fn examples() -> [String; 2] {
        ["1", "0.99"].map(|loss| air(&format!("kind = \"uniform\", loss = {loss}")))
    }

    /// By hand: at 10^-3 a packet of 1040 bytes is delivered with probability e^-8.3, at 3 x 10^-3 with e^-25.
    #[test]
    fn channel_that_loses_everything_is_reported() {
        for (channel, key) in [
            ("kind = \"uniform\", loss = 1", "links.air.channel.loss: found 1"),
            ("kind = \"bit-errors\", rate = 1", "links.air.channel.rate: found 1"),
            ("kind = \"bit-errors\", rate = 3e-3", "links.air.channel.rate: found 0.003"),
        ] {
            warned(&air(channel), &[key, "1040 byte"]);
        }
        warned(&wire("loss = 1"), &["links.wire.loss: found 1"]);
        silent(&air("kind = \"uniform\", loss = 0.99"));
        silent(&air("kind = \"bit-errors\", rate = 1e-3"));
    }
}
