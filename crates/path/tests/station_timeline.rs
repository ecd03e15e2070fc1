//! A station driven step by step, with times computed by hand.
//!
//! Packets of 125 bytes at 1 Mbps take 1 ms, propagation 2 ms, a link acknowledgment of 14 bytes 0.112 ms, the margin
//! is 1 ms: a frame arrives after 3 ms, its acknowledgment after 5.112 ms, and is overdue after 1 + 4 + 0.112 + 1 =
//! 6.112 ms.

use crate::common;

use common::{EventLog, collect};
use engine::{IdVec, Rate, Schedule, Span, Time};
use path::channel::{Channel, ChannelConfig, scripted};
use path::link::{Timing, TransmissionLine};
use path::mac::arq::StopAndWait;
use path::mac::arq::stop_and_wait::Numbering;
use path::queue::{Limit, RouterBuffer};
use path::scheduler::SchedulerConfig;
use path::station::{Station, TxQueue};
use path::{Cx, HopId, LinkDirection, LinkEvent, LinkId};
use wire::{Addr, Body, Flags, Packet, Segment, SeqNum};

/// Describes an event as a line, with its time in microseconds.
fn describe_event((at, hop, event): (Time, HopId, LinkEvent)) -> Option<String> {
    let seq = |packet: &Packet| packet.data().map_or(0, |segment| segment.seq.0);
    let text = match &event {
        LinkEvent::Joined { .. } | LinkEvent::Dequeued { .. } => return None,
        LinkEvent::FrameSent { number, attempt, packet } => {
            format!("sent {} as {number}, attempt {attempt}", seq(packet))
        }
        LinkEvent::FrameCorrupted { number, .. } => format!("{number} corrupted"),
        LinkEvent::FrameDuplicate { number, .. } => format!("{number} again"),
        LinkEvent::AckCorrupted { number } => format!("acknowledgment of {number} lost"),
        LinkEvent::GivenUp { attempts, packet, .. } => format!("gave up {} after {attempts}", seq(packet)),
        LinkEvent::Arrived { packet } => format!("{} arrives", seq(packet)),
        LinkEvent::DroppedEarly { packet, .. } => format!("dropped early {}", seq(packet)),
        LinkEvent::QueueFull { packet, .. } => format!("no room for {}", seq(packet)),
        LinkEvent::Marked { packet } => format!("{} marked", seq(packet)),
        LinkEvent::Lost { .. } => "lost".to_owned(),
        LinkEvent::FrameDiscarded { .. }
        | LinkEvent::ParitySent { .. }
        | LinkEvent::ParityCorrupted { .. }
        | LinkEvent::Recovered { .. } => panic!("a station does not do this: {event:?}"),
    };
    Some(format!("{:>6} link {}: {text}", at.as_nanos() / 1000, hop.link.number()))
}

fn packet(seq: u32) -> Packet {
    let segment = Segment {
        src_port: 1,
        dst_port: 2,
        seq: SeqNum(seq),
        ack: SeqNum(0),
        flags: Flags::ACK,
        len: 85,
        ..Segment::default()
    };
    Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment))
}

/// Offers packets (transmit queue, sequence number) at time zero; returns the log.
fn timeline(
    channels: Vec<scripted::Config>,
    arq: StopAndWait,
    scheduler: SchedulerConfig,
    limit: Limit,
    offered: &[(usize, u32)],
) -> Vec<String> {
    let offered: Vec<_> = offered.iter().map(|(queue, seq)| (*queue, *seq, false)).collect();
    timeline_of(channels, arq, scheduler, limit, &offered)
}

