//! Times of packets on ns-2's LAN, compared with ns-2.

use crate::common;

use common::{EventLog, collect, delivered, packet};
use engine::{IdVec, Rate, Schedule, Span, Stream, Time};
use path::channel::ChannelConfig;
use path::link::{LinkParts, Timing, TransmissionLine};
use path::mac::arq::{ArqConfig, ArqSender, ns2_lan};
use path::queue::{Limit, RouterBuffer};
use path::{Cx, HopId, LinkDirection, LinkEvent, LinkId};

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);

/// Returns the packets, of 1000 bytes and offered at these times in microseconds, that reach the far end, with their
/// arrival times.
fn arrivals(offered: &[u64], limit: Limit, far_agent: bool) -> (Vec<(u32, u64)>, EventLog) {
    let mut schedule = Schedule::new();
    let (source, slot) = (schedule.slot(), schedule.slot());
    let line = TransmissionLine::new(Rate::from_bits_per_sec(2_000_000).unwrap(), Span::from_millis(1), Timing::Exact);
    let arq = ArqConfig::Ns2Lan(ns2_lan::Config::default()).build();
    let ArqSender::Own(build) = arq.sender() else { panic!("a transmitter of its own") };
    let parts =
        LinkParts { hop: HOP, line, queue: limit.into(), slot, agent_at_far_end: far_agent, reports_deliveries: false };
    let mut sender = build(parts);
    let mut channels = IdVec::from(vec![ChannelConfig::Perfect(Default::default()).build(Stream::named(1, 0, "air"))]);
    let (mut log, mut arrived, mut next) = (EventLog::default(), Vec::new(), 0);
    let at = |number: usize| Time::from_nanos(offered[number] * 1000);
    schedule.arm(source, at(0));
    while let Some((now, due)) = schedule.next(Time::NEVER) {
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        if due == source {
            cx.with_erased_observer(|cx| {
                sender.accept(&packet(next as u32, 960), false, &mut RouterBuffer::default(), cx)
            });
            next += 1;
            match offered.get(next) {
                Some(_) => schedule.arm(source, at(next)),
                None => schedule.disarm(source),
            }
        } else {
            let outcomes = collect(|outcomes| {
                cx.with_erased_observer(|cx| sender.wake(&mut RouterBuffer::default(), outcomes, cx));
            });
            let packets = outcomes.iter().filter_map(delivered);
            arrived.extend(packets.map(|packet| (packet.data().unwrap().seq.0, now.as_nanos() / 1000)));
        }
    }
    (arrived, log)
}

/// ns-2 2.35 with `make-lan` at 2 Mbps and 1 ms: TCP packets of 1000 bytes that reach the base station at 10.8, 35.64
/// and 36.44 ms are traced at the mobile at 12.804, 37.644 and 41.9 ms: 1 ms, 4 us and 1 ms, and the third waits for
/// the 4.256 ms of the second.
#[test]
fn arrival_times_match_ns2() {
    let (arrived, _) = arrivals(&[10_800, 35_640, 36_440], Limit::None, false);
    assert_eq!(arrived, [(0, 12_804), (1, 37_644), (2, 41_900)]);
}

/// `Snoop::handle` runs when the MAC delivers the packet; the delay `parent_->delay()` follows.
#[test]
fn agent_at_the_far_end_gets_packets_before_the_delay() {
    let (arrived, _) = arrivals(&[10_800, 35_640, 36_440], Limit::None, true);
    assert_eq!(arrived, [(0, 11_804), (1, 36_644), (2, 40_900)]);
}

/// The queue comes after the delay, so that the packet is dropped 1 ms after it was offered. One packet is sent, and
/// two wait.
#[test]
fn packet_is_dropped_when_it_reaches_the_full_queue() {
    let (arrived, log) = arrivals(&[0, 100, 200, 300], Limit::Packets(2), false);
    assert_eq!(arrived, [(0, 2_004), (1, 6_260), (2, 10_516)]);
    let full = log.link_events().filter(|(_, _, event)| matches!(event, LinkEvent::QueueFull { .. }));
    assert_eq!(full.map(|(at, _, _)| at.as_nanos()).collect::<Vec<_>>(), [1_300_000]);
}
