//! Buffers that are far from the bandwidth-delay product.
//!
//! Sources: a buffer of one bandwidth-delay product B, in bytes, keeps the link busy while one Reno flow recovers from
//! halving its window. For n flows that halve their windows at different times, B / sqrt(n) is enough (Appenzeller,
//! Keslassy and McKeown, "Sizing router buffers", SIGCOMM 2004). A larger queue only adds delay (Gettys and Nichols,
//! "Bufferbloat", ACM Queue 9(11), 2011). A queueing delay below 100 ms, the usual round trip in RFC 8289, is considered
//! harmless.
//!
//! Limits: a buffer is reported as too small only if the flows' windows can overflow it, and as too large only if the
//! windows can keep a long queue in it.

use std::collections::BTreeSet;

use engine::quantity::format_span;
use engine::{Bytes, Quantity, Span};
use path::queue::{Limit, QueueConfig};
use sim::FlowSpec;

use super::Context;
use super::paths::{FlowPath, by_bottleneck, collect_flow_paths, is_bulk};
use crate::problem::Problem;
use crate::routes::full_packet;

/// Factor from which on a buffer is reported as too small or too large. The factor is far larger than the effect of
/// rounding, headers and link layers.
const FAR: f64 = 4.0;

/// Delay of a standing queue that is harmless (RFC 8289).
const HARMLESS: Span = Span::from_millis(100);

/// The buffer in front of a hop: the key of its limit, the value, and its size in bytes.
struct HopBuffer {
    key: String,
    found: String,
    /// Whether the scenario states the limit.
    is_written: bool,
    /// The discipline, if it is not the default one.
    kind: Option<String>,
    bytes: f64,
    /// The size of a packet if the limit is a number of packets.
    packet: Option<u32>,
}

/// Returns the buffer in front of a bottleneck, if the buffer is finite and a packet fits. `packet` is the largest
/// packet that passes.
fn find_hop_buffer(context: &Context<'_>, hop: usize, packet: u32) -> Option<HopBuffer> {
    let network = context.network;
    let link = &network.links[hop / 2];
    let is_written = context.scenario.links.get(&link.name).is_some_and(|link| link.queue.is_some());
    let node = &network.nodes[link.between[hop % 2]];
    let queue = link.direction(hop % 2).queue;
    let limit = if queue.traits().fills { queue.limit() } else { Limit::None };
    let found = if is_written { format!("\"{limit}\"") } else { format!("the default, {limit}") };
    // Another discipline than the default one keeps its name.
    let kind = Some(queue.name().to_owned()).filter(|name| name != QueueConfig::default().name());
    let key = context.key(link, hop % 2, "queue");
    let queue = match limit {
        Limit::None => None,
        Limit::Packets(count) => Some(HopBuffer {
            key,
            found,
            is_written,
            kind,
            bytes: f64::from(count) * f64::from(packet),
            packet: Some(packet),
        }),
        Limit::Bytes(bytes) => Some(HopBuffer { key, found, is_written, kind, bytes: bytes as f64, packet: None }),
    };
    let shared = node.buffer.map(|Bytes(bytes)| HopBuffer {
        key: format!("nodes.{}.buffer", node.name),
        found: format!("\"{}\"", Bytes(bytes)),
        is_written: true,
        kind: None,
        bytes: bytes as f64,
        packet: None,
    });
    // The smaller one is the limit.
    let limits = [queue, shared].into_iter().flatten().min_by(|a, b| a.bytes.total_cmp(&b.bytes));
    limits.filter(|limit| limit.bytes >= f64::from(packet))
}

