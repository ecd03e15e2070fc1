//! Runs compared with hand calculations.

use engine::Time;
use sim::Event;
use testkit::{build_network, record_events, run_network, thesis_text, wire_text};

const MS: u64 = 1_000_000;

/// Returns the time at which the first flow completed, in nanoseconds.
fn completion(text: &str) -> u64 {
    run_network(&build_network(text)).flows[0].completed.expect("the flow completes").as_nanos()
}

/// 960-byte segments are 1000 bytes on the wire: 1 ms at 8 Mbps. An acknowledgment of 40 bytes takes 40 us.
fn flow(segments: u64, window: u64, initial: u64) -> String {
    format!(
        "bytes = \"{} B\"\nmss = \"960 B\"\nreceive_window = \"{} B\"\ntcp.initial_window = {initial}",
        segments * 960,
        window * 960
    )
}

/// T + T_ack + 2 d for a link of 8 Mbps.
fn round_trip(delay_ms: u64) -> u64 {
    MS + MS / 25 + 2 * delay_ms * MS
}

#[test]
fn window_of_one_segment_takes_a_round_trip_per_segment() {
    for delay in [0, 1, 10, 100, 492] {
        let text = wire_text("8 Mbps", &format!("{delay} ms"), &flow(50, 1, 1));
        assert_eq!(completion(&text), 50 * round_trip(delay), "delay {delay} ms");
    }
}

/// The windows have W segments, and W T is shorter than the round trip. Each acknowledgment releases one segment.
/// Therefore segment j of round k leaves at k RTT + j T, and the last acknowledgment arrives at K RTT + (W - 1) T.
#[test]
fn window_below_the_bandwidth_delay_product_takes_a_round_trip_per_window() {
    for (delay, window) in [(10, 2), (10, 16), (100, 16), (100, 128), (492, 64)] {
        let text = wire_text("8 Mbps", &format!("{delay} ms"), &flow(7 * window, window, window));
        let expected = 7 * round_trip(delay) + (window - 1) * MS;
        assert_eq!(completion(&text), expected, "delay {delay} ms, window {window}");
    }
}

/// A window above the bandwidth-delay product keeps the link busy: N segments in N T, then the propagation delay and
/// the return of the acknowledgment.
#[test]
fn window_above_the_bandwidth_delay_product_runs_at_line_rate() {
    for (delay, window) in [(1, 8), (10, 32), (100, 256)] {
        let text = wire_text("8 Mbps", &format!("{delay} ms"), &flow(1000, window, window));
        assert_eq!(completion(&text), 1000 * MS + MS / 25 + 2 * delay * MS, "delay {delay} ms, window {window}");
    }
}

/// Slow start begins with one segment: round k has 2^k segments, back to back from k RTT on. Round K - 1 is the last
/// one for 2^K - 1 segments, and its last acknowledgment arrives at (K - 1) RTT + (2^(K-1) - 1) T + RTT.
#[test]
fn slow_start_doubles_each_round() {
    for (delay, rounds) in [(50, 1), (50, 4), (100, 7), (492, 9)] {
        let text = wire_text("8 Mbps", &format!("{delay} ms"), &flow((1 << rounds) - 1, 1 << rounds, 1));
        let expected = rounds * round_trip(delay) + ((1 << (rounds - 1)) - 1) * MS;
        assert_eq!(completion(&text), expected, "delay {delay} ms, {rounds} rounds");
    }
}

/// Congestion avoidance: above ssthresh = 2 segments cwnd grows by one segment per round trip. With cwnd 2, 3 (the
/// acknowledgment that finds cwnd = ssthresh still adds one), 3.33, 3.63, 3.91, 4.16, ... windows of 3, 3, 4, 4, ...
/// whole segments are in flight.
#[test]
fn congestion_avoidance_adds_one_a_round() {
    let flow = format!("{}\ntcp.initial_ssthresh = \"1920 B\"", flow(200, 64, 2));
    let (_, events) = record_events(&build_network(&wire_text("8 Mbps", "100 ms", &flow)));
    let mut cwnd = 2.0_f64;
    let mut acks = 0;
    for (_, event) in &events {
        match event {
            Event::Sender { event: tcp::Event::AckReceived { .. }, .. } => {
                cwnd += if cwnd <= 2.0 { 1.0 } else { 1.0 / cwnd };
                acks += 1;
            }
            Event::Sender { event: tcp::Event::Window { cwnd: told, ssthresh }, .. } if acks > 0 => {
                assert!(
                    (told / 960.0 - cwnd).abs() < 1e-9,
                    "{} after {acks} acknowledgments, expected {cwnd}",
                    told / 960.0
                );
                assert_eq!(*ssthresh, 1920.0);
            }
            _ => {}
        }
    }
    assert_eq!(acks, 200);
}

