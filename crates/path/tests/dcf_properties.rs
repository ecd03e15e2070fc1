//! Properties of a shared medium with random stations, queues, thresholds and channels.

use crate::cell;
use crate::common::LoggedEvent;

use std::collections::{HashMap, HashSet};

use cell::{Cell, Plan};
use engine::{Bytes, Named, Rate, Span, Stream, Time};
use path::channel::ChannelConfig;
use path::mac::dcf::config::Aggregation;
use path::mac::dcf::rate::{RateControlConfig, minstrel};
use path::mac::dcf::{Config, FrameKind, Phy, Standard};
use path::queue::Limit;
use path::scheduler::SchedulerConfig;
use path::{LinkDirection, LinkEvent, MediumEvent, Reception};
use proptest::prelude::*;

/// Offered packets: (microsecond, link, direction, size).
type Offers = Vec<(u64, usize, LinkDirection, u32)>;

fn config() -> impl Strategy<Value = Config> {
    let standard = prop_oneof![
        Just(Standard::Fhss),
        Just(Standard::Dsss),
        Just(Standard::B),
        Just(Standard::A),
        Just(Standard::G),
        Just(Standard::N)
    ];
    let windows = (0u32..5, 0u32..5);
    let thresholds = (prop::option::of(0u64..1600), prop::option::of(256u64..1600));
    let limits = (1u32..5, 1u32..5);
    // Random times in ns, so that no property depends on whole microseconds.
    let times = (prop::option::of(60_000u64..3_000_000), prop::option::of(0u64..8000));
    let together = (prop::option::of((1u32..6, 2000u64..9000)), any::<bool>());
    (standard, windows, thresholds, limits, times, together, any::<bool>()).prop_map(
        |(standard, (first, more), (rts, fragment), (short, long), (wait, delay), (together, samples), slowest)| {
            Config {
                standard,
                aggregation: together
                    .filter(|_| standard == Standard::N && fragment.is_none())
                    .map(|(frames, bytes)| Aggregation { frames, bytes: Bytes(bytes), ..Aggregation::default() }),
                rate_control: samples.then(|| {
                    let interval = Span::from_millis(2);
                    let minstrel = minstrel::Config { interval, sampling: 0.5, attempts: 1, ..Default::default() };
                    Named(RateControlConfig::Minstrel(minstrel))
                }),
                rate: slowest.then(|| standard.modes()[0].rate),
                cw_min: Some((1 << first) - 1),
                cw_max: Some((1 << (first + more)) - 1),
                rts_threshold: rts.map(Bytes),
                fragmentation_threshold: fragment.map(Bytes),
                short_retry_limit: Some(short),
                long_retry_limit: Some(long),
                answer_timeout: wait.map(Span::from_nanos),
                delay: delay.map(Span::from_nanos),
                ..Config::default()
            }
        },
    )
}

fn channel() -> impl Strategy<Value = ChannelConfig> {
    prop_oneof![
        Just(ChannelConfig::Perfect(Default::default())),
        (0.0..0.9f64).prop_map(|loss| ChannelConfig::Uniform(path::channel::uniform::Config { loss })),
        (0u64..20_000, 1u64..20_000).prop_map(|(from, lasts)| {
            let us = |micros: u64| Span::from_nanos(1000 * micros);
            let bad = vec![[us(from), us(from + lasts)]];
            ChannelConfig::Scripted(path::channel::scripted::Config { bad, ..Default::default() })
        }),
    ]
}

fn plan() -> impl Strategy<Value = (Plan, Offers)> {
    (2u32..7, 1usize..9).prop_flat_map(|(stations, links)| {
        let link = (0..stations, 1..stations).prop_map(move |(a, step)| [a, (a + step) % stations]);
        let offer = (0u64..30_000, 0..links, any::<bool>(), 41u32..1501);
        let offer = offer.prop_map(|(at, link, back, size)| {
            (at, link, if back { LinkDirection::Backward } else { LinkDirection::Forward }, size)
        });
        let limit = prop_oneof![Just(Limit::None), (0u32..4).prop_map(Limit::Packets)];
        (
            config(),
            prop::collection::vec(link, links),
            prop::collection::vec(channel(), links),
            any::<u64>(),
            prop_oneof![
                Just(SchedulerConfig::RoundRobin(Default::default())),
                Just(SchedulerConfig::Fifo(Default::default()))
            ],
            limit,
            prop::collection::vec(offer, 1..40),
        )
            .prop_map(move |(config, links, channels, seed, scheduler, limit, mut offers)| {
                offers.sort_by_key(|offer| offer.0);
                let streams = (0..stations).map(|number| Stream::named(seed, 0, &format!("{number}"))).collect();
                let plan = Plan {
                    config,
                    links,
                    channels,
                    rates: Vec::new(),
                    streams,
                    scheduler,
                    limit,
                    slots_reversed: false,
                };
                (plan, offers)
            })
    })
}

