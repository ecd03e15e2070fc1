//! Datagrams through an emulated network, in simulated time.

use crate::common;

use std::collections::BTreeSet;

use common::{Passed, network, run, udp, us};
use engine::Time;
use etherparse::PacketBuilder;
use proptest::prelude::*;
use sim::{Event, NodeEvent, World};
use wire::{Body, Ecn};

/// Datagrams of 1250 bytes from node 0 to node 2, one every `interval` microseconds.
fn constant_rate(count: u32, interval: u64) -> Vec<Passed> {
    (0..count).map(|number| (us(interval * u64::from(number)), 0, udp([0, 2], 1250, number))).collect()
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes[28..32].try_into().unwrap())
}

/// Each packet takes 10 us on the wire at 1 Gbps, 1000 us in the air at 10 Mbps, and 20 ms.
#[test]
fn rate_and_delay_are_exact_in_simulated_time() {
    let network = network("", "rate = \"1 Gbps\"\ndelay = \"15 ms\"", "rate = \"10 Mbps\"\ndelay = \"5 ms\"");
    let sent = constant_rate(500, 1000);
    let (received, emulator, lateness) = run(&network, sent.clone(), Time::from_millis(2000));
    let expected: Vec<Passed> =
        sent.into_iter().enumerate().map(|(n, (_, _, bytes))| (us(1000 * n as u64 + 21_010), 1, bytes)).collect();
    assert_eq!(received, expected);
    assert_eq!((lateness.all().count(), lateness.all().max()), (500, Some(0)));
    let counts = emulator.counts();
    assert_eq!((counts.entered, counts.verbatim, counts.rebuilt, counts.forgotten), (500, 500, 0, 0));
    assert_eq!((counts.bytes_entered, counts.bytes_left), (625_000, 625_000));
}

/// The station has no device, so the simulation answers.
#[test]
fn node_without_device_answers_echo_requests_only() {
    let network = network("", "rate = \"1 Gbps\"\ndelay = \"15 ms\"", "rate = \"10 Mbps\"\ndelay = \"5 ms\"");
    let data = [7; 56];
    let (mut request, mut reply, mut datagram) = (Vec::new(), Vec::new(), Vec::new());
    let built =
        |from, to| PacketBuilder::ipv4(emulate::ipv4_of_node(from).octets(), emulate::ipv4_of_node(to).octets(), 64);
    built(2, 1).icmpv4_echo_request(5, 6).write(&mut request, &data).unwrap();
    built(1, 2).icmpv4_echo_reply(5, 6).write(&mut reply, &data).unwrap();
    built(2, 1).udp(5, 6).write(&mut datagram, &data).unwrap();
    let sent = vec![(us(0), 1, request), (us(1000), 1, datagram)];
    let (received, emulator, _) = run(&network, sent, Time::from_millis(100));
    // 84 bytes at 10 Mbps take 67.2 us, in each direction.
    assert_eq!(received, [(Time::from_nanos(10_134_400), 1, reply)]);
    let counts = emulator.counts();
    assert_eq!((counts.entered, counts.answered, counts.unclaimed, counts.verbatim), (2, 1, 1, 1));
}

/// Packets arrive at twice the rate of the air. With a queue of 50 packets one of two packets is dropped in the steady
/// state.
#[test]
fn queue_limits_the_rate_to_that_of_the_link() {
    let air = "rate = \"10 Mbps\"\ndelay = \"5 ms\"\nqueue = \"50 packets\"";
    let network = network("", "rate = \"1 Gbps\"\ndelay = \"15 ms\"", air);
    let (received, ..) = run(&network, constant_rate(2000, 500), Time::from_millis(1020));
    // One packet each millisecond from 21.01 ms on.
    let times: Vec<Time> = received.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, (0..999).map(|n| us(21_010 + 1000 * n)).collect::<Vec<_>>());
}

