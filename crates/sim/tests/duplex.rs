//! Data in both directions of one connection.

use engine::registry::by_name;
use sim::{Event, Network, NodeEvent, Results};
use tcp::recovery::RecoveryConfig;
use testkit::{build_network, record_events, run_network, wire_text};
use wire::{Body, Flags};

/// A flow with these settings on a wire of 8 Mbps and 5 ms.
fn network(flow: &str) -> Network {
    build_network(&wire_text("8 Mbps", "5 ms", &format!("mss = \"1000 B\"\n{flow}")))
}

/// A segment sent by a node: its time, its node, its bytes of data.
type SentSegment = (u64, usize, u32);

fn record_segments(network: &Network) -> (Results, Vec<SentSegment>) {
    let (results, events) = record_events(network);
    let sent = events.into_iter().filter_map(|(at, event)| match event {
        Event::Node { node, event: NodeEvent::Sent { packet }, .. } => match packet.body {
            Body::Tcp(segment) if !segment.flags.has(Flags::SYN) => Some((at.as_nanos(), node.index(), segment.len)),
            _ => None,
        },
        _ => None,
    });
    (results, sent.collect())
}

fn count_pure_acks(segments: &[SentSegment], node: usize) -> usize {
    segments.iter().filter(|(_, at, len)| *at == node && *len == 0).count()
}

fn value(results: &Results, name: &str) -> f64 {
    let found = results.flows[0].application.iter().find(|result| result.name == name);
    found.and_then(|result| result.value).unwrap_or_else(|| panic!("no {name}"))
}

/// `pages` requests of 400 bytes, each answered with 1000 bytes after 3 ms; the client thinks for 10 ms.
fn build_rounds(pages: u32, tcp: &str) -> Network {
    let traffic = format!(
        "traffic = {{ kind = \"requests\", request = \"400 B\", sizes = {{ kind = \"fixed\", bytes = \"1000 B\" }}, \
         think = {{ kind = \"constant\", value = \"10 ms\" }}, server_think = {{ kind = \"constant\", value = \"3 ms\" }}, pages = {pages} }}"
    );
    build_network(&wire_text("8 Mbps", "5 ms", &format!("{traffic}\n{tcp}")))
}

/// The client is node 1, at `to`.
///
/// ```text
/// request  440 B 0.440 ms + 5 ms    arrives at  5.440 ms, and the server thinks for 3 ms
/// response 1040 B 1.040 ms + 5 ms   sent at     8.440 ms, arrives at 14.480 ms
/// ```
#[test]
fn round_takes_the_request_the_think_time_and_the_response() {
    let (results, segments) = record_segments(&build_rounds(2, "tcp.delayed_ack = true"));
    let with_data: Vec<_> = segments.iter().copied().filter(|(_, _, len)| *len > 0).collect();
    let round = 14_480_000 + 10_000_000;
    assert_eq!(with_data, [(0, 1, 400), (8_440_000, 0, 1000), (round, 1, 400), (round + 8_440_000, 0, 1000)]);
    assert_eq!(value(&results, "page_time_max_s"), 0.014_48);
    assert_eq!((results.flows[0].bytes_delivered, results.flows[0].bytes_back), (2000, Some(800)));
}

/// With delayed acknowledgments a response carries the acknowledgment of its request, and the next request that of the
/// response: only the last response is acknowledged alone. Without a delay every segment is.
#[test]
fn acknowledgments_are_piggybacked() {
    let (_, segments) = record_segments(&build_rounds(10, "tcp.delayed_ack = true"));
    assert_eq!([0, 1].map(|node| count_pure_acks(&segments, node)), [0, 1]);
    let (_, segments) = record_segments(&build_rounds(10, "tcp.delayed_ack = false"));
    assert_eq!([0, 1].map(|node| count_pure_acks(&segments, node)), [10, 10]);
}

/// The server sends data within the delay of an acknowledgment, so that the connection becomes interactive (Linux:
/// `inet_csk_inc_pingpong_cnt`): quick acknowledgments at first, then none without data.
#[test]
fn linux_becomes_interactive() {
    let (_, segments) = record_segments(&build_rounds(20, "tcp.variant = \"linux\""));
    for node in [0, 1] {
        let data: Vec<u64> =
            segments.iter().filter(|(_, at, len)| *at == node && *len > 0).map(|segment| segment.0).collect();
        assert_eq!(data.len(), 20);
        let late =
            segments.iter().filter(|(at, from, len)| *from == node && *len == 0 && (data[3]..data[19]).contains(at));
        assert_eq!(late.count(), 0, "node {node}");
        let early = segments.iter().filter(|(at, from, len)| *from == node && *len == 0 && *at < data[3]);
        assert!(early.count() <= 3, "node {node}");
    }
}