/// Checks that every packet was delivered once, given up, refused, or delivered and given up, and that none waits.
fn is_conserved(cell: &Cell) -> Result<(), TestCaseError> {
    let (mut arrived, mut lost, mut refused) = (HashMap::new(), HashSet::new(), 0u64);
    for (_, saw) in &cell.log.0 {
        let LoggedEvent::Link(_, event) = saw else { continue };
        let number = |packet: &wire::Packet| packet.data().map_or(u32::MAX, |segment| segment.seq.0);
        match event {
            LinkEvent::Arrived { packet } => *arrived.entry(number(packet)).or_insert(0) += 1,
            LinkEvent::GivenUp { packet, arrived: false, .. } => {
                prop_assert!(lost.insert(number(packet)), "given up twice");
            }
            LinkEvent::QueueFull { .. } => refused += 1,
            _ => {}
        }
    }
    prop_assert!(arrived.values().all(|times| *times == 1), "delivered twice: {arrived:?}");
    prop_assert!(arrived.keys().all(|packet| !lost.contains(packet)), "delivered and lost");
    let offered: u64 = cell.offered.iter().flatten().sum();
    prop_assert_eq!(offered, arrived.len() as u64 + lost.len() as u64 + refused);
    prop_assert_eq!(refused, cell.refused.iter().flatten().sum::<u64>());
    for link in 0..cell.offered.len() {
        for direction in [LinkDirection::Forward, LinkDirection::Backward] {
            let counters = cell.counters(link, direction, Time::NEVER);
            prop_assert_eq!(
                counters.packets_delivered + counters.packets_dropped,
                cell.offered[link][direction.index()]
            );
            prop_assert!(counters.frames_collided + counters.frames_corrupted <= counters.frames_sent);
        }
    }
    Ok(())
}

/// A frame in the log: its sender and receiver, start and end, and reservation.
#[derive(Clone, Copy, Debug)]
struct Heard {
    from: u32,
    to: u32,
    sent: Time,
    begins: Time,
    ends: Time,
    reserves: Time,
}