/// If channel and times are equal, an emulation loses the same packets as a simulation of the same datagrams.
#[test]
fn channel_drops_the_same_packets_as_in_a_simulation() {
    for channel in [
        "channel = { kind = \"scripted\", bad = [[\"100 ms\", \"130 ms\"], [\"300 ms\", \"301 ms\"]] }",
        "channel = { kind = \"uniform\", loss = 0.1 }",
        "channel = { kind = \"two-state\", mean_good = \"50 ms\", mean_bad = \"20 ms\" }",
    ] {
        let air = format!("rate = \"10 Mbps\"\ndelay = \"5 ms\"\n{channel}");
        let text = format!(
            "duration = \"2 s\"\n[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}\n\
             mobile = {{ kind = \"host\" }}\n[links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\n\
             rate = \"1 Gbps\"\ndelay = \"15 ms\"\n[links.air]\nkind = \"wireless\"\nbetween = [\"station\", \"mobile\"]\n\
             {air}\n[flows.datagrams]\nfrom = \"server\"\nto = \"mobile\"\n\
             traffic = {{ kind = \"cbr\", rate = \"4888 kbps\", packet = \"1222 B\" }}\ntransport = \"udp\"\nstop = \"1 s\"\n"
        );
        let simulated = scenario::load::from_toml("test", &text);
        let simulated = simulated.unwrap_or_else(|problems| panic!("{problems:?}")).network;
        let mut events: Vec<(Time, Event)> = Vec::new();
        World::new(&simulated, true).run(&mut events);
        let arrived: BTreeSet<u32> = events
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Node { node, event: NodeEvent::Received { packet }, .. } if node.index() == 2 => {
                    match &packet.body {
                        Body::Datagram(datagram) => Some(datagram.number),
                        _ => None,
                    }
                }
                _ => None,
            })
            .collect();
        let network = network("", "rate = \"1 Gbps\"\ndelay = \"15 ms\"", &air);
        let (received, ..) = run(&network, constant_rate(500, 2000), Time::from_millis(2000));
        let emulated: BTreeSet<u32> = received.iter().map(|(_, _, bytes)| number(bytes)).collect();
        assert!((300..499).contains(&arrived.len()), "{channel}: {} arrive", arrived.len());
        assert_eq!(emulated, arrived, "{channel}");
    }
}

/// Packets of all kinds arrive as they were sent, in both directions and both families, with their size on the wire.
#[test]
fn packets_of_all_protocols_arrive_verbatim() {
    let [a4, b4] = [0, 2].map(|node| emulate::ipv4_of_node(node).octets());
    let [a6, b6] = [0, 2].map(|node| emulate::ipv6_of_node(node).octets());
    let mut packets = Vec::new();
    let data = [7; 100];
    let mut add = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = Vec::new();
        write(&mut bytes);
        packets.push(bytes);
    };
    add(&|to| PacketBuilder::ipv4(a4, b4, 9).udp(1, 2).write(to, &data).unwrap());
    add(&|to| PacketBuilder::ipv4(a4, b4, 9).icmpv4_echo_request(5, 6).write(to, &data).unwrap());
    add(&|to| PacketBuilder::ipv4(a4, b4, 9).icmpv4_echo_reply(5, 6).write(to, &[]).unwrap());
    add(&|to| PacketBuilder::ipv4(a4, b4, 9).tcp(1, 2, 3, 4).write(to, &data).unwrap());
    add(&|to| PacketBuilder::ipv6(a6, b6, 9).udp(1, 2).write(to, &data).unwrap());
    add(&|to| PacketBuilder::ipv6(a6, b6, 9).icmpv6_echo_request(5, 6).write(to, &data).unwrap());
    add(&|to| PacketBuilder::ipv6(a6, b6, 9).tcp(1, 2, 3, 4).write(to, &data).unwrap());
    // One packet has no payload, and one has options that this TCP does not know (30 is MPTCP).
    add(&|to| PacketBuilder::ipv4(a4, b4, 9).write(to, 99.into(), &[]).unwrap());
    let options = [30, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 4, 5, 0xb4];
    add(&|to| {
        PacketBuilder::ipv4(a4, b4, 9).tcp(1, 2, 9, 4).syn().options_raw(&options).unwrap().write(to, &[]).unwrap();
    });
    let network = network("", "rate = \"1 Mbps\"\ndelay = \"1 ms\"\n", "rate = \"1 Mbps\"\ndelay = \"1 ms\"");
    for (n, bytes) in packets.into_iter().enumerate() {
        // At 1 Mbps a byte takes 8 us on each link. Therefore the arrival time shows the size.
        let (received, ..) = run(&network, vec![(us(0), 0, bytes.clone())], Time::from_millis(100));
        assert_eq!(received, [(us(2000 + 16 * bytes.len() as u64), 1, bytes)], "packet {n}");
    }
}

