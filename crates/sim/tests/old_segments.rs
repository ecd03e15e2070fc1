//! Reordered segments with old timestamps: acknowledgments sent for them, and counters.

use engine::Time;
use path::{HopId, LinkDirection, LinkEvent};
use sim::{Event, Results};
use testkit::{build_network, record_events};
use wire::Body;

/// A transfer over a link that reorders packets in the direction `directions`, by up to `most`.
fn reordered(seconds: u32, directions: &str, most: &str, tcp: &str) -> String {
    format!(
        r#"
        duration = "{seconds} s"
        [nodes]
        a = {{ kind = "host" }}
        b = {{ kind = "host" }}
        [links.l]
        kind = "wired"
        between = ["a", "b"]
        rate = "10 Mbps"
        delay = "50 ms"
        queue = "200 packets"
        jitter = {{ delay = {{ kind = "uniform", low = "0 s", high = "{most}" }}, reordering = true, directions = "{directions}" }}
        [flows.f]
        from = "a"
        to = "b"
        receive_window = "2 MB"
        tcp = {{ {tcp} }}
        "#
    )
}

/// A run, and the number of packets without and with data from `a` to `b`.
fn run(text: &str) -> (Results, Vec<(Time, Event)>, [u64; 2]) {
    let (results, events) = record_events(&build_network(text));
    let mut arrived = [0, 0];
    for (_, event) in &events {
        if let Event::Link {
            hop: HopId { direction: LinkDirection::Forward, .. },
            event: LinkEvent::Arrived { packet },
            ..
        } = event
            && let Body::Tcp(segment) = packet.body
        {
            arrived[usize::from(segment.len > 0)] += 1;
        }
    }
    (results, events, arrived)
}

/// Only acknowledgments are reordered. Linux exempts these from protection against wrapped sequence numbers
/// (`tcp_disordered_ack_check`, `SKB_DROP_REASON_TCP_RFC7323_PAWS_ACK`).
#[test]
fn reordered_acknowledgments_are_not_answered_under_linux() {
    let (results, _, [acks, _]) = run(&reordered(20, "backward", "10 ms", "variant = \"linux\""));
    assert_eq!(acks, 0);
    assert!(results.flows[0].bytes_delivered > 20_000_000, "{}", results.flows[0].bytes_delivered);
}

// covers [RFC5961 s7], [RFC7323 s5.3 R1]: each is acknowledged, but not more than two per second.
#[test]
fn reordered_acknowledgments_are_answered_at_most_twice_a_second() {
    let strict = "variant = \"linux\", paws = \"strict\"";
    let (.., [acks, _]) = run(&reordered(20, "backward", "10 ms", strict));
    // Acknowledgments count from the first one on, which arrives in the first two seconds: in 18 to 20 s, twice per
    // second.
    assert!((36..=40).contains(&acks), "{acks}");
    let each = "variant = \"linux\", paws = \"strict\", invalid_ratelimit = \"0 s\"";
    let (.., [acks, _]) = run(&reordered(20, "backward", "10 ms", each));
    assert!(acks > 1000, "{acks}");
}

/// Every segment with data is received or discarded, and both are reported and counted.
#[test]
fn discarded_segments_are_counted() {
    for paws in ["linux", "strict"] {
        let text = reordered(30, "forward", "40 ms", &format!("variant = \"linux\", paws = \"{paws}\""));
        let (results, events, [_, arrived]) = run(&text);
        let (mut received, mut discarded) = (0, 0);
        for (_, event) in &events {
            match event {
                Event::Receiver { event: tcp::Event::SegmentReceived { .. }, .. } => received += 1,
                Event::Receiver { event: tcp::Event::SegmentDiscarded { len, .. }, .. } => {
                    assert!(*len > 0);
                    discarded += 1;
                }
                _ => {}
            }
        }
        assert_eq!(results.flows[0].segments_discarded, discarded, "{paws}");
        assert!(discarded > 0, "{paws}");
        assert_eq!(received + discarded, arrived, "{paws}");
    }
}
