//! Events that restart the running retransmission timer.

use crate::common;

use common::member;
use engine::{Span, Time};
use tcp::config::TimerRestart;
use tcp::{Config, Connection};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment, SeqNum};

/// The expiry of the timer of 1 s after a third duplicate 900 ms after its start.
fn expires(rto_restart: TimerRestart) -> Time {
    let recovery = member("newreno");
    let config = Config { segment: 1000, initial_window: 10, recovery, rto_restart, ..Config::default() };
    let mut end = Connection::established(&config, 1, 2, config.window.max());
    end.write(20_000);
    while end.poll_transmit(Time::ZERO).is_some() {}
    let now = Time::from_millis(900);
    let duplicate =
        Segment { src_port: 2, dst_port: 1, ack: SeqNum(0), flags: Flags::ACK, window: 65_535, ..Segment::default() };
    for _ in 0..3 {
        end.handle_segment(now, &duplicate, Ecn::NotEct);
    }
    assert!(end.ssthresh().is_finite(), "recovery has begun");
    while end.poll_transmit(now).is_some() {}
    end.poll_timeout()
}

/// By the RFC, retransmissions in recovery are covered by the remaining time of the timer; in 4.3BSD the timer
/// restarts.
// covers [RFC6298 s5.3]
#[test]
fn recovery_restarts_the_timer_under_the_rules_recovery_and_retransmissions() {
    assert_eq!(expires(TimerRestart::Acknowledgments), Time::from_millis(1000));
    assert_eq!(expires(TimerRestart::Recovery), Time::from_millis(900) + Span::from_secs(1));
    assert_eq!(expires(TimerRestart::Retransmissions), Time::from_millis(900) + Span::from_secs(1));
}

/// The expiry of the timer after Refined ICMP's recovery has begun, at the first duplicate, 900 ms after the timer was
/// started, with a segment resent by ICMP-RETRANSMIT at 850 ms.
fn expires_under_refined(rto_restart: TimerRestart) -> Time {
    let config = Config {
        segment: 1000,
        initial_window: 10,
        recovery: member("reno"),
        response: member("refined-icmp"),
        rto_restart,
        ..Config::default()
    };
    let mut end = Connection::established(&config, 1, 2, config.window.max());
    end.observe();
    end.write(20_000);
    while end.poll_transmit(Time::ZERO).is_some() {}
    let notice = Notice {
        kind: NoticeKind::Retransmit,
        segment_dst: Addr::of_node(2),
        src_port: 1,
        dst_port: 2,
        seq: SeqNum(0),
    };
    let now = Time::from_millis(850);
    end.handle_icmp(now, &notice);
    while end.poll_transmit(now).is_some() {}
    let duplicate =
        Segment { src_port: 2, dst_port: 1, ack: SeqNum(0), flags: Flags::ACK, window: 65_535, ..Segment::default() };
    let now = Time::from_millis(900);
    end.handle_segment(now, &duplicate, Ecn::NotEct);
    while end.poll_transmit(now).is_some() {}
    let mut recovered = false;
    while let Some(event) = end.poll_event() {
        recovered |= matches!(event, tcp::Event::NotifiedRecovery { .. });
    }
    assert!(recovered, "recovery has begun");
    end.poll_timeout()
}

/// The first segment of recovery was in flight already: only a new transmission may restart the timer.
#[test]
fn recovery_without_a_retransmission_does_not_restart_the_timer() {
    assert_eq!(expires_under_refined(TimerRestart::Acknowledgments), Time::from_millis(1000));
    assert_eq!(expires_under_refined(TimerRestart::Recovery), Time::from_millis(1000));
    assert_eq!(expires_under_refined(TimerRestart::Retransmissions), Time::from_millis(850) + Span::from_secs(1));
}

/// With ELN the first marked duplicate resends the segment and begins recovery: a fast retransmit, 900 ms after the
/// timer was started.
#[test]
fn retransmission_caused_by_a_mark_restarts_the_timer() {
    let config = Config {
        segment: 1000,
        initial_window: 10,
        recovery: member("reno"),
        response: member("eln"),
        rto_restart: TimerRestart::Recovery,
        ..Config::default()
    };
    let mut end = Connection::established(&config, 1, 2, config.window.max());
    end.write(20_000);
    while end.poll_transmit(Time::ZERO).is_some() {}
    let now = Time::from_millis(900);
    let flags = Flags::ACK | Flags::ELN;
    let duplicate = Segment { src_port: 2, dst_port: 1, ack: SeqNum(0), flags, window: 65_535, ..Segment::default() };
    end.handle_segment(now, &duplicate, Ecn::NotEct);
    let again = end.poll_transmit(now).expect("the segment goes out again");
    assert_eq!(again.0.seq, SeqNum(0));
    while end.poll_transmit(now).is_some() {}
    assert_eq!(end.poll_timeout(), now + Span::from_secs(1));
}