/// The thesis's network without loss: stop-and-wait sends one frame per 10 ms (8 of transmission, 1 of propagation, 1
/// for the acknowledgment), so a full window of W segments takes the larger of W x 10 ms and the round trip of 2 L + 11
/// ms.
#[test]
fn thesis_network_without_loss_agrees_with_a_hand_calculation() {
    let profile = "profile = \"goel1997\"";
    for latency in [50, 75, 100, 492] {
        for window in [4_u64, 8, 16] {
            let flow =
                format!("bytes = \"1000 KiB\"\nreceive_window = \"{window} KiB\"\ntcp.initial_window = {window}");
            let text = thesis_text(profile, latency, "\"perfect\"", &flow);
            let trip = 2 * u64::from(latency) + 11;
            let rounds = 1000_u64.div_ceil(window);
            // All segments of the last round except the first are one frame time apart.
            let last = 1000 - (rounds - 1) * window;
            let expected = if window * 10 <= trip {
                rounds * trip + (last - 1) * 10
            } else {
                // The radio link is never idle: the first frame starts when it arrives, at 1 + L.
                trip + 999 * 10
            };
            assert_eq!(completion(&text), expected * MS, "latency {latency} ms, window {window} KiB");
        }
    }
}

/// Stop-and-wait without errors delivers one frame per T + 2 d + T_ack, so that the link is busy for T of this time.
#[test]
fn stop_and_wait_efficiency_matches_the_closed_form() {
    for delay in ["100 us", "1 ms", "20 ms"] {
        let flow = "bytes = \"1000 KiB\"\nreceive_window = \"64 KiB\"\ntcp.initial_window = 64";
        let text = thesis_text("", 1, "\"perfect\"", flow)
            .replace("delay = \"1 ms\"\n        arq", &format!("delay = \"{delay}\"\n        arq"));
        let network = build_network(&text);
        let (_, events) = record_events(&network);
        let arrivals: Vec<Time> = events
            .iter()
            .filter_map(|(at, event)| match event {
                Event::Receiver { event: tcp::Event::SegmentReceived { .. }, .. } => Some(*at),
                _ => None,
            })
            .collect();
        let span = arrivals[arrivals.len() - 1].since(arrivals[0]).as_nanos();
        let delay = network.links[1].delay.as_nanos();
        // 1064 bytes and 14 bytes at 1 Mbps.
        let cycle = 8_512_000 + 2 * delay + 112_000;
        assert_eq!(span, 999 * cycle, "propagation {delay} ns");
    }
}

/// If frames and acknowledgments are lost independently with probability p, an attempt fails with probability q = 1 -
/// (1 - p)^2. With at most N attempts, (1 - q^N) / (1 - q) attempts are made on average, and the share q^N of all
/// packets is given up. The tolerance is four standard errors.
#[test]
fn stop_and_wait_makes_the_expected_number_of_attempts() {
    for (loss, attempts) in [(0.1, 2), (0.2, 3), (0.4, 6)] {
        let channel = format!("{{ kind = \"uniform\", loss = {loss} }}");
        let flow = "bytes = \"20 MB\"\nreceive_window = \"16 KiB\"\ntcp.min_rto = \"200 ms\"";
        let arq = format!("arq = {{ kind = \"stop-and-wait\", max_transmissions = {attempts} }}");
        let text = thesis_text("", 1, &channel, flow).replace("arq = \"stop-and-wait\"", &arq);
        let results = run_network(&build_network(&text));
        let direction = &results.links[1].directions[0];
        // Number of packets whose fate at the link layer is known, which are all that left the queue.
        let q = 1.0_f64 - (1.0 - loss) * (1.0 - loss);
        let given_up = q.powi(attempts);
        let packets = direction.given_up as f64 / given_up;
        let expected_attempts = (1.0 - given_up) / (1.0 - q);
        let share = packets * expected_attempts / direction.frames_sent as f64;
        // The relative error of a count of n rare events is 1 / sqrt(n).
        let tolerance = 4.0 / (direction.given_up as f64).sqrt();
        assert!((share - 1.0).abs() < tolerance, "loss {loss}: {share} of the frames expected, tolerance {tolerance}");
        assert!(direction.given_up > 200, "too few packets given up to say anything: {}", direction.given_up);
        let corrupted = direction.frames_corrupted as f64 / direction.frames_sent as f64;
        let error = (loss * (1.0 - loss) / direction.frames_sent as f64).sqrt();
        assert!((corrupted - loss).abs() < 4.0 * error, "{corrupted} corrupted, expected {loss}");
    }
}

/// A round trip of 1.2 s with an initial RTO of 1 s. By hand: segment 1 is retransmitted needlessly at 1 s, and the RTO
/// is 2 s from then on. Its acknowledgment at 1.2 s releases segments 2 and 3; segment 2 is timed and acknowledged at
/// 2.4 s, before 3.2 s. The RTO is then above the round trip time, and nothing more is retransmitted.
#[test]
fn round_trip_longer_than_the_initial_rto_is_measured() {
    let text = wire_text("8 Mbps", "600 ms", &flow(200, 8, 1));
    let sender = run_network(&build_network(&text)).flows[0].sender;
    assert_eq!((sender.timeouts, sender.segments_retransmitted), (1, 1), "{sender:?}");
    // The rule of 4.3BSD before August 1987, which the thesis's program used, never measures this round trip.
    let bsd = run_network(&build_network(&format!("profile = \"goel1997\"\n{text}"))).flows[0].sender;
    assert!(bsd.timeouts > 10, "{bsd:?}");
}
