//! Windows that are too small to fill a path.
//!
//! ```text
//! a flow carries at most W / t    W: the largest window that the receiver advertises
//!                                 t: the round trip without waiting
//! the bottleneck is idle if sum W / t < R, over the flows that share it
//! ```
//!
//! Sources: RFC 7323 s1.1; of one flow W < R t, the bandwidth-delay product.
//!
//! In a medium R is the rate at which one station without collisions sends data (see aggregation-off). Behind a node that
//! splits the connection, t is the round trip between this node and the receiver.
//!
//! Limits: bulk transfers of more than the bandwidth-delay product. A written window of a sender with Reno's control and
//! without SACK counts as intended: the hosts of these variants had no larger ones [RFC7323 s1.1].

use engine::Rate;
use sim::FlowSpec;
use tcp::Config;

use super::Context;
use super::aggregation_off::data_share;
use super::paths::{
    FlowPath, by_bottleneck, collect_flow_paths, find_split_legs, is_bulk, round_up_window, window_key,
};
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let mut paths = collect_flow_paths(context);
    for path in &mut paths {
        path.rate = data_rate(context, path).unwrap_or(path.rate);
        if let Some(split) = find_split_legs(context, path) {
            path.round_trip = split.round_trip;
        }
    }
    by_bottleneck(&paths).values().filter_map(|sharing| idle_bottleneck(context, sharing)).collect()
}

/// The warning about a bottleneck that the windows of its flows cannot fill.
fn idle_bottleneck(context: &Context<'_>, sharing: &[&FlowPath<'_>]) -> Option<Problem> {
    let carried: f64 = sharing.iter().map(|path| highest_rate(path)).sum();
    let slowest = sharing.iter().filter(|path| sends_more_than_product(path) && is_unintended(path.flow));
    let path = slowest.min_by(|a, b| highest_rate(a).total_cmp(&highest_rate(b)))?;
    let rate = path.rate.bits_per_sec() as f64;
    if carried >= rate {
        return None;
    }
    let (wanted, text) = path.describe_idle_rest(sharing.len(), "window", carried);
    let key = window_key(context, path.flow);
    let hint = format!("write {key} = \"{}\"", round_up_window(wanted));
    Some(Problem::new(text).key(key).found(path.flow.receiver_tcp().window.to_string()).hint(hint))
}

/// The rate at which a station sends data, if the bottleneck is a link in a medium.
fn data_rate(context: &Context<'_>, path: &FlowPath<'_>) -> Option<Rate> {
    let medium = context.network.links[path.hop / 2].medium?;
    let share = data_share(&context.network.media[medium].config, path.rate);
    Rate::from_bits_per_sec((path.rate.bits_per_sec() as f64 * share) as u64)
}

/// Whether the window of a flow is not a choice of the scenario: the default one, or one that a sender of today has.
fn is_unintended(flow: &FlowSpec) -> bool {
    let tcp = &flow.tcp;
    let is_default = flow.receiver_tcp().window == Config::default().window;
    is_default || tcp.recovery.build().uses_sack() || tcp.control.name() != Config::default().control.name()
}

/// The highest rate that a flow's window permits, in bit/s.
fn highest_rate(path: &FlowPath<'_>) -> f64 {
    path.flow.receiver_tcp().window.max() as f64 * 8.0 / path.round_trip.as_secs_f64()
}

/// Whether a flow is a bulk transfer that is long enough to fill its path.
pub(super) fn sends_more_than_product(path: &FlowPath<'_>) -> bool {
    is_bulk(path.flow) && path.flow.traffic.total().is_none_or(|bytes| bytes as f64 > path.product())
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, cell_network, modify_network};

    /// A flow with this window, and further settings.
    fn window(size: &str, flow: &str) -> String {
        modify_network(&[]) + &format!("receive_window = \"{size}\"\ntcp.recovery = \"sack\"\n{flow}")
    }

    pub fn examples() -> [String; 2] {
        [window("26 kB", ""), window("27 kB", "")]
    }

    /// By hand: 202 ms of propagation and 9.72 ms for a segment and its acknowledgment on both links are 211.72 ms, in
    /// which 1 Mbps carry 26,465 B.
    #[test]
    fn window_below_the_bandwidth_delay_product_is_reported() {
        let parts = [
            "flows.down.receive_window: found 26464 B",
            "at least 26465 B, the bandwidth-delay product (1 Mbps x 211.7 ms)",
            "write flows.down.receive_window = \"32 KiB\"",
        ];
        assert_only_warning(&window("26464 B", ""), &parts);
        assert_no_warnings(&window("26465 B", ""));
        // Half of the product is half of the rate.
        assert_only_warning(&window("13232 B", ""), &["at most 500 kbps of 1 Mbps is used"]);
    }

    /// The default window is reported for any sender, a written one of Reno is not.
    #[test]
    fn written_window_of_reno_is_not_reported() {
        let reno = |size: &str| modify_network(&[("1 Mbps", "8 Mbps")]) + &format!("receive_window = \"{size}\"\n");
        assert_only_warning(&reno("65535 B"), &["flows.down.receive_window: found 65535 B", "\"256 KiB\""]);
        assert_no_warnings(&reno("65534 B"));
        assert_only_warning(&(reno("65534 B") + "tcp = \"cubic\"\n"), &["flows.down.receive_window"]);
    }

    /// 802.11b at 11 Mbps carries data at 6.2 Mbps: by hand a packet of 1500 B takes a DIFS of 50 us, 15.5 slots of 20 us,
    /// a preamble of 192 us, 1118 us for 1536 B, SIFS 10 us and an acknowledgment of 248 us at 2 Mbps, together 1928 us.
    #[test]
    fn rate_in_a_medium_is_without_overhead() {
        let delay = |delay: &str| {
            let text = cell_network("", "", "", "").replace("\"5 ms\"", &format!("\"{delay}\""));
            text.replace("\"10 s\"", "\"100 s\"")
        };
        // 65,535 B at 6.224 Mbps are 84.2 ms.
        assert_no_warnings(&delay("41 ms"));
        assert_only_warning(&delay("43 ms"), &["flows.down.receive_window"]);
    }

    #[test]
    fn transfer_of_less_than_the_product_is_not_reported() {
        assert_no_warnings(&window("10 kB", "bytes = \"26 kB\"\n"));
        assert_only_warning(&window("10 kB", "bytes = \"27 kB\"\n"), &["flows.down.receive_window"]);
        assert_no_warnings(&window("10 kB", "traffic = { kind = \"cbr\", rate = \"1 kbps\" }\n"));
    }

    /// Two windows of 14 kB together exceed 26,465 B, two of 13 kB do not.
    #[test]
    fn flows_that_share_a_link_need_smaller_windows() {
        let second = |size: &str| {
            format!("[flows.more]\nfrom = \"a\"\nto = \"b\"\nmss = \"1000 B\"\nreceive_window = \"{size}\"\n")
        };
        assert_no_warnings(&(window("14 kB", "") + &second("14 kB")));
        let parts = ["1 Mbps x 211.7 ms / 2 flows", "write flows.down.receive_window = \"16 KiB\""];
        assert_only_warning(&(window("13 kB", "") + &second("13 kB")), &parts);
    }
}
