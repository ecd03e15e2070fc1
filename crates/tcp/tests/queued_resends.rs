//! Segments queued for retransmission by a message of the network, which another event makes unnecessary.

use crate::common;

use common::member;
use engine::Time;
use tcp::{Config, Connection};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment, SeqNum};

/// An end with ten segments of 1,000 bytes in flight, sent at time zero, and more to send.
fn flying() -> Connection {
    let config = Config {
        segment: 1000,
        initial_window: 10,
        recovery: member("reno"),
        response: member("refined-icmp"),
        ..Config::default()
    };
    let mut end = Connection::established(&config, 1, 2, config.window.max());
    end.write(50_000);
    assert_eq!(sent(&mut end, Time::ZERO).len(), 10);
    end
}

/// The sequence numbers of the segments sent now.
fn sent(end: &mut Connection, now: Time) -> Vec<u32> {
    let mut sent = Vec::new();
    while let Some((segment, _)) = end.poll_transmit(now) {
        sent.push(segment.seq.0);
    }
    sent
}

fn notice(end: &mut Connection, now: Time, seq: u32) {
    let (kind, segment_dst) = (NoticeKind::Retransmit, Addr::of_node(1));
    end.handle_icmp(now, &Notice { kind, segment_dst, src_port: 1, dst_port: 2, seq: SeqNum(seq) });
}

#[test]
fn message_queues_its_segment_for_retransmission() {
    let mut end = flying();
    let now = Time::from_millis(100);
    notice(&mut end, now, 3000);
    notice(&mut end, now, 7000);
    assert_eq!(sent(&mut end, now), [3000, 7000]);
}

/// When messages and a timeout occur at the same time, everything in flight is lost, and only the first segment is
/// sent, because cwnd is one segment [RFC6298 s5.4, RFC5681 s3.1].
// covers [RFC6298 s5.4]
#[test]
fn timeout_clears_queued_retransmissions() {
    let mut end = flying();
    let now = end.poll_timeout();
    assert!(now < Time::NEVER);
    notice(&mut end, now, 3000);
    notice(&mut end, now, 7000);
    end.handle_timeout(now);
    assert_eq!(sent(&mut end, now), [0]);
    assert_eq!(end.cwnd(), 1000.0);
}

/// Acknowledged segments are not retransmitted, later ones are.
#[test]
fn acknowledgment_clears_queued_retransmissions_that_it_covers() {
    let mut end = flying();
    let now = Time::from_millis(100);
    notice(&mut end, now, 3000);
    notice(&mut end, now, 7000);
    let ack = Segment {
        src_port: 2,
        dst_port: 1,
        ack: SeqNum(5000),
        flags: Flags::ACK,
        window: 65_535,
        ..Segment::default()
    };
    end.handle_segment(now, &ack, Ecn::NotEct);
    let sent = sent(&mut end, now);
    assert_eq!(sent[0], 7000, "{sent:?}");
    assert!(!sent.contains(&3000) && sent[1..].iter().all(|seq| *seq >= 10_000), "{sent:?}");
}
