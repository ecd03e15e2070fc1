//! A variable link, with times computed by hand. A packet of 1000 bytes takes 8 ms at 1 Mbps; the propagation delay is
//! 20 ms.

use crate::common;

use common::{EventLog, collect, packet};
use engine::{IdVec, Rate, Schedule, Span, Stream, Time};
use path::channel::{ChannelConfig, uniform};
use path::link::fifo::FifoLink;
use path::link::jitter::{DelayConfig, Jitter, mixture, pareto};
use path::link::variable::VariableLink;
use path::link::variable::plan::{Changes, During, Gap, Spike};
use path::link::variable::recorded::{LinkConditions, Opportunities};
use path::link::{HopCounters, Link, Timing, TransmissionLine, jitter};
use path::queue::{Backlog, Limit, QueueConfig, RouterBuffer, Tie, codel};
use path::{Cx, HopId, LinkDirection, LinkDirections, LinkEvent, LinkId};
use wire::{Body, CompactPacket, Packet};

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);
const MS: u64 = 1_000_000;

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn line() -> TransmissionLine {
    TransmissionLine::new("1 Mbps".parse::<Rate>().unwrap(), ms(20), Timing::Exact)
}

fn number(packet: &Packet) -> u32 {
    let Body::Tcp(segment) = &packet.body else { panic!("{packet:?}") };
    segment.seq.0
}

/// The link under test.
enum Carrier {
    Fifo(Box<FifoLink>),
    Variable(Box<dyn Link>),
}

/// The outcome of a run: arrival times in ns, in order; losses with the time of the event; packets that the queue
/// dropped; and the final counters.
#[derive(PartialEq, Eq, Debug, Default)]
struct Outcome {
    arrived: Vec<(u64, u32)>,
    lost: Vec<(u64, u32)>,
    refused: Vec<u32>,
    counters: HopCounters,
}

impl Outcome {
    /// Returns the arrival times in ms.
    fn at(&self) -> Vec<(u32, f64)> {
        self.arrived.iter().map(|(at, number)| (*number, *at as f64 / MS as f64)).collect()
    }
}

