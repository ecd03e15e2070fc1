//! Aggregates, computed by hand: 802.11n at 65 Mbps, back-offs of zero slots, 1 us between the stations, packets of
//! 1,500 bytes.
//!
//! A single packet is 1,538 bytes, 22 + 8 x 1,538 bits in 48 symbols of 260: 36 + 192 = 228 us. Its acknowledgment has
//! 14 bytes, at 24 Mbps 2 symbols: 28 us. k packets are 1,544 k - 2 bytes: each has a delimiter of 4 bytes, and all but
//! the last are padded to multiples of 4. A block acknowledgment has 32 bytes: 32 us. SIFS is 16 us and DIFS 34 us.

use crate::common::EventLog;

use engine::{Bytes, IdVec, Schedule, Span, Stream, Time};
use path::MediumStationId;
use path::channel::{ChannelConfig, perfect, scripted, uniform};
use path::link::HopCounters;
use path::mac::dcf::config::Aggregation;
use path::mac::dcf::{Config, FrameKind, Standard};
use path::medium::{Medium, QueueId, StationSpec, TxQueueSpec};
use path::outcome::LinkOutcome;
use path::queue::{QueueConfig, RouterBuffer};
use path::scheduler::SchedulerConfig;
use path::{Cx, LinkDirection, LinkId, MediumEvent, MediumId};
use wire::{Addr, Body, Flags, Packet, Segment, SeqNum};

/// Returns start, kind and size of every frame.
fn sent_frames(log: &EventLog) -> Vec<(Time, &'static str, u32)> {
    let frame = |(_, event)| match event {
        MediumEvent::Sent { frame, .. } => Some((frame.start, frame.kind.name(), frame.size)),
        _ => None,
    };
    log.medium_events().filter_map(frame).collect()
}

/// Returns the packet numbers in the events of aggregates and block acknowledgments.
fn named_packets(log: &EventLog) -> Vec<(&'static str, Vec<u64>)> {
    let packets = |(_, event)| match event {
        MediumEvent::Sent { frame, .. } if matches!(frame.kind, FrameKind::Aggregate | FrameKind::BlockAck) => {
            Some((frame.kind.name(), frame.packets.iter().collect()))
        }
        MediumEvent::Ended { kind: FrameKind::Aggregate, damaged, .. } => Some(("damaged", damaged.iter().collect())),
        _ => None,
    };
    log.medium_events().filter_map(packets).collect()
}

fn packet(number: u32) -> Packet {
    let (ack, flags) = (SeqNum(0), Flags::ACK);
    let segment =
        Segment { src_port: 1, dst_port: 2, seq: SeqNum(number), ack, flags, len: 1460, ..Segment::default() };
    Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment))
}

struct Outcomes {
    /// Packets delivered forward and backward, with their times.
    delivered: [Vec<(Time, u32)>; 2],
    /// Time in microseconds, number, and attempts of each packet reported as acknowledged.
    acknowledged: Vec<(u64, u32, u32)>,
    /// Number of packets reported as given up.
    given_up: [usize; 2],
    /// Bytes freed in the node's buffer.
    freed: u64,
    counters: [HopCounters; 2],
    log: EventLog,
}

/// Runs two stations; station i sends `offered[i]` packets to the other from time zero.
fn exchange(config: &Config, channel: ChannelConfig, offered: [u32; 2]) -> Outcomes {
    assert_eq!(config.check(), []);
    let mut schedule = Schedule::new();
    let slots = [schedule.slot(), schedule.slot()];
    let station = |number: usize| {
        let direction = if number == 0 { LinkDirection::Forward } else { LinkDirection::Backward };
        let (hop, to) = (LinkId::new(0).hop(direction), 1 - number as u32);
        let queue = TxQueueSpec {
            hop,
            to: MediumStationId::new(to),
            queue: QueueConfig::default(),
            stream: Stream::default(),
            rate: None,
            reports_deliveries: true,
        };
        let stream = Stream::named(1, 0, &format!("station {number}"));
        StationSpec {
            slot: slots[number],
            scheduler: SchedulerConfig::RoundRobin(Default::default()),
            queues: vec![queue],
            stream,
            beacons: None,
        }
    };
    let mut medium = Medium::new(MediumId::new(0), config, vec![station(0), station(1)], None);
    let mut channels = IdVec::from(vec![channel.build(Stream::named(1, 0, "air"))]);
    let mut outcomes = Outcomes {
        delivered: Default::default(),
        acknowledged: Vec::new(),
        given_up: [0; 2],
        freed: 0,
        counters: Default::default(),
        log: EventLog::default(),
    };
    let mut now = Time::ZERO;
    for (station, count) in (0..).zip(offered) {
        for number in 0..count {
            let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut outcomes.log };
            assert!(medium.on_packet(
                QueueId { station: MediumStationId::new(station), queue: 0 },
                packet(number),
                false,
                &mut RouterBuffer::default(),
                &mut cx
            ));
        }
    }
    while let Some((at, slot)) = schedule.next(Time::NEVER) {
        now = at;
        let station = u32::from(slot != slots[0]);
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut outcomes.log };
        medium.on_wake(MediumStationId::new(station), &mut cx);
        while let Some((hop, outcome)) = medium.outcome() {
            let direction = hop.direction.index();
            match outcome {
                LinkOutcome::Delivered(packet) => {
                    outcomes.delivered[direction].push((now, packet.data().unwrap().seq.0));
                }
                LinkOutcome::Failed(notice) => outcomes.given_up[direction] += usize::from(notice.last),
                LinkOutcome::Acknowledged(notice) => {
                    let number = notice.packet.data().unwrap().seq.0;
                    outcomes.acknowledged.push((micros(now), number, notice.attempts));
                }
                LinkOutcome::Freed(bytes) => outcomes.freed += u64::from(bytes),
            }
        }
    }
    outcomes.counters =
        [0, 1].map(|station| medium.counters(QueueId { station: MediumStationId::new(station), queue: 0 }, now));
    outcomes
}

