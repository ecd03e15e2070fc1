//! Reasons for blocked senders in the traces of a run: a scenario for each of the five reasons.

use std::rc::Rc;

use observe::output::Outputs;
use scenario::traces::{TRACES, Trace};
use sim::World;
use tcp::Blocked;
use testkit::{build_network, read_scenario, wire_text};

use crate::common::MemoryTraces;

/// The contents of the trace called `trace` of a run.
fn traced(text: &str, trace: &str) -> String {
    let (network, files) = (build_network(text), Rc::new(MemoryTraces::default()));
    let traces: Vec<&Trace> = TRACES.iter().filter(|known| known.name == trace).collect();
    let mut outputs = Outputs::open(&traces, &network, files.clone(), &read_scenario(text).output, Default::default());
    let mut world = World::new(&network, true);
    world.run(&mut outputs);
    assert!(outputs.finish(world.results().ended).is_ok());
    let files = files.0.borrow();
    assert_eq!(files.len(), 1, "one file");
    files.values().map(|bytes| String::from_utf8_lossy(bytes)).collect()
}

/// Returns a flow of segments of 1,000 bytes over 8 Mbps and 10 ms. A segment with its 40 bytes of headers takes 1.04
/// ms. Its acknowledgment takes 0.04 ms, and arrives 21.08 ms after the segment was sent.
fn flow(rest: &str) -> String {
    wire_text("8 Mbps", "10 ms", &format!("mss = \"1000 B\"\n{rest}"))
}

/// The reasons in `events.jsonl`, with their times in microseconds.
fn reasons(text: &str) -> Vec<(u64, String)> {
    let trace = traced(text, "jsonl");
    let events = trace.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let blocked = events.filter(|event| event["event"] == "blocked");
    let reason = |event: serde_json::Value| {
        assert_eq!((event["flow"].as_str(), event["end"].as_str()), (Some("flow"), Some("sender")));
        let micros = event["t"].as_f64().expect("a time") * 1e6;
        (micros.round() as u64, event["reason"].as_str().expect("a reason").to_owned())
    };
    blocked.map(reason).collect()
}

/// By hand. A window of one segment blocks two of three segments until the first is acknowledged. A receiver with a
/// window of two gets a pair per round, the second 1.04 ms after the first: the tenth segment is the second of the
/// fifth round. Nagle delays 400 bytes for a round. BBR starts at 0.99 x 2.885 windows of 4,000 bytes per millisecond,
/// so the second of two segments leaves after 87.53 us.
#[test]
fn each_reason_is_reported_when_it_begins() {
    let cases = [
        ("bytes = \"3 kB\"\nreceive_window = \"60 kB\"\ntcp = { initial_window = 1 }", [(0, "cwnd"), (21_080, "data")]),
        (
            "bytes = \"3 kB\"\nreceive_window = \"60 kB\"\ntcp = { initial_window = 4, send_buffer = \"2 kB\" }",
            [(0, "send-buffer"), (21_080, "data")],
        ),
        (
            "bytes = \"10 kB\"\nreceive_window = \"2 kB\"\ntcp = { initial_window = 4 }",
            [(0, "peer-window"), (85_360, "data")],
        ),
        (
            "bytes = \"1400 B\"\nreceive_window = \"60 kB\"\ntcp = { initial_window = 4, nagle = \"on\" }",
            [(0, "nagle"), (21_080, "data")],
        ),
        (
            "bytes = \"2 kB\"\nreceive_window = \"60 kB\"\ntcp = { variant = \"bbr\", initial_window = 4 }",
            [(0, "pacing"), (88, "data")],
        ),
    ];
    for (text, expected) in &cases {
        assert_eq!(reasons(&flow(text)), expected.map(|(at, reason)| (at, reason.to_owned())), "{text}");
    }
    let seen = |reason: Blocked| cases.iter().any(|(_, told)| told.iter().any(|(_, name)| *name == reason.name()));
    assert!(Blocked::ALL.into_iter().all(seen));
}

#[test]
fn event_trace_contains_reasons_if_selected() {
    let text = flow("bytes = \"3 kB\"\nreceive_window = \"60 kB\"\ntcp = { initial_window = 1 }");
    let entry =
        |at: &str, reason: &str| format!("TCP_SRC(Node-id - a):: NOTHING SENT because of {reason}(CLOCK : {at})");
    let asked = traced(&format!("output.events = [\"blocked\"]\n{text}"), "events");
    let lines: Vec<&str> = asked.lines().filter(|line| line.contains("NOTHING SENT")).collect();
    assert_eq!(lines, [entry("0", "cwnd"), entry("21.08", "data")]);
    assert!(!traced(&text, "events").contains("NOTHING SENT"), "the thesis's program has no such entry");
}