/// Offers packets, each given as its time in ns and its size in bytes, and handles all wake-ups in between.
fn carry(make: impl FnOnce(engine::Slot) -> Carrier, channel: &ChannelConfig, offered: &[(u64, u32)]) -> Outcome {
    let mut schedule = Schedule::default();
    let slot = schedule.slot();
    let mut channels = IdVec::from(vec![channel.build(Stream::named(1, 0, "channel"))]);
    let mut carrier = make(slot);
    let mut log = EventLog::default();
    let mut offers = offered.iter().zip(0..).peekable();
    let mut arriving = packet(0, 0);
    loop {
        let until = offers.peek().map_or(Time::NEVER, |((at, _), _)| Time::from_nanos(*at));
        // An offered packet precedes an arrival at the same time.
        let before = Time::from_nanos(until.as_nanos().saturating_sub(1));
        if let Some((now, _)) = schedule.next(before) {
            let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
            match &mut carrier {
                Carrier::Fifo(link) => {
                    link.on_wake(&mut cx, &mut CompactPacket::of(&arriving), &mut arriving);
                }
                Carrier::Variable(link) => {
                    collect(|outcomes| {
                        cx.with_erased_observer(|cx| link.wake(&mut RouterBuffer::default(), outcomes, cx));
                    });
                }
            }
            continue;
        }
        let Some((_, number)) = offers.next() else { break };
        let size = offered[number as usize].1;
        let mut cx = Cx { now: until, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        let packet = packet(number, size - 40);
        match &mut carrier {
            Carrier::Fifo(link) => {
                link.on_packet(&packet, &mut cx);
            }
            Carrier::Variable(link) => {
                cx.with_erased_observer(|cx| link.accept(&packet, false, &mut RouterBuffer::default(), cx));
            }
        }
    }
    let mut outcome = Outcome::default();
    for (at, _, event) in log.link_events() {
        match event {
            LinkEvent::Arrived { packet } => outcome.arrived.push((at.as_nanos(), number(&packet))),
            LinkEvent::Lost { packet } => outcome.lost.push((at.as_nanos(), number(&packet))),
            LinkEvent::QueueFull { packet, .. } | LinkEvent::DroppedEarly { packet, .. } => {
                outcome.refused.push(number(&packet));
            }
            LinkEvent::Joined { .. } | LinkEvent::Dequeued { .. } => {}
            event => panic!("{event:?}"),
        }
    }
    outcome.counters = match &carrier {
        Carrier::Fifo(pipe) => pipe.counters(Time::NEVER),
        Carrier::Variable(line) => line.counters(Time::NEVER),
    };
    outcome
}

fn perfect() -> ChannelConfig {
    ChannelConfig::Perfect(Default::default())
}

/// Returns a variable link with the given queue over a channel.
fn changing(
    changes: &Changes,
    (limit, tie): (Limit, Tie),
    hop: HopId,
    lossy: bool,
) -> impl FnOnce(engine::Slot) -> Carrier {
    let stream = Stream::named(1, 0, "jitter");
    move |slot| Carrier::Variable(Box::new(VariableLink::new(hop, line(), changes, stream, (limit, tie), lossy, slot)))
}

/// Returns the outcome of packets of 1000 bytes at these times in ms.
fn outcome(changes: &Changes, at: &[u64]) -> Outcome {
    let offered: Vec<(u64, u32)> = at.iter().map(|at| (at * MS, 1000)).collect();
    carry(changing(changes, (Limit::None, Tie::default()), HOP, false), &perfect(), &offered)
}

fn gap(from: u64, to: u64, packets: During) -> Gap {
    Gap { from: ms(from), to: ms(to), packets, directions: LinkDirections::Both }
}

fn spike(at: u64, extra: u64, lasts: u64) -> Spike {
    Spike { at: ms(at), extra_delay: ms(extra), duration: ms(lasts), directions: LinkDirections::Both }
}

/// Returns uniform extra delays from 0 to 100 ms.
fn uniform_jitter(reordering: bool) -> Jitter {
    let delay = DelayConfig::Uniform(jitter::uniform::Config { low: Span::ZERO, high: ms(100) });
    Jitter { delay, reordering, from: Span::ZERO, directions: LinkDirections::Both }
}

/// A variable link without changes equals a FIFO link in arrivals, losses, full queues and counters.
#[test]
fn variable_link_without_changes_equals_fifo_link() {
    let mut draws = Stream::named(3, 0, "offers").draws();
    let channel = ChannelConfig::Uniform(uniform::Config { loss: 0.1 });
    for limit in [Limit::None, Limit::Packets(0), Limit::Packets(3), Limit::Bytes(2_500)] {
        for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
            let mut at = 0;
            let offered: Vec<(u64, u32)> = (0..2_000)
                .map(|_| {
                    // Whole milliseconds and whole packets, so that arrivals and departures often coincide.
                    at += draws.next_u64() % 13 * MS;
                    (at, 125 * (1 + draws.next_u64() % 10) as u32)
                })
                .collect();
            let pipe = |slot| Carrier::Fifo(Box::new(FifoLink::new(HOP, line(), (limit, tie), true, slot)));
            let expected = carry(pipe, &channel, &offered);
            let changes = Changes::default();
            let found = carry(changing(&changes, (limit, tie), HOP, true), &channel, &offered);
            assert_eq!(found, expected, "{limit}, {tie:?}");
            assert!(!expected.lost.is_empty() && expected.refused.is_empty() == (limit == Limit::None));
        }
    }
}

