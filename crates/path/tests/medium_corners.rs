//! Combinations in a shared medium: beacons, queues, RTS, aggregates and departures of stations.

use crate::cell;
use crate::common::LoggedEvent;

use cell::{Cell, Plan};
use engine::{Bytes, Span, Time};
use path::channel::scripted;
use path::mac::dcf::config::Aggregation;
use path::mac::dcf::{Config, FrameKind, Standard};
use path::queue::Limit;
use path::{LinkDirection, LinkEvent, MediumEvent, Reception};

const fn us(micros: u64) -> Time {
    Time::from_nanos(1000 * micros)
}

fn together() -> Config {
    Config {
        standard: Standard::N,
        aggregation: Some(Aggregation::default()),
        cw_min: Some(0),
        cw_max: Some(0),
        ..Config::default()
    }
}

/// Returns an 802.11b cell whose station 0 sends a beacon every 100 ms.
fn announcing() -> Plan {
    Plan::around_one(Config { beacon_interval: Some(Span::from_millis(100)), ..Config::default() }, 1)
}

/// Returns the start times of beacons up to `until`.
fn beacons(cell: &mut Cell, until: Time) -> Vec<Time> {
    while cell.step(until).is_some() {}
    let begun = |(_, saw): &(Time, LoggedEvent)| match saw {
        LoggedEvent::Medium(MediumEvent::Sent { frame, .. }) if frame.kind == FrameKind::Beacon => Some(frame.start),
        _ => None,
    };
    cell.log.0.iter().filter_map(begun).collect()
}

/// Returns the target time of the first beacon of [`announcing`], which is sent at once because the medium is idle.
fn first_target() -> Time {
    let first = beacons(&mut Cell::new(&announcing()), us(100_000))[0];
    assert!(first > us(1000));
    first
}

#[test]
fn beacon_due_during_the_last_exchange_follows_it() {
    let target = first_target();
    let mut cell = Cell::new(&announcing());
    // Data and its acknowledgment take 192 + 1,118 + 1 + 10 + 248 + 1 us. DIFS and up to 31 slots follow.
    let begins = Time::from_nanos(target.as_nanos() - 500_000);
    assert!(beacons(&mut cell, begins).is_empty());
    cell.offer(begins, 0, LinkDirection::Backward, 1500);
    let over = begins + Span::from_nanos(1_570_000);
    let found = beacons(&mut cell, target + Span::from_millis(90));
    assert!(found.len() == 1 && found[0] >= over + Span::from_nanos(50_000), "{found:?} for {target:?}");
    assert!(found[0] <= over + Span::from_nanos(50_000 + 31 * 20_000), "{found:?} for {target:?}");
}

#[test]
fn packet_during_a_beacon_does_not_count_as_waiting() {
    let mut cell = Cell::new(&Plan { limit: Limit::Packets(0), ..announcing() });
    let target = first_target();
    assert_eq!(beacons(&mut cell, target), [target]);
    // A beacon is in transmission. Of two packets one is head of line, and a queue limit of 0 refuses the other.
    let now = target + Span::from_nanos(100_000);
    cell.offer(now, 0, LinkDirection::Backward, 1500);
    cell.offer(now, 0, LinkDirection::Backward, 1500);
    assert_eq!(cell.refused[0], [0, 1]);
    beacons(&mut cell, now + Span::from_millis(50));
    assert_eq!(cell.counters(0, LinkDirection::Backward, now).packets_delivered, 1);
}

#[test]
fn closed_link_receives_no_aggregates() {
    let mut cell = Cell::new(&Plan::around_one(together(), 1));
    cell.set_open(0, false);
    let offers: Vec<_> = (0..5).map(|_| (0, 0, LinkDirection::Forward, 1500)).collect();
    cell.play(&offers);
    let ended = |(_, saw): &(Time, LoggedEvent)| match saw {
        LoggedEvent::Medium(MediumEvent::Ended { kind: FrameKind::Aggregate, reception, .. }) => Some(*reception),
        _ => None,
    };
    let ended: Vec<Reception> = cell.log.0.iter().filter_map(ended).collect();
    assert!(!ended.is_empty() && ended.iter().all(|reception| *reception == Reception::Unheard), "{ended:?}");
    let counters = cell.counters(0, LinkDirection::Forward, Time::NEVER);
    assert_eq!((counters.packets_delivered, counters.given_up), (0, 5));
}

/// An RTS and its CTS take 28 us each. A station without CTS sends the next RTS 58 us after its own. Two RTS fail, and
/// the third one at 480 us is answered. Two packets are lost from 570 to 990 us, and two more RTS fail at 1,048 and
/// 1,134 us. The failures are never three in succession.
#[test]
fn cts_resets_the_short_failure_count_of_all_packets_of_an_aggregate() {
    let config = Config { rts_threshold: Some(Bytes(3000)), short_retry_limit: Some(3), ..together() };
    let bad = [(308, 430), (570, 1200)].map(|(from, to)| [from, to].map(|at| Span::from_nanos(1000 * at)));
    let script = scripted::Config { bad: bad.to_vec(), ..Default::default() };
    let mut cell = Cell::new(&Plan::around_one(config, 1).scripted(0, script));
    cell.play(&[(0, 0, LinkDirection::Forward, 1500); 3]);
    let sent = |wanted: FrameKind| {
        let begun = |(_, saw): &(Time, LoggedEvent)| match saw {
            LoggedEvent::Medium(MediumEvent::Sent { frame, .. }) if frame.kind == wanted => Some(frame.start),
            _ => None,
        };
        cell.log.0.iter().filter_map(begun).collect::<Vec<_>>()
    };
    assert_eq!(sent(FrameKind::Rts), [308, 394, 480, 1048, 1134, 1220].map(us));
    assert_eq!(sent(FrameKind::Aggregate), [570, 1310].map(us));
    assert!(!cell.log.0.iter().any(|(_, saw)| matches!(saw, LoggedEvent::Link(_, LinkEvent::GivenUp { .. }))));
    assert_eq!(cell.counters(0, LinkDirection::Forward, Time::NEVER).packets_delivered, 3);
}

/// An RTS takes 192 + 80 us. Its CTS ends at 273 + 10 + 248 + 1 us; data begins 10 us later.
#[test]
fn time_before_a_frame_is_not_subtracted_from_the_airtime() {
    let mut cell = Cell::new(&Plan::around_one(Config { rts_threshold: Some(Bytes(0)), ..Config::default() }, 1));
    cell.offer(Time::ZERO, 0, LinkDirection::Forward, 1500);
    while cell.step(us(400)).is_some() {}
    assert_eq!(
        cell.counters(0, LinkDirection::Forward, us(400)).busy,
        Span::from_nanos(272_000),
        "the CTS is another station's"
    );
    while cell.step(us(532)).is_some() {}
    let busy = [532, 542, 642].map(|at| cell.counters(0, LinkDirection::Forward, us(at)).busy.as_nanos() / 1000);
    assert_eq!(busy, [272, 272, 372]);
}
