//! A window that closes over data in flight [RFC9293 s3.8.6], as with schemes that freeze a sender.

use crate::common;

use common::member;
use engine::{Bytes, Time};
use tcp::config::ZeroWindow;
use tcp::recovery::RecoveryConfig;
use tcp::{Config, Connection};
use wire::{Ecn, Flags, Segment, SeqNum};

const SEGMENT: u32 = 1000;

/// A sender with ten segments in flight.
fn sender(recovery: &str, zero_window: ZeroWindow) -> Connection {
    let config = Config {
        segment: SEGMENT,
        window: Bytes(1_000_000).into(),
        initial_window: 10,
        recovery: member(recovery),
        zero_window,
        ..Config::default()
    };
    let mut sender = Connection::established(&config, 1, 2, 1_000_000);
    sender.write(u64::MAX);
    assert_eq!(sent(&mut sender, 0).len(), 10);
    sender
}

/// The segments sent now: first byte, in segments, and length in bytes.
fn sent(sender: &mut Connection, millis: u64) -> Vec<(i32, u32)> {
    let mut all = Vec::new();
    while let Some((segment, _)) = sender.poll_transmit(Time::from_millis(millis)) {
        all.push((segment.seq.0 as i32, segment.len));
    }
    all
}

/// The segments sent after an acknowledgment of this many segments, with a window, at `millis`.
fn ack(sender: &mut Connection, millis: u64, segments: u32, window: u32) -> Vec<(i32, u32)> {
    let ack = SeqNum(segments * SEGMENT);
    let flags = Flags::ACK;
    let ack = Segment { src_port: 2, dst_port: 1, ack, flags, window, ..Segment::default() };
    sender.handle_segment(Time::from_millis(millis), &ack, Ecn::NotEct);
    sent(sender, millis)
}

/// Advances time; returns the segments sent, with their times.
fn until(sender: &mut Connection, millis: u64) -> Vec<(u64, i32, u32)> {
    let mut all = Vec::new();
    while sender.poll_timeout() <= Time::from_millis(millis) {
        let at = sender.poll_timeout();
        sender.handle_timeout(at);
        let millis = at.as_nanos() / 1_000_000;
        all.extend(sent(sender, millis).into_iter().map(|(seq, len)| (millis, seq, len)));
    }
    all
}

fn recoveries() -> impl Iterator<Item = &'static str> {
    RecoveryConfig::MEMBERS.iter().map(|(name, _)| *name)
}

// covers [RFC9293 s3.8.6]: the window is probed, at growing intervals, with segments below the receive window.
#[test]
fn frozen_sender_sends_only_window_probes() {
    for name in recoveries() {
        let mut sender = sender(name, ZeroWindow::Persist);
        let cwnd = sender.cwnd();
        assert_eq!(ack(&mut sender, 100, 2, 0), [], "{name}");
        // Responses to probes, and copies of acknowledgments, do not count as duplicates.
        for _ in 0..4 {
            assert_eq!(ack(&mut sender, 110, 2, 0), [], "{name}");
        }
        let probes = until(&mut sender, 40_000);
        assert!(probes.iter().all(|(_, seq, len)| (*seq, *len) == (1999, 0)), "{name}: {probes:?}");
        let times: Vec<u64> = probes.iter().map(|(at, ..)| at / 100).collect();
        assert_eq!(times, [11, 31, 71, 151, 311], "{name}: from 100 ms on, doubling from 1 s");
        assert_eq!((sender.counters().timeouts, sender.cwnd()), (0, cwnd), "{name}");
    }
}

/// When the window opens, all unacknowledged data is retransmitted immediately, in order, and further data as
/// acknowledgments arrive.
#[test]
fn opened_window_resumes_with_the_previous_cwnd() {
    for name in recoveries() {
        let mut sender = sender(name, ZeroWindow::Persist);
        assert_eq!(ack(&mut sender, 100, 2, 0), [], "{name}");
        assert_eq!(ack(&mut sender, 120, 4, 0), [], "{name}: in flight when it closed");
        let cwnd = sender.cwnd();
        until(&mut sender, 5_000);
        let resent = ack(&mut sender, 5_000, 4, 1_000_000);
        let expected: Vec<(i32, u32)> = (4..14).map(|segment| (segment * 1000, 1000)).collect();
        assert_eq!(resent, expected, "{name}");
        // Freeze-TCP's second and third copy.
        for _ in 0..2 {
            assert_eq!(ack(&mut sender, 5_000, 4, 1_000_000), [], "{name}");
        }
        assert!(!ack(&mut sender, 5_100, 10, 1_000_000).is_empty(), "{name}");
        let counters = sender.counters();
        assert_eq!(
            (counters.timeouts, counters.segments_retransmitted, counters.fast_retransmits),
            (0, 6, 0),
            "{name}"
        );
        assert!(sender.cwnd() >= cwnd, "{name}");
        // The timer runs again for later losses.
        assert!(!until(&mut sender, 20_000).is_empty(), "{name}");
        assert!(sender.counters().timeouts > 0, "{name}");
    }
}

/// If all data in flight arrives, as after a warning by Freeze-TCP, nothing is retransmitted.
#[test]
fn data_that_arrived_beyond_a_closed_window_is_not_retransmitted() {
    for name in recoveries() {
        let mut sender = sender(name, ZeroWindow::Persist);
        for segments in 1..=10 {
            assert_eq!(ack(&mut sender, 100 + u64::from(segments), segments, 0), [], "{name}");
        }
        let cwnd = sender.cwnd();
        let probes = until(&mut sender, 3_000);
        assert!(!probes.is_empty() && probes.iter().all(|(.., len)| *len == 0), "{name}: {probes:?}");
        let new = ack(&mut sender, 3_000, 10, 1_000_000);
        assert_eq!(new.first(), Some(&(10_000, 1000)), "{name}");
        assert_eq!((sender.counters().segments_retransmitted, sender.counters().timeouts), (0, 0), "{name}");
        assert_eq!((new.len(), sender.cwnd()), (10, cwnd), "{name}: the time was not idle");
    }
}

/// As in Linux.
#[test]
fn timeout_with_a_closed_window_reduces_cwnd() {
    let mut sender = sender("reno", ZeroWindow::Retransmit);
    let cwnd = sender.cwnd();
    ack(&mut sender, 100, 2, 0);
    let sent = until(&mut sender, 5_000);
    assert!(sent.iter().all(|(_, seq, len)| (*seq, *len) == (2000, 1000)), "{sent:?}");
    assert!(sender.counters().timeouts > 0 && sender.cwnd() < cwnd);
}
