//! Connections that open and close, compared with hand calculations.
//!
//! A wire of 8 Mbps and 10 ms: a segment of 960 bytes takes 1 ms, an acknowledgment of 40 bytes 40 us, a SYN with MSS
//! and window scale, 48 bytes, 48 us.

use engine::{Span, Time};
use sim::{Event, FlowResult};
use tcp::presets::PRESETS;
use tcp::{Failure, State};
use testkit::{build_network, record_events, run_network, wire_text};

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const ROUND_TRIP: u64 = MS + 40 * US + 20 * MS;
const HANDSHAKE: u64 = 2 * (48 * US + 10 * MS);

/// Returns a scenario with a flow of 50 segments, one per round trip. `link` has further settings of the wire.
fn text(link: &str, tcp: &str) -> String {
    let flow = format!("bytes = \"48000 B\"\nmss = \"960 B\"\nreceive_window = \"960 B\"\ntcp = {{ {tcp} }}");
    wire_text("8 Mbps", "10 ms", &flow).replace("kind = \"wired\"", &format!("kind = \"wired\"\n{link}"))
}

fn flow(text: &str) -> (FlowResult, Time) {
    let results = run_network(&build_network(text));
    (results.flows[0].clone(), results.ended)
}

fn completed(text: &str) -> u64 {
    flow(text).0.completed.expect("it completes").as_nanos()
}

// covers [RFC9293 s3.5]
#[test]
fn handshake_takes_an_additional_round_trip() {
    assert_eq!(completed(&text("", "handshake = true")), HANDSHAKE + 50 * ROUND_TRIP);
    assert_eq!(completed(&text("", "")), 50 * ROUND_TRIP);
}

/// With timestamps each segment has 948 bytes of data instead of 960, so that 51 segments are needed. Acknowledgments
/// have 52 bytes and SYNs 60.
// covers [RFC7323 s3.2], [RFC6691]
#[test]
fn timestamps_reduce_the_data_per_segment() {
    let round = |ack: u64, data: u64| data * US + ack * US + 20 * MS;
    let last = 48_000 - 50 * 948;
    let expected = 2 * (60 * US + 10 * MS) + 50 * round(52, 1000) + round(52, last + 52);
    assert_eq!(completed(&text("", "handshake = true, timestamps = true")), expected);
}

// covers [RFC6298 s2.1, s5.5], [RFC9293 s3.8.1]
#[test]
fn lost_syn_is_retransmitted_after_the_initial_rto() {
    for (lost, later) in [("[0]", 1000), ("[0, 1]", 3000)] {
        let text = text(&format!("channel = {{ kind = \"scripted\", drop = {lost} }}"), "handshake = true");
        assert_eq!(completed(&text), later * MS + HANDSHAKE + 50 * ROUND_TRIP, "{lost}");
    }
    // If the SYN-ACK is lost, the SYN is retransmitted and acknowledged again.
    let text = text("channel = { kind = \"scripted\", drop_backward = [0] }", "handshake = true");
    assert_eq!(completed(&text), 1000 * MS + HANDSHAKE + 50 * ROUND_TRIP);
}

/// SYNs are sent at 0, 1 and 3 s. The last one times out at 7 s.
#[test]
fn unanswered_connection_is_given_up() {
    let (flow, ended) = flow(&text("loss = 1.0", "handshake = true, retries = { syn = 2 }"));
    assert_eq!((flow.failure, flow.completed), (Some(Failure::TimedOut), None));
    assert_eq!(ended, Time::from_millis(7000));
    assert_eq!((flow.bytes_delivered, flow.sender.segments_sent), (0, 0));
}

/// The path fails at 100 ms: the outstanding segment is retransmitted twice and given up at the third expiry.
#[test]
fn unacknowledged_data_is_given_up_after_the_configured_retries() {
    let cut = "channel = { kind = \"scripted\", bad = [[\"100 ms\", \"9000 s\"]] }";
    let (flow, ended) = flow(&text(cut, "retries = { data = 2 }"));
    assert_eq!((flow.failure, flow.completed, flow.sender.timeouts), (Some(Failure::TimedOut), None, 3));
    // Sent within a round trip of the failure, and 1 + 2 + 4 s until given up.
    assert!(ended > Time::from_millis(7080) && ended < Time::from_millis(7130), "{ended:?}");
    assert_eq!(flow.elapsed, ended.since(Time::ZERO));
    let patient = run_network(&build_network(&text(cut, "").replace("10000 s", "100 s")));
    assert_eq!((patient.flows[0].failure, patient.ended), (None, Time::from_millis(100_000)));
}

