//! Buffers of a node that splits connections, and windows of its legs.
//!
//! ```text
//! throughput <= B / (t1 + t2)    B: bytes that the node keeps for a flow and direction, or the largest window
//!                                   that it can advertise to the sender
//!                                   that it can advertise to the sender; a node without a `buffer` has the
//!                                   flow's receive window
//!                                t1, t2: round trips between the sender and the node, and the node and the receiver
//! ```
//!
//! The window toward the sender is what is left of the buffer, and bytes leave the buffer when the receiver has
//! acknowledged them (docs/models/split.md), so each byte occupies it for both round trips. The node advertises with the
//! shift that the receiver's SYN announced, which follows from the receiver's own buffer [RFC7323 s2.3].
//!
//! Limits: bulk transfers of more than the bandwidth-delay product.

use engine::quantity::format_span;
use engine::{Bytes, Quantity};

use super::Context;
use super::paths::{collect_flow_paths, find_split_legs, round_up_window, window_key};
use super::window_below_bdp::sends_more_than_product;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let mut warnings: Vec<Problem> = Vec::new();
    for path in collect_flow_paths(context).iter().filter(|path| sends_more_than_product(path)) {
        let Some(split) = find_split_legs(context, path) else { continue };
        let (tcp, product) = (path.flow.receiver_tcp(), path.product());
        let segment = path.flow.agreed_tcp().segment;
        let unscaled = u64::from(u16::MAX);
        // Without a handshake the window is not limited by the option.
        let advertised = match tcp.window_scaling.shift(tcp.window.max()) {
            _ if !tcp.handshake => u64::MAX,
            Some(shift) => unscaled << shift,
            None => unscaled,
        };
        let window = split.legs.window.unwrap_or(tcp.window);
        let buffer = window.max();
        let most = buffer.min(advertised);
        let node = &context.network.nodes[split.node].name;
        if buffer < u64::from(segment) {
            let key = scheme_key(context, split.node);
            let text = format!(
                "a `buffer` of at least a segment of flows.{} ({} B): {node} splits its segments and waits for each part",
                path.flow.name, segment,
            );
            warnings.push(Problem::new(text).key(key).found(window.to_string()));
            continue;
        }
        if most as f64 >= product {
            continue;
        }
        let rate = most as f64 * 8.0 / path.round_trip.as_secs_f64();
        let consequence = format!(
            "at least {}, the bandwidth-delay product of flows.{} ({} x {}): at most {} of {} passes {node}",
            Bytes(product.ceil() as u64),
            path.flow.name,
            path.rate,
            format_span(path.round_trip),
            Quantity::Rate.format_brief(rate),
            path.rate,
        );
        let size = round_up_window(product);
        let problem = if split.legs.window.is_some() && buffer <= advertised {
            let key = scheme_key(context, split.node);
            let problem = Problem::new(format!("a `buffer` of {consequence}")).key(&key);
            let problem = problem.found(window.to_string());
            let name = context.network.nodes[split.node].agent.name();
            problem.hint(format!("write {key} = {{ kind = \"{name}\", buffer = \"{size}\" }}"))
        } else {
            let key = window_key(context, path.flow);
            let why = if split.legs.window.is_none() {
                "the node stores at most this window for the flow"
            } else {
                "its window scale is the one with which the node advertises"
            };
            let problem = Problem::new(format!("{consequence}; {why}")).key(&key).found(tcp.window.to_string());
            problem.hint(format!("write {key} = \"{size}\""))
        };
        if warnings.iter().all(|other| other.key != problem.key) {
            warnings.push(problem);
        }
    }
    warnings
}

/// The key of a node's scheme.
pub(super) fn scheme_key(context: &Context<'_>, node: usize) -> String {
    let name = &context.network.nodes[node].name;
    let is_own = context.scenario.nodes.get(name).is_some_and(|node| node.scheme.is_some());
    if is_own { format!("nodes.{name}.scheme") } else { "scheme".to_owned() }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, modify_network};

    /// The station splits with this buffer; the flow has these settings.
    fn split(buffer: &str, flow: &str) -> String {
        let scheme = format!(", scheme = {{ kind = \"split\", buffer = \"{buffer}\" }}");
        at_node(&modify_network(&[]), "x", &scheme) + flow
    }

    pub fn examples() -> [String; 2] {
        [split("26 kB", ""), split("27 kB", "")]
    }

    /// The path has a bandwidth-delay product of 26,465 B (see window-below-bdp).
    #[test]
    fn buffer_below_the_bandwidth_delay_product_is_reported() {
        let parts = [
            "nodes.x.scheme: found 26464 B, expected a `buffer` of at least 26465 B",
            "(1 Mbps x 211.7 ms)",
            "write nodes.x.scheme = { kind = \"split\", buffer = \"32 KiB\" }",
        ];
        assert_only_warning(&split("26464 B", ""), &parts);
        assert_no_warnings(&split("26465 B", ""));
        assert_no_warnings(&split("10 kB", "bytes = \"26 kB\"\n"));
        let parts = ["nodes.x.scheme: found 999 B", "at least a segment of flows.down (1000 B)"];
        assert_only_warning(&split("999 B", ""), &parts);
    }

    /// At 4 Mbps the product exceeds 65,535 B, which is the most that is advertised after a handshake if the receiver's
    /// buffer needs no shift: by hand (202 + 1.04 + 2.08 + 0.04 + 0.08 ms) x 0.5 MB/s = 102,620 B.
    #[test]
    fn window_scale_of_the_receiver_limits_the_window_of_the_node() {
        let fast = |receiver: &str, handshake: bool| {
            let flow = format!("receive_window = \"{receiver}\"\ntcp = {{ sack = true, handshake = {handshake} }}\n");
            split("1 MB", &flow).replace("rate = \"1 Mbps\"", "rate = \"4 Mbps\"")
        };
        let parts = ["flows.down.receive_window", "expected at least 1026", "window scale", "\"128 KiB\""];
        assert_only_warning(&fast("65535 B", true), &parts);
        assert_no_warnings(&fast("65536 B", true));
        assert_no_warnings(&fast("65535 B", false));
    }
}