#[test]
fn packets_without_a_destination_stay_on_their_link() {
    let network = network("", "rate = \"1 Mbps\"\ndelay = \"1 ms\"\n", "rate = \"1 Mbps\"\ndelay = \"1 ms\"");
    let mut multicast = Vec::new();
    PacketBuilder::ipv4([10, 0, 0, 1], [224, 0, 0, 251], 1).udp(5353, 5353).write(&mut multicast, &[0; 9]).unwrap();
    let mut cut = udp([0, 2], 200, 0);
    cut.truncate(199);
    let to_router = udp([0, 1], 200, 0);
    let packets = vec![(us(0), 0, multicast), (us(0), 0, cut), (us(0), 0, Vec::new()), (us(0), 0, to_router)];
    let (received, emulator, _) = run(&network, packets, Time::from_millis(100));
    let counts = emulator.counts();
    assert!(received.is_empty());
    assert_eq!((counts.local, counts.unreadable, counts.entered, counts.unclaimed), (1, 2, 1, 1));
}

/// The queue marks instead of dropping. The ECN field changes with its checksum, and no other field changes.
#[test]
fn mark_of_a_queue_changes_only_the_ecn_field() {
    let air = "rate = \"1 Mbps\"\ndelay = \"1 ms\"\nqueue = { kind = \"drop-tail\", limit = \"100 packets\", \
               ecn_threshold = \"3 packets\" }";
    let network = network("", "rate = \"1 Gbps\"\ndelay = \"1 ms\"\n", air);
    let sent: Vec<Vec<u8>> = (0..10)
        .map(|number| {
            let mut bytes = udp([0, 2], 500, number);
            bytes[1] = Ecn::Ect0.bits();
            checksum(&mut bytes);
            bytes
        })
        .collect();
    let packets = sent.iter().map(|bytes| (us(0), 0, bytes.clone())).collect();
    let (received, emulator, _) = run(&network, packets, Time::from_millis(1000));
    let marked = received.iter().filter(|(_, _, bytes)| bytes[1] == Ecn::Ce.bits()).count();
    assert_eq!((received.len(), emulator.counts().marked), (10, marked as u64));
    assert!((3..10).contains(&marked), "{marked}");
    for ((_, _, bytes), sent) in received.iter().zip(&sent) {
        let mut expected = sent.clone();
        expected[1] = bytes[1];
        checksum(&mut expected);
        assert_eq!(*bytes, expected);
    }
}

/// Sets the checksum of an IPv4 header, by adding up all of its words.
fn checksum(bytes: &mut [u8]) {
    bytes[10..12].fill(0);
    let sum: u32 = bytes[..20].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
}

