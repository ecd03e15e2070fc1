//! Rates limited by the application.

use sim::Event;
use testkit::{build_network, record_events, run_network, wire_text};

/// An endless flow of 60 s over 8 Mbps and 20 ms. 960-byte segments are 1000 bytes on the wire: 1 ms.
fn text(tcp: &str) -> String {
    let flow = format!("mss = \"960 B\"\nreceive_window = \"1 MB\"\ntcp = {{ {tcp} }}");
    wire_text("8 Mbps", "20 ms", &flow).replace("10000 s", "60 s")
}

fn received(tcp: &str) -> f64 {
    run_network(&build_network(&text(tcp))).flows[0].bytes_delivered as f64
}

/// 4 Mbps of data are 30 MB in 60 s, of which slow start from one segment lacks less than seven round trips of 41 ms.
#[test]
fn goodput_is_the_maximum_rate() {
    for variant in ["reno", "cubic", "linux", "linux-reno"] {
        let carried = received(&format!("variant = \"{variant}\", max_pacing_rate = \"4 Mbps\""));
        let expected = 500_000.0 * 60.0;
        assert!((expected - 7.0 * 0.041 * 500_000.0..=expected).contains(&carried), "{variant}: {carried}");
    }
    // BBR's control drains the queue in each of its probes of the round trip: at least 98 % of the time it sends.
    let carried = received("variant = \"bbr\", max_pacing_rate = \"4 Mbps\"");
    assert!((0.97 * 3e7..=3e7).contains(&carried), "{carried}");
}

/// Segments that are sent 1.92 ms apart do not wait at a link that takes 1 ms for each: every round trip is the
/// shortest one, 41.04 ms.
#[test]
fn sender_below_the_rate_of_the_link_builds_no_queue() {
    let (_, events) = record_events(&build_network(&text("variant = \"cubic\", max_pacing_rate = \"4 Mbps\"")));
    let longest = events.iter().filter_map(|(_, event)| match event {
        Event::Sender { event: tcp::Event::RttSample { rtt, .. }, .. } => Some(rtt.as_nanos()),
        _ => None,
    });
    assert_eq!(longest.max(), Some(41_040_000));
}

#[test]
fn maximum_above_the_rate_of_the_control_has_no_effect() {
    for variant in ["bbr", "bbr3"] {
        let unset = received(&format!("variant = \"{variant}\""));
        assert_eq!(received(&format!("variant = \"{variant}\", max_pacing_rate = \"100 Gbps\"")), unset, "{variant}");
    }
}
