//! Channels that lose practically every packet.

use std::collections::BTreeSet;

use path::channel::SteadyLoss;
use sim::LinkSpec;

use super::Context;
use crate::problem::Problem;
use crate::routes::full_packet;

/// Mean number of bit errors per packet below which at least one packet in 10^9 is delivered: the share without errors
/// is (1 - rate)^bits, at most e^(-rate bits).
const MAX_ERRORS: f64 = 21.0;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { network, routes, .. } = *context;
    let steady_loss = |link: &LinkSpec| [0, 1].map(|way| link.direction(way).channel.traits().steady_loss);
    let losses: Vec<_> = network.links.iter().flat_map(steady_loss).collect();
    let mut reported = BTreeSet::new();
    let mut warnings = Vec::new();
    for (flow, [there, _]) in network.flows.iter().zip(routes) {
        for hop in &there.hops {
            let (link, bytes) = (&network.links[hop / 2], full_packet(flow));
            let Some(loss) = losses[*hop].filter(|loss| loses_nearly_all(loss.value, bytes)) else { continue };
            if reported.insert(if link.backward.is_some() { *hop } else { hop / 2 * 2 }) {
                let text = format!(
                    "less: at most about one in 10^9 of the {bytes} byte packets of flows.{} is delivered",
                    flow.name
                );
                let key = if link.wireless {
                    format!("{}.{}", context.key(link, hop % 2, "channel"), loss.key)
                } else {
                    context.key(link, hop % 2, loss.key)
                };
                warnings.push(Problem::new(text).key(key).found(loss.value.probability().to_string()));
            }
        }
    }
    warnings
}

/// Whether practically every packet of this size is lost.
fn loses_nearly_all(loss: SteadyLoss, bytes: u32) -> bool {
    match loss {
        SteadyLoss::OfFrame(probability) => probability >= 1.0,
        SteadyLoss::OfBit(probability) => probability * 8.0 * f64::from(bytes) > MAX_ERRORS,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, modify_network, network_with_wire};

    fn air(channel: &str) -> String {
        modify_network(&[("arq = \"stop-and-wait\"", &format!("channel = {{ {channel} }}"))])
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
            assert_only_warning(&air(channel), &[key, "1040 byte"]);
        }
        assert_only_warning(&network_with_wire("loss = 1"), &["links.wire.loss: found 1"]);
        assert_no_warnings(&air("kind = \"uniform\", loss = 0.99"));
        assert_no_warnings(&air("kind = \"bit-errors\", rate = 1e-3"));
    }
}