/// A variable link that holds its packets in `backlog`.
fn holding(changes: &Changes, backlog: Backlog) -> impl FnOnce(engine::Slot) -> Carrier {
    let stream = Stream::named(1, 0, "jitter");
    let queue = (Limit::None, Tie::default());
    move |slot| {
        let link = VariableLink::new(HOP, line(), changes, stream, queue, true, slot);
        Carrier::Variable(Box::new(link.with_backlog(backlog)))
    }
}

/// A drop-tail discipline without a limit that chooses packets at the start of their transmission gives the same arrival
/// times as the drop-tail queue, whose times are computed in advance.
#[test]
fn packets_chosen_at_transmission_arrive_as_packets_computed_in_advance() {
    let (trace, row) = (Opportunities::new(vec![3, 4, 4, 11, 40, 41]), |at, rate, delay| LinkConditions {
        at: ms(at),
        rate: Some(rate),
        delay,
        loss: 0.2,
    });
    let recorded = Changes { opportunities: [Some(trace.unwrap()), None], ..Changes::default() };
    let cases = [
        Changes::default(),
        Changes { spikes: vec![spike(500, 75, 300)], jitter: Some(uniform_jitter(true)), ..Changes::default() },
        Changes { gaps: vec![gap(100, 300, During::Wait), gap(900, 950, During::Lose)], ..Changes::default() },
        Changes {
            rows: vec![row(50, 500_000, None), row(400, 0, Some(ms(3))), row(700, 3_000_000, None)],
            ..Changes::default()
        },
        Changes { gaps: vec![gap(100, 300, During::Wait)], ..recorded.clone() },
        recorded,
    ];
    let channel = ChannelConfig::Uniform(uniform::Config { loss: 0.1 });
    let mut draws = Stream::named(5, 0, "offers").draws();
    for (number, changes) in cases.iter().enumerate() {
        let mut at = 0;
        let offered: Vec<(u64, u32)> = (0..2_000)
            .map(|_| {
                // Pauses in which the queue drains, and bursts.
                at += draws.next_u64() % if draws.next_u64().is_multiple_of(50) { 2_000 * MS } else { 14 * MS };
                (at, 40 + (draws.next_u64() % 1500) as u32)
            })
            .collect();
        let expected = carry(changing(changes, (Limit::None, Tie::default()), HOP, true), &channel, &offered);
        let found = carry(holding(changes, Limit::None.into()), &channel, &offered);
        assert_eq!(found, expected, "case {number}");
        assert!(expected.arrived.len() > 1_000 && !expected.lost.is_empty(), "case {number}");
    }
}

/// A trace sends a packet every 50 ms, one arrives every 40 ms: packet n waits for 50 + 10 n ms. From 200 ms on, when 3
/// leaves, more than one packet waits behind, so that CoDel counts its interval of 100 ms: at 300 ms it drops 5 and sends
/// 6. Then the queue is as short as at 150 ms.
#[test]
fn codel_drops_at_recorded_opportunities() {
    let trace = Opportunities::new((1..=20).map(|n| 50 * n).collect()).unwrap();
    let changes = Changes { opportunities: [Some(trace), None], ..Changes::default() };
    let codel = QueueConfig::CoDel(codel::Config { ecn: false, ..codel::Config::default() });
    let offered: Vec<(u64, u32)> = (0..12).map(|n| (40 * n * MS, 1500)).collect();
    let found = carry(holding(&changes, Backlog::new(&codel, Stream::default())), &perfect(), &offered);
    let left =
        [(0, 50), (1, 100), (2, 150), (3, 200), (4, 250), (6, 300), (7, 350), (8, 400), (9, 450), (10, 500), (11, 550)];
    assert_eq!(found.at(), left.map(|(number, at)| (number, f64::from(at + 20))));
    assert_eq!(found.refused, [5]);
}

