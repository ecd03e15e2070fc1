//! The link with expedited packets, compared with the FIFO link when no packet is expedited.

use crate::common;

use common::{EventLog, collect, packet};
use engine::{Bytes, IdVec, Rate, Schedule, Span, Stream, Time};
use path::channel::{ChannelConfig, two_state, uniform};
use path::link::fifo::FifoLink;
use path::link::priority::PriorityLink;
use path::link::{HopCounters, Link, Timing, TransmissionLine};
use path::queue::{Limit, RouterBuffer, Tie, drop_tail};
use path::{Cx, HopId, LinkDirection, LinkEvent, LinkId};
use wire::{CompactPacket, Ecn, Options, Packet, SeqNum};

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);

/// Settings of a link, and of the packets offered to it.
#[derive(Clone, Copy, Debug)]
struct Setting {
    timing: Timing,
    delay: Span,
    limit: Limit,
    tie: Tie,
    threshold: Limit,
    /// Packets arrive at multiples of this time, so that arrivals coincide with departures.
    grid: Span,
    buffer: Option<Bytes>,
    seed: u64,
}

/// Events of a run, and the counters after every step.
#[derive(PartialEq, Debug)]
struct Seen {
    log: Vec<(Time, HopId, LinkEvent)>,
    dequeued: Vec<(Packet, Time, Time)>,
    counted: Vec<(Time, HopCounters)>,
    /// For each packet, whether the node's buffer admitted it.
    admitted: Vec<bool>,
}

enum Either {
    Fifo(Box<FifoLink>),
    Priority(Box<PriorityLink>),
}

impl Either {
    fn counters(&self, now: Time) -> HopCounters {
        match self {
            Either::Fifo(pipe) => pipe.counters(now),
            Either::Priority(once) => once.counters(now),
        }
    }
}

fn run(once: bool, setting: Setting, air: &ChannelConfig) -> Seen {
    let Setting { timing, delay, limit, tie, threshold, grid, buffer, seed } = setting;
    let mut schedule = Schedule::new();
    let (slot, source) = (schedule.slot(), schedule.slot());
    let line = TransmissionLine::new(Rate::from_bits_per_sec(1_000_000).unwrap(), delay, timing);
    let mut hop = if once {
        let once =
            PriorityLink::new(HOP, line, (drop_tail::Config { limit, ecn_threshold: threshold }, tie), true, slot);
        Either::Priority(Box::new(once))
    } else {
        Either::Fifo(Box::new(FifoLink::new(
            HOP,
            line,
            (drop_tail::Config { limit, ecn_threshold: threshold }, tie),
            true,
            slot,
        )))
    };
    let mut channels = IdVec::from(vec![air.build(Stream::named(seed, 0, "air"))]);
    let mut draws = Stream::named(seed, 0, "source").draws();
    let mut buffer = RouterBuffer::new(buffer);
    let mut log = EventLog::default();
    let (mut counted, mut admitted) = (Vec::new(), Vec::new());
    schedule.arm(source, Time::ZERO);
    while let Some((now, woken)) = schedule.next(Time::NEVER) {
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        if woken == source {
            let mut packet = packet(admitted.len() as u32, [0, 85, 960][(draws.next_u64() % 3) as usize]);
            packet.ecn = if draws.next_u64().is_multiple_of(2) { Ecn::Ect0 } else { Ecn::NotEct };
            if draws.next_u64().is_multiple_of(4) {
                let sack = [(SeqNum(1), SeqNum(admitted.len() as u32 + 2))].into_iter().collect();
                packet.put_options(Options { sack, ..Options::default() });
            }
            let room = buffer.admit(now, packet.size());
            admitted.push(room);
            if room {
                offer(&mut hop, &packet, &mut buffer, &mut cx);
            }
            match admitted.len() {
                300 => schedule.disarm(source),
                _ => schedule.arm(source, now + grid.times(draws.next_u64() % 7)),
            }
            counted.push((now, hop.counters(now)));
        } else {
            match &mut hop {
                Either::Fifo(pipe) => {
                    let mut arriving = packet(0, 0);
                    pipe.on_wake(&mut cx, &mut CompactPacket::of(&arriving), &mut arriving);
                }
                Either::Priority(link) => {
                    collect(|outcomes| cx.with_erased_observer(|cx| link.wake(&mut buffer, outcomes, cx)));
                }
            }
        }
    }
    counted.push((Time::NEVER, hop.counters(Time::NEVER)));
    // The two links compute departures at different times.
    let mut dequeued = Vec::new();
    let mut log: Vec<_> = log.link_events().collect();
    log.retain(|(_, _, event)| match *event {
        LinkEvent::Dequeued { packet, arrived, starts, .. } => {
            dequeued.push((packet, arrived, starts));
            false
        }
        LinkEvent::Joined { .. } => false,
        _ => true,
    });
    Seen { log, dequeued, counted, admitted }
}

