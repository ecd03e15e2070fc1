//! The packets that an observation has at hops, against the queues themselves.

use engine::{Stream, Time};
use observation::hop_timing::HopTimings;
use observation::{HopOutcome, HopPackets};
use path::queue::QueueConfig;
use path::{HopId, LinkDirection, LinkEvent, LinkId};
use sim::network::MediumSpec;
use sim::{Event, FlowId, Network, NodeEvent, NodeId, PacketFlow, Sink, World};
use testkit::{build_network, last_hop_text, shortened_examples};
use wire::{Addr, Body, Ecn, Flags, Packet, Segment};

/// A sink that follows the packets at hops.
struct HopFollower(HopPackets);

impl Sink for HopFollower {
    const ACTIVE: bool = true;
    fn event(&mut self, at: Time, event: &Event) {
        self.0.apply(at, event);
    }
}

/// Traffic that fills queues: two transfers of different classes, an upload, and datagrams.
const FLOWS: &str = r#"
from = "server"
to = "mobile"
receive_window = "90 kB"
[flows.marked]
from = "server"
to = "mobile"
start = "211 ms"
receive_window = "90 kB"
class = "EF"
tcp = { variant = "cubic", ecn = "request" }
[flows.up]
from = "mobile"
to = "server"
start = "777 ms"
[flows.call]
from = "server"
to = "mobile"
transport = "udp"
traffic = { kind = "cbr", rate = "900 kbps", packet = "500 B" }
"#;

/// Settings of a link by its transmitter: without a link layer, with a varying delay, with outages, with link layers, and
/// in a medium.
const TRANSMITTERS: [&str; 8] = [
    "",
    "[links.air.jitter]\ndelay = { kind = \"uniform\", high = \"40 ms\" }",
    "outages = [{ from = \"600 ms\", to = \"1100 ms\", packets = \"wait\" }]",
    "arq = \"stop-and-wait\"\nchannel = { kind = \"uniform\", loss = 0.1 }",
    "arq = { kind = \"selective-repeat\", window = 4 }\nchannel = { kind = \"uniform\", loss = 0.1 }",
    "arq = { kind = \"fec\", data = 4, parity = 2 }\nchannel = { kind = \"uniform\", loss = 0.1 }",
    "arq = \"ns2-lan\"\nchannel = { kind = \"uniform\", loss = 0.1 }",
    IN_MEDIUM,
];

/// Stands for a link in a medium in place of settings.
const IN_MEDIUM: &str = "medium";

/// Returns every discipline with its defaults, and with small limits if it has a limit.
fn every_queue() -> Vec<QueueConfig> {
    let settings = QueueConfig::MEMBERS.iter().flat_map(|(name, _)| {
        [
            serde_json::json!({ "kind": name }),
            serde_json::json!({ "kind": name, "limit": "12 packets" }),
            serde_json::json!({ "kind": name, "limit": "9 kB" }),
        ]
    });
    settings.filter_map(|settings| serde_json::from_value(settings).ok()).collect()
}

fn build_path(transmitter: &str, queue: &QueueConfig) -> Network {
    let settings = if transmitter == IN_MEDIUM { "" } else { transmitter };
    let mut network = build_network(&last_hop_text("duration = \"4 s\"", ("20 Mbps", "9 ms"), settings, FLOWS));
    if transmitter == IN_MEDIUM {
        network.media.push(MediumSpec { name: "cell".into(), config: path::mac::dcf::Config::default() });
        network.links[1].medium = Some(0);
    }
    network.links[1].queue = queue.clone();
    network
}

/// Runs a network, and compares the packets and bytes that wait at each hop at random moments. Returns the greatest
/// backlog of a hop in packets.
fn compare_backlogs(name: &str, network: &Network) -> usize {
    let mut draws = Stream::named(1, 0, name).draws();
    let mut world = World::new(network, true);
    let mut follower = HopFollower(HopPackets::new(HopTimings::of(network)));
    let (mut at, mut greatest) = (0, 0);
    while !world.is_over() && at < network.duration.as_nanos() {
        at += draws.next_u64() % 40_000_000;
        world.advance_until(Time::from_nanos(at), u64::MAX, &mut follower);
        for link in 0..network.links.len() {
            for direction in LinkDirection::BOTH {
                let hop = LinkId::from_index(link).hop(direction);
                let (mut packets, mut bytes) = (0, 0);
                for waits in follower.0.backlog(hop.into(), world.now()) {
                    packets += 1;
                    bytes += u64::from(waits.packet.size());
                }
                let queue = world.hop_state(hop);
                let place = format!("{name}: {hop:?} at {:?}", world.now());
                assert_eq!((packets, bytes), (queue.waiting, queue.waiting_bytes), "{place}");
                greatest = greatest.max(packets);
            }
        }
    }
    greatest
}