/// Returns the timeline as [`timeline`] does, with expedited packets.
fn timeline_of(
    channels: Vec<scripted::Config>,
    arq: StopAndWait,
    scheduler: SchedulerConfig,
    limit: Limit,
    offered: &[(usize, u32, bool)],
) -> Vec<String> {
    let mut schedule = Schedule::new();
    let (arrival, timer) = (schedule.slot(), schedule.slot());
    let line =
        || TransmissionLine::new(Rate::from_bits_per_sec(1_000_000).unwrap(), Span::from_millis(2), Timing::Exact);
    let queues = (0..channels.len())
        .map(|link| TxQueue::new(LinkId::from_index(link).hop(LinkDirection::Forward), line(), arq, limit));
    let mut station = Station::new(queues.collect(), &scheduler, arrival, timer);
    let mut channels: IdVec<LinkId, Box<dyn Channel>> = channels
        .into_iter()
        .map(|config| ChannelConfig::Scripted(config).build(engine::Stream::named(1, 0, "air")))
        .collect();
    let mut log = EventLog::default();
    for (queue, seq, expedited) in offered {
        let mut cx = Cx { now: Time::ZERO, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        station.on_packet(*queue, &packet(*seq), *expedited, &mut RouterBuffer::default(), &mut cx);
    }
    while let Some((now, slot)) = schedule.next(Time::NEVER) {
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        collect(|outcomes| {
            if slot == arrival {
                station.on_arrival(&mut RouterBuffer::default(), outcomes, &mut cx);
            } else {
                station.on_timer(&mut RouterBuffer::default(), outcomes, &mut cx);
            }
        });
    }
    log.link_events().filter_map(describe_event).collect()
}

fn arq(max_transmissions: u32, numbering: Numbering) -> StopAndWait {
    StopAndWait { max_transmissions, margin: Span::from_millis(1), ack_size: 14, numbering }
}

fn dropping(drop: &[u64]) -> scripted::Config {
    scripted::Config { drop: drop.to_vec(), ..Default::default() }
}

#[test]
fn frame_waits_for_the_previous_acknowledgment() {
    let log = timeline(
        vec![dropping(&[])],
        arq(3, Numbering::PerFrame),
        SchedulerConfig::RoundRobin(Default::default()),
        Limit::None,
        &[(0, 0), (0, 85)],
    );
    assert_eq!(
        log,
        [
            "     0 link 0: sent 0 as 0, attempt 1",
            "  3000 link 0: 0 arrives",
            "  5112 link 0: sent 85 as 1, attempt 1",
            "  8112 link 0: 85 arrives",
        ]
    );
}

#[test]
fn corrupted_frame_is_retransmitted_by_timer_until_given_up() {
    let log = timeline(
        vec![dropping(&[0, 1, 2, 3])],
        arq(3, Numbering::PerFrame),
        SchedulerConfig::RoundRobin(Default::default()),
        Limit::None,
        &[(0, 0), (0, 85)],
    );
    assert_eq!(
        log,
        [
            "     0 link 0: sent 0 as 0, attempt 1",
            "     0 link 0: 0 corrupted",
            "  6112 link 0: sent 0 as 0, attempt 2",
            "  6112 link 0: 0 corrupted",
            " 12224 link 0: sent 0 as 0, attempt 3",
            " 12224 link 0: 0 corrupted",
            " 18336 link 0: gave up 0 after 3",
            " 18336 link 0: sent 85 as 1, attempt 1",
            " 18336 link 0: 1 corrupted",
            " 24448 link 0: sent 85 as 1, attempt 2",
            " 27448 link 0: 85 arrives",
        ]
    );
}

/// The channel is BAD exactly during the first acknowledgment.
#[test]
fn lost_acknowledgment_causes_a_duplicate_that_frame_numbers_detect() {
    let bad = || {
        vec![scripted::Config {
            bad: vec![[Span::from_nanos(2_900_000), Span::from_nanos(3_050_000)]],
            ..Default::default()
        }]
    };
    let kept = timeline(
        bad(),
        arq(3, Numbering::PerFrame),
        SchedulerConfig::RoundRobin(Default::default()),
        Limit::None,
        &[(0, 0)],
    );
    assert_eq!(
        kept,
        [
            "     0 link 0: sent 0 as 0, attempt 1",
            "  3000 link 0: 0 arrives",
            "  3000 link 0: acknowledgment of 0 lost",
            "  6112 link 0: sent 0 as 0, attempt 2",
            "  9112 link 0: 0 again",
        ]
    );
    let renumbered = timeline(
        bad(),
        arq(3, Numbering::PerTransmission),
        SchedulerConfig::RoundRobin(Default::default()),
        Limit::None,
        &[(0, 0)],
    );
    assert_eq!(renumbered[3..], ["  6112 link 0: sent 0 as 1, attempt 2", "  9112 link 0: 0 arrives"]);
}

/// Without a margin the acknowledgment and the timer expiry coincide: the frame counts as acknowledged.
#[test]
fn acknowledgment_at_the_timer_expiry_counts() {
    let arq = StopAndWait { margin: Span::ZERO, ..arq(3, Numbering::PerFrame) };
    let log =
        timeline(vec![dropping(&[])], arq, SchedulerConfig::RoundRobin(Default::default()), Limit::None, &[(0, 0)]);
    assert_eq!(log, ["     0 link 0: sent 0 as 0, attempt 1", "  3000 link 0: 0 arrives"]);
}

#[test]
fn round_robin_switches_after_each_attempt_and_fifo_after_each_packet() {
    let offered = [(0, 0), (0, 85), (1, 1000)];
    let run = |scheduler| {
        let log = timeline(
            vec![dropping(&[0, 1]), dropping(&[])],
            arq(9, Numbering::PerFrame),
            scheduler,
            Limit::None,
            &offered,
        );
        log.into_iter().filter(|line| line.contains("sent")).collect::<Vec<_>>()
    };
    assert_eq!(
        run(SchedulerConfig::RoundRobin(Default::default())),
        [
            "     0 link 0: sent 0 as 0, attempt 1",
            "  6112 link 1: sent 1000 as 0, attempt 1",
            " 11224 link 0: sent 0 as 0, attempt 2",
            " 17336 link 0: sent 0 as 0, attempt 3",
            " 22448 link 0: sent 85 as 1, attempt 1",
        ]
    );
    assert_eq!(
        run(SchedulerConfig::Fifo(Default::default())),
        [
            "     0 link 0: sent 0 as 0, attempt 1",
            "  6112 link 0: sent 0 as 0, attempt 2",
            " 12224 link 0: sent 0 as 0, attempt 3",
            " 17336 link 0: sent 85 as 1, attempt 1",
            " 22448 link 1: sent 1000 as 0, attempt 1",
        ]
    );
}

#[test]
fn packet_in_transmission_does_not_count_as_waiting() {
    let offered = [(0, 0), (0, 85), (0, 170)];
    let log = timeline(
        vec![dropping(&[])],
        arq(1, Numbering::PerFrame),
        SchedulerConfig::RoundRobin(Default::default()),
        Limit::Packets(1),
        &offered,
    );
    assert_eq!(log[1], "     0 link 0: no room for 170");
    assert!(log.last().unwrap().contains("85 arrives"), "{log:?}");
}

/// An idle transmitter takes a packet at once, so that even the smallest queue limit admits it.
#[test]
fn packet_sent_at_once_is_admitted_at_any_limit() {
    for limit in [Limit::Packets(0), Limit::Bytes(0), Limit::Bytes(124)] {
        let log = timeline(
            vec![dropping(&[0])],
            arq(2, Numbering::PerFrame),
            SchedulerConfig::RoundRobin(Default::default()),
            limit,
            &[(0, 0), (0, 85)],
        );
        let expected = [
            "     0 link 0: sent 0 as 0, attempt 1",
            "     0 link 0: 0 corrupted",
            "     0 link 0: no room for 85",
            "  6112 link 0: sent 0 as 0, attempt 2",
            "  9112 link 0: 0 arrives",
        ];
        assert_eq!(log, expected, "{limit}");
    }
}

/// A packet for another neighbour waits while the shared transmitter is busy, so the queue limit applies.
#[test]
fn busy_shared_transmitter_makes_all_queues_wait() {
    let log = timeline(
        vec![dropping(&[]), dropping(&[])],
        arq(1, Numbering::PerFrame),
        SchedulerConfig::RoundRobin(Default::default()),
        Limit::Packets(0),
        &[(0, 0), (1, 1000)],
    );
    assert_eq!(log[1], "     0 link 1: no room for 1000");
}

/// The packet in transmission continues. Expedited packets precede waiting ones, in the order of their arrival. This
/// holds within a queue, and with FIFO scheduling across all queues.
#[test]
fn expedited_packets_precede_waiting_ones_in_order() {
    let order = |queues: usize, scheduler: SchedulerConfig, offered: &[(usize, u32, bool)]| {
        let air = vec![dropping(&[]); queues];
        let log = timeline_of(air, arq(3, Numbering::PerFrame), scheduler, Limit::None, offered);
        let arrivals = log.iter().filter_map(|line| line.strip_suffix(" arrives")?.split_once(": "));
        arrivals.map(|(_, seq)| seq.parse().unwrap()).collect::<Vec<u32>>()
    };
    let one = [(0, 1, false), (0, 2, false), (0, 3, true), (0, 4, true), (0, 5, false), (0, 6, true)];
    assert_eq!(order(1, SchedulerConfig::RoundRobin(Default::default()), &one), [1, 3, 4, 6, 2, 5]);
    assert_eq!(
        order(1, SchedulerConfig::Fifo(Default::default()), &[&[(0, 0, true)], &one[..]].concat()),
        [0, 3, 4, 6, 1, 2, 5]
    );
    let two = [(0, 1, false), (0, 2, false), (1, 3, true), (0, 4, true), (1, 5, true)];
    assert_eq!(order(2, SchedulerConfig::Fifo(Default::default()), &two), [1, 3, 4, 5, 2]);
}
