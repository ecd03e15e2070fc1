//! The rescue retransmission of RFC 6675 s4 NextSeg (4): the last segment is retransmitted when the acknowledgment of
//! it is overdue, and not before.

use sim::FlowResult;
use testkit::{build_network, run_network};

/// A window of 20 segments over 1 Mbps and 50 ms, while the packets `drop` are lost; `bytes` in all, if not endless,
/// for 4 s.
fn flow(variant: &str, drop: &str, bytes: &str) -> FlowResult {
    let text = format!(
        r#"
        duration = "4 s"
        [nodes]
        a = {{ kind = "host" }}
        b = {{ kind = "host" }}
        [links.l]
        kind = "wireless"
        between = ["a", "b"]
        rate = "1 Mbps"
        delay = "50 ms"
        channel = {{ kind = "scripted", drop = {drop} }}
        [flows.f]
        from = "a"
        to = "b"
        mss = "960 B"
        receive_window = "19200 B"
        {bytes}
        tcp = {{ variant = "{variant}" }}
        "#
    );
    run_network(&build_network(&text)).flows[0].clone()
}

/// After a single loss nothing but the lost segment is retransmitted, as in ns-2 and Linux.
// covers [RFC6675 s4 NextSeg (4)]
#[test]
fn loss_in_a_flow_limited_by_its_window_costs_one_retransmission() {
    for variant in ["sack", "fack", "rack"] {
        let flow = flow(variant, "[60]", "");
        assert_eq!((flow.sender.segments_retransmitted, flow.segments_duplicate), (1, 0), "{variant}");
    }
}

/// A hole and the last segment of all are lost: the hole's acknowledgment triggers the rescue, and no timeout is
/// needed.
#[test]
fn last_segment_is_rescued_when_the_hole_is_filled() {
    for variant in ["sack", "fack"] {
        let flow = flow(variant, "[50, 59]", "bytes = \"57600 B\"");
        assert_eq!((flow.sender.segments_retransmitted, flow.sender.timeouts), (2, 0), "{variant}");
        assert!(flow.completed.is_some(), "{variant}");
    }
}
