//! Contracts of all queue disciplines, built from their names alone and with a limit.

use crate::common;

use std::collections::BTreeMap;

use common::{EventLog, packet};
use engine::{IdVec, Order, Schedule, Stream, Time};
use path::link::HopCounters;
use path::queue::backlog::Offer;
use path::queue::{Backlog, Limit, QueueAction, QueueConfig, QueueCx, Queued};
use path::{Cx, LinkDirection, LinkId};
use proptest::prelude::*;
use serde_json::json;
use wire::{Ecn, Packet};

/// Returns every discipline with its defaults. A discipline with a limit is returned also with limits of 5 packets and
/// of 3000 bytes.
fn every_queue() -> Vec<QueueConfig> {
    let settings = QueueConfig::MEMBERS.iter().flat_map(|(name, _)| {
        [
            json!({ "kind": name }),
            json!({ "kind": name, "limit": "5 packets" }),
            json!({ "kind": name, "limit": "3 kB" }),
        ]
    });
    let all: Vec<QueueConfig> = settings.filter_map(|settings| serde_json::from_value(settings).ok()).collect();
    assert!(all.len() >= QueueConfig::MEMBERS.len() && all.iter().all(|config| config.check().is_empty()));
    for (name, _) in QueueConfig::MEMBERS {
        assert!(all.iter().any(|config| config.name() == *name), "{name} has settings without defaults");
    }
    all
}

fn number(packet: &Packet) -> u32 {
    packet.data().expect("a segment").seq.0
}

/// Fate of each packet, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Waits,
    Refused,
    Dropped,
    Sent,
}

/// Offers packets and takes them out at random, and checks all invariants of a discipline; returns the fate of each
/// packet.
fn run(config: &QueueConfig, seed: u64) -> BTreeMap<u32, Fate> {
    let name = config.name();
    let mut draws = Stream::named(seed, 0, "queue contracts").draws();
    let mut queue = config.build(Stream::named(seed, 0, "queue"));
    let mut fates: BTreeMap<u32, Fate> = BTreeMap::new();
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    for step in 0..600_u32 {
        let now = Time::from_millis(u64::from(step / 3));
        let mut actions = Vec::new();
        let mut cx = QueueCx::new(now, (0, 0), &mut actions);
        // Phases with more arrivals than departures, and the reverse.
        let arrives = draws.next_u64() % 8 < if (step / 100).is_multiple_of(2) { 6 } else { 2 };
        if arrives {
            let mut arriving = packet(step, 60 + (draws.next_u64() % 1400) as u32);
            arriving.ecn = if draws.next_u64().is_multiple_of(2) { Ecn::Ect0 } else { Ecn::NotEct };
            sizes.insert(step, u64::from(arriving.size()));
            let at_once = queue.is_empty();
            let expedited = draws.next_u64().is_multiple_of(16);
            let queued = Queued { packet: arriving, arrived: now, order: Order::default(), expedited, at_once };
            let refused = queue.enqueue(queued, &mut cx).is_err();
            assert!(!(refused && at_once), "{name} refuses a packet that does not wait");
            fates.insert(step, if refused { Fate::Refused } else { Fate::Waits });
            match queue.limit() {
                _ if at_once => {}
                Limit::None => {}
                Limit::Packets(most) => assert!(queue.len() <= most as usize, "{name}: {} packets", queue.len()),
                Limit::Bytes(most) => assert!(queue.bytes() <= most, "{name}: {} bytes", queue.bytes()),
            }
        } else {
            let waited = queue.len();
            let sent = queue.dequeue(&mut cx);
            assert_eq!(sent.is_some(), waited > 0, "{name} leaves a transmitter without a packet");
            if let Some(queued) = sent {
                assert!(queued.arrived <= now, "{name}: a packet from the future");
                assert_eq!(fates.insert(number(&queued.packet), Fate::Sent), Some(Fate::Waits), "{name}");
            }
        }
        for action in actions {
            match action {
                QueueAction::Dropped(Queued { packet, arrived, .. }, _) => {
                    assert_eq!(arrived, Time::from_millis(u64::from(number(&packet) / 3)), "{name}: when it arrived");
                    assert_eq!(
                        fates.insert(number(&packet), Fate::Dropped),
                        Some(Fate::Waits),
                        "{name} drops what is not there"
                    );
                }
                QueueAction::Marked(packet) => assert_eq!(packet.ecn, Ecn::Ce, "{name}"),
            }
        }
        let waiting: Vec<u32> = queue.packets().map(number).collect();
        assert_eq!(waiting.len(), queue.len(), "{name}");
        assert_eq!(waiting.iter().map(|number| sizes[number]).sum::<u64>(), queue.bytes(), "{name}");
        let expected = fates.iter().filter(|(_, fate)| **fate == Fate::Waits).count();
        assert_eq!(queue.len(), expected, "{name} loses packets, or has too many");
    }
    fates
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_packet_leaves_once_and_the_same_seed_gives_the_same_fates(seed in any::<u64>()) {
        for config in every_queue() {
            prop_assert_eq!(run(&config, seed), run(&config, seed));
        }
    }
}

