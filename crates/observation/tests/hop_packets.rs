//! The packets that an observation has at hops, against the queues themselves.

use engine::{Stream, Time};
use observation::HopPackets;
use observation::hop_timing::{HopTimings, hop_number};
use path::queue::QueueConfig;
use path::{HopId, LinkDirection};
use sim::network::MediumSpec;
use sim::{Event, Network, Sink, World};
use testkit::{build_network, last_hop_text, shortened_examples};

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

/// Every discipline with its defaults, and with small limits if it has a limit.
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
        for link in 0..network.links.len() as u32 {
            for direction in LinkDirection::BOTH {
                let hop = HopId { link, direction };
                let (mut packets, mut bytes) = (0, 0);
                for waits in follower.0.backlog(hop_number(hop), world.now()) {
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
