//! Bounded send buffers.

use testkit::{build_network, record_events, run_network, wire_text};

/// An endless flow of 60 s over 8 Mbps and 50 ms. 960-byte segments are 1000 bytes on the wire: 1 ms.
fn received(tcp: &str) -> f64 {
    let flow = format!("mss = \"960 B\"\nreceive_window = \"1 MB\"\ntcp = {{ {tcp} }}");
    let text = wire_text("8 Mbps", "50 ms", &flow).replace("10000 s", "60 s");
    run_network(&build_network(&text)).flows[0].bytes_delivered as f64
}

/// A segment is acknowledged 101.04 ms after its transmission begins: 1 ms, 40 us for the acknowledgment, and the delay
/// of both directions. A buffer of B bytes carries B a round trip, if cwnd does not limit it.
#[test]
fn buffer_below_the_bandwidth_delay_product_carries_a_buffer_per_round_trip() {
    for variant in ["reno", "cubic", "rack"] {
        for segments in [1.0, 10.0, 50.0] {
            let bytes = segments * 960.0;
            let carried = received(&format!("variant = \"{variant}\", send_buffer = \"{bytes} B\""));
            let expected = bytes * 60.0 / 0.10104;
            // The slow start lasts at most six round trips.
            assert!((expected - 7.0 * bytes..=expected + bytes).contains(&carried), "{variant}, {segments}: {carried}");
        }
    }
}

/// A buffer of 102 segments, the bandwidth-delay product, fills the link, as an unlimited and an autotuned one do.
#[test]
fn sufficient_buffer_does_not_limit_the_flow() {
    for variant in ["reno", "cubic", "bbr"] {
        let unlimited = received(&format!("variant = \"{variant}\""));
        for size in ["600 kB", "autotuned"] {
            let carried = received(&format!("variant = \"{variant}\", send_buffer = \"{size}\""));
            assert!(carried > 0.99 * unlimited, "{variant}, {size}: {carried} of {unlimited}");
        }
    }
}

/// A finite transfer and its FIN pass through each buffer, also one of a single segment.
#[test]
fn finite_transfer_completes_through_every_buffer() {
    for variant in ["reno", "linux", "bbr3"] {
        for bound in ["send_buffer = \"1460 B\"", "send_buffer = \"autotuned\"", "notsent_lowat = \"1 B\""] {
            let flow = format!("bytes = \"100001 B\"\ntcp = {{ variant = \"{variant}\", close = true, {bound} }}");
            let results = run_network(&build_network(&wire_text("8 Mbps", "10 ms", &flow)));
            assert!(results.flows[0].completed.is_some(), "{variant}, {bound}");
            assert_eq!(results.flows[0].bytes_delivered, 100_001, "{variant}, {bound}");
        }
    }
}

/// The state of a run is observed without an effect on it, and a run repeats.
#[test]
fn bounded_buffer_sends_the_same_with_and_without_events() {
    let flow = "bytes = \"1 MB\"\ntcp = { variant = \"linux\", send_buffer = \"32 KiB\", notsent_lowat = \"4 KiB\" }";
    let network = build_network(&wire_text("8 Mbps", "10 ms", flow));
    let completed = run_network(&network).flows[0].completed;
    assert!(completed.is_some());
    assert_eq!(record_events(&network).0.flows[0].completed, completed);
}