/// A packet of a random kind, with random bytes changed or cut off.
fn packet() -> impl Strategy<Value = Vec<u8>> {
    let real = (0u8..6, prop::collection::vec(any::<u8>(), 0..80), any::<[u16; 2]>(), any::<[u32; 2]>()).prop_map(
        |(kind, data, ports, numbers)| {
            let [a4, b4] = [0, 2].map(|node| emulate::ipv4_of_node(node).octets());
            let [a6, b6] = [0, 2].map(|node| emulate::ipv6_of_node(node).octets());
            let [p, q] = ports.map(|port| port % 4);
            let mut to = Vec::new();
            let [seq, ack] = numbers.map(|number| number & 0xff00_007f);
            match kind {
                0 => PacketBuilder::ipv4(a4, b4, 9).udp(p, q).write(&mut to, &data).unwrap(),
                1 => PacketBuilder::ipv6(a6, b6, 9).udp(p, q).write(&mut to, &data).unwrap(),
                2 => PacketBuilder::ipv4(a4, b4, 9).icmpv4_echo_request(p, q).write(&mut to, &data).unwrap(),
                3 => PacketBuilder::ipv6(a6, b6, 9).tcp(p, q, seq, 4).ack(ack).write(&mut to, &data).unwrap(),
                4 => PacketBuilder::ipv4(a4, b4, 9).tcp(p, q, seq, 4).syn().write(&mut to, &[]).unwrap(),
                _ => PacketBuilder::ipv4(a4, b4, 9).tcp(p, q, seq, 4).ack(ack).write(&mut to, &data).unwrap(),
            }
            to
        },
    );
    let changes = prop::collection::vec((any::<u8>(), any::<u8>()), 0..4);
    let changed = (real.clone(), changes, any::<Option<u8>>()).prop_map(|(mut bytes, changes, cut)| {
        for (at, to) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] = to;
        }
        if let Some(cut) = cut {
            bytes.truncate(usize::from(cut));
        }
        bytes
    });
    prop_oneof![4 => real, 2 => changed, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Without a scheme and without losses every packet leaves the network unchanged, apart from packets that the
    /// station answers.
    #[test]
    fn random_packets_are_forwarded_unchanged(packets in prop::collection::vec((any::<bool>(), packet()), 1..40)) {
        let network = network("", "rate = \"1 Gbps\"\ndelay = \"1 ms\"", "rate = \"1 Gbps\"\ndelay = \"1 ms\"");
        let sent: Vec<Passed> = packets
            .into_iter()
            .enumerate()
            .map(|(n, (back, bytes))| (us(n as u64), usize::from(back), bytes))
            .collect();
        let (received, emulator, _) = run(&network, sent.clone(), Time::from_millis(100));
        let counts = emulator.counts();
        prop_assert_eq!(counts.entered + counts.local + counts.unreadable, sent.len() as u64);
        prop_assert_eq!(counts.verbatim + counts.unclaimed, counts.entered);
        prop_assert_eq!((counts.rebuilt, counts.forgotten, counts.marked), (0, 0, 0));
        let mut all: Vec<&Vec<u8>> = sent.iter().map(|(_, _, bytes)| bytes).collect();
        let station = [emulate::ipv4_of_node(1).into(), emulate::ipv6_of_node(1).into()];
        let mut answers = 0;
        for (_, _, bytes) in &received {
            match all.iter().position(|sent| *sent == bytes) {
                Some(at) => drop(all.swap_remove(at)),
                None => {
                    let from = emulate::IpFrame::read(bytes).map(|frame| frame.src);
                    prop_assert!(from.is_some_and(|from| station.contains(&from)), "{:?} was not sent", bytes);
                    answers += 1;
                }
            }
        }
        prop_assert!(answers <= counts.answered);
    }

    /// Schemes and losses with packets of all kinds: no panic, and each packet that comes out is complete.
    #[test]
    fn random_packets_through_schemes_cause_no_panic_and_stay_complete(
        scheme in prop::sample::select(vec!["snoop", "split", "freeze-tcp", "m-tcp", "tack", "packet-control", "eln"]),
        packets in prop::collection::vec((any::<bool>(), packet()), 1..60),
    ) {
        let air = "rate = \"1 Mbps\"\ndelay = \"1 ms\"\nchannel = { kind = \"two-state\", mean_good = \"2 ms\", \
                   mean_bad = \"1 ms\" }";
        let network = network(&format!("scheme = \"{scheme}\""), "rate = \"1 Gbps\"\ndelay = \"1 ms\"", air);
        let sent = packets.into_iter().enumerate();
        let sent = sent.map(|(n, (back, bytes))| (us(300 * n as u64), usize::from(back), bytes)).collect();
        let (received, ..) = run(&network, sent, Time::from_millis(3000));
        for (_, _, bytes) in received {
            prop_assert!(emulate::IpFrame::read(&bytes).is_some());
        }
    }
}