/// The times at which the ends of the flow entered each state.
fn states(text: &str) -> ([Vec<(Time, State)>; 2], FlowResult, Time) {
    let (results, events) = record_events(&build_network(text));
    let mut states = [Vec::new(), Vec::new()];
    for (at, event) in &events {
        match event {
            Event::Sender { event: tcp::Event::State { state }, .. } => states[0].push((*at, *state)),
            Event::Receiver { event: tcp::Event::State { state }, .. } => states[1].push((*at, *state)),
            _ => {}
        }
    }
    (states, results.flows[0].clone(), results.ended)
}

/// The delay of a packet without data, in one direction.
const BARE: u64 = 40 * US + 10 * MS;

/// The last segment fills the window, so that the FIN follows its acknowledgment. The receiver's FIN is sent with the
/// acknowledgment of the sender's FIN.
// covers [RFC9293 s3.6]
#[test]
fn run_ends_when_both_ends_have_closed_without_waiting_for_time_wait() {
    let ([sender, receiver], flow, ended) = states(&text("", "handshake = true, close = true"));
    let names = |states: &[(Time, State)]| states.iter().map(|(_, state)| state.name()).collect::<Vec<_>>();
    assert_eq!(names(&sender), ["SYN-SENT", "FIN-WAIT-1", "FIN-WAIT-2", "TIME-WAIT"]);
    assert_eq!(names(&receiver), ["SYN-RECEIVED", "ESTABLISHED", "CLOSE-WAIT", "LAST-ACK", "CLOSED"]);
    let completed = flow.completed.unwrap();
    assert_eq!(completed.as_nanos(), HANDSHAKE + 50 * ROUND_TRIP);
    // The run ends with the acknowledgment of the receiver's FIN.
    assert_eq!(ended, completed + Span::from_nanos(3 * BARE));
    assert_eq!(receiver.last().unwrap().0, ended);
    assert_eq!((flow.bytes_delivered, flow.failure), (48_000, None));
}

#[test]
fn fin_is_sent_with_the_last_byte_if_the_window_allows() {
    let flow = "bytes = \"960 B\"\nmss = \"960 B\"\ntcp = { handshake = true, close = true }";
    let (flow, ended) = self::flow(&wire_text("8 Mbps", "10 ms", flow));
    let completed = flow.completed.unwrap();
    assert_eq!(completed.as_nanos(), HANDSHAKE + ROUND_TRIP);
    assert_eq!(ended, completed + Span::from_nanos(BARE));
}

#[test]
fn ends_that_start_in_state_established_may_close() {
    let ([sender, receiver], flow, _) = states(&text("", "close = true"));
    assert_eq!(sender.last().unwrap().1, State::TimeWait);
    assert_eq!(receiver.last().unwrap().1, State::Closed);
    assert_eq!(flow.completed.unwrap().as_nanos(), 50 * ROUND_TRIP);
    let ([sender, receiver], ..) = states(&text("", ""));
    assert!(sender.is_empty() && receiver.is_empty(), "who neither opens nor closes changes no state");
}

/// Packets of every kind are lost at random.
#[test]
fn every_variant_opens_transfers_and_closes_through_losses() {
    for preset in PRESETS {
        for seed in 1..=20 {
            let tcp = format!("variant = \"{}\", handshake = true, close = true, ecn = \"request\"", preset.name);
            // With the first size the last segment is full, so that the FIN exceeds the smallest window. With the
            // second size it is not.
            let bytes = [62 * 960, 60_000][seed % 2];
            let flow = format!("bytes = \"{bytes} B\"\nmss = \"960 B\"\ntcp = {{ {tcp} }}");
            let text = wire_text("8 Mbps", "10 ms", &flow).replace(
                "kind = \"wired\"",
                "kind = \"wired\"\nloss = 0.1\nqueue = \"20 packets\"\necn_threshold = \"5 packets\"",
            );
            let network = build_network(&format!("seed = {seed}\n{text}"));
            let results = run_network(&network);
            let flow = &results.flows[0];
            let what = format!("{}, seed {seed}: {flow:?}", preset.name);
            assert_eq!((flow.bytes_delivered, flow.failure), (bytes as u64, None), "{what}");
            let completed = flow.completed.unwrap_or_else(|| panic!("{what}"));
            // TIME-WAIT ends after 60 s; a repeated FIN restarts it.
            assert!(results.ended < Time::from_millis(9_000_000) && results.ended >= completed, "{what}");
            assert_eq!(run_network(&network), results, "{what}");
        }
    }
}
