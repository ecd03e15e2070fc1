//! ECN marks in the network, and the reaction of the endpoints.

use path::LinkEvent;
use sim::{Event, NodeId};
use tcp::cc::{ControlConfig, Start};
use testkit::{build_network, record_events, run_network, wire_text};
use wire::Ecn;

/// Ten segments at once into a wire.
fn burst(tcp: &str) -> String {
    let flow = format!("bytes = \"9600 B\"\nmss = \"960 B\"\ntcp = {{ initial_window = 10, {tcp} }}");
    wire_text("8 Mbps", "10 ms", &flow).replace("kind = \"wired\"", "kind = \"wired\"\necn_threshold = \"3 packets\"")
}

/// Segment n, counted from 0, finds n - 1 packets waiting. Segments from 5 on find more than three. All marks belong to
/// one window, so that the sender reacts once.
// covers [RFC8257 s3.1], [RFC3168 s6.1.2]
#[test]
fn segments_that_find_the_queue_above_the_threshold_are_marked() {
    let results = run_network(&build_network(&burst("ecn = \"request\"")));
    let (flow, direction) = (&results.flows[0], results.links[0].directions[0]);
    assert_eq!((direction.marked, results.links[0].directions[1].marked, direction.packets_dropped), (5, 0, 0));
    assert_eq!((flow.sender.marks, flow.sender.segments_retransmitted), (1, 0));
    assert!(flow.completed.is_some());
}

/// Packets of connections without ECN are not marked. Two ends that only accept ECN do not negotiate it.
// covers [RFC3168 s5]
#[test]
fn packets_of_connections_without_ecn_are_not_marked() {
    for tcp in ["ecn = \"off\"", "ecn = \"accept\"", "ecn = \"accept\", handshake = true", "handshake = true"] {
        let results = run_network(&build_network(&burst(tcp)));
        assert_eq!((results.links[0].directions[0].marked, results.flows[0].sender.marks), (0, 0), "{tcp}");
    }
    assert!(
        run_network(&build_network(&burst("ecn = \"request\", handshake = true"))).links[0].directions[0].marked > 0
    );
}

/// SYNs, acknowledgments and retransmissions are not ECN-capable [RFC3168 s6.1.1, s6.1.4, s6.1.5].
#[test]
fn only_new_data_is_ecn_capable() {
    let text = burst("ecn = \"request\", handshake = true, close = true")
        .replace("kind = \"wired\"", "kind = \"wired\"\nchannel = { kind = \"scripted\", drop = [4] }");
    let (results, events) = record_events(&build_network(&text));
    assert!(results.flows[0].sender.segments_retransmitted > 0);
    let mut seen = std::collections::BTreeSet::new();
    for (_, event) in &events {
        let Event::Node { event: sim::NodeEvent::Sent { packet }, .. } = event else { continue };
        match packet.data() {
            Some(segment) => assert_eq!(packet.ecn == Ecn::Ect0, seen.insert(segment.seq.0), "{packet:?}"),
            None => assert_eq!(packet.ecn, Ecn::NotEct, "{packet:?}"),
        }
    }
}

/// 2 Mbps and a round trip of 128.16 ms: 31 packets of 1040 bytes in flight, and a queue of 100.
fn bottleneck(threshold: &str, flows: &[(&str, &str)]) -> String {
    let mut text = format!(
        "duration = \"100 s\"\nnodes.a = {{ kind = \"host\" }}\nnodes.r = {{ kind = \"router\" }}\nnodes.b = {{ kind = \"host\" }}\n\
         links.fast = {{ kind = \"wired\", between = [\"a\", \"r\"], rate = \"100 Mbps\", delay = \"2 ms\" }}\n\
         links.slow = {{ kind = \"wired\", between = [\"r\", \"b\"], rate = \"2 Mbps\", delay = \"60 ms\", queue = \"100 packets\", \
         ecn_threshold = \"{threshold}\" }}\n"
    );
    for (name, tcp) in flows {
        text += &format!(
            "[flows.{name}]\nfrom = \"a\"\nto = \"b\"\nmss = \"1000 B\"\nreceive_window = \"500 kB\"\ntcp = {{ {tcp} }}\n"
        );
    }
    text
}

#[test]
fn long_transfer_with_ecn_has_no_loss() {
    let [with, without] = ["request", "off"].map(|ecn| {
        run_network(&build_network(&bottleneck(
            "30 packets",
            &[("f", &format!("ecn = \"{ecn}\", initial_ssthresh = \"40 kB\""))],
        )))
    });
    let direction = |results: &sim::Results| results.links[1].directions[0];
    assert_eq!((direction(&with).queue_full, with.flows[0].sender.segments_retransmitted), (0, 0));
    assert!(with.flows[0].sender.marks >= 3, "{:?}", with.flows[0]);
    // At most one reduction per window, although each window has several marks.
    assert!(direction(&with).marked >= with.flows[0].sender.marks);
    assert!(direction(&without).queue_full > 0 && direction(&without).marked == 0, "{:?}", direction(&without));
    // Half of 31 + 30 is the bandwidth-delay product, so that the link is never idle for long.
    let share = with.flows[0].bytes_delivered as f64 * 8.0 / 100.0 / (2e6 * 1000.0 / 1040.0);
    assert!(share > 0.97, "{share}");
}

