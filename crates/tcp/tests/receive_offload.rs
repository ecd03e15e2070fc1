//! Generic receive offload: segments that arrive together are joined, so that they share one acknowledgment. The values
//! are computed by hand from `tcp_gro_receive`; see `receiver/offload.rs`.

use engine::{Bytes, Span, Time};
use tcp::config::{DelayedAck, ReceiverSettings};
use tcp::{Config, Connection};
use wire::{Ecn, Flags, Options, Segment, SeqNum, Timestamps};

const SEGMENT: u32 = 1000;

/// A receiving end that has sent its quick acknowledgments, with its clock.
struct OffloadHost {
    end: Connection,
    now: Time,
    next: u32,
    options: Options,
    /// Acknowledgment numbers that were sent, in segments after the quick acknowledgments.
    acks: Vec<u32>,
    first: u32,
}

impl OffloadHost {
    fn new(receiver: ReceiverSettings) -> Self {
        Self::of_segments(receiver, SEGMENT, SEGMENT, Options::default())
    }

    /// An end that accepts segments of `max` bytes; the first ones have `len` bytes and arrive alone.
    fn of_segments(receiver: ReceiverSettings, max: u32, len: u32, options: Options) -> Self {
        let config = Config {
            segment: max,
            window: Bytes(200_000).into(),
            delayed_ack: DelayedAck::Linux,
            timestamps: options.timestamps.is_some(),
            receiver,
            ..Config::default()
        };
        let end = Connection::established(&config, 1, 2, 200_000);
        let mut host = OffloadHost { end, now: Time::ZERO, next: 0, options, acks: Vec::new(), first: 0 };
        for number in 1..=16 {
            host.wait(Span::from_millis(10));
            host.take_data(len, Flags::ACK);
            host.wait(receiver.gro_flush_timeout);
            host.expire();
            assert_eq!(host.acks.len(), number, "a quick acknowledgment");
        }
        (host.acks, host.first) = (Vec::new(), host.next);
        host.wait(Span::from_millis(10));
        host
    }

    fn wait(&mut self, span: Span) {
        self.now += span;
    }

    fn poll(&mut self) {
        while let Some(segment) = self.end.poll_transmit(self.now) {
            self.acks.push(segment.0.ack.0.wrapping_sub(self.first));
        }
    }

    /// Handles a timer that is due now.
    fn expire(&mut self) {
        if self.end.poll_timeout() <= self.now {
            self.end.handle_timeout(self.now);
            self.poll();
        }
    }

    fn take_segment(&mut self, segment: Segment, ecn: Ecn) {
        let segment = Segment { src_port: 2, dst_port: 1, window: 60_000, options: self.options, ..segment };
        self.end.handle_segment(self.now, &segment, ecn);
        self.poll();
    }

    fn take_data(&mut self, len: u32, flags: Flags) {
        let seq = SeqNum(self.next);
        self.next += len;
        self.take_segment(Segment { seq, len, flags, ..Segment::default() }, Ecn::NotEct);
    }

    /// Receives a number of segments now.
    fn take_burst(&mut self, segments: usize) {
        for _ in 0..segments {
            self.take_data(SEGMENT, Flags::ACK);
        }
    }
}

fn gro() -> ReceiverSettings {
    ReceiverSettings { gro: true, ..ReceiverSettings::default() }
}

fn gro_for(gro_flush_timeout: Span) -> ReceiverSettings {
    ReceiverSettings { gro_flush_timeout, ..gro() }
}

/// Without offload every second of 32 segments is acknowledged, and nothing is held.
#[test]
fn burst_without_offload_is_acknowledged_by_pairs() {
    let mut host = OffloadHost::new(ReceiverSettings::default());
    host.take_burst(32);
    assert_eq!(host.acks, (1..=16).map(|pair| pair * 2 * SEGMENT).collect::<Vec<_>>());
    assert!(host.end.poll_timeout() > host.now);
}

/// The subframes of an aggregated frame are one decision: 32,000 bytes are more than one segment.
#[test]
fn burst_of_one_moment_is_acknowledged_once() {
    let mut host = OffloadHost::new(gro());
    host.take_burst(32);
    assert_eq!((host.acks.len(), host.end.poll_timeout()), (0, host.now), "held until the end of the moment");
    host.expire();
    assert_eq!(host.acks, [32 * SEGMENT]);
    // A segment that arrives alone waits for the delayed acknowledgment.
    host.wait(Span::from_millis(10));
    host.take_burst(1);
    host.expire();
    assert_eq!(host.acks.len(), 1);
    assert_eq!(host.end.poll_timeout(), host.now + Span::from_millis(40));
}

/// 20 + 32 bytes of headers and 45 segments of 1448 bytes are 65,212 bytes, 46 would be 66,660 of less than 65,536.
#[test]
fn joined_segments_are_smaller_than_64_kib() {
    let options = Options { timestamps: Some(Timestamps { value: 7, echo: 0 }), ..Options::default() };
    let mut host = OffloadHost::of_segments(gro(), 1460, 1448, options);
    for _ in 0..64 {
        host.take_data(1448, Flags::ACK);
    }
    host.expire();
    assert_eq!(host.acks, [45 * 1448, 64 * 1448]);
}