#[test]
fn spike_delays_packets_that_would_arrive_during_it() {
    // Without the spike the packets arrive at 28, 68, 108, 148 and 158 ms.
    let changes = Changes { spikes: vec![spike(68, 75, 80)], ..Changes::default() };
    let found = outcome(&changes, &[0, 40, 80, 120, 130]);
    // The third packet is due at 183: 108 + 75. A packet due at or after the end of the spike waits behind the packets
    // of the spike.
    assert_eq!(found.at(), [(0, 28.0), (1, 143.0), (2, 183.0), (3, 183.0), (4, 183.0)]);

    // With reordering, later packets overtake the delayed one.
    let law = DelayConfig::Uniform(jitter::uniform::Config { low: Span::ZERO, high: Span::ZERO });
    let jitter = Jitter { delay: law, reordering: true, from: Span::ZERO, directions: LinkDirections::Both };
    let found = outcome(&Changes { jitter: Some(jitter), ..changes }, &[0, 40, 80, 120, 130]);
    assert_eq!(found.at(), [(0, 28.0), (1, 143.0), (3, 148.0), (4, 158.0), (2, 183.0)]);
}

#[test]
fn packets_wait_in_an_outage() {
    let changes = Changes { gaps: vec![gap(50, 100, During::Wait)], ..Changes::default() };
    // The packet sent at 22 is due at 50, the start of the outage, and arrives at 100. The one sent at 36 is in
    // propagation, and arrives at 100. The one sent at 46 is sent for four ms before the outage and for four after it.
    // Those of 60 and 62 wait until 104 and 112. The one sent at 200 is unaffected.
    let found = outcome(&changes, &[22, 36, 46, 60, 62, 200]);
    assert_eq!(found.at(), [(0, 100.0), (1, 100.0), (2, 124.0), (3, 132.0), (4, 140.0), (5, 228.0)]);
    assert_eq!(found.lost, []);
    // Busy times: 2 x 8 ms, 46 to 120 ms, and 8 ms.
    assert_eq!(found.counters.busy, ms(16 + 74 + 8));

    // A packet that leaves at the start of the outage is not interrupted; one that arrives at its end does not wait.
    let found = outcome(&changes, &[42, 72]);
    assert_eq!(found.at(), [(0, 100.0), (1, 128.0)]);
}

#[test]
fn packets_are_lost_in_an_outage() {
    let changes = Changes { gaps: vec![gap(50, 100, During::Lose)], ..Changes::default() };
    // The packet sent at 22 is due at 50. The one sent at 42 leaves at 50, and is due at 70. Those of 71 and 80 are
    // sent in the outage, and are due at 99 and 108. The one of 100 is sent at the end of the outage.
    let found = outcome(&changes, &[13, 22, 42, 71, 80, 100]);
    assert_eq!(found.at(), [(0, 41.0), (5, 128.0)]);
    let lost: Vec<(u64, u32)> = found.lost.iter().map(|(at, number)| (at / MS, *number)).collect();
    assert_eq!(lost, [(50, 1), (70, 2), (99, 3), (108, 4)]);
    assert_eq!((found.counters.frames_sent, found.counters.frames_corrupted), (6, 4));
    assert_eq!((found.counters.packets_delivered, found.counters.packets_dropped), (2, 4));

    // An outage that begins and ends during the propagation of a packet has no effect on it.
    let short = Changes { gaps: vec![gap(10, 15, During::Lose)], ..Changes::default() };
    assert_eq!(outcome(&short, &[0]).at(), [(0, 28.0)]);
}

/// In an outage packets wait although the link is idle, and the queue fills.
#[test]
fn packets_waiting_in_an_outage_count_towards_the_limit() {
    let changes = Changes { gaps: vec![gap(50, 100, During::Wait)], ..Changes::default() };
    let offered: Vec<(u64, u32)> = [60, 62, 64, 99, 100].map(|at| (at * MS, 1000)).into();
    let found = carry(changing(&changes, (Limit::Packets(2), Tie::default()), HOP, false), &perfect(), &offered);
    assert_eq!(found.refused, [2, 3]);
    // At 100 the first packet begins and frees a place.
    assert_eq!(found.at(), [(0, 128.0), (1, 136.0), (4, 144.0)]);
}

