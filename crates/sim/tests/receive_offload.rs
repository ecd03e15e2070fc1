//! Generic receive offload of a Linux host in a cell: the packets of an aggregate arrive at one moment.

use engine::Time;
use sim::{Event, NodeEvent};
use testkit::{build_network, record_events};
use wire::{Body, Flags, Segment};

/// A download over aggregates of at most 32 packets, without losses. The sender sets no PSH, which would end a group.
fn download(receiver: &str) -> String {
    format!(
        r#"
        duration = "5 s"
        nodes = {{ server = "host", ap = "base-station", laptop = "host" }}
        [media.cell]
        standard = "802.11n"
        rate = "65 Mbps"
        aggregation = {{ frames = 32 }}
        [links.wire]
        kind = "wired"
        between = ["server", "ap"]
        rate = "1 Gbps"
        delay = "5 ms"
        [links.air]
        kind = "wireless"
        between = ["ap", "laptop"]
        medium = "cell"
        queue = "400 packets"
        [flows.download]
        from = "server"
        to = "laptop"
        receive_window = "512 KiB"
        [flows.download.tcp]
        variant = "linux"
        handshake = true
        tso = false
        receiver = {{ {receiver} }}
        "#
    )
}

/// Arrivals at the laptop, and its acknowledgments.
#[derive(Default)]
struct Download {
    segments: usize,
    /// Groups that arrive at one moment with one header, in order (`tcp_gro_receive`).
    groups: usize,
    /// Moments with a group of at least two segments.
    joined: usize,
    acks: usize,
}

fn run(receiver: &str) -> Download {
    let (_, events) = record_events(&build_network(&download(receiver)));
    let mut seen = Download::default();
    let mut group: Option<(Time, Segment, usize)> = None;
    let mut last_joined = None;
    for (at, event) in events {
        let (packet, arrives) = match event {
            Event::Node { event: NodeEvent::Received { packet }, of: Some(of), .. } if of.from_sender => (packet, true),
            Event::Node { event: NodeEvent::Sent { packet }, of: Some(of), .. } if !of.from_sender => (packet, false),
            _ => continue,
        };
        let Body::Tcp(segment) = packet.body else { continue };
        if !arrives {
            seen.acks += usize::from(segment.len == 0 && segment.flags == Flags::ACK);
            continue;
        }
        if segment.len == 0 {
            continue;
        }
        seen.segments += 1;
        let continues = group.filter(|(time, last, _)| {
            *time == at
                && last.seq + last.len == segment.seq
                && (last.ack, last.options, last.flags) == (segment.ack, segment.options, Flags::ACK)
        });
        let number = continues.map_or(1, |(_, _, number)| number + 1);
        seen.groups += usize::from(number == 1);
        if number == 2 && last_joined != Some(at) {
            seen.joined += 1;
            last_joined = Some(at);
        }
        group = Some((at, segment, number));
    }
    seen
}

/// A group has at most one acknowledgment, and a moment with a group of two or more segments at least one. The handshake
/// has one more. Segments of different milliseconds have different timestamps and are not joined: at 65 Mbps at most six
/// segments a millisecond share an acknowledgment, instead of two.
#[test]
fn aggregate_is_acknowledged_once_with_offload() {
    let (without, with) = (run("gro = false"), run("gro = true"));
    assert!(without.acks >= without.segments / 2, "{} of {}", without.acks, without.segments);
    assert!((with.joined..=with.groups + 1).contains(&with.acks), "{} of {}", with.acks, with.groups);
    assert!(2 * with.acks < without.acks, "{} and {}", with.acks, without.acks);
}