/// Timestamps are part of the header: those of the next millisecond begin another group.
#[test]
fn segments_of_another_timestamp_are_not_joined() {
    let stamped = |value| Options { timestamps: Some(Timestamps { value, echo: 0 }), ..Options::default() };
    let mut host = OffloadHost::of_segments(gro(), 1012, SEGMENT, stamped(7));
    host.take_burst(10);
    host.options = stamped(8);
    host.take_burst(22);
    assert_eq!(host.acks, [10 * SEGMENT]);
    host.expire();
    assert_eq!(host.acks, [10 * SEGMENT, 32 * SEGMENT]);
}

#[test]
fn psh_ends_a_group_and_its_wait() {
    let mut host = OffloadHost::new(gro());
    host.take_burst(3);
    host.take_data(SEGMENT, Flags::ACK | Flags::PSH);
    assert_eq!(host.acks, [4 * SEGMENT]);
    host.take_burst(2);
    host.expire();
    assert_eq!(host.acks, [4 * SEGMENT, 6 * SEGMENT]);
}

/// A shorter segment is the last of its group; a longer one begins another.
#[test]
fn segments_of_another_size_end_a_group() {
    let mut host = OffloadHost::new(gro());
    host.take_burst(2);
    host.take_data(400, Flags::ACK);
    assert_eq!(host.acks, [2400]);
    host.take_data(400, Flags::ACK);
    host.take_data(600, Flags::ACK);
    assert_eq!(host.acks, [2400, 2800], "a small segment is acknowledged as the end of a write");
    host.expire();
    assert_eq!(host.acks, [2400, 2800, 3400]);
}

/// The third segment of four is missing: the fourth passes the first two on, and is reported as a duplicate.
#[test]
fn segment_behind_a_hole_is_not_joined() {
    let mut host = OffloadHost::new(gro());
    host.take_burst(2);
    host.next += SEGMENT;
    host.take_burst(1);
    assert_eq!(host.acks, [2 * SEGMENT]);
    host.expire();
    assert_eq!(host.acks, [2 * SEGMENT, 2 * SEGMENT]);
}

/// An acknowledgment without data is not held, and does not overtake data.
#[test]
fn held_data_precedes_a_pure_acknowledgment() {
    let mut host = OffloadHost::new(gro());
    host.take_burst(2);
    let seq = SeqNum(host.next);
    host.take_segment(Segment { seq, flags: Flags::ACK, ..Segment::default() }, Ecn::NotEct);
    assert_eq!(host.acks, [2 * SEGMENT]);
}

#[test]
fn marked_packets_are_not_joined_with_others() {
    let mut host = OffloadHost::new(gro());
    for ecn in [Ecn::Ect0, Ecn::Ect0, Ecn::Ce, Ecn::Ce, Ecn::Ce] {
        let seq = SeqNum(host.next);
        host.next += SEGMENT;
        host.take_segment(Segment { seq, len: SEGMENT, flags: Flags::ACK, ..Segment::default() }, ecn);
    }
    assert_eq!(host.acks, [2 * SEGMENT]);
    host.expire();
    assert_eq!(host.acks, [2 * SEGMENT, 5 * SEGMENT]);
}

/// Segments 60 us apart with a wait of 100 us: the group is passed on 100 us after its last segment.
#[test]
fn group_waits_after_each_segment() {
    let (gap, wait) = (Span::from_nanos(60_000), Span::from_nanos(100_000));
    let mut host = OffloadHost::new(gro_for(wait));
    for _ in 0..3 {
        host.wait(gap);
        host.take_burst(1);
        host.expire();
        assert_eq!(host.end.poll_timeout(), host.now + wait);
    }
    assert!(host.acks.is_empty());
    host.wait(wait);
    host.expire();
    assert_eq!(host.acks, [3 * SEGMENT]);
}

/// The segment that arrives a tick of 4 ms after the first one is the last of the group.
#[test]
fn old_group_is_passed_on_with_the_next_segment() {
    let mut host = OffloadHost::new(gro_for(Span::from_millis(3)));
    host.take_burst(1);
    for acks in [0, 1] {
        host.wait(Span::from_millis(2));
        host.expire();
        host.take_burst(1);
        assert_eq!(host.acks.len(), acks);
    }
    assert_eq!(host.acks, [3 * SEGMENT]);
}

/// A joined group does not raise the estimate of the segment size: a single segment afterwards is not taken for the end
/// of a write.
#[test]
fn estimate_is_the_size_of_one_segment() {
    let mut host = OffloadHost::of_segments(gro(), 1460, SEGMENT, Options::default());
    host.take_burst(2);
    host.expire();
    assert_eq!(host.acks, [2 * SEGMENT]);
    host.wait(Span::from_millis(10));
    host.take_burst(1);
    host.expire();
    assert_eq!(host.acks.len(), 1);
}