/// Packets 1 to 4 wait behind packet 0. With a limit of 3 packets the last one is refused, and an expedited one is sent
/// first.
#[test]
fn drop_tail_drops_arrivals_and_serves_expedited_packets_first() {
    let config: QueueConfig = Limit::Packets(3).into();
    let mut queue = config.build(Stream::default());
    let mut actions = Vec::new();
    let mut cx = QueueCx::new(Time::ZERO, (0, 0), &mut actions);
    let queued = |seq| Queued {
        packet: packet(seq, 100),
        arrived: Time::ZERO,
        order: Order::default(),
        expedited: seq == 3,
        at_once: false,
    };
    let accepted = [1, 2, 3, 4].map(|seq| queue.enqueue(queued(seq), &mut cx).is_ok());
    assert_eq!(accepted, [true, true, true, false]);
    let order: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|queued| number(&queued.packet)).collect();
    assert_eq!(order, [3, 1, 2]);
}

/// Packets of 1000 bytes arrive twice as fast as they are sent. Each packet is peeked before it is sent, as a station
/// does to build an aggregate. `pop` returns the packet that `peek` returned, no packet is lost between the two calls,
/// and no drop is counted twice.
#[test]
fn peeked_packet_is_the_next_one_and_counts_as_waiting() {
    for config in every_queue() {
        let name = config.name();
        let mut backlog = Backlog::new(&config, Stream::named(1, 0, "queue"));
        let (mut schedule, mut log, mut counters) = (Schedule::new(), EventLog::default(), HopCounters::default());
        let hop = LinkId::new(0).hop(LinkDirection::Forward);
        let (mut arrived, mut sent, mut dropped) = (0, 0, 0);
        for millisecond in 0..1000 {
            let now = Time::from_millis(millisecond);
            let mut cx = Cx { now, schedule: &mut schedule, channels: &mut IdVec::default(), observer: &mut log };
            let offer = Offer { at_once: backlog.is_empty(), ..Offer::default() };
            let accepted = backlog.offer(&packet(arrived, 960), offer, hop, &mut counters, &mut cx);
            arrived += 1;
            dropped += u32::from(!accepted);
            if millisecond % 2 == 1 {
                let peeked = backlog.peek(hop, &mut counters, &mut cx);
                let waiting = (backlog.len(), backlog.bytes(), backlog.packets().next().copied());
                assert_eq!(waiting.2, peeked, "{name}");
                let popped = backlog.pop(hop, &mut counters, &mut cx, |queued| queued.packet);
                assert_eq!((peeked, backlog.len() + 1), (popped, waiting.0), "{name}");
                assert_eq!(backlog.bytes() + 1000, waiting.1, "{name}");
                sent += 1;
            }
            dropped += backlog.take_dropped().packets;
        }
        assert_eq!(
            (arrived, u64::from(dropped)),
            (sent + dropped + backlog.len() as u32, counters.packets_dropped),
            "{name}"
        );
    }
}