#[test]
fn changes_apply_only_in_the_configured_directions() {
    let backward = HopId { direction: LinkDirection::Backward, ..HOP };
    for (directions, expected) in [
        (LinkDirections::Both, [true, true]),
        (LinkDirections::Forward, [true, false]),
        (LinkDirections::Backward, [false, true]),
    ] {
        let delay = DelayConfig::Uniform(jitter::uniform::Config { low: ms(7), high: ms(7) });
        let all = [
            Changes { jitter: Some(Jitter { delay, directions, ..uniform_jitter(false) }), ..Changes::default() },
            Changes { spikes: vec![Spike { directions, ..spike(0, 7, 100) }], ..Changes::default() },
            Changes { gaps: vec![Gap { directions, ..gap(20, 35, During::Wait) }], ..Changes::default() },
        ];
        for changes in all {
            let changed = [HOP, backward].map(|hop| {
                let found =
                    carry(changing(&changes, (Limit::None, Tie::default()), hop, false), &perfect(), &[(0, 1000)]);
                match found.at()[..] {
                    [(0, 28.0)] => false,
                    [(0, 35.0)] => true,
                    ref other => panic!("{other:?}"),
                }
            });
            assert_eq!(changed, expected, "{changes:?}");
        }
    }
}

#[test]
fn jitter_begins_at_the_configured_time() {
    let law = DelayConfig::Uniform(jitter::uniform::Config { low: ms(5), high: ms(5) });
    let jitter = Jitter { delay: law, from: ms(40), ..uniform_jitter(false) };
    let found = outcome(&Changes { jitter: Some(jitter), ..Changes::default() }, &[0, 39, 40]);
    // The third packet waits for the second until 47; the second started before the jitter.
    assert_eq!(found.at(), [(0, 28.0), (1, 67.0), (2, 80.0)]);
}

/// With reordering each packet arrives independently. Without reordering no packet arrives earlier than a previous one.
/// The random draws are equal in both cases.
#[test]
fn packets_overtake_only_with_reordering() {
    let at: Vec<u64> = (0..5_000).map(|index| 10 * index).collect();
    let free = outcome(&Changes { jitter: Some(uniform_jitter(true)), ..Changes::default() }, &at);
    let ordered = outcome(&Changes { jitter: Some(uniform_jitter(false)), ..Changes::default() }, &at);
    assert!(ordered.arrived.is_sorted_by_key(|(at, number)| (*at, *number)));
    assert_eq!(ordered.arrived.len(), at.len());
    let mut own = vec![0; at.len()];
    free.arrived.iter().for_each(|(at, number)| own[*number as usize] = *at);
    let mut latest = 0;
    let expected: Vec<(u64, u32)> = own
        .iter()
        .zip(0..)
        .map(|(at, number)| {
            latest = latest.max(*at);
            (latest, number)
        })
        .collect();
    assert_eq!(ordered.arrived, expected);

    // Closed form: for packets sent d apart with delays uniform on [0, w], a packet arrives after the next one with
    // probability (1 - d / w)^2 / 2, here 0.405. Pairs that share a packet are correlated, so every other pair is used.
    let pairs: Vec<bool> = own.chunks_exact(2).map(|pair| pair[0] > pair[1]).collect();
    let overtaken = pairs.iter().filter(|pair| **pair).count() as f64 / pairs.len() as f64;
    let error = (0.405 * 0.595 / pairs.len() as f64).sqrt();
    assert!((overtaken - 0.405).abs() < 4.0 * error, "{overtaken}");
}

