//! The longest pause of a flow, computed by hand.

use engine::Span;
use testkit::{build_network, run_network, wire_text};

const MS: u64 = 1_000_000;
/// 960-byte segments are 1000 bytes on the wire: 1 ms at 8 Mbps. An acknowledgment of 40 bytes takes 40 us. 10 ms in
/// each direction.
const THERE: u64 = 11 * MS;
const ROUND_TRIP: u64 = THERE + 10 * MS + MS / 25;

/// Returns a scenario that sends one segment at a time over a channel that is BAD in these intervals. The RTO begins at
/// one second, and is doubled.
fn one_at_a_time(segments: &str, duration: &str, bad: &str) -> String {
    let flow = format!(
        "{segments}\nmss = \"960 B\"\nreceive_window = \"960 B\"\nstart = \"100 ms\"\n\
         tcp = {{ initial_window = 1, min_rto = \"1 s\", initial_rto = \"1 s\" }}"
    );
    let text = wire_text("8 Mbps", "10 ms", &flow).replace("10000 s", duration);
    let air = format!("kind = \"wireless\"\nchannel = {{ kind = \"scripted\", bad = [{bad}] }}");
    text.replace("kind = \"wired\"", &air)
}

fn longest(text: &str) -> Option<u64> {
    run_network(&build_network(text)).flows[0].longest_pause.map(Span::as_nanos)
}

/// Segment k is sent at 100 ms + k round trips and arrives 11 ms later. A pause is the time between two arrivals, or
/// before the first; after the last one there is none.
#[test]
fn pause_without_losses_is_a_round_trip() {
    assert_eq!(longest(&one_at_a_time("bytes = \"9600 B\"", "100 s", "")), Some(ROUND_TRIP));
    assert_eq!(longest(&one_at_a_time("bytes = \"960 B\"", "100 s", "")), Some(THERE));
}

/// The channel is BAD from 200 ms to 1.4 s. Segment 5 is sent at 205.2 ms, 1205.2 ms and 3205.2 ms, the last time 3 s
/// later than without losses.
#[test]
fn bad_period_causes_a_pause_as_long_as_its_timeouts() {
    let text = one_at_a_time("bytes = \"9600 B\"", "100 s", "[\"200 ms\", \"1.4 s\"]");
    let results = run_network(&build_network(&text));
    assert_eq!(results.flows[0].sender.timeouts, 2);
    assert_eq!(longest(&text), Some(3000 * MS + ROUND_TRIP));
}

/// The channel is BAD from the start to 0.5 s. The segment is sent at 0.1 s and 1.1 s. Pauses count from the start of
/// the flow.
#[test]
fn wait_for_the_first_byte_counts_as_a_pause() {
    let text = one_at_a_time("bytes = \"9600 B\"", "100 s", "[\"0 s\", \"500 ms\"]");
    assert_eq!(longest(&text), Some(1000 * MS + THERE));
}

/// BAD from 200 ms to the end at 2 s: segment 4 arrived at 100 ms + 4 round trips + 11 ms.
#[test]
fn pause_ends_with_the_run() {
    for bytes in ["bytes = \"9600 B\"", ""] {
        let text = one_at_a_time(bytes, "2 s", "[\"200 ms\", \"10 s\"]");
        assert_eq!(longest(&text), Some(1900 * MS - 4 * ROUND_TRIP - THERE));
    }
}

/// Data behind a hole is not available to the application. The first of two segments is lost, and the second arrives 12
/// ms after the start. Both can be read when the first has arrived.
#[test]
fn data_behind_a_hole_does_not_end_a_pause() {
    let text = one_at_a_time("bytes = \"1920 B\"", "100 s", "[\"0 s\", \"100.5 ms\"]")
        .replace("receive_window = \"960 B\"", "receive_window = \"1920 B\"")
        .replace("initial_window = 1", "initial_window = 2");
    assert_eq!(longest(&text), Some(1000 * MS + THERE));
}
