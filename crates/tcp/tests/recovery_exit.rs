//! The effect on cwnd of the acknowledgment that ends fast recovery.

use crate::common;

use common::member;
use engine::{Bytes, Time};
use tcp::{Config, Connection};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment, SeqNum};

const SEGMENT: u32 = 1000;

fn config(response: &str, recovery_exit_growth: bool) -> Config {
    Config {
        segment: SEGMENT,
        initial_window: 10,
        recovery: member("reno"),
        control: tcp::cc::ControlConfig::Reno(tcp::cc::reno::Config {
            ssthresh_from: Some(tcp::cc::reno::Basis::Window),
            ..Default::default()
        }),
        response: member(response),
        recovery_exit_growth,
        ..Config::default()
    }
}

fn ack(end: &mut Connection, millis: u64, segments: u32) {
    let now = Time::from_millis(millis);
    let ack = Segment {
        src_port: 2,
        dst_port: 1,
        ack: SeqNum(segments * SEGMENT),
        flags: Flags::ACK,
        window: 65_535,
        ..Segment::default()
    };
    end.handle_segment(now, &ack, Ecn::NotEct);
    while end.poll_transmit(now).is_some() {}
}

/// A sender of ten segments, with a message `kind` about the first of them.
fn sender(config: &Config, kind: Option<NoticeKind>) -> Connection {
    let mut end = Connection::established(config, 1, 2, config.window.max());
    end.write(100_000);
    while end.poll_transmit(Time::ZERO).is_some() {}
    if let Some(kind) = kind {
        let now = Time::from_millis(50);
        end.handle_icmp(now, &Notice { kind, segment_dst: Addr::of_node(2), src_port: 1, dst_port: 2, seq: SeqNum(0) });
        while end.poll_transmit(now).is_some() {}
    }
    end
}

/// Loses and retransmits the first of ten segments. Returns cwnd and ssthresh, in segments, once all ten are
/// acknowledged.
fn after_recovery(config: &Config, kind: Option<NoticeKind>, duplicates: u64) -> (f64, f64) {
    let mut end = sender(config, kind);
    for duplicate in 0..duplicates {
        ack(&mut end, 100 + duplicate, 0);
    }
    ack(&mut end, 300, 10);
    (end.cwnd() / f64::from(SEGMENT), end.ssthresh() / f64::from(SEGMENT))
}

/// By hand, after `tcp_input.c` 7.25 of 4.3BSD-Reno: ssthresh is half of ten segments, cwnd falls to ssthresh, and
/// grows by one segment because it does not exceed ssthresh.
// covers [RFC5681 s3.2 step 6]
#[test]
fn unmodified_tcp_ends_recovery_at_ssthresh_or_one_segment_above() {
    assert_eq!(after_recovery(&config("unmodified", false), None, 9), (5.0, 5.0));
    assert_eq!(after_recovery(&config("unmodified", true), None, 9), (6.0, 5.0));
}

/// cwnd becomes its value before recovery, 10 segments, plus the growth by any new acknowledgment: a tenth of a segment
/// above an ssthresh of 4, a whole segment below an ssthresh of 20.
#[test]
fn schemes_end_recovery_with_the_previous_cwnd_or_little_more() {
    let cases = [("simple-icmp", NoticeKind::Defer, 9), ("refined-icmp", NoticeKind::Retransmit, 9)];
    for (scheme, kind, duplicates) in cases {
        for (threshold, opened) in [(4, 10.1), (20, 11.0)] {
            for (opens, expected) in [(false, 10.0), (true, opened)] {
                let initial_ssthresh = Some(Bytes(threshold * u64::from(SEGMENT)));
                let config = Config { initial_ssthresh, ..config(scheme, opens) };
                let (cwnd, ssthresh) = after_recovery(&config, Some(kind), duplicates);
                assert!((cwnd - expected).abs() < 1e-9, "{scheme}, ssthresh {threshold}, {opens}: {cwnd}");
                assert_eq!(ssthresh, threshold as f64, "{scheme}");
            }
        }
    }
}

/// A later acknowledgment grows cwnd by the same rule under either setting. After 5 + 1 = 6 segments, which is above
/// ssthresh, 6 + 1/6 follow; otherwise 5 + 1 follow.
#[test]
fn acknowledgment_after_recovery_grows_cwnd_as_slow_start_or_congestion_avoidance() {
    for (opens, expected) in [(false, 6.0), (true, 6.0 + 1.0 / 6.0)] {
        let mut end = sender(&config("unmodified", opens), None);
        for duplicate in 0..3 {
            ack(&mut end, 100 + duplicate, 0);
        }
        ack(&mut end, 300, 10);
        ack(&mut end, 400, 11);
        assert!((end.cwnd() / f64::from(SEGMENT) - expected).abs() < 1e-9, "{opens}: {}", end.cwnd());
    }
}
