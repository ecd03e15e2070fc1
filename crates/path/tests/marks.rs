//! ECN marks instead of drops; the marked packets are computed by hand.
//!
//! Packets of 125 bytes arrive at once. The first is transmitted immediately; each other one finds the earlier ones
//! waiting.

use crate::common;

use common::{EventLog, Sending, member, packet};
use engine::{IdVec, Rate, Schedule, Span, Time};
use path::channel::{ChannelConfig, perfect};
use path::link::variable::VariableLink;
use path::link::variable::plan::Changes;
use path::link::{Timing, TransmissionLine};
use path::mac::arq::ArqConfig;
use path::queue::{Limit, RouterBuffer, Tie, drop_tail};
use path::{Cx, HopId, LinkDirection, LinkEvent, LinkId};
use wire::{Body, Ecn, Packet};

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);

fn line() -> TransmissionLine {
    TransmissionLine::new("1 Mbps".parse::<Rate>().unwrap(), Span::from_millis(2), Timing::Exact)
}

/// Offers packets with these ECN fields at time zero to a FIFO link, a station, a link with expedited packets, and each
/// transmitter. Returns the numbers of the marked packets and the counts of marks, for the FIFO link and for all
/// others, whose results must agree.
fn marked(limit: Limit, threshold: Limit, fields: &[Ecn]) -> [(Vec<u32>, u64); 2] {
    let named = |name| (member::<ArqConfig>(name).expect("a member"), false);
    let layers = ["none", "stop-and-wait", "go-back-n", "selective-repeat", "fec"].map(named);
    let expedited = (ArqConfig::None(Default::default()), true);
    let queue = drop_tail::Config { limit, ecn_threshold: threshold };
    let found = layers.into_iter().chain([expedited]).map(|(arq, expedited)| {
        marked_by(|schedule| Sending::new(&arq, expedited, (HOP, line()), queue, schedule), fields)
    });
    let found: Vec<_> = found.collect();
    let variable = |schedule: &mut Schedule| {
        let (slot, tie) = (schedule.slot(), Tie::default());
        let link = VariableLink::new(HOP, line(), &Changes::default(), Default::default(), (queue, tie), false, slot);
        Sending::Link(Box::new(link))
    };
    assert_eq!(found[0], marked_by(variable, fields), "a variable link without changes equals a FIFO link");
    assert!(found[2..].iter().all(|own| *own == found[1]), "{found:?}");
    [found[0].clone(), found[1].clone()]
}

fn marked_by(link: impl FnOnce(&mut Schedule) -> Sending, fields: &[Ecn]) -> (Vec<u32>, u64) {
    let mut schedule = Schedule::default();
    let perfect = ChannelConfig::Perfect(perfect::Config::default());
    let mut channels = IdVec::from(vec![perfect.build(Default::default())]);
    let mut log = EventLog::default();
    let mut link = link(&mut schedule);
    let mut cx = Cx { now: Time::ZERO, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
    for (ecn, number) in fields.iter().zip(0..) {
        let packet = Packet { ecn: *ecn, ..packet(number, 85) };
        link.accept(&packet, false, &mut RouterBuffer::default(), &mut cx);
    }
    let counted = link.counters(Time::ZERO).marked;
    let marked = log.link_events().filter_map(|(_, _, event)| match event {
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

/// A packet that finds the queue full is dropped, not marked. A marked packet waits as others do.
#[test]
fn full_queue_drops_instead_of_marking() {
    // One packet is transmitted and four wait. The last two of these found 2 and 3 packets waiting.
    let [wire, station] = marked(Limit::Packets(4), Limit::Packets(1), &[Ecn::Ect0; 8]);
    assert_eq!(wire, (vec![3, 4], 2));
    assert_eq!(station, wire);
}