/// A segment of 1000 bytes from the server to the mobile, and its flow.
fn segment() -> (Packet, Option<PacketFlow>) {
    let segment = Segment { len: 1000, flags: Flags::ACK, ..Segment::default() };
    let packet = Packet::new(Addr::of_node(0), Addr::of_node(2), Body::Tcp(segment));
    (packet, Some(PacketFlow { flow: FlowId::new(0), from_sender: true, seq: Some(0), ack: Some(0) }))
}

/// The hops from the server to the station, and from there to the mobile.
const HOPS: [HopId; 2] = [LinkId::new(0).hop(LinkDirection::Forward), LinkId::new(1).hop(LinkDirection::Forward)];

fn follow_path() -> HopPackets {
    HopPackets::new(HopTimings::of(&build_path("", &QueueConfig::default())))
}

/// Copies of a segment join a queue at 1 and 2 ms; a drop names one of them, in either order.
#[test]
fn drop_takes_the_copy_that_joined_at_its_time() {
    let (packet, of) = segment();
    for (dropped, stays) in [(1, 2), (2, 1)] {
        let mut packets = follow_path();
        let mut link = |at, event| packets.apply(Time::from_millis(at), &Event::Link { hop: HOPS[1], event, of });
        link(1, LinkEvent::Joined { packet });
        link(2, LinkEvent::Joined { packet });
        // A mark in between does not make it another packet.
        let marked = Packet { ecn: Ecn::Ce, ..packet };
        let passage = link(5, LinkEvent::DroppedEarly { packet: marked, arrived: Time::from_millis(dropped) }).unwrap();
        assert_eq!((passage.joined, passage.ends), (Time::from_millis(dropped), Time::from_millis(5)));
        assert_eq!(passage.outcome, HopOutcome::DroppedEarly);
        let waiting: Vec<Time> = packets.backlog(HOPS[1].into(), Time::from_millis(5)).map(|it| it.joined).collect();
        assert_eq!(waiting, [Time::from_millis(stays)]);
    }
}

/// The original is lost on the first hop, and its repetition crosses both hops. On the second hop it is a repetition,
/// too, although no packet with this data has passed there.
#[test]
fn retransmission_remains_a_repetition_on_every_hop() {
    let (packet, of) = segment();
    let mut packets = follow_path();
    let mut repeats = Vec::new();
    let at = Time::from_millis;
    let dequeued = |at| LinkEvent::Dequeued { packet, arrived: at, starts: at, leaves: Some(at) };
    let link = |hop: usize, event| Event::Link { hop: HOPS[hop], event, of };
    let sent = Event::Node { node: NodeId::new(0), event: NodeEvent::Sent { packet }, of };
    let events = [
        (at(1), sent),
        (at(1), link(0, dequeued(at(1)))),
        (at(2), link(0, LinkEvent::Lost { packet })),
        (at(9), sent),
        (at(9), link(0, dequeued(at(9)))),
        (at(10), link(0, LinkEvent::Arrived { packet })),
        (at(10), Event::Node { node: NodeId::new(1), event: NodeEvent::Transit { packet }, of }),
        (at(10), link(1, dequeued(at(10)))),
        (at(11), link(1, LinkEvent::Arrived { packet })),
    ];
    for (at, event) in events {
        repeats
            .extend(packets.apply(at, &event).map(|passage| (passage.hop.index(), passage.outcome, passage.repeats)));
    }
    let expected = [(0, HopOutcome::Lost, false), (0, HopOutcome::Arrived, true), (2, HopOutcome::Arrived, true)];
    assert_eq!(repeats, expected);
    assert_eq!(packets.all().count(), 0);
}

#[test]
fn backlog_equals_the_length_of_every_queue_at_every_transmitter() {
    let queues = every_queue();
    assert!(QueueConfig::MEMBERS.iter().all(|(name, _)| queues.iter().any(|queue| queue.name() == *name)));
    for transmitter in TRANSMITTERS {
        for queue in &queues {
            let name = format!("{transmitter} with {queue:?}");
            let greatest = compare_backlogs(&name, &build_path(transmitter, queue));
            assert!(greatest >= 5, "{name}: at most {greatest} packets waited");
        }
    }
}

#[test]
#[ignore = "takes a minute: cargo xtask test --full"]
fn backlog_equals_the_length_of_every_queue_of_the_examples() {
    for case in shortened_examples() {
        compare_backlogs(&case.name, case.network());
    }
}
