//! The delays of a run against values worked out by hand.

use std::ops::ControlFlow;

use observe::run::{Titled, summarize_run};
use observe::summary::{FlowSummary, Summary};
use testkit::{build_network, read_scenario, thesis_text, wire_text};

fn measured(text: &str) -> Summary {
    let network = build_network(text);
    let titled = Titled { title: "", scenario: &read_scenario(text), network: &network };
    summarize_run(titled, true, &mut |_| ControlFlow::Continue(())).expect("the run is not stopped")
}

/// A figure in milliseconds.
fn millis(figure: Option<f64>) -> f64 {
    1e3 * figure.expect("the figure is measured")
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
}

/// One segment of 1 ms is sent at a time over 100 ms. Its acknowledgment takes 0.04 ms.
#[test]
fn round_trip_and_one_way_delay_of_single_segments_are_exact() {
    let flow = "mss = \"960 B\"\nbytes = \"9600 B\"\nreceive_window = \"960 B\"";
    let summary = measured(&wire_text("8 Mbps", "100 ms", flow));
    let FlowSummary { rtt_mean_s, rtt_max_s, delay_mean_s, delay_max_s, delay_jitter_s, .. } = summary.flows[0].clone();
    close(millis(rtt_mean_s), 201.04);
    close(millis(rtt_max_s), 201.04);
    close(millis(delay_mean_s), 101.0);
    close(millis(delay_max_s), 101.0);
    close(millis(delay_jitter_s), 0.0);
    close(millis(summary.links[0].forward.queue_wait_max_s), 0.0);
    assert_eq!(summary.links[0].forward.link_layer_max_s, None, "a wire has no link layer");
}

/// Ten segments are sent at once, and wait for 0, 1, ..., 9 ms. Quantiles are within 1 %.
#[test]
fn packets_of_a_burst_wait_for_their_predecessors() {
    let flow = "mss = \"960 B\"\nbytes = \"9600 B\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 10";
    let summary = measured(&wire_text("8 Mbps", "100 ms", flow));
    let forward = &summary.links[0].forward;
    close(millis(forward.queue_wait_mean_s), 4.5);
    close(millis(forward.queue_wait_max_s), 9.0);
    let (median, p95) = (millis(forward.queue_wait_p50_s), millis(forward.queue_wait_p95_s));
    assert!((median - 4.0).abs() <= 0.04 && (p95 - 9.0).abs() <= 0.09, "{median} {p95}");
    // Each delay is 1 ms longer than the previous one. After nine changes the jitter is 1 - (15/16)^9 ms.
    close(millis(summary.flows[0].delay_jitter_s), (1e6 * (1.0 - (15.0_f64 / 16.0).powi(9))).floor() / 1e6);
    // A queue discipline that chooses packets at their departure has the same waits.
    let fair = wire_text("8 Mbps", "100 ms", flow).replace("[flows.flow]", "queue = \"fq-codel\"\n[flows.flow]");
    close(millis(measured(&fair).links[0].forward.queue_wait_mean_s), 4.5);
}

/// Little's law from the figures of a summary: the mean backlog times the duration is the sum of the waits of all packets,
/// with those that the queue dropped. Behind a queue that drops at the head the dropped packets have waited.
#[test]
fn littles_law_holds_from_the_figures_of_a_summary() {
    let flow = "mss = \"960 B\"\nbytes = \"2 MB\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 10";
    for (queue, refuses) in [
        ("\"50 packets\"", true),
        ("{ kind = \"head-drop\", limit = \"50 packets\" }", false),
        ("{ kind = \"fq-codel\", limit = \"50 packets\" }", false),
        ("{ kind = \"red\", limit = \"50 packets\" }", true),
    ] {
        let text =
            wire_text("8 Mbps", "10 ms", flow).replace("[flows.flow]", &format!("queue = {queue}\n[flows.flow]"));
        let summary = measured(&text);
        let forward = &summary.links[0].forward;
        let (left, dropped) = (forward.queue_departures.unwrap() as f64, forward.queue_drops.unwrap() as f64);
        let drop_wait = forward.queue_drop_wait_mean_s.expect("packets are dropped");
        let waits = left * forward.queue_wait_mean_s.unwrap() + dropped * drop_wait;
        let area = forward.backlog_mean.unwrap() * summary.simulated_s;
        assert!((area / waits - 1.0).abs() < 1e-9, "{queue}: {area} and {waits} packet seconds");
        assert_eq!(drop_wait == 0.0, refuses, "{queue}: {drop_wait} s");
        assert!((1..=50).contains(&forward.backlog_max.unwrap()), "{queue}: {:?}", forward.backlog_max);
    }
}

/// Three attempts fail. Without failures a frame of 1064 bytes takes 8.512 ms at 1 Mbps, and 1 ms. The failed attempts
/// add the time by which the transfer takes longer, because one segment is sent at a time.
#[test]
fn failed_attempts_are_time_in_the_link_layer() {
    let text = |drop: &str| {
        let channel = format!("{{ kind = \"scripted\", drop = [{drop}] }}");
        thesis_text("", 1, &channel, "bytes = \"10 KiB\"\nreceive_window = \"1 KiB\"")
    };
    let (lossy, perfect) = (measured(&text("4, 5, 6")), measured(&text("")));
    let time = |summary: &Summary| summary.flows[0].completion_time_s.expect("it is complete");
    close(millis(perfect.links[1].forward.link_layer_max_s), 9.512);
    let longest = millis(lossy.links[1].forward.link_layer_max_s);
    assert!((longest - 9.512 - 1e3 * (time(&lossy) - time(&perfect))).abs() < 1e-6, "{longest}");
    assert!(longest > 3.0 * 8.512, "{longest}");
}

/// Segments dropped by a full queue do not count, and the delays of their retransmissions begin at the retransmission.
#[test]
fn one_way_delay_does_not_include_the_wait_for_a_retransmission() {
    let flow = "mss = \"960 B\"\nbytes = \"96000 B\"\nreceive_window = \"1 MB\"\ntcp.initial_window = 200";
    let text = wire_text("8 Mbps", "10 ms", flow).replace("[flows.flow]", "queue = \"50 packets\"\n[flows.flow]");
    let summary = measured(&text);
    assert!(summary.flows[0].timeouts > 0, "{:?}", summary.flows[0]);
    // One packet in transmission and fifty waiting.
    close(millis(summary.flows[0].delay_max_s), 51.0 + 10.0);
}