/// Checks that a station that begins an exchange has sensed an idle medium for DIFS and has no NAV set, apart from
/// frames that began too recently to be sensed. All other frames must begin SIFS after the frame to which they belong.
fn is_sensed(cell: &Cell, plan: &Plan) -> Result<(), TestCaseError> {
    let phy = Phy::new(&plan.config);
    let mut heard: Vec<Heard> = Vec::new();
    let mut data_rates = HashMap::new();
    let mut ended: Vec<(u32, u32, FrameKind, Time, Reception)> = Vec::new();
    for (at, saw) in &cell.log.0 {
        let (from, to, frame) = match saw {
            LoggedEvent::Medium(MediumEvent::Sent { from, to, frame, .. }) => (from.number(), to.number(), *frame),
            LoggedEvent::Medium(MediumEvent::Ended { from, to, kind, reception, .. }) => {
                ended.push((from.number(), to.number(), *kind, *at, *reception));
                continue;
            }
            LoggedEvent::Medium(MediumEvent::BackOff { slots, window, .. }) => {
                prop_assert!(slots <= window);
                continue;
            }
            LoggedEvent::Medium(MediumEvent::Reaches { .. }) | LoggedEvent::Link(..) => continue,
        };
        let ends = frame.start + frame.duration + phy.delay;
        let now = Heard {
            from,
            to,
            sent: frame.start,
            begins: frame.start + phy.delay,
            ends,
            reserves: ends + frame.reserves,
        };
        // The frame received undamaged, to which this frame responds after SIFS.
        let asked = ended.iter().rev().find(|(theirs, mine, _, end, reception)| {
            (*theirs, *mine) == (to, from) && *reception == Reception::Received && *end + phy.sifs == frame.start
        });
        let follows = match (frame.kind, asked.map(|asked| asked.2)) {
            (FrameKind::Cts, asked) => {
                prop_assert_eq!(asked, Some(FrameKind::Rts));
                true
            }
            (FrameKind::Ack, asked) => {
                prop_assert_eq!(asked, Some(FrameKind::Data));
                true
            }
            (FrameKind::BlockAck, asked) => {
                prop_assert_eq!(asked, Some(FrameKind::Aggregate));
                true
            }
            (FrameKind::Data | FrameKind::Aggregate, Some(FrameKind::Cts)) => true,
            (FrameKind::Data, Some(FrameKind::Ack)) => {
                // A further fragment, at the rate with which its duration was announced.
                prop_assert_eq!(data_rates.get(&from), Some(&frame.rate));
                true
            }
            _ => false,
        };
        if frame.kind == FrameKind::Data {
            data_rates.insert(from, frame.rate);
        }
        let busy = |other: &&Heard| other.from != from && other.begins < now.sent && now.sent < other.ends;
        let other = heard.iter().find(busy);
        prop_assert!(other.is_none(), "{now:?} during {other:?}");
        prop_assert!(heard.iter().all(|other| other.from != from || other.sent + phy.delay <= now.sent));
        if !follows {
            // An earlier frame without overlap, addressed to another station.
            let overlaps =
                |one: &Heard| heard.iter().filter(|other| other.sent < one.ends && one.sent < other.ends).count();
            for other in heard.iter().filter(|other| other.ends <= now.sent) {
                let silence = other.ends + phy.difs;
                prop_assert!(now.sent >= silence, "{now:?} behind {other:?}");
                let mine = other.from == from || other.to == from;
                prop_assert!(
                    mine || overlaps(other) > 1 || now.sent >= other.reserves + phy.difs,
                    "{now:?} in what {other:?} reserves"
                );
            }
        }
        heard.push(now);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn packets_are_conserved_and_the_air_is_sensed((plan, offers) in plan()) {
        prop_assume!(plan.config.check().is_empty());
        let mut cell = Cell::new(&plan);
        cell.play(&offers);
        is_conserved(&cell)?;
        is_sensed(&cell, &plan)?;
        // A second run gives the same log.
        let mut again = Cell::new(&plan);
        again.play(&offers);
        prop_assert_eq!(&cell.log.0, &again.log.0);
        // No wake-up remains. The number of wake-ups is proportional to the number of frames.
        let frames = cell.log.0.iter().filter(|(_, saw)| matches!(saw, LoggedEvent::Medium(MediumEvent::Sent { .. }))).count();
        prop_assert!(cell.schedule.next(Time::NEVER).is_none());
        prop_assert!(cell.wakeups <= 3 * frames as u64 + 1, "{} wake-ups for {frames} frames", cell.wakeups);
    }
}

/// Returns the events in chronological order, sorted within one time.
fn timeline(cell: &Cell) -> Vec<(Time, String)> {
    let mut seen: Vec<_> = cell.log.0.iter().map(|(at, saw)| (*at, format!("{saw:?}"))).collect();
    seen.sort();
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Stations that act at the same time do not sense each other, in either order of handling.
    #[test]
    fn order_of_simultaneous_events_does_not_change_the_timeline((plan, offers) in plan()) {
        prop_assume!(plan.config.check().is_empty());
        let mut cell = Cell::new(&plan);
        cell.play(&offers);
        let mut reversed = Cell::new(&Plan { slots_reversed: true, ..plan });
        reversed.play(&offers);
        prop_assert_eq!(timeline(&cell), timeline(&reversed));
    }
}

/// Stations 0 and 3 send at 16,378.283 us, collide, and time out at 22,470.566 us. Before, station 3 alone receives a
/// damaged frame, which ends at 22,108.283 us. EIFS of 364 us ends for station 3 at 22,472.283 us, 717 ns after it can
/// sense the frame that station 0 sends at its timeout.
#[test]
fn timeout_during_eifs_beside_a_timeout_of_another_station_starts_no_frame() {
    let us = |micros: u64| Span::from_nanos(1000 * micros);
    let scripted = |from, to| {
        ChannelConfig::Scripted(path::channel::scripted::Config { bad: vec![[us(from), us(to)]], ..Default::default() })
    };
    let mut channels = vec![ChannelConfig::Perfect(Default::default()); 6];
    channels.extend([scripted(15_679, 25_881), scripted(0, 1_413)]);
    let plan = Plan {
        config: Config {
            standard: Standard::Dsss,
            fragmentation_threshold: Some(Bytes(876)),
            short_retry_limit: Some(2),
            cw_min: Some(0),
            cw_max: Some(0),
            answer_timeout: Some(Span::from_nanos(2_396_283)),
            ..Config::default()
        },
        links: vec![[0, 1], [0, 1], [0, 1], [0, 1], [3, 0], [3, 0], [1, 3], [3, 2]],
        channels,
        rates: Vec::new(),
        streams: (0..4).map(|number| Stream::named(1, 0, &format!("{number}"))).collect(),
        scheduler: SchedulerConfig::RoundRobin(Default::default()),
        limit: Limit::None,
        slots_reversed: false,
    };
    let (forward, backward) = (LinkDirection::Forward, LinkDirection::Backward);
    let offers = [
        (1181, 7, backward, 874),
        (1183, 0, forward, 184),
        (6127, 6, backward, 840),
        (7434, 4, forward, 591),
        (13_525, 4, forward, 41),
        (13_526, 0, forward, 840),
        (15_999, 0, forward, 840),
        (16_536, 6, forward, 333),
    ];
    let mut cell = Cell::new(&plan);
    cell.play(&offers);
    let mut reversed = Cell::new(&Plan { slots_reversed: true, ..plan });
    reversed.play(&offers);
    assert_eq!(timeline(&cell), timeline(&reversed));
    let senders = cell.log.0.iter().filter_map(|(_, saw)| match saw {
        LoggedEvent::Medium(MediumEvent::Sent { from, frame, .. }) if frame.start == Time::from_nanos(22_470_566) => {
            Some(from.number())
        }
        _ => None,
    });
    assert_eq!(senders.collect::<Vec<_>>(), [0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Links are closed and opened at random times, also during exchanges, every fourth packet is expedited, and
    /// station 0 sends beacons.
    #[test]
    fn packets_are_conserved_with_closed_links_and_expedited_packets(
        (plan, offers) in plan(),
        changes in prop::collection::vec((0u64..30_000, any::<prop::sample::Index>(), any::<bool>()), 1..10),
    ) {
        let plan = Plan { config: Config { beacon_interval: Some(Span::from_millis(5)), ..plan.config }, ..plan };
        prop_assume!(plan.config.check().is_empty());
        let run = || {
            let mut cell = Cell::new(&plan);
            cell.expedited = Some(4);
            let mut happens: Vec<_> = offers.iter().map(|offer| (offer.0, Ok(*offer))).collect();
            happens.extend(changes.iter().map(|(at, link, open)| (*at, Err((link.index(plan.links.len()), *open)))));
            happens.sort_by_key(|(at, _)| *at);
            for (at, what) in happens {
                let at = Time::from_nanos(at * 1000);
                cell.run_before(at);
                match what {
                    Ok((_, link, direction, size)) => cell.offer(at, link, direction, size),
                    Err((link, open)) => cell.set_open(link, open),
                }
            }
            // Beacons never end, so the run stops when all packets are completed.
            let all = cell.offered.iter().flatten().sum::<u64>();
            let done = |cell: &Cell| {
                let hops = (0..plan.links.len()).flat_map(|link| [(link, LinkDirection::Forward), (link, LinkDirection::Backward)]);
                let counters = hops.map(|(link, direction)| cell.counters(link, direction, Time::NEVER));
                counters.map(|counters| counters.packets_delivered + counters.packets_dropped).sum::<u64>() == all
            };
            let over = (1..400).map(|step| Time::from_millis(50 * step)).find(|until| {
                cell.run_before(*until);
                done(&cell)
            });
            // A beacon may still wait for the end of a reservation and of a back-off.
            cell.run_before(over.unwrap_or(Time::from_millis(20_000)) + Span::from_millis(200));
            cell
        };
        let cell = run();
        is_conserved(&cell)?;
        is_sensed(&cell, &plan)?;
        prop_assert_eq!(&cell.log.0, &run().log.0);
        let beacon = |saw: &LoggedEvent| matches!(saw, LoggedEvent::Medium(MediumEvent::Sent { frame, .. }) if frame.kind == FrameKind::Beacon);
        prop_assert!(cell.log.0.iter().any(|(_, saw)| beacon(saw)));
    }
}

/// Unused slots are not simulated one by one: an idle medium causes no wake-up, for any window size.
#[test]
fn idle_back_off_slots_cause_no_wakeups() {
    let config = Config {
        rate: Rate::from_bits_per_sec(1_000_000),
        cw_min: Some(65_535),
        cw_max: Some(65_535),
        ..Config::default()
    };
    let mut cell = Cell::new(&Plan::around_one(config, 20));
    for link in 0..20 {
        cell.offer(Time::ZERO, link, LinkDirection::Forward, 100);
        cell.offer(Time::ZERO, link, LinkDirection::Forward, 100);
    }
    while cell.step(Time::NEVER).is_some() {}
    let last = cell.log.0[cell.log.0.len() - 1].0;
    let sent = cell.log.0.iter().filter(|(_, saw)| matches!(saw, LoggedEvent::Medium(MediumEvent::Sent { .. }))).count()
        as u64;
    assert!(last.as_nanos() / 20_000 > 50_000, "expected tens of thousands of slots until {last:?}");
    assert!(cell.wakeups <= 2 * sent, "{} wake-ups for {sent} frames", cell.wakeups);
}
