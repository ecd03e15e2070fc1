//! Queues that are smaller than a packet of a flow. The packet can never wait in such a queue.

use path::queue::Limit;

use super::Context;
use crate::problem::Problem;
use crate::routes::{empty_packet, full_packet};

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { network, routes, .. } = *context;
    // For each hop the largest packet of a flow, and its flow.
    let mut largest: Vec<Option<(u32, &str)>> = vec![None; 2 * network.links.len()];
    for (flow, [there, back]) in network.flows.iter().zip(routes) {
        for (way, size) in [(there, full_packet(flow)), (back, empty_packet(flow))] {
            for hop in &way.hops {
                let known = &mut largest[*hop];
                if known.is_none_or(|(most, _)| size > most) {
                    *known = Some((size, &flow.name));
                }
            }
        }
    }
    let mut warnings = Vec::new();
    for (link, largest) in network.links.iter().zip(largest.chunks(2)) {
        for direction in link.distinct() {
            // Settings of both directions are reported once.
            let passing = if link.backward.is_none() { largest } else { &largest[direction..=direction] };
            let Some((size, flow)) = passing.iter().flatten().copied().max_by_key(|(size, _)| *size) else { continue };
            let limit = link.direction(direction).queue.limit();
            if limit.admits(0, 0, size) {
                continue;
            }
            let expected = match limit {
                Limit::Bytes(_) => format!("at least {size} B, a packet of flows.{flow}"),
                Limit::Packets(_) | Limit::None => "at least 1 packet".to_owned(),
            };
            let problem = Problem::new(format!(
                "{expected}: otherwise a packet that arrives while the transmitter is busy is dropped"
            ));
            warnings.push(problem.key(context.key(link, direction, "queue")).found(format!("\"{limit}\"")));
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, modify_network, network_with_wire};

    fn queue(limit: &str) -> String {
        network_with_wire(&format!("queue = \"{limit}\""))
    }

    pub fn examples() -> [String; 2] {
        [queue("1039 B"), queue("1040 B")]
    }

    #[test]
    fn queue_below_a_packet_that_passes_is_reported() {
        assert_only_warning(&queue("0 packets"), &["links.wire.queue", "at least 1 packet"]);
        assert_only_warning(&queue("1039 B"), &["links.wire.queue", "at least 1040 B, a packet of flows.down"]);
        for limit in ["unlimited", "1 packet", "1040 B"] {
            assert_no_warnings(&queue(limit));
        }
    }

    /// The scenario has a second link between the ends of `links.wire`. The flow uses `links.wire` in both directions,
    /// and the second link carries nothing.
    #[test]
    fn queue_of_a_link_without_flows_is_not_reported() {
        let beside =
            "[links.beside]\nkind = \"wired\"\nrate = \"8 Mbps\"\ndelay = \"1 ms\"\nbetween = [\"a\", \"x\"]\n";
        assert_no_warnings(&(modify_network(&[]) + beside + "queue = \"0 packets\"\n"));
    }
}