fn cell(aggregation: Option<Aggregation>) -> Config {
    Config { standard: Standard::N, aggregation, cw_min: Some(0), cw_max: Some(0), ..Config::default() }
}

fn micros(at: Time) -> u64 {
    assert_eq!(at.as_nanos() % 1000, 0);
    at.as_nanos() / 1000
}

/// The first packet is sent alone because the medium is idle. The next three packets follow in an aggregate at 274 + 34
/// us, with 4,630 bytes: 143 symbols, 608 us. The second packet of the aggregate is lost and retransmitted alone, and
/// the third packet is delivered after it.
#[test]
fn lost_packet_of_an_aggregate_is_retransmitted() {
    let lossy = ChannelConfig::Scripted(scripted::Config { drop: vec![2], ..Default::default() });
    let seen = exchange(&cell(Some(Aggregation::default())), lossy, [4, 0]);
    let frames: Vec<(u64, &str, u32)> =
        sent_frames(&seen.log).iter().map(|(at, kind, size)| (micros(*at), *kind, *size)).collect();
    let expected = [
        (0, "DATA", 1538),
        (245, "ACK", 14),
        (308, "A-MPDU", 4630),
        (933, "BLOCK-ACK", 32),
        (1000, "DATA", 1538),
        (1245, "ACK", 14),
    ];
    assert_eq!(frames, expected);
    let delivered: Vec<(u64, u32)> = seen.delivered[0].iter().map(|(at, number)| (micros(*at), *number)).collect();
    assert_eq!(delivered, [(229, 0), (917, 1), (1229, 2), (1229, 3)]);
    // Acknowledgments end 34 us before the next frame; the block acknowledgment covers packets 1 and 3.
    assert_eq!(seen.acknowledged, [(274, 0, 1), (966, 1, 1), (966, 3, 1), (1274, 2, 2)]);
    let counters = seen.counters[0];
    assert_eq!((counters.frames_sent, counters.frames_corrupted, counters.packets_delivered), (5, 1, 4));
    assert_eq!(seen.freed, 4 * 1500);
}

/// Packets 1 to 5 form an aggregate, 2 and 4 are damaged and retransmitted, together with 6 to 8 if there are new
/// packets.
#[test]
fn events_name_the_packets_of_aggregates() {
    let lossy = ChannelConfig::Scripted(scripted::Config { drop: vec![2, 4], ..Default::default() });
    let limits = Some(Aggregation { frames: 5, ..Aggregation::default() });
    let seen = exchange(&cell(limits), lossy, [9, 0]);
    let expected = [
        ("A-MPDU", vec![1, 2, 3, 4, 5]),
        ("damaged", vec![2, 4]),
        ("BLOCK-ACK", vec![1, 3, 5]),
        ("A-MPDU", vec![2, 4, 6, 7, 8]),
        ("damaged", vec![]),
        ("BLOCK-ACK", vec![2, 4, 6, 7, 8]),
    ];
    assert_eq!(named_packets(&seen.log), expected);
    // All packets of a collided aggregate are lost.
    let seen = exchange(
        &Config { short_retry_limit: Some(1), ..cell(limits) },
        ChannelConfig::Perfect(perfect::Config::default()),
        [4, 4],
    );
    let told = named_packets(&seen.log);
    assert!(told.iter().any(|(what, _)| *what == "A-MPDU"), "{told:?}");
    assert!(told.iter().all(|(what, numbers)| *what != "damaged" || numbers.len() == 3), "{told:?}");
}

