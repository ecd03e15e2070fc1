//! Send buffers that are too small to fill a path.
//!
//! ```text
//! a flow carries at most B / t    B: the largest send buffer, which holds data until it is acknowledged
//!                                 t: the round trip without waiting
//! the bottleneck is idle if sum B / t < R, over the flows that share it
//! ```
//!
//! Source: RFC 7323 s1.1, with the buffer of the sender in place of the window of the receiver.
//!
//! Limits: bulk transfers of more than the bandwidth-delay product, without a node that splits the connection.

use engine::Bytes;
use sim::FlowSpec;
use tcp::config::SendBufferSize;

use super::Context;
use super::paths::{FlowPath, by_bottleneck, collect_flow_paths, find_split_legs, round_up_window};
use super::window_below_bdp::sends_more_than_product;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let mut paths = collect_flow_paths(context);
    paths.retain(|path| find_split_legs(context, path).is_none());
    by_bottleneck(&paths).values().filter_map(|sharing| find_idle_bottleneck(sharing)).collect()
}

/// The warning about a bottleneck that the send buffers of its flows cannot fill.
fn find_idle_bottleneck(sharing: &[&FlowPath<'_>]) -> Option<Problem> {
    let rates: Option<Vec<f64>> = sharing.iter().map(|path| compute_highest_rate(path)).collect();
    let carried: f64 = rates?.iter().sum();
    let path = sharing.iter().find(|path| sends_more_than_product(path))?;
    if carried >= path.rate.bits_per_sec() as f64 {
        return None;
    }
    let (wanted, text) = path.describe_idle_rest(sharing.len(), "buffer", carried);
    let key = format!("flows.{}.tcp.send_buffer", path.flow.name);
    let hint = format!("write {key} = \"{}\"", round_up_window(wanted));
    Some(Problem::new(text).key(key).found(path.flow.tcp.send_buffer.to_string()).hint(hint))
}

/// The highest rate that a flow's send buffer permits, in bit/s; `None` without a limit.
fn compute_highest_rate(path: &FlowPath<'_>) -> Option<f64> {
    Some(find_largest_buffer(path.flow)?.0 as f64 * 8.0 / path.round_trip.as_secs_f64())
}

fn find_largest_buffer(flow: &FlowSpec) -> Option<Bytes> {
    match flow.tcp.send_buffer {
        SendBufferSize::Unlimited => None,
        SendBufferSize::Fixed(size) => Some(size),
        SendBufferSize::Autotuned(sizes) => Some(sizes.max),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, modify_network};

    /// A flow with this send buffer, and further settings.
    fn buffer(size: &str, flow: &str) -> String {
        modify_network(&[]) + &format!("tcp.send_buffer = {size}\n{flow}")
    }

    pub fn examples() -> [String; 2] {
        [buffer("\"26 kB\"", ""), buffer("\"27 kB\"", "")]
    }

    /// The path has a bandwidth-delay product of 26,465 B (see window-below-bdp).
    #[test]
    fn send_buffer_below_the_bandwidth_delay_product_is_reported() {
        let parts = [
            "flows.down.tcp.send_buffer: found 26464 B",
            "at least 26465 B, the bandwidth-delay product (1 Mbps x 211.7 ms)",
            "write flows.down.tcp.send_buffer = \"32 KiB\"",
        ];
        assert_only_warning(&buffer("\"26464 B\"", ""), &parts);
        assert_no_warnings(&buffer("\"26465 B\"", ""));
        // Half of the product is half of the rate.
        assert_only_warning(&buffer("\"13232 B\"", ""), &["at most 500 kbps of 1 Mbps is used"]);
        let parts = ["flows.down.tcp.send_buffer", "at least 26465 B"];
        assert_only_warning(&buffer("{ initial = \"10 kB\", max = \"20 kB\" }", ""), &parts);
        assert_no_warnings(&buffer("\"autotuned\"", ""));
    }

    #[test]
    fn transfer_or_sum_of_buffers_that_suffices_is_not_reported() {
        assert_no_warnings(&buffer("\"10 kB\"", "bytes = \"26 kB\"\n"));
        let second = "[flows.more]\nfrom = \"a\"\nto = \"b\"\nmss = \"1000 B\"\n";
        assert_no_warnings(&buffer("\"10 kB\"", second));
        let bounded = format!("{second}tcp.send_buffer = \"14 kB\"\n");
        assert_no_warnings(&buffer("\"14 kB\"", &bounded));
        let parts = ["1 Mbps x 211.7 ms / 2 flows", "= \"16 KiB\""];
        assert_only_warning(&buffer("\"12 kB\"", &bounded), &parts);
    }
}
