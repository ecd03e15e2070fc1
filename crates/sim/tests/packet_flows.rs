//! The flow and stream offset in packet events, compared with the order of the events of connections and of the world.

use std::collections::HashSet;

use sim::{Event, NodeEvent};
use testkit::{build_network, record_events};
use wire::Body;

/// Two flows through one base station. One of them opens and closes its connection, and its sequence numbers start at
/// an arbitrary value.
const TWO: &str = r#"
    duration = "60 s"
    [nodes]
    a = { kind = "host" }
    base = { kind = "base-station" }
    m = { kind = "host" }
    [links.wire]
    kind = "wired"
    between = ["a", "base"]
    rate = "8 Mbps"
    delay = "20 ms"
    queue = "5 packets"
    [links.air]
    kind = "wireless"
    between = ["base", "m"]
    rate = "2 Mbps"
    delay = "1 ms"
    channel = { kind = "uniform", loss = 0.02 }
    [flows.down]
    from = "a"
    to = "m"
    bytes = "300 kB"
    tcp = { handshake = true, close = true }
    [flows.up]
    from = "m"
    to = "a"
    bytes = "200 kB"
"#;

/// The event of the sender precedes the event of the packet. Flow, first byte and acknowledgment must be equal in both,
/// and constant on every link.
#[test]
fn packets_have_the_flow_and_offset_of_the_segment_sent_event() {
    let network = build_network(TWO);
    let (_, events) = record_events(&network);
    let (mut announced, mut compared, mut on_links) = (None, [0; 2], 0);
    let mut known = HashSet::new();
    for (_, event) in &events {
        match event {
            Event::Sender { flow, event: tcp::Event::SegmentSent { seq, len, .. } } => {
                announced = Some((*flow, *seq, *len));
            }
            Event::Node { event: NodeEvent::Sent { packet }, of, .. } => {
                let Body::Tcp(segment) = &packet.body else { continue };
                let of = of.expect("every segment is a flow's");
                if segment.len > 0 {
                    let told = announced.take().expect("an event of the sender precedes a segment with data");
                    assert_eq!((of.flow, of.seq, segment.len, of.from_sender), (told.0, Some(told.1), told.2, true));
                    compared[of.flow.index()] += 1;
                }
                known.insert((packet.src, segment.src_port, segment.seq, segment.ack, of.flow, of.seq, of.ack));
            }
            Event::Link { event, of, .. } => {
                let Some(packet) = event.packet() else { continue };
                let Body::Tcp(segment) = &packet.body else { continue };
                let of = of.expect("every segment is a flow's");
                let told = (packet.src, segment.src_port, segment.seq, segment.ack, of.flow, of.seq, of.ack);
                assert!(known.contains(&told), "{packet:?} {of:?}");
                on_links += 1;
            }
            _ => {}
        }
    }
    // 300 and 200 kB in segments of at most 1460 bytes.
    assert!(compared[0] >= 206 && compared[1] >= 137, "{compared:?}");
    assert!(on_links > 1000);
}