/// The fate of a packet does not depend on other packets: packets that start at the same times on two links, one of
/// which carries fewer packets, arrive at the same times and are lost on both links or on neither.
#[test]
fn fate_does_not_depend_on_other_packets() {
    let parts = [(0.7, 1.5), (0.3, 0.8)].map(|(probability, shape)| mixture::Part {
        probability,
        delay: DelayConfig::Pareto(pareto::Config { shape, scale: ms(3) }),
    });
    let jitter =
        Jitter { delay: DelayConfig::Mixture(mixture::Config { parts: parts.into() }), ..uniform_jitter(true) };
    let changes = Changes { jitter: Some(jitter), gaps: vec![gap(500, 900, During::Lose)], ..Changes::default() };
    let channel = ChannelConfig::Uniform(uniform::Config { loss: 0.2 });
    let run = |every: u64, direction| {
        let offered: Vec<(u64, u32)> =
            (0..3_000).step_by(every as usize).map(|index| (index * 10 * MS, 1000)).collect();
        let hop = HopId { direction, ..HOP };
        let found = carry(changing(&changes, (Limit::None, Tie::default()), hop, true), &channel, &offered);
        let fates = |all: &[(u64, u32)]| all.iter().map(|(at, number)| (u64::from(*number) * every, *at)).collect();
        let mut all: [Vec<(u64, u64)>; 2] = [fates(&found.arrived), fates(&found.lost)];
        all.iter_mut().for_each(|fates| {
            fates.retain(|(index, _)| index.is_multiple_of(7));
            fates.sort_unstable();
        });
        all
    };
    assert_eq!(run(1, LinkDirection::Forward), run(7, LinkDirection::Forward));
    assert_ne!(
        run(7, LinkDirection::Forward),
        run(7, LinkDirection::Backward),
        "the two directions share their random numbers"
    );
}

/// Every offered packet arrives, is lost, or is refused, exactly once, and is counted accordingly.
#[test]
fn every_packet_arrives_is_lost_or_refused_and_is_counted() {
    let mut draws = Stream::named(5, 0, "offers").draws();
    let channel = ChannelConfig::Uniform(uniform::Config { loss: 0.05 });
    for reordering in [true, false] {
        let changes = Changes {
            jitter: Some(uniform_jitter(reordering)),
            spikes: vec![spike(1_000, 3_000, 500), spike(9_000, 10, 10)],
            gaps: vec![
                gap(2_000, 2_500, During::Wait),
                gap(6_000, 6_300, During::Lose),
                gap(7_000, 7_001, During::Wait),
            ],
            ..Changes::default()
        };
        let mut at = 0;
        let offered: Vec<(u64, u32)> = (0..3_000)
            .map(|_| {
                at += draws.next_u64() % (8 * MS);
                (at, 40 + (draws.next_u64() % 1_461) as u32)
            })
            .collect();
        let found = carry(changing(&changes, (Limit::Packets(20), Tie::default()), HOP, true), &channel, &offered);
        let mut all: Vec<u32> = found.refused.clone();
        all.extend(found.arrived.iter().chain(&found.lost).map(|(_, number)| *number));
        all.sort_unstable();
        assert_eq!(all, (0..3_000).collect::<Vec<u32>>());
        assert!([found.refused.len(), found.lost.len(), found.arrived.len()].iter().all(|count| *count > 50));
        let counters = found.counters;
        assert_eq!(counters.packets_delivered, found.arrived.len() as u64);
        assert_eq!(counters.queue_full, found.refused.len() as u64);
        assert_eq!(counters.packets_dropped, (found.refused.len() + found.lost.len()) as u64);
        assert_eq!(counters.frames_sent, (found.arrived.len() + found.lost.len()) as u64);
        let in_gap = |at: &u64| (2_000 * MS..2_500 * MS).contains(at) || (6_000 * MS..6_300 * MS).contains(at);
        assert!(!found.arrived.iter().any(|(at, _)| in_gap(at)), "arrived in a gap");
        assert_eq!(found.arrived.is_sorted_by_key(|(_, number)| *number), !reordering);
    }
}

/// Returns transmission opportunities at 5, 5, 20 and 30 ms, repeated with this period.
fn recorded() -> Changes {
    Changes { opportunities: [Opportunities::new(vec![5, 5, 20, 30]), None], ..Changes::default() }
}

