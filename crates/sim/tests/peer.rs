//! Connections whose ends have different settings.

use engine::Span;
use sim::{Event, Network, NodeEvent, Results};
use tcp::presets::PRESETS;
use testkit::{build_network, record_events, run_network, wire_text};
use wire::Body;

/// A flow with these settings on a wire of 8 Mbps and 10 ms.
fn network(flow: &str) -> Network {
    build_network(&wire_text("8 Mbps", "10 ms", &format!("mss = \"1000 B\"\n{flow}")))
}

/// The packets of a run: times, payload and flags, without and with data.
fn record_packets(network: &Network) -> (Results, Vec<(u64, u32)>) {
    let (results, events) = record_events(network);
    let packets = events.into_iter().filter_map(|(at, event)| match event {
        Event::Node { event: NodeEvent::Sent { packet }, .. } => match packet.body {
            Body::Tcp(segment) => Some((at.as_nanos(), segment.len)),
            _ => None,
        },
        _ => None,
    });
    (results, packets.collect())
}

/// Every event of a run.
fn events(network: &Network) -> Vec<String> {
    record_events(network).1.into_iter().map(|(at, event)| format!("{at:?} {event:?}")).collect()
}

/// Ten segments at once: a receiver with delayed acknowledgments sends one for every second segment, although the
/// sending end does not delay its own.
#[test]
fn receiving_end_delays_its_acknowledgments() {
    let flow = "bytes = \"10 kB\"\ntcp.initial_window = 10";
    for (peer, count) in [("", 10), ("peer.tcp.delayed_ack = true", 5), ("peer.tcp.delayed_ack.every = 5", 2)] {
        let (results, packets) = record_packets(&network(&format!("{flow}\n{peer}")));
        assert_eq!(results.flows[0].bytes_delivered, 10_000, "{peer}");
        assert_eq!(packets.iter().filter(|(_, len)| *len == 0).count(), count, "{peer}");
    }
    // The setting of the sending end alone delays nothing.
    let sender = network(&format!("{flow}\ntcp.delayed_ack = true\npeer.tcp.delayed_ack = false"));
    assert_eq!(record_packets(&sender).1.iter().filter(|(_, len)| *len == 0).count(), 10);
}

/// The window of the receiving end limits the flight: 3 segments per round trip of 21.360 ms, each acknowledged alone.
#[test]
fn window_of_the_receiving_end_limits_the_flight() {
    let flow = "bytes = \"9 kB\"\ntcp.initial_window = 10";
    let small = network(&format!("{flow}\npeer.receive_window = \"3 kB\""));
    let same = network(&format!("{flow}\nreceive_window = \"3 kB\""));
    let (results, packets) = record_packets(&small);
    assert_eq!(packets, record_packets(&same).1);
    // 1040 bytes in 1.04 ms, 40 bytes in 0.04 ms, and 10 ms each way. The acknowledgment of the first segment of a round
    // releases the first segment of the next round.
    let round = 1_040_000 + 40_000 + 20_000_000;
    let last = 2 * round + 3 * 1_040_000 + 40_000 + 20_000_000;
    assert_eq!(results.flows[0].completed.map(|at| at.as_nanos()), Some(last));
    // The window of the sending end does not matter for data to the receiving end.
    let sender = network(&format!("{flow}\nreceive_window = \"3 kB\"\npeer.receive_window = \"65535 B\""));
    let wide = network(flow);
    let completed = |network: &Network| run_network(network).flows[0].completed;
    assert_eq!(completed(&sender), completed(&wide));
    assert!(completed(&wide) < results.flows[0].completed);
}

/// A lossy wire, with a random phase of losses.
fn lossy(flow: &str, seed: u64) -> Network {
    let text = wire_text("8 Mbps", "10 ms", &format!("mss = \"1000 B\"\n{flow}"));
    let text = text.replace("delay = \"10 ms\"", "delay = \"10 ms\"\nqueue = \"20 packets\"\nloss = 0.02");
    build_network(&format!("seed = {seed}\n{text}"))
}

/// The options whose effects are compared: a value that offers the option, one that does not, and the other settings.
const OPTIONS: [[&str; 3]; 3] = [
    ["sack = true", "sack = false", "recovery = \"sack\""],
    ["timestamps = true", "timestamps = false", "variant = \"newreno\""],
    ["ecn = \"request\"", "ecn = \"off\"", "variant = \"newreno\""],
];

/// Without a handshake an option is on only if both ends offer it: an end that does not offer it gives the run of two such
/// ends.
#[test]
fn option_is_off_unless_both_ends_offer_it() {
    for [on, off, own] in OPTIONS {
        let run = |sender: &str, peer: &str, seed: u64| {
            let tcp = format!("tcp = {{ {own}, {sender} }}");
            events(&lossy(&format!("bytes = \"200 kB\"\n{tcp}\npeer.tcp = {{ {own}, {peer} }}"), seed))
        };
        let mut differs = 0;
        for seed in 0..5 {
            let without = run(off, off, seed);
            assert!(run(on, off, seed) == without && run(off, on, seed) == without, "{on} {seed}");
            differs += usize::from(run(on, on, seed) != without);
        }
        assert!(differs > 0, "{on}");
    }
}