/// A flow with ECN and one without.
#[test]
fn only_ecn_flows_are_marked() {
    let flows = [("with", "ecn = \"request\""), ("without", "")];
    let (results, events) = record_events(&build_network(&bottleneck("20 packets", &flows)));
    let mut marked = 0;
    for (_, event) in &events {
        if let Event::Link { event: LinkEvent::Marked { packet }, .. } = event {
            // The first flow of a host has the host's first port.
            assert_eq!(packet.data().unwrap().src_port, 10_000);
            assert_eq!(packet.ecn, Ecn::Ce);
            marked += 1;
        }
    }
    assert!(marked > 10 && results.links[1].directions[0].marked == marked);
    assert_eq!(results.flows[1].sender.marks, 0);
}

/// The nodes of [`bottleneck`] behind the sender.
const ROUTER: NodeId = NodeId::new(1);
const RECEIVER: NodeId = NodeId::new(2);

/// A congestion control that reacts to every mark in proportion keeps the queue near the threshold: above zero, and
/// below the threshold plus the window's growth during the delay of the reaction.
// covers [RFC8257 s3]
#[test]
fn proportional_reaction_keeps_the_queue_near_the_threshold() {
    let precise = |name: &&str| {
        let control: ControlConfig = scenario::document::by_name(name).unwrap();
        control.build(Start::trial()).precise_ecn()
    };
    for name in ControlConfig::MEMBERS.iter().map(|(name, _)| *name).filter(precise) {
        let tcp = format!("control = \"{name}\", recovery = \"sack\", ecn = \"request\", initial_ssthresh = \"40 kB\"");
        let (results, events) = record_events(&build_network(&bottleneck("10 packets", &[("f", &tcp)])));
        let direction = results.links[1].directions[0];
        assert_eq!((direction.queue_full, results.flows[0].sender.segments_retransmitted), (0, 0), "{name}");
        assert!(direction.marked > 20, "{name}: {direction:?}");
        // A packet that waits for n others takes n times 4.16 ms longer from router to host.
        let mut entered = std::collections::BTreeMap::new();
        let mut waits = Vec::new();
        for (at, event) in events.iter().filter(|(at, _)| at.as_secs_f64() > 20.0) {
            match event {
                Event::Node { node: ROUTER, event: sim::NodeEvent::Transit { packet }, .. } => {
                    packet.data().map(|segment| entered.insert(segment.seq.0, *at));
                }
                Event::Node { node: RECEIVER, event: sim::NodeEvent::Received { packet }, .. } => {
                    let since = packet.data().and_then(|segment| entered.remove(&segment.seq.0));
                    waits.extend(since.map(|since| (at.since(since).as_secs_f64() - 0.06416) / 0.00416));
                }
                _ => {}
            }
        }
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        let most = waits.iter().copied().fold(0.0, f64::max);
        assert!(mean > 3.0 && mean < 13.0 && most < 16.0, "{name}: {mean} in the mean, {most} at most");
        let share = results.flows[0].bytes_delivered as f64 * 8.0 / 100.0 / (2e6 * 1000.0 / 1040.0);
        assert!(share > 0.97, "{name}: {share}");
    }
}

/// Datagrams with a codepoint are marked as segments are: of a burst of ten those from 5 on. An echo request that was
/// marked has a reply with the flow's codepoint.
#[test]
fn datagrams_with_a_codepoint_are_marked() {
    let ten = format!("[{}]", ["[\"0 s\", \"972 B\"]"; 10].join(", "));
    let burst = format!("transport = \"udp\"\ntraffic = {{ kind = \"recorded\", writes = {ten} }}\n");
    let ping = "traffic = { kind = \"ping\", interval = \"1 us\", packet = \"972 B\", requests = 10 }\n".to_owned();
    for (traffic, echo) in [(burst, false), (ping, true)] {
        for (codepoint, ecn) in [("", Ecn::NotEct), ("ecn_codepoint = \"ect0\"", Ecn::Ect0)] {
            let text = wire_text("8 Mbps", "10 ms", &(traffic.clone() + codepoint));
            let text = text.replace("kind = \"wired\"", "kind = \"wired\"\necn_threshold = \"3 packets\"");
            let (results, events) = record_events(&build_network(&text));
            let marked = if ecn == Ecn::Ect0 { 5 } else { 0 };
            let datagrams = results.flows[0].datagrams.as_ref().expect("a flow of datagrams");
            assert_eq!((results.links[0].directions[0].marked, datagrams.received), (marked, 10), "{text}");
            // Replies meet no queue.
            assert_eq!(datagrams.marked, if echo { 0 } else { marked }, "{text}");
            for (_, event) in &events {
                if let Event::Node { event: sim::NodeEvent::Sent { packet }, .. } = event {
                    assert_eq!(packet.ecn, ecn, "{text}");
                }
            }
        }
    }
}
