//! Contracts of all link layers, including their absence, in all channels: each offered packet is delivered, lost or
//! refused, and counted accordingly.

use crate::common;

use std::collections::BTreeSet;

use common::{EventLog, Sending, member, packet};
use engine::{IdVec, Rate, Schedule, Span, Stream, Time};
use path::channel::{ChannelConfig, two_state, uniform};
use path::link::{HopCounters, Timing, TransmissionLine};
use path::mac::arq::stop_and_wait::Numbering;
use path::mac::arq::{ArqConfig, fec, go_back_n, selective_repeat};
use path::queue::{Limit, RouterBuffer};
use path::{Cx, HopId, HopState, LinkDirection, LinkEvent, LinkId};

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);
const PACKETS: u32 = 500;
/// Data per packet in bytes; with headers 1,000 bytes, 8 ms at 1 Mbps.
const DATA: u32 = 960;

/// A link layer, and whether to use a transmitter with support for expedited packets, if both kinds are possible.
#[derive(Clone, Debug)]
struct Case {
    arq: ArqConfig,
    expedited: bool,
}

/// Returns every link layer with its defaults and with the thesis's settings, and some with other settings.
fn every_arq() -> Vec<Case> {
    let named = |(name, _): &(&str, _)| member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
    let plain: Vec<ArqConfig> = ArqConfig::MEMBERS.iter().map(named).collect();
    let thesis = plain.iter().cloned().map(|mut config| {
        config.goel1997();
        config
    });
    let mut all: Vec<ArqConfig> = plain.iter().cloned().chain(thesis).collect();
    for (window, max_transmissions) in [(1, 2), (3, 2), (3, 9)] {
        for in_order in [false, true] {
            let config = selective_repeat::Config { window, max_transmissions, in_order, ..Default::default() };
            all.push(ArqConfig::SelectiveRepeat(config));
        }
        all.push(ArqConfig::GoBackN(go_back_n::Config { window, max_transmissions, ..Default::default() }));
    }
    for (data, parity) in [(1, 1), (3, 2)] {
        for in_order in [false, true] {
            all.push(ArqConfig::Fec(fec::Config { data, parity, in_order, ..Default::default() }));
        }
    }
    let once = Case { arq: ArqConfig::None(Default::default()), expedited: true };
    all.into_iter().map(|arq| Case { arq, expedited: false }).chain([once]).collect()
}

fn every_air() -> Vec<ChannelConfig> {
    let fades = two_state::Config {
        mean_good: Span::from_millis(200),
        mean_bad: Span::from_millis(150),
        loss_good: 0.05,
        loss_bad: 1.0,
    };
    vec![
        ChannelConfig::Perfect(Default::default()),
        ChannelConfig::Uniform(uniform::Config { loss: 0.5 }),
        ChannelConfig::TwoState(fades),
    ]
}

fn line() -> TransmissionLine {
    TransmissionLine::new(Rate::from_bits_per_sec(1_000_000).unwrap(), Span::from_millis(2), Timing::Exact)
}

/// Outcome of packets 0, 1, 2, ..., offered at random times.
struct Run {
    refused: BTreeSet<u32>,
    delivered: Vec<u32>,
    counters: HopCounters,
    log: Vec<(Time, HopId, LinkEvent)>,
    ended: Time,
}

fn run(case: &Case, air: &ChannelConfig, limit: Limit, seed: u64) -> Run {
    let mut schedule = Schedule::new();
    let source = schedule.slot();
    let mut link = Sending::new(&case.arq, case.expedited, (HOP, line()), limit, &mut schedule);
    let mut buffer = RouterBuffer::default();
    let mut channels = IdVec::from(vec![air.build(Stream::named(seed, 0, "air"))]);
    let mut draws = Stream::named(seed, 0, "source").draws();
    let mut log = EventLog::default();
    let (mut refused, mut delivered, mut next, mut ended) = (BTreeSet::new(), Vec::new(), 0, Time::ZERO);
    schedule.arm(source, Time::ZERO);
    while let Some((now, slot)) = schedule.next(Time::NEVER) {
        ended = now;
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        if slot == source {
            if !link.accept(&packet(next, DATA), false, &mut buffer, &mut cx) {
                refused.insert(next);
            }
            next += 1;
            if next < PACKETS {
                schedule.arm(source, now + Span::from_nanos(draws.next_u64() % 40_000_000));
            } else {
                schedule.disarm(source);
            }
        } else {
            let outcomes = link.wake(slot, &mut buffer, &mut cx);
            let packets = outcomes.iter().filter_map(common::delivered);
            delivered.extend(packets.map(|packet| packet.data().expect("only data was offered").seq.0));
        }
        if let Limit::Packets(most) = limit {
            let waiting = link.state(now).waiting;
            assert!(waiting <= most as usize, "{waiting} packets in a queue of {most}");
        }
        assert!(link.counters(now).busy <= now.since(Time::ZERO), "busy for longer than the elapsed time");
    }
    // A queue behind a delay refuses a packet after its acceptance.
    refused.extend(log.link_events().filter_map(|(_, _, event)| match event {
        LinkEvent::QueueFull { packet, .. } => packet.data().map(|segment| segment.seq.0),
        _ => None,
    }));
    let HopState { waiting, outstanding, .. } = link.state(ended);
    assert_eq!((waiting, outstanding), (0, 0), "all accepted packets are delivered or lost in the end");
    Run { refused, delivered, counters: link.counters(ended), log: log.link_events().collect(), ended }
}