fn offer(hop: &mut Either, packet: &Packet, buffer: &mut RouterBuffer, cx: &mut Cx<'_, EventLog>) {
    match hop {
        Either::Fifo(pipe) => match pipe.on_packet(packet, cx) {
            Some(leaves) => buffer.leaves_at(leaves, packet.size()),
            None => buffer.release(packet.size()),
        },
        Either::Priority(link) => {
            cx.with_erased_observer(|cx| link.accept(packet, false, buffer, cx));
        }
    }
}

/// Arrivals, departures from the queue, fates, drops and marks, counters at all times, and the use of the node's buffer are equal.
#[test]
fn priority_link_without_expedited_packets_equals_fifo_link() {
    let fades = two_state::Config {
        mean_good: Span::from_millis(100),
        mean_bad: Span::from_millis(30),
        loss_good: 0.05,
        loss_bad: 1.0,
    };
    let airs = [ChannelConfig::TwoState(fades), ChannelConfig::Uniform(uniform::Config { loss: 0.3 })];
    let limits = [Limit::None, Limit::Packets(0), Limit::Packets(1), Limit::Packets(4), Limit::Bytes(1_500)];
    let (mut full, mut marked, mut lost, mut refused) = (0, 0, 0, 0);
    // 40 bytes take 0.32 ms, 125 take 1 ms, 1,000 take 8 ms; in whole milliseconds 0, 1 and 8.
    for (timing, grid) in [(Timing::Exact, 320_000), (Timing::Exact, 1_000_000), (Timing::WholeMilliseconds, 1_000_000)]
    {
        for tie in [Tie::DepartureFirst, Tie::ArrivalFirst] {
            for (limit, threshold) in limits.iter().flat_map(|l| [(*l, Limit::None), (*l, Limit::Packets(2))]) {
                for (delay, buffer) in [(0, None), (1, None), (1, Some(Bytes(5_000))), (20, None)] {
                    // Steps of zero duration occur within one nanosecond, where the order may differ.
                    if timing == Timing::WholeMilliseconds && delay == 0 {
                        continue;
                    }
                    for seed in 0..4 {
                        let (grid, delay) = (Span::from_nanos(grid), Span::from_millis(delay));
                        let setting = Setting { timing, delay, limit, tie, threshold, grid, buffer, seed };
                        for air in &airs {
                            let [pipe, once] = [false, true].map(|once| run(once, setting, air));
                            assert_eq!(once.admitted, pipe.admitted, "{setting:?}");
                            let apart = once.log.iter().zip(&pipe.log).find(|(once, pipe)| once != pipe);
                            assert_eq!(apart, None, "{setting:?}, {}", air.name());
                            let apart = once.counted.iter().zip(&pipe.counted).find(|(once, pipe)| once != pipe);
                            assert_eq!(apart, None, "{setting:?}, {}", air.name());
                            assert_eq!(once, pipe, "{setting:?}, {}", air.name());
                            let counters = pipe.counted[pipe.counted.len() - 1].1;
                            full += counters.queue_full;
                            marked += counters.marked;
                            lost += counters.frames_corrupted;
                            refused += pipe.admitted.iter().filter(|room| !**room).count();
                        }
                    }
                }
            }
        }
    }
    assert!(full > 1000 && marked > 1000 && lost > 1000 && refused > 1000, "{full} {marked} {lost} {refused}");
}

/// A packet of 125 bytes takes 1 ms. Three packets wait when two expedited ones arrive. The expedited packets are sent
/// from 1 ms on, before the waiting ones, in the order of their arrival.
#[test]
fn expedited_packets_precede_waiting_ones_in_order() {
    let mut schedule = Schedule::new();
    let slot = schedule.slot();
    let line = TransmissionLine::new(Rate::from_bits_per_sec(1_000_000).unwrap(), Span::from_millis(2), Timing::Exact);
    let mut once = PriorityLink::new(HOP, line, (Limit::None, Tie::default()), false, slot);
    let (mut log, mut buffer) = (EventLog::default(), RouterBuffer::default());
    let plain = [0, 1, 2, 3].map(|number| (0, number, false));
    for (at, number, expedited) in plain.into_iter().chain([(500_000, 4, true), (600_000, 5, true)]) {
        let now = Time::from_nanos(at);
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut IdVec::default(), observer: &mut log };
        assert!(cx.with_erased_observer(|cx| once.accept(&packet(number, 85), expedited, &mut buffer, cx)));
    }
    while let Some((now, _)) = schedule.next(Time::NEVER) {
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut IdVec::default(), observer: &mut log };
        collect(|outcomes| cx.with_erased_observer(|cx| once.wake(&mut buffer, outcomes, cx)));
    }
    let arrivals = log.link_events().filter_map(|(at, _, event)| match event {
        LinkEvent::Arrived { packet } => Some((at.as_nanos() / 1_000_000, packet.data()?.seq.0)),
        _ => None,
    });
    assert_eq!(arrivals.collect::<Vec<_>>(), [(3, 0), (4, 4), (5, 5), (6, 1), (7, 2), (8, 3)]);
}