/// The same after a handshake: no segment has the option, and no packet is ECN-capable.
#[test]
fn handshake_leaves_the_options_of_both_ends() {
    for [on, off, own] in OPTIONS {
        for (sender, peer, expected) in [(on, off, false), (off, on, false), (on, on, true)] {
            let tcp = format!("tcp = {{ handshake = true, {own}, {sender} }}\npeer.tcp = {{ {own}, {peer} }}");
            let (results, events) = record_events(&lossy(&format!("bytes = \"200 kB\"\n{tcp}"), 4));
            assert_eq!(results.flows[0].bytes_delivered, 200_000);
            let uses = events.iter().any(|(_, event)| match event {
                Event::Node { event: NodeEvent::Sent { packet }, .. } => match packet.body {
                    Body::Tcp(segment) if !segment.flags.has(wire::Flags::SYN) => {
                        let options = segment.options;
                        options.timestamps.is_some() || !options.sack.is_empty() || packet.ecn != wire::Ecn::NotEct
                    }
                    _ => false,
                },
                _ => false,
            });
            assert_eq!(uses, expected, "{sender}, {peer}");
        }
    }
}

/// An end that takes segments of 500 bytes limits the segments that it receives.
#[test]
fn segments_have_the_smaller_size_of_both_ends() {
    for handshake in ["false", "true"] {
        for settings in ["peer.mss = \"500 B\"", "mss = \"500 B\"\npeer.mss = \"1000 B\""] {
            let text =
                wire_text("8 Mbps", "10 ms", &format!("bytes = \"5 kB\"\n{settings}\ntcp.handshake = {handshake}"));
            let (results, packets) = record_packets(&build_network(&text));
            let sizes: Vec<u32> = packets.iter().map(|(_, len)| *len).filter(|len| *len > 0).collect();
            assert_eq!(sizes, [500; 10], "{settings} {handshake}");
            assert_eq!(results.flows[0].bytes_delivered, 5000);
        }
    }
}

/// A current server and a host without options: no SACK, no timestamps, and the acknowledgments of a classic receiver.
#[test]
fn linux_sends_to_a_classic_host() {
    let to = |peer: &str| {
        lossy(&format!("bytes = \"300 kB\"\ntcp = {{ variant = \"linux\", handshake = true }}\n{peer}"), 3)
    };
    let classic = to("peer.tcp = { variant = \"reno\", sack = false }");
    let (results, events) = record_events(&classic);
    assert!(results.flows[0].completed.is_some());
    let options = events.iter().filter_map(|(_, event)| match event {
        Event::Node { event: NodeEvent::Sent { packet }, .. } => match packet.body {
            Body::Tcp(segment) if !segment.flags.has(wire::Flags::SYN) => Some(segment.options),
            _ => None,
        },
        _ => None,
    });
    assert!(options.clone().count() > 300);
    assert!(options.clone().all(|options| options.timestamps.is_none() && options.sack.is_empty()));
    assert!(record_events(&to("")).1.len() != events.len());
}

/// Transfers between the ends of every pair of variants complete and conserve their bytes, with and without a handshake,
/// under losses at random phases.
#[test]
fn transfer_completes_between_every_pair_of_variants() {
    for (row, sender) in PRESETS.iter().enumerate() {
        for (column, peer) in PRESETS.iter().enumerate() {
            let handshake = (row + column) % 2 == 0;
            let flow = format!(
                "bytes = \"60123 B\"\ntcp = {{ variant = \"{}\", handshake = {handshake} }}\npeer.tcp = \"{}\"",
                sender.name, peer.name
            );
            let network = lossy(&flow, (17 * row + column) as u64);
            let results = run_network(&network);
            let flow = &results.flows[0];
            assert_eq!(flow.bytes_delivered, 60_123, "{} to {}", sender.name, peer.name);
            assert!(flow.completed.is_some() && flow.failure.is_none(), "{} to {}", sender.name, peer.name);
        }
    }
}

/// Equal settings of both ends give the same events, whether they are written twice or once.
#[test]
fn equal_settings_give_equal_events() {
    for preset in PRESETS {
        let flow = format!("bytes = \"50 kB\"\ntcp = {{ variant = \"{}\", handshake = true }}", preset.name);
        let peer =
            format!("peer = {{ mss = \"1000 B\", tcp = {{ variant = \"{}\", handshake = true }} }}", preset.name);
        assert_eq!(events(&lossy(&flow, 1)), events(&lossy(&format!("{flow}\n{peer}"), 1)), "{}", preset.name);
    }
}

/// The ideal time of an arriving flow has the segments on which both ends agree.
#[test]
fn ideal_time_of_arrivals_has_the_agreed_segments() {
    let text = |peer: &str| {
        format!(
            r#"
            duration = "100 s"
            nodes = {{ a = {{ kind = "host" }}, b = {{ kind = "host" }} }}
            links.wire = {{ kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "10 ms" }}
            [arrivals.short]
            from = "a"
            to = "b"
            rate = "1 /s"
            sizes = {{ kind = "fixed", bytes = "1000 B" }}
            max_flows = 1
            mss = "1000 B"
            {peer}
            "#
        )
    };
    let ideal = |peer: &str| run_network(&build_network(&text(peer))).short_flows[0].ideal;
    // One packet of 1040 bytes, or two of 540; 40 bytes return.
    assert_eq!(ideal(""), Some(Span::from_nanos(21_080_000)));
    assert_eq!(ideal("peer.mss = \"500 B\""), Some(Span::from_nanos(21_120_000)));
}
