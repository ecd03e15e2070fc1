//! What holds for every link layer there is, the absence of one included, whatever the air does: each packet that is
//! offered is delivered, lost or refused, and counted as what it was.

mod common;

use std::collections::BTreeSet;

use common::{Log, member, packet};
use engine::{Rate, Schedule, Slot, Span, Stream, Time};
use path::channel::{Channel, ChannelConfig, two_state, uniform};
use path::link::pipe::Pipe;
use path::link::{Counters, Line, Timing};
use path::mac::arq::{Arq, ArqConfig};
use path::queue::{Limit, Tie};
use path::station::scheduler::Scheduler;
use path::station::{Lane, Station};
use path::{Cx, HopId, LinkEvent, Way};

const HOP: HopId = HopId { link: 0, way: Way::Forward };
const PACKETS: u32 = 500;
/// 1,000 bytes at 1 Mbps take 8 ms.
const DATA: u32 = 960;

/// Every link layer, as it is and as the thesis has it.
fn every_arq() -> Vec<ArqConfig> {
    let named = |(name, _): &(&str, _)| member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
    let plain: Vec<ArqConfig> = ArqConfig::MEMBERS.iter().map(named).collect();
    let thesis = plain.iter().cloned().map(|mut config| {
        config.goel1997();
        config
    });
    plain.iter().cloned().chain(thesis).collect()
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

enum Transmitter {
    Pipe(Pipe),
    Station { station: Station, arrival: Slot },
}

impl Transmitter {
    fn new(arq: &ArqConfig, limit: Limit, schedule: &mut Schedule) -> Self {
        let line = Line::new(Rate::from_bits_per_sec(1_000_000).unwrap(), Span::from_millis(2), Timing::Exact);
        match arq.build() {
            Arq::None => Transmitter::Pipe(Pipe::new(HOP, line, (limit, Tie::default()), true, schedule.slot())),
            Arq::StopAndWait(arq) => {
                let (arrival, timer) = (schedule.slot(), schedule.slot());
                let lanes = vec![Lane::new(HOP, line, arq, limit)];
                Transmitter::Station { station: Station::new(lanes, Scheduler::default(), arrival, timer), arrival }
            }
        }
    }

    fn offer(&mut self, seq: u32, cx: &mut Cx<'_, Log>) -> bool {
        match self {
            Transmitter::Pipe(pipe) => pipe.on_packet(&packet(seq, DATA), cx).is_some(),
            Transmitter::Station { station, .. } => station.on_packet(0, packet(seq, DATA), false, cx),
        }
    }

    /// The packet that comes out, if one does.
    fn wake(&mut self, slot: Slot, cx: &mut Cx<'_, Log>) -> Option<u32> {
        let delivered = match self {
            Transmitter::Pipe(pipe) => {
                let mut arriving = packet(0, DATA);
                pipe.on_wake(cx, &mut arriving).then_some(arriving)
            }
            Transmitter::Station { station, arrival } => {
                let outcome = if slot == *arrival { station.on_arrival(cx) } else { station.on_timer(cx) };
                outcome.delivered.map(|(_, packet)| packet)
            }
        };
        delivered.map(|packet| packet.data().expect("only data was offered").seq.0)
    }

    /// Packets in the queue, the one being sent included; a pipe does not tell.
    fn len(&self) -> usize {
        match self {
            Transmitter::Pipe(_) => 0,
            Transmitter::Station { station, .. } => station.lanes()[0].len(),
        }
    }

    fn counters(&self, now: Time) -> Counters {
        match self {
            Transmitter::Pipe(pipe) => pipe.counters(now),
            Transmitter::Station { station, .. } => station.lanes()[0].counters(now),
        }
    }
}

/// What became of packets 0, 1, 2, ..., each offered when a draw says so.
struct Run {
    refused: BTreeSet<u32>,
    delivered: Vec<u32>,
    counters: Counters,
    log: Vec<(Time, HopId, LinkEvent)>,
    ended: Time,
}

fn run(arq: &ArqConfig, air: &ChannelConfig, limit: Limit, seed: u64) -> Run {
    let mut schedule = Schedule::new();
    let source = schedule.slot();
    let mut transmitter = Transmitter::new(arq, limit, &mut schedule);
    let mut channels: Vec<Box<dyn Channel>> = vec![air.build(Stream::named(seed, 0, "air"))];
    let mut draws = Stream::named(seed, 0, "source").draws();
    let mut log = Log::default();
    let (mut refused, mut delivered, mut next, mut ended) = (BTreeSet::new(), Vec::new(), 0, Time::ZERO);
    schedule.arm(source, Time::ZERO);
    while let Some((now, slot)) = schedule.next(Time::NEVER) {
        ended = now;
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        if slot == source {
            if !transmitter.offer(next, &mut cx) {
                refused.insert(next);
            }
            next += 1;
            if next < PACKETS {
                schedule.arm(source, now + Span::from_nanos(draws.next_u64() % 40_000_000));
            } else {
                schedule.disarm(source);
            }
        } else {
            delivered.extend(transmitter.wake(slot, &mut cx));
        }
        if let Limit::Packets(most) = limit {
            assert!(transmitter.len() <= most as usize + 1, "{} packets in a queue of {most}", transmitter.len());
        }
        assert!(transmitter.counters(now).busy <= now.since(Time::ZERO), "busy for longer than there was time");
    }
    assert_eq!(transmitter.len(), 0, "what was taken is delivered or lost in the end");
    Run { refused, delivered, counters: transmitter.counters(ended), log: log.0, ended }
}

/// Every link layer in every air before queues of several lengths.
fn every_run(mut check: impl FnMut(&Run, &str)) {
    for arq in every_arq() {
        for air in every_air() {
            for limit in [Limit::None, Limit::Packets(0), Limit::Packets(3), Limit::Bytes(999), Limit::Bytes(2500)] {
                for seed in 0..4 {
                    let name = format!("{arq:?}, {}, {limit}, seed {seed}", air.name());
                    check(&run(&arq, &air, limit, seed), &name);
                }
            }
        }
    }
}

#[test]
fn every_packet_is_delivered_lost_or_refused_and_counted_so() {
    let (mut lost_any, mut refused_any) = (false, false);
    every_run(|run, name| {
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
            counters.packets_delivered + counters.duplicates,
            "{name}"
        );
        (lost_any, refused_any) = (lost_any || lost > 0, refused_any || !refused.is_empty());
    });
    assert!(lost_any && refused_any, "nothing happened");
}

/// A packet may come twice in a row, if its acknowledgment was lost; it never comes after a later one.
#[test]
fn packets_arrive_in_the_order_in_which_they_were_offered() {
    every_run(|run, name| assert!(run.delivered.is_sorted(), "{name}"));
}

#[test]
fn perfect_air_and_room_enough_lose_nothing() {
    for arq in every_arq() {
        let run = run(&arq, &ChannelConfig::Perfect(Default::default()), Limit::None, 1);
        assert_eq!(run.delivered, (0..PACKETS).collect::<Vec<_>>(), "{arq:?}");
        assert_eq!(run.counters.busy, Span::from_millis(8).times(u64::from(PACKETS)), "{arq:?}");
    }
}

#[test]
fn the_same_air_and_the_same_packets_give_the_same_run() {
    for arq in every_arq() {
        for air in every_air() {
            let again = || {
                let Run { log, counters, ended, .. } = run(&arq, &air, Limit::Packets(3), 11);
                (log, counters, ended)
            };
            assert_eq!(again(), again(), "{arq:?}");
        }
    }
}
