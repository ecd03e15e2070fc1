//! ECN marks instead of drops; the marked packets are computed by hand.
//!
//! Packets of 125 bytes arrive at once. The first is transmitted immediately; each other one finds the earlier ones
//! waiting.

mod common;

use common::{Log, member, own_transmitter, packet};
use engine::{Rate, Schedule, Span, Time};
use path::channel::{Channel, ChannelConfig, perfect};
use path::link::fifo::FifoLink;
use path::link::priority::PriorityLink;
use path::link::variable::VariableLink;
use path::link::variable::plan::Changes;
use path::link::{Line, Timing};
use path::mac::arq::{Arq, ArqConfig, stop_and_wait};
use path::queue::{Buffer, Limit, Tie, drop_tail};
use path::scheduler::SchedulerConfig;
use path::station::{Station, TxQueue};
use path::{Cx, HopId, LinkDirection, LinkEvent};
use wire::{Body, Ecn};

const HOP: HopId = HopId { link: 0, way: LinkDirection::Forward };

fn line() -> Line {
    Line::new("1 Mbps".parse::<Rate>().unwrap(), Span::from_millis(2), Timing::Exact)
}

/// The queue under test.
#[derive(Clone, Copy)]
enum Taker {
    Wire,
    Variable,
    Priority,
    Station,
    Own(Arq),
}

/// Offers packets with these ECN fields at time zero to a FIFO link, a station, a link with expedited packets, and each
/// transmitter. Returns the numbers of the marked packets and the counts of marks, for the FIFO link and for all
/// others, which agree.
fn marked(limit: Limit, threshold: Limit, fields: &[Ecn]) -> [(Vec<u32>, u64); 2] {
    let own = ["go-back-n", "selective-repeat", "fec"];
    let own = own.map(|name| member::<ArqConfig>(name).expect("a member").build());
    let takers = [Taker::Wire, Taker::Variable, Taker::Station, Taker::Priority].into_iter().chain(own.map(Taker::Own));
    let found: Vec<_> = takers.map(|taker| marked_by(taker, limit, threshold, fields)).collect();
    assert_eq!(found[0], found[1], "a variable link without changes equals a FIFO link");
    assert!(found[3..].iter().all(|own| *own == found[2]), "{found:?}");
    [found[0].clone(), found[2].clone()]
}

fn marked_by(taker: Taker, limit: Limit, threshold: Limit, fields: &[Ecn]) -> (Vec<u32>, u64) {
    let queue = drop_tail::Config { limit, ecn_threshold: threshold };
    let mut schedule = Schedule::default();
    let perfect = ChannelConfig::Perfect(perfect::Config::default());
    let mut channels: Vec<Box<dyn Channel>> = vec![perfect.build(Default::default())];
    let mut log = Log::default();
    let slots = [schedule.slot(), schedule.slot()];
    let mut cx = Cx { now: Time::ZERO, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
    let offered = fields.iter().zip(0..).map(|(ecn, number)| {
        let mut packet = packet(number, 85);
        packet.ecn = *ecn;
        packet
    });
    let counted = match taker {
        Taker::Wire => {
            let mut pipe = FifoLink::new(HOP, line(), (queue, Tie::default()), false, slots[0]);
            offered.for_each(|packet| {
                pipe.on_packet(&packet, &mut cx);
            });
            pipe.counters(Time::ZERO).marked
        }
        Taker::Variable => {
            let queue = (queue, Tie::default());
            let mut changing =
                VariableLink::new(HOP, line(), &Changes::default(), Default::default(), queue, false, slots[0]);
            offered.for_each(|packet| {
                changing.on_packet(&packet, &mut cx);
            });
            changing.counters(Time::ZERO).marked
        }
        Taker::Priority => {
            let mut once = PriorityLink::new(HOP, line(), (queue, Tie::default()), false, slots[0]);
            offered.for_each(|packet| {
                once.on_packet(&packet, false, &mut Buffer::default(), &mut cx);
            });
            once.counters(Time::ZERO).marked
        }
        Taker::Station => {
            let Arq::StopAndWait(arq) = ArqConfig::StopAndWait(stop_and_wait::Config::default()).build() else {
                panic!("its own kind")
            };
            let lane = TxQueue::new(HOP, line(), arq, queue);
            let mut station = Station::new(vec![lane], &SchedulerConfig::default(), slots[0], slots[1]);
            offered.for_each(|packet| {
                station.on_packet(0, packet, false, &mut Buffer::default(), &mut cx);
            });
            station.lanes()[0].counters(Time::ZERO).marked
        }
        Taker::Own(arq) => {
            let own = own_transmitter(&arq, HOP, line(), queue, slots[0]);
            let mut own = own.expect("its own");
            offered.for_each(|packet| {
                own.on_packet(&packet, false, &mut Buffer::default(), &mut cx);
            });
            own.counters(Time::ZERO).marked
        }
    };
    let marked = log.0.iter().filter_map(|(_, _, event)| match event {
        LinkEvent::Marked { packet } => {
            assert_eq!(packet.ecn, Ecn::Ce);
            let Body::Tcp(segment) = &packet.body else { panic!("{packet:?}") };
            Some(segment.seq.0)
        }
        _ => None,
    });
    (marked.collect(), counted)
}

// covers [RFC8257 s3.1]
#[test]
fn packet_above_the_threshold_is_marked() {
    // Packet n finds n - 1 packets waiting.
    for [wire, station] in [
        marked(Limit::None, Limit::Packets(2), &[Ecn::Ect0; 6]),
        marked(Limit::None, Limit::Bytes(2 * 125), &[Ecn::Ect1; 6]),
        marked(Limit::None, Limit::Bytes(3 * 125 - 1), &[Ecn::Ect0; 6]),
    ] {
        assert_eq!(wire, (vec![4, 5], 2));
        assert_eq!(station, wire);
    }
    let [wire, station] = marked(Limit::None, Limit::Packets(0), &[Ecn::Ect0; 4]);
    assert_eq!((wire.0, station.0), (vec![2, 3], vec![2, 3]));
}

// covers [RFC3168 s5]
#[test]
fn only_ecn_capable_packets_are_marked_once() {
    let fields = [Ecn::Ect0, Ecn::Ect0, Ecn::Ect0, Ecn::NotEct, Ecn::Ce, Ecn::Ect1, Ecn::NotEct];
    let [wire, station] = marked(Limit::None, Limit::Packets(1), &fields);
    assert_eq!(wire, (vec![5], 1));
    assert_eq!(station, wire);
    let [wire, station] = marked(Limit::None, Limit::None, &[Ecn::Ect0; 9]);
    assert_eq!((wire.1, station.1), (0, 0));
}

/// A packet that finds the queue full is dropped, not marked; a marked packet waits like any other.
#[test]
fn full_queue_drops_instead_of_marking() {
    // One packet is transmitted and four wait, of which the last two found 2 and 3 waiting.
    let [wire, station] = marked(Limit::Packets(4), Limit::Packets(1), &[Ecn::Ect0; 8]);
    assert_eq!(wire, (vec![3, 4], 2));
    assert_eq!(station, wire);
}
