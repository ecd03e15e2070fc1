//! Queue limits, and the packets held by links, computed by hand.

use crate::common;

use common::{EventLog, collect, delivered, packet};
use engine::{IdVec, Rate, Schedule, Span, Time};
use path::channel::ChannelConfig;
use path::link::priority::PriorityLink;
use path::link::variable::VariableLink;
use path::link::variable::plan::Changes;
use path::link::{Link, Timing, TransmissionLine};
use path::queue::{Limit, RouterBuffer, Tie};
use path::{Cx, LinkDirection, LinkId};

/// A packet of 1,000 bytes with 3 packets in the queue.
#[test]
fn queue_limit_includes_the_arriving_packet() {
    let admits = |limit: Limit, packets, bytes| limit.admits(packets, bytes, 1000);
    assert!(admits(Limit::None, usize::MAX, u64::MAX));
    assert!(admits(Limit::Packets(4), 3, 0) && !admits(Limit::Packets(3), 3, 0) && !admits(Limit::Packets(0), 0, 0));
    assert!(admits(Limit::Bytes(4000), 3, 3000) && !admits(Limit::Bytes(3999), 3, 3000));
    assert!(admits(Limit::Bytes(1000), 0, 0) && !admits(Limit::Bytes(999), 0, 0));
    // A threshold compares the backlog without the arriving packet.
    assert!(!Limit::Packets(3).is_exceeded(3, 0) && Limit::Packets(3).is_exceeded(4, 0));
    assert!(!Limit::Bytes(3000).is_exceeded(3, 3000) && Limit::Bytes(3000).is_exceeded(3, 3001));
    assert!(!Limit::None.is_exceeded(usize::MAX, u64::MAX));
}

/// Packets of 1,000, 500 and 250 bytes at 1 Mbps begin at 0, 8 and 12 ms and leave until 14 ms; the propagation delay
/// is 20 ms.
#[test]
fn variable_link_reports_waiting_and_propagating_packets() {
    let mut schedule = Schedule::default();
    let slot = schedule.slot();
    let mut channels = IdVec::from(vec![ChannelConfig::Perfect(Default::default()).build(Default::default())]);
    let mut log = EventLog::default();
    let hop = LinkId::new(0).hop(LinkDirection::Forward);
    let line = TransmissionLine::new("1 Mbps".parse::<Rate>().unwrap(), Span::from_millis(20), Timing::Exact);
    let queue = (Limit::None, Tie::default());
    let mut changing = VariableLink::new(hop, line, &Changes::default(), Default::default(), queue, false, slot);
    let mut cx = Cx { now: Time::ZERO, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
    for (size, number) in [1000, 500, 250].into_iter().zip(0..) {
        let packet = packet(number, size - 40);
        assert!(cx.with_erased_observer(|cx| changing.accept(&packet, false, &mut RouterBuffer::default(), cx)));
    }
    for (ms, waiting, bytes, sent, busy) in [(0, 2, 750, 1, 0), (5, 2, 750, 1, 5), (8, 1, 250, 2, 8), (13, 0, 0, 3, 13)]
    {
        let now = Time::from_millis(ms);
        let state = changing.state(now);
        assert_eq!((state.waiting, state.waiting_bytes, state.outstanding), (waiting, bytes, 3 - waiting), "{ms} ms");
        let counters = changing.counters(now);
        assert_eq!((counters.frames_sent, counters.busy), (sent, Span::from_millis(busy)), "{ms} ms");
    }
    // The packets arrive at 28, 32 and 34 ms.
    for (at, left) in [(28, 2), (32, 1), (34, 0)] {
        let (now, _) = schedule.next(Time::NEVER).expect("an arrival");
        assert_eq!(now, Time::from_millis(at));
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        let outcomes =
            collect(|outcomes| cx.with_erased_observer(|cx| changing.wake(&mut RouterBuffer::default(), outcomes, cx)));
        assert!(outcomes.iter().all(|outcome| delivered(outcome).is_some()) && outcomes.len() == 1);
        assert_eq!(changing.state(now).outstanding, left);
    }
    let counters = changing.counters(Time::from_millis(34));
    assert_eq!((counters.packets_delivered, counters.busy), (3, Span::from_millis(14)));
}

/// The link of the test above, with expedited packets, is queried at the time of its own wake-up, before it wakes: a
/// transmission that begins now has begun, and the elapsed part of a transmission is counted.
#[test]
fn transmission_that_starts_now_counts_as_started() {
    let mut schedule = Schedule::default();
    let slot = schedule.slot();
    let mut channels = IdVec::from(vec![ChannelConfig::Perfect(Default::default()).build(Default::default())]);
    let mut log = EventLog::default();
    let hop = LinkId::new(0).hop(LinkDirection::Forward);
    let line = TransmissionLine::new("1 Mbps".parse::<Rate>().unwrap(), Span::from_millis(20), Timing::Exact);
    let mut once = PriorityLink::new(hop, line, (Limit::None, Tie::default()), false, slot);
    let mut cx = Cx { now: Time::ZERO, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
    for (size, number) in [1000, 500, 250].into_iter().zip(0..) {
        let packet = packet(number, size - 40);
        assert!(cx.with_erased_observer(|cx| once.accept(&packet, false, &mut RouterBuffer::default(), cx)));
    }
    let state = once.state(Time::ZERO);
    assert_eq!((state.waiting, state.waiting_bytes, state.outstanding), (2, 750, 1));
    let sent = |ms: u64| once.counters(Time::from_millis(ms)).frames_sent;
    assert_eq!([0, 7, 8, 11, 12].map(sent), [1, 1, 2, 2, 3]);
    let busy = |ms: u64| once.counters(Time::from_millis(ms)).busy;
    assert_eq!([0, 3, 8].map(busy), [0, 3, 8].map(Span::from_millis));
}
