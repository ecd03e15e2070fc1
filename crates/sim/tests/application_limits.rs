//! cwnd of senders that the application or the receive window limits.

use engine::Time;
use sim::Event;
use tcp::presets::PRESETS;
use testkit::{build_network, record_events};

/// An application that writes 1,000 bytes each 8 ms, over a path of 100 Mbps and 40 ms: at most six segments are in
/// flight.
fn limited(variant: &str, keys: &str, seconds: u32) -> String {
    format!(
        r#"
        duration = "{seconds} s"
        nodes = {{ a = {{ kind = "host" }}, b = {{ kind = "host" }} }}
        links.l = {{ kind = "wired", between = ["a", "b"], rate = "100 Mbps", delay = "20 ms", queue = "250 packets" }}
        [flows.f]
        from = "a"
        to = "b"
        receive_window = "64 MiB"
        traffic = {{ kind = "cbr", rate = "1 Mbps", packet = "1000 B" }}
        tcp = {{ variant = "{variant}"{keys} }}
        "#
    )
}

/// Returns the largest flight and the largest cwnd of the flow, in bytes.
fn largest_flight_and_cwnd(text: &str) -> (u64, f64) {
    let (_, events) = record_events(&build_network(text));
    let mut largest = (0, 0.0_f64);
    for (_, event) in &events {
        match event {
            Event::Sender { event: tcp::Event::Flight { bytes }, .. } => largest.0 = largest.0.max(*bytes),
            Event::Sender { event: tcp::Event::Window { cwnd, .. }, .. } => largest.1 = largest.1.max(*cwnd),
            _ => {}
        }
    }
    largest
}

/// In slow start cwnd is at most twice the largest flight, which is at least the initial window; a segment more is the
/// growth of the acknowledgment that reaches the limit. BBR holds 2.89 times the product of rate and round trip, and
/// its minimum of four segments and three quanta of two segments.
// covers [draft-ietf-ccwg-ratelimited-increase s3], [RFC9438 s5.8]
#[test]
fn no_variant_grows_cwnd_while_the_application_limits_it() {
    for preset in PRESETS {
        let (flight, cwnd) = largest_flight_and_cwnd(&limited(preset.name, "", 60));
        let segment = 1460.0;
        let largest = (flight as f64).max(segment * f64::from(preset.config().initial_window));
        let bound =
            if preset.name.starts_with("bbr") { 2.89 * largest + 10.0 * segment } else { 2.0 * largest + segment };
        assert!(cwnd <= bound, "{}: cwnd {cwnd} B, {flight} B in flight", preset.name);
    }
}

/// Without the rule cwnd of CUBIC grows with the time: the rule, and not the path, stops it.
#[test]
fn cwnd_grows_by_the_rule_of_4_3_bsd() {
    let (flight, cwnd) = largest_flight_and_cwnd(&limited("cubic", ", cwnd_validation = \"receive-window\"", 60));
    assert!(cwnd > 100.0 * flight as f64, "cwnd {cwnd} B, {flight} B in flight");
}

/// Senders that always have data, with a wide and with a narrow receive window, at the same path and losses.
#[test]
fn rule_does_not_change_senders_that_always_have_data() {
    let run = |variant: &str, window: &str, rule: &str| {
        let text = format!(
            r#"
            duration = "20 s"
            nodes = {{ a = {{ kind = "host" }}, b = {{ kind = "host" }} }}
            links.l = {{ kind = "wired", between = ["a", "b"], rate = "10 Mbps", delay = "20 ms", queue = "40 packets" }}
            [flows.f]
            from = "a"
            to = "b"
            receive_window = "{window}"
            tcp = {{ variant = "{variant}", cwnd_validation = "{rule}" }}
            "#
        );
        let (_, events) = record_events(&build_network(&text));
        let sent = |(at, event): &(Time, Event)| match event {
            Event::Sender { event: tcp::Event::SegmentSent { seq, .. }, .. } => Some((*at, *seq)),
            _ => None,
        };
        events.iter().filter_map(sent).collect::<Vec<_>>()
    };
    for variant in ["reno", "tahoe", "newreno", "sack", "fack", "rack", "westwood", "veno", "cubic"] {
        for window in ["64 kB", "2 MB"] {
            let [limited, always] = ["rate-limited", "receive-window"].map(|rule| run(variant, window, rule));
            assert!(limited == always, "{variant}, {window}");
        }
    }
}