/// Three traces: 4 opportunities of 1504 bytes in 30 ms, one opportunity per millisecond, and one per second.
#[test]
fn mean_rate_of_a_delivery_trace_is_bytes_per_period() {
    let rate = |millis: Vec<u64>| Opportunities::new(millis).unwrap().mean_rate().bits_per_sec();
    assert_eq!(rate(vec![5, 5, 20, 30]), 4 * 1504 * 8 * 1000 / 30);
    assert_eq!([rate(vec![1]), rate(vec![1000])], [12_032_000, 12_032]);
}

/// Packets that begin at the same time, in either direction, draw separate delays: with a shared draw, seven packets at
/// 5 ms would all have the same delay.
#[test]
fn simultaneous_packets_draw_separate_delays() {
    let opportunities = || Opportunities::new(vec![5, 5, 5, 5, 5, 5, 1000]);
    let changes = Changes {
        opportunities: [opportunities(), opportunities()],
        jitter: Some(uniform_jitter(true)),
        ..Changes::default()
    };
    let arrivals = |direction: LinkDirection| {
        let hop = HopId { direction, ..HOP };
        let found = carry(changing(&changes, (Limit::None, Tie::default()), hop, false), &perfect(), &[(0, 1500); 6]);
        found.arrived.iter().map(|(at, _)| *at).collect::<Vec<u64>>()
    };
    let mut all = [arrivals(LinkDirection::Forward), arrivals(LinkDirection::Backward)].concat();
    assert_eq!(all.len(), 12);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 12, "no two arrive together");
}

/// A packet of 1000 bytes takes 1004 bytes of an opportunity of 1504.
#[test]
fn packets_leave_at_opportunities() {
    // At 5 ms: 1004 and 500, then 504 and 1000 of the third packet. At 20 its last 4; the 1500 that remain are lost for
    // the fourth, which arrives at that time. At 30: the fourth and 500 of the fifth, the rest at 35. A packet that
    // arrives at 35 misses both opportunities of that time.
    let found = outcome(&recorded(), &[0, 0, 0, 20, 25, 35]);
    assert_eq!(found.at(), [(0, 25.0), (1, 25.0), (2, 40.0), (3, 50.0), (4, 55.0), (5, 70.0)]);
    // Busy from 0 to 20, 20 to 35 and 35 to 50 ms.
    assert_eq!(found.counters.busy, ms(50));

    // The times lie after 33 periods, 990 ms. An opportunity at the arrival time is missed, also in a later period.
    assert_eq!(outcome(&recorded(), &[999, 1010, 1020]).at(), [(0, 1030.0), (1, 1040.0), (2, 1045.0)]);

    // A full packet takes one opportunity. A larger packet continues at the next opportunity.
    let offered = [(0, 1500), (0, 1500), (0, 1500), (0, 3004), (0, 40)];
    let found = carry(changing(&recorded(), (Limit::None, Tie::default()), HOP, false), &perfect(), &offered);
    assert_eq!(found.at(), [(0, 25.0), (1, 25.0), (2, 40.0), (3, 55.0), (4, 55.0)]);

    // The other direction has no trace, so the rate applies.
    let backward = HopId { direction: LinkDirection::Backward, ..HOP };
    let found = carry(changing(&recorded(), (Limit::None, Tie::default()), backward, false), &perfect(), &[(0, 1000)]);
    assert_eq!(found.at(), [(0, 28.0)]);
}