/// The largest number of bytes that a flow has in flight.
fn most_in_flight(flow: &FlowSpec) -> f64 {
    let window = flow.receiver_tcp().window.max();
    flow.traffic.total().map_or(window, |bytes| bytes.min(window)) as f64
}

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let paths = collect_flow_paths(context);
    let mut reported = BTreeSet::new();
    let mut warnings = Vec::new();
    for (hop, sharing) in by_bottleneck(&paths) {
        let packet = sharing.iter().map(|path| full_packet(path.flow)).max().unwrap_or_default();
        let Some(buffer) = find_hop_buffer(context, hop, packet) else { continue };
        // A default is reported only if bulk transfers fill it.
        let windows: f64 = if buffer.is_written {
            sharing.iter().map(|path| path.flow.receiver_tcp().window.max() as f64).sum()
        } else {
            sharing.iter().filter(|path| is_bulk(path.flow)).map(|path| most_in_flight(path.flow)).sum()
        };
        let by_product = |a: &&&FlowPath<'_>, b: &&&FlowPath<'_>| a.product().total_cmp(&b.product());
        // Flows with different round trips: the buffer must be out of proportion for each.
        let (Some(least), Some(most)) = (sharing.iter().min_by(by_product), sharing.iter().max_by(by_product)) else {
            continue;
        };
        let root = (sharing.len() as f64).sqrt();
        let standing = buffer.bytes.min(windows - most.product());
        let standing_time = standing * 8.0 / most.rate.bits_per_sec() as f64;
        let overflows = windows > most.product() + buffer.bytes;
        let (path, consequence) = if overflows && buffer.bytes * FAR * root < least.product() {
            (least, "with less than a quarter of it the link is idle after each loss".to_owned())
        } else if standing > FAR * most.product() && standing_time > HARMLESS.as_secs_f64() {
            let delay = Quantity::Time.format_brief(standing_time);
            (
                most,
                format!(
                    "with more than four times as much the queue never empties, here {delay} of delay (bufferbloat)"
                ),
            )
        } else {
            continue;
        };
        if !reported.insert(buffer.key.clone()) {
            continue;
        }
        let wanted = (path.product() / root).ceil().max(f64::from(packet));
        let value = match buffer.packet {
            Some(packet) => Limit::Packets((wanted / f64::from(packet)).ceil() as u32),
            None => Limit::Bytes(wanted as u64),
        };
        let shared = if sharing.len() > 1 { format!(" / sqrt({} flows)", sharing.len()) } else { String::new() };
        let text = format!(
            "about {}, the bandwidth-delay product of flows.{} ({} x {}{shared}): {consequence}",
            Bytes(wanted as u64),
            path.flow.name,
            path.rate,
            format_span(path.round_trip),
        );
        let found = if buffer.packet.is_some() {
            format!("{} ({})", buffer.found, Bytes(buffer.bytes as u64))
        } else {
            buffer.found
        };
        let hint = match &buffer.kind {
            Some(kind) => format!("write {} = {{ kind = \"{kind}\", limit = \"{value}\" }}", buffer.key),
            None => format!("write {} = \"{value}\"", buffer.key),
        };
        warnings.push(Problem::new(text).key(buffer.key).found(found).hint(hint));
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{
        assert_no_warnings, assert_only_warning, at_node, list_warnings, modify_network, reverse_flow,
    };

    /// A queue in front of the radio link, and further settings of the flow.
    fn before_the_air(queue: &str, flow: &str) -> String {
        modify_network(&[("arq =", &format!("queue = \"{queue}\"\narq ="))]) + flow
    }

    /// Returns three more flows with the same ends.
    fn three_more() -> String {
        let flow = |number| format!("[flows.more{number}]\nfrom = \"a\"\nto = \"b\"\nmss = \"1000 B\"\n");
        (0..3).map(flow).collect()
    }

    pub fn examples() -> [String; 2] {
        [before_the_air("6 packets", ""), before_the_air("26 packets", "")]
    }

    /// By hand: 202 ms of propagation, 1.04 and 8.32 ms for a segment, and 0.04 and 0.32 ms for its acknowledgment are
    /// 211.72 ms, or 26,465 B at 1 Mbps. A quarter of this is 6,616 B: six packets of 1040 B are less, and seven are
    /// more.
    #[test]
    fn queue_far_below_the_bandwidth_delay_product_is_reported() {
        for queue in ["1 packets", "6 packets", "6616 B"] {
            let text = before_the_air(queue, "");
            let size = "about 26465 B, the bandwidth-delay product of flows.down (1 Mbps x 211.7 ms): with less";
            let wanted = if queue.ends_with('B') { "26465 B" } else { "26 packets" };
            let hint = format!("hint: write links.air.queue = \"{wanted}\"");
            assert_only_warning(&text, &[&format!("links.air.queue: found \"{queue}\""), size, &hint]);
        }
        for queue in ["7 packets", "6617 B", "26 packets", "50 packets", "unlimited"] {
            assert_no_warnings(&before_the_air(queue, ""));
        }
        // With the hint applied, no warning remains.
        assert_no_warnings(&before_the_air("26465 B", ""));
    }

    /// The path and the queue hold every window up to 28,545 B: 26,465 B in flight and 2080 B waiting.
    #[test]
    fn queue_that_the_receive_windows_cannot_overflow_is_not_reported() {
        for (window, count) in [("24 kB", 0), ("28.5 kB", 0), ("28.6 kB", 1)] {
            let warnings = list_warnings(&before_the_air("2 packets", &format!("receive_window = \"{window}\"\n")));
            assert_eq!(warnings.len(), count, "{window}: {warnings:?}");
        }
    }

    /// Four times 26,465 B are 105,860 B: 101 packets are less, and 102 are more. A window of 65,535 B leaves 39,070 B
    /// for the queue.
    #[test]
    fn queue_far_above_the_bandwidth_delay_product_is_reported_if_windows_fill_it() {
        let window = "receive_window = \"1 MB\"\n";
        let parts = [
            "\"102 packets\" (106080 B)",
            "never empties, here 848.6 ms of delay",
            "write links.air.queue = \"26 packets\"",
        ];
        assert_only_warning(&before_the_air("102 packets", window), &parts);
        assert_no_warnings(&before_the_air("101 packets", window));
        assert_no_warnings(&before_the_air("102 packets", ""));
        // 132.3 kB of window leave 105.9 kB, 132 kB leave 105.5 kB.
        assert_no_warnings(&before_the_air("1 MB", "receive_window = \"132 kB\"\n"));
        assert_only_warning(&before_the_air("1 MB", "receive_window = \"132.4 kB\"\n"), &["links.air.queue"]);
    }

    /// The default of 1000 packets, and the same limit of another discipline that windows fill.
    #[test]
    fn default_queue_and_other_disciplines_without_control_of_delay_are_reported() {
        let window = "receive_window = \"1 MB\"\n";
        let parts = ["links.air.queue: found the default, 1000 packets", "write links.air.queue = \"26 packets\""];
        assert_only_warning(&(modify_network(&[]) + window), &parts);
        assert_no_warnings(&modify_network(&[]));
        let named = |queue: &str| before_the_air("X", window).replace("\"X\"", queue);
        for kind in ["head-drop", "priority", "drr"] {
            let hint = format!("write links.air.queue = {{ kind = \"{kind}\", limit = \"26 packets\" }}");
            assert_only_warning(&named(&format!("\"{kind}\"")), &["found \"1000 packets\"", &hint]);
        }
        for kind in ["codel", "pie", "fq-codel"] {
            assert_no_warnings(&named(&format!("\"{kind}\"")));
        }
    }

    /// A packet of 1500 B takes 12 ms, propagation 2 ms and the acknowledgment 0.32 ms: 1790 B. Eight packets take 96
    /// ms, and nine take 108 ms.
    #[test]
    fn queue_of_less_than_100_ms_is_not_bufferbloat() {
        let count = |packets: u32| {
            let text = format!(
                r#"
                duration = "100 s"
                nodes.a = {{ kind = "host" }}
                nodes.b = {{ kind = "host" }}
                [links.wire]
                kind = "wired"
                between = ["a", "b"]
                rate = "1 Mbps"
                delay = "1 ms"
                queue = "{packets} packets"
                [flows.flow]
                from = "a"
                to = "b"
                receive_window = "1 MB"
                "#
            );
            list_warnings(&text).len()
        };
        assert_eq!([count(8), count(9)], [0, 1]);
    }

    /// Four flows share the radio link. As sqrt(4) = 2, the minimum is an eighth of 26,465 B, 3308 B, and 13,233 B are
    /// recommended.
    #[test]
    fn flows_that_share_a_link_need_a_smaller_buffer() {
        let parts = ["(1 Mbps x 211.7 ms / sqrt(4 flows))", "about 13233 B", "= \"13 packets\""];
        assert_only_warning(&before_the_air("3 packets", &three_more()), &parts);
        assert_no_warnings(&before_the_air("4 packets", &three_more()));
    }

    #[test]
    fn buffer_of_a_node_counts_if_it_is_the_smaller_one() {
        let buffer = |size: &str, text: &str| at_node(text, "x", &format!(", buffer = \"{size}\""));
        let parts = ["nodes.x.buffer: found \"6 kB\"", "write nodes.x.buffer = \"26465 B\""];
        assert_only_warning(&buffer("6 kB", &before_the_air("50 packets", "")), &parts);
        assert!(list_warnings(&buffer("7 kB", &before_the_air("6 packets", "")))[0].contains("links.air.queue"));
        // The mobile sends over the radio link; at the station the wire is faster, so no packet waits there.
        assert_no_warnings(&buffer("6 kB", &reverse_flow(&modify_network(&[]))));
    }
}