/// A packet that is given up does not block later packets. With one retry, packet 1 is lost twice, and packet 2 is
/// delivered after the second loss.
#[test]
fn given_up_packet_does_not_block_delivery() {
    let config = Config { short_retry_limit: Some(2), ..cell(Some(Aggregation::default())) };
    // The frames contain these packets: 0; 1 2 3; 1.
    let lossy = ChannelConfig::Scripted(scripted::Config { drop: vec![1, 4], ..Default::default() });
    let seen = exchange(&config, lossy, [4, 0]);
    let numbers: Vec<u32> = seen.delivered[0].iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, [0, 2, 3]);
    // The second attempt ends at 1000 + 228 us; its acknowledgment could have begun within 16 + 9 + 33 us.
    assert_eq!(micros(seen.delivered[0][1].0), 1228 + 58);
    assert_eq!((seen.given_up[0], seen.counters[0].packets_dropped, seen.freed), (1, 1, 4 * 1500));
}

/// Limits of packets, bytes and duration: 1,544 k - 2 bytes of k packets fit in 10,000 bytes for k = 6; at 6.5 Mbps an
/// aggregate takes 36 us and a symbol of 4 us per 26 bits, and 4 ms suffice for k = 2.
#[test]
fn aggregate_does_not_exceed_its_limits() {
    let sizes = |config: Config| {
        let seen = exchange(&config, ChannelConfig::Perfect(perfect::Config::default()), [13, 0]);
        let numbers: Vec<u32> = seen.delivered[0].iter().map(|(_, number)| *number).collect();
        assert_eq!(numbers, (0..13).collect::<Vec<_>>());
        let data = sent_frames(&seen.log).into_iter().filter(|(_, kind, _)| *kind == "A-MPDU" || *kind == "DATA");
        data.map(|(_, _, size)| if size == 1538 { 1 } else { (size + 2) / 1544 }).collect::<Vec<u32>>()
    };
    let of = |aggregation| sizes(cell(Some(aggregation)));
    let all = Aggregation::default();
    assert_eq!(of(all), [1, 12]);
    assert_eq!(of(Aggregation { frames: 5, ..all }), [1, 5, 5, 2]);
    assert_eq!(of(Aggregation { bytes: Bytes(10_000), ..all }), [1, 6, 6]);
    let slow = Config { rate: Some("6.5 Mbps".parse().unwrap()), ..cell(None) };
    let aggregation = Some(Aggregation { duration: Span::from_millis(4), ..all });
    assert_eq!(sizes(Config { aggregation, ..slow }), [1, 2, 2, 2, 2, 2, 2]);
}

/// A saturated station sends k packets in 34 + D(k) + 1 + 16 + A + 1 us and a mean back-off of 7.5 slots of 9 us.
#[test]
fn saturated_throughput_matches_the_closed_form() {
    let usual = |aggregation| Config { cw_min: None, cw_max: None, ..cell(aggregation) };
    let of = |config: Config, packets: u32| {
        let seen = exchange(&config, ChannelConfig::Perfect(perfect::Config::default()), [packets, 0]);
        let at = |place: usize| seen.delivered[0][place].0.as_nanos() as f64;
        12_000.0 * f64::from(packets - 1) / (at(packets as usize - 1) - at(0)) * 1e9
    };
    let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.01, "{found}, {expected}");
    // 1,536 bytes without QoS control also take 48 symbols.
    let alone = 34.0 + 67.5 + 228.0 + 1.0 + 16.0 + 28.0 + 1.0;
    close(of(usual(None), 6_001), 12_000.0 / alone * 1e6);
    // 32 packets have 49,406 bytes, 395,270 bits, 1,521 symbols.
    let together = 34.0 + 67.5 + (36.0 + 4.0 * 1521.0) + 1.0 + 16.0 + 32.0 + 1.0;
    let aggregation = Aggregation { frames: 32, ..Aggregation::default() };
    close(of(usual(Some(aggregation)), 32 * 500 + 1), 32.0 * 12_000.0 / together * 1e6);
}

/// Two stations that collide, over lossy channels: each packet is delivered once and in sequence, or given up, and no
/// packet remains.
#[test]
fn every_packet_is_delivered_or_counted_as_lost() {
    for (loss, frames) in [(0.1, 64), (0.4, 32), (0.7, 3)] {
        let config = Config {
            short_retry_limit: Some(3),
            rts_threshold: (frames == 32).then_some(Bytes(3000)),
            cw_min: None,
            cw_max: None,
            ..cell(Some(Aggregation { frames, ..Aggregation::default() }))
        };
        let seen = exchange(&config, ChannelConfig::Uniform(uniform::Config { loss }), [2000, 1500]);
        for (direction, offered) in [(0, 2000), (1, 1500)] {
            let numbers: Vec<u32> = seen.delivered[direction].iter().map(|(_, number)| *number).collect();
            assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "out of sequence");
            let counters = &seen.counters[direction];
            assert_eq!(counters.packets_delivered, numbers.len() as u64);
            assert_eq!(counters.packets_delivered + counters.packets_dropped, offered);
            assert_eq!(counters.given_up, seen.given_up[direction] as u64);
            assert!(counters.given_up >= counters.packets_dropped && counters.packets_dropped > 0);
        }
        assert_eq!(seen.freed, 3500 * 1500);
    }
}