#[test]
fn opportunities_in_an_outage_are_unused_and_the_limit_applies() {
    let offered: Vec<(u64, u32)> = [0, 0, 0, 4, 6].map(|at| (at * MS, 1500)).into();
    let found = carry(changing(&recorded(), (Limit::Packets(2), Tie::default()), HOP, false), &perfect(), &offered);
    assert_eq!(found.refused, [2, 3]);
    assert_eq!(found.at(), [(0, 25.0), (1, 25.0), (4, 40.0)]);

    let changes = Changes { gaps: vec![gap(18, 30, During::Wait)], ..recorded() };
    // The opportunity at the end of the outage is outside it.
    assert_eq!(outcome(&changes, &[6, 31]).at(), [(0, 50.0), (1, 55.0)]);
    let changes = Changes { gaps: vec![gap(18, 3_600_001, During::Wait)], ..recorded() };
    assert_eq!(outcome(&changes, &[6]).at(), [(0, 3_600_025.0)]);
}

/// A delivery trace is used exactly: 1000 saturated opportunities of 1504 bytes, with packets of any size.
#[test]
fn saturated_delivery_trace_is_used_to_the_byte() {
    let mut draws = Stream::named(9, 0, "offers").draws();
    let mut millis: Vec<u64> = (0..1_000).map(|_| 1 + draws.next_u64() % 10_000).collect();
    millis.sort_unstable();
    let last = millis[999];
    let changes = Changes { opportunities: [Opportunities::new(millis), None], ..Changes::default() };
    let offered: Vec<(u64, u32)> = (0..4_000).map(|_| (0, 40 + (draws.next_u64() % 1_461) as u32)).collect();
    let found = carry(changing(&changes, (Limit::None, Tie::default()), HOP, false), &perfect(), &offered);
    let first_round = found.arrived.iter().take_while(|(at, _)| *at <= (last + 20) * MS).count();
    let bytes: u64 = offered[..first_round].iter().map(|(_, size)| u64::from(size + 4)).sum();
    let next = u64::from(offered[first_round].1 + 4);
    assert!(bytes <= 1_504_000 && bytes + next > 1_504_000, "{bytes} and {next}");
}

fn row(at: u64, rate: Option<u64>, delay: Option<u64>, loss: f64) -> LinkConditions {
    LinkConditions { at: ms(at), rate, delay: delay.map(ms), loss }
}

#[test]
fn bits_are_sent_at_the_current_rate() {
    let rows =
        vec![row(4, Some(2_000_000), None, 0.0), row(100, Some(0), None, 0.0), row(110, Some(1_000_000), Some(5), 0.0)];
    let changes = Changes { rows, ..Changes::default() };
    // Half of packet 0 is sent at 1 Mbps, and the rest from 4 to 6 ms. Half of the packet at 98 is sent until 100, and
    // the rest from 110 to 114. Then 5 ms of delay follow.
    assert_eq!(outcome(&changes, &[0, 60, 98]).at(), [(0, 26.0), (1, 84.0), (2, 119.0)]);
    // The packet at 96 leaves at 100, just before the rate is 0, with 20 ms of delay. The packet at 102 is sent from
    // 110 on. The shorter delay does not permit overtaking.
    assert_eq!(outcome(&changes, &[96, 102]).at(), [(0, 120.0), (1, 123.0)]);
    let changes = Changes { rows: vec![row(50, None, Some(5), 0.0)], ..Changes::default() };
    assert_eq!(outcome(&changes, &[41, 50]).at(), [(0, 69.0), (1, 69.0)]);
}

/// Packets are lost with the probability of the row in which they start: 10,000 packets for each row, within four
/// standard errors.
#[test]
fn loss_ratio_follows_the_link_trace() {
    let changes = Changes { rows: vec![row(0, None, None, 0.3), row(100_000, None, None, 0.02)], ..Changes::default() };
    let at: Vec<u64> = (0..20_000).map(|index| 10 * index).collect();
    let found = outcome(&changes, &at);
    for (range, expected) in [(0..10_000, 0.3), (10_000..20_000, 0.02_f64)] {
        let lost = found.lost.iter().filter(|(_, number)| range.contains(number)).count() as f64 / 1e4;
        let error = (expected * (1.0 - expected) / 1e4).sqrt();
        assert!((lost - expected).abs() < 4.0 * error, "{lost}, expected {expected}");
    }
}