/// Runs every link layer in every channel with several queue limits.
fn every_run(mut check: impl FnMut(&Case, &Run, &str)) {
    for case in every_arq() {
        for air in every_air() {
            for limit in [Limit::None, Limit::Packets(0), Limit::Packets(3), Limit::Bytes(999), Limit::Bytes(2500)] {
                for seed in 0..4 {
                    let name = format!("{case:?}, {}, {limit}, seed {seed}", air.name());
                    check(&case, &run(&case, &air, limit, seed), &name);
                }
            }
        }
    }
}

#[test]
fn every_packet_is_delivered_lost_or_refused_and_counted() {
    let (mut lost_any, mut refused_any) = (false, false);
    every_run(|_, run, name| {
        let Run { refused, delivered, counters, .. } = run;
        let arrived: BTreeSet<u32> = delivered.iter().copied().collect();
        assert!(arrived.iter().all(|seq| *seq < PACKETS && !refused.contains(seq)), "{name}: invented");
        let lost = u64::from(PACKETS) - arrived.len() as u64 - refused.len() as u64;
        assert_eq!(counters.queue_full, refused.len() as u64, "{name}");
        assert_eq!(counters.packets_dropped, counters.queue_full + lost, "{name}");
        assert_eq!(counters.packets_delivered, delivered.len() as u64, "{name}");
        assert!(counters.frames_corrupted <= counters.frames_sent, "{name}");
        assert_eq!(
            counters.frames_sent - counters.frames_corrupted,
            counters.packets_delivered - counters.recovered + counters.duplicates + counters.discarded,
            "{name}"
        );
        (lost_any, refused_any) = (lost_any || lost > 0, refused_any || !refused.is_empty());
    });
    assert!(lost_any && refused_any, "no packet was lost or refused");
}

/// A packet may arrive twice in succession, if its acknowledgment was lost and each attempt has its own number. No
/// packet arrives after a later one.
#[test]
fn packets_are_delivered_in_order() {
    let mut out_of_order = false;
    every_run(|case, run, name| {
        assert!(run.delivered.is_sorted() || !case.arq.build().keeps_order(), "{name}");
        out_of_order |= !run.delivered.is_sorted();
    });
    assert!(out_of_order, "no packet was delivered out of order");
}

#[test]
fn duplicates_are_delivered_only_with_numbers_per_attempt() {
    every_run(|case, run, name| {
        let tells =
            !matches!(&case.arq, ArqConfig::StopAndWait(arq) if arq.numbering == Some(Numbering::PerTransmission));
        let arrived: BTreeSet<u32> = run.delivered.iter().copied().collect();
        assert!(!tells || arrived.len() == run.delivered.len(), "{name}");
    });
}

/// An accepted packet that does not arrive is reported as given up, or as lost by a link layer without retransmissions.
#[test]
fn every_loss_is_reported() {
    every_run(|_, run, name| {
        let said = run.log.iter().filter_map(|(_, _, event)| match event {
            LinkEvent::Lost { packet } | LinkEvent::GivenUp { packet, arrived: false, .. } => packet.data(),
            _ => None,
        });
        let said: BTreeSet<u32> = said.map(|segment| segment.seq.0).collect();
        let arrived: BTreeSet<u32> = run.delivered.iter().copied().collect();
        let lost = (0..PACKETS).filter(|seq| !arrived.contains(seq) && !run.refused.contains(seq));
        assert_eq!(said, lost.collect(), "{name}");
    });
}

#[test]
fn perfect_channel_with_unlimited_queue_loses_no_packet() {
    for case in every_arq() {
        let run = run(&case, &ChannelConfig::Perfect(Default::default()), Limit::None, 1);
        assert_eq!(run.delivered, (0..PACKETS).collect::<Vec<_>>(), "{case:?}");
        let parity = run.log.iter().filter(|(_, _, event)| matches!(event, LinkEvent::ParitySent { .. })).count();
        let (frames, busy) = (run.counters.frames_sent, run.counters.busy);
        if case.arq.build().ack_size().is_some() {
            assert_eq!((frames, parity), (u64::from(PACKETS), 0), "{case:?}: an acknowledged frame was sent again");
        }
        assert!(frames >= u64::from(PACKETS) + parity as u64, "{case:?}");
        // Redundant frames and headers take time, too. The last frame may still be sent when the last packet arrives.
        assert!(busy >= Span::from_millis(8).times(frames - 1), "{case:?}");
    }
}

#[test]
fn same_channel_and_packets_give_the_same_run() {
    for case in every_arq() {
        for air in every_air() {
            let again = || {
                let Run { log, counters, ended, .. } = run(&case, &air, Limit::Packets(3), 11);
                (log, counters, ended)
            };
            assert_eq!(again(), again(), "{case:?}");
        }
    }
}