/// One end sends 10 kB, the other 5 kB, with windows for all of it: segments of 1.04 ms follow each other in both directions,
/// and carry the acknowledgments of the other direction.
#[test]
fn both_directions_share_one_connection() {
    let flow = "traffic = { kind = \"duplex\", bytes = \"10 kB\", bytes_back = \"5 kB\" }\ntcp = { initial_window = 10, delayed_ack = true }";
    let (results, segments) = record_segments(&network(flow));
    let flow = &results.flows[0];
    assert_eq!((flow.bytes_delivered, flow.bytes_back), (10_000, Some(5000)));
    let data = |node: usize| segments.iter().filter(|(_, at, len)| *at == node && *len > 0).count();
    assert_eq!([data(0), data(1)], [10, 5]);
    // The last data arrives after 10 x 1.04 + 5 ms, and its acknowledgment of 40 bytes 5.04 ms later. The acknowledgments
    // of earlier data leave before.
    assert_eq!(flow.completed.map(|at| at.as_nanos()), Some(10 * 1_040_000 + 5_000_000 + 5_040_000));
    let elapsed = 0.020_44;
    assert!((flow.goodput_bps().unwrap() - 80_000.0 / elapsed).abs() < 1e-3);
    assert!((flow.goodput_back_bps().unwrap() - 40_000.0 / elapsed).abs() < 1e-3);
}

/// An endless transfer in both directions fills both directions of the wire: acknowledgments ride on data, so that each
/// direction carries 1000 of 1040 bytes.
#[test]
fn endless_data_fills_both_directions() {
    let text = wire_text(
        "8 Mbps",
        "5 ms",
        "mss = \"1000 B\"\ntraffic = \"duplex\"\ntcp = { variant = \"newreno\", delayed_ack = true }",
    );
    let network = build_network(&text.replace("10000 s", "20 s"));
    let flow = &run_network(&network).flows[0];
    for goodput in [flow.goodput_bps().unwrap(), flow.goodput_back_bps().unwrap()] {
        let share = goodput / (8e6 * 1000.0 / 1040.0);
        assert!(share > 0.97 && share <= 1.0, "{share}");
    }
}

/// A flow that stops discards the data that neither end has sent.
#[test]
fn stopped_flow_ends_in_both_directions() {
    let flow = "traffic = \"duplex\"\nstop = \"1 s\"";
    let (results, segments) = record_segments(&network(flow));
    assert!(results.flows[0].completed.is_some());
    let last = segments.iter().filter(|(_, _, len)| *len > 0).map(|segment| segment.0).max().unwrap();
    assert!(last < 1_200_000_000, "{last}");
}

/// The flow of one direction ends no earlier than the flow of the other.
#[test]
fn flow_lasts_until_the_longer_direction_has_arrived() {
    for (bytes, back) in [(1000, 200_000), (200_000, 1000)] {
        for handshake in [false, true] {
            let traffic =
                format!("traffic = {{ kind = \"duplex\", bytes = \"{bytes} B\", bytes_back = \"{back} B\" }}");
            let results = run_network(&network(&format!("{traffic}\ntcp.handshake = {handshake}")));
            let flow = &results.flows[0];
            assert_eq!((flow.bytes_delivered, flow.bytes_back), (bytes, Some(back)));
            assert!(flow.completed.is_some_and(|at| at.as_nanos() > 200_000_000), "{handshake}");
        }
    }
}

/// Both directions arrive completely over every recovery and control, under losses in both directions at random phases.
#[test]
fn both_directions_complete_with_every_recovery_and_variant() {
    let recoveries = RecoveryConfig::MEMBERS.iter().map(|(name, _)| {
        let _: RecoveryConfig = by_name(name).expect("a recovery with defaults");
        format!("recovery = \"{name}\"")
    });
    let variants = tcp::presets::PRESETS.iter().map(|preset| format!("variant = \"{}\"", preset.name));
    for (number, tcp) in recoveries.chain(variants).enumerate() {
        for seed in 0..3 {
            let handshake = seed % 2 == 1;
            let flow = format!(
                "mss = \"1000 B\"\ntraffic = {{ kind = \"duplex\", bytes = \"80123 B\", bytes_back = \"60321 B\" }}\n\
                 tcp = {{ {tcp}, handshake = {handshake} }}"
            );
            let text = wire_text("8 Mbps", "5 ms", &flow);
            let text = text.replace("delay = \"5 ms\"", "delay = \"5 ms\"\nloss = 0.03");
            let results = run_network(&build_network(&format!("seed = {}\n{text}", 31 * number + seed)));
            let flow = &results.flows[0];
            assert_eq!((flow.bytes_delivered, flow.bytes_back), (80_123, Some(60_321)), "{tcp} {seed}");
            assert!(flow.completed.is_some() && flow.failure.is_none(), "{tcp} {seed}");
        }
    }
}

/// The receiving end's own settings apply to its data: a peer with a smaller window of its own control sends more slowly.
#[test]
fn each_end_sends_with_its_own_settings() {
    let flow = "traffic = { kind = \"duplex\", bytes = \"30 kB\", bytes_back = \"30 kB\" }\ntcp.initial_window = 30\npeer.tcp.initial_window = 1";
    let (_, segments) = record_segments(&network(flow));
    let first = |node: usize| segments.iter().filter(|(at, from, len)| *at == 0 && *from == node && *len > 0).count();
    assert_eq!([first(0), first(1)], [30, 1]);
}

/// A flow in one direction has no data back.
#[test]
fn flow_in_one_direction_has_no_data_back() {
    assert_eq!(run_network(&network("bytes = \"10 kB\"")).flows[0].bytes_back, None);
}
