//! Linux's receiver: the time of its acknowledgments, and the autotuned receive window. The values are computed by hand
//! from the kernel's rules; the functions are named in `receiver/linux_acks.rs` and `receiver/buffer_tuning.rs`.

use engine::{Bytes, Span, Time};
use tcp::config::{BufferSizes, DelayedAck, ReceiveWindow};
use tcp::{Config, Connection};
use wire::{Ecn, Flags, Segment, SeqNum, Timestamps};

const SEGMENT: u32 = 1000;

/// A receiving end with its clock.
struct Host {
    end: Connection,
    now: Time,
    next: u32,
}

impl Host {
    fn new(config: Config) -> Self {
        let window = config.window.initial(config.segment);
        Host { end: Connection::established(&config, 1, 2, window), now: Time::ZERO, next: 0 }
    }

    /// An end whose acknowledgments are Linux's, with a fixed window of 60 kB.
    fn with_fixed_window() -> Self {
        let window = Bytes(60_000).into();
        Host::new(Config { segment: SEGMENT, window, delayed_ack: DelayedAck::Linux, ..Config::default() })
    }

    /// An end that has sent its quick acknowledgments: segments arrive every 10 ms until two await one acknowledgment.
    fn after_quick_acks() -> Self {
        let mut host = Host::with_fixed_window();
        for _ in 0..16 {
            host.wait(10);
            assert_eq!(host.take_data(Flags::ACK), 1);
        }
        host
    }

    fn wait(&mut self, millis: u64) {
        self.now += Span::from_millis(millis);
    }

    /// Counts the acknowledgments that the end sends now.
    fn count_acks(&mut self) -> usize {
        std::iter::from_fn(|| self.end.poll_transmit(self.now)).count()
    }

    /// Receives a segment at `seq`; returns the number of acknowledgments sent at once.
    fn take_segment(&mut self, seq: u32, len: u32, flags: Flags) -> usize {
        let segment =
            Segment { src_port: 2, dst_port: 1, seq: SeqNum(seq), len, flags, window: 60_000, ..Segment::default() };
        self.end.handle_segment(self.now, &segment, Ecn::NotEct);
        self.count_acks()
    }

    /// Receives the next full segment; returns the number of acknowledgments sent at once.
    fn take_data(&mut self, flags: Flags) -> usize {
        let seq = self.next;
        self.next += SEGMENT;
        self.take_segment(seq, SEGMENT, flags)
    }

    /// Advances to the time of the delayed acknowledgment; returns the time passed.
    fn take_delayed_ack(&mut self) -> Span {
        let before = self.now;
        self.now = self.end.poll_timeout();
        self.end.handle_timeout(self.now);
        assert_eq!(self.count_acks(), 1);
        self.now.since(before)
    }
}

/// The window of 60 kB has 30 times two segments, so that 16 acknowledgments are quick. Then every second segment is
/// acknowledged.
#[test]
fn first_sixteen_segments_are_acknowledged_one_by_one() {
    let mut host = Host::after_quick_acks();
    let acks: Vec<usize> = (0..6)
        .map(|_| {
            host.wait(10);
            host.take_data(Flags::ACK)
        })
        .collect();
    assert_eq!(acks, [0, 1, 0, 1, 0, 1]);
}

/// A window of 6 kB has 3 times two segments.
#[test]
fn quick_acknowledgments_cover_half_of_a_small_window() {
    let window = Bytes(6000).into();
    let config = Config { segment: SEGMENT, window, delayed_ack: DelayedAck::Linux, ..Config::default() };
    let mut host = Host::new(config);
    let acks: Vec<usize> = (0..6)
        .map(|_| {
            host.wait(10);
            host.take_data(Flags::ACK)
        })
        .collect();
    assert_eq!(acks, [1, 1, 1, 0, 1, 0]);
}

/// The delay doubles whenever the timer expires, up to 200 ms. Arrivals in quick succession halve its excess over 40 ms.
#[test]
fn delay_follows_the_time_between_segments() {
    let mut host = Host::after_quick_acks();
    for delay in [40, 80, 160, 200, 200] {
        host.wait(300);
        assert_eq!(host.take_data(Flags::ACK), 0);
        assert_eq!(host.take_delayed_ack(), Span::from_millis(delay));
    }
    // 200 / 2 + 20 = 120 ms, then 80 and 60 ms.
    for delay in [120, 80, 60] {
        host.wait(300);
        assert_eq!(host.take_data(Flags::ACK), 0);
        host.wait(10);
        assert_eq!(host.take_data(Flags::ACK), 1, "a second segment");
        let _ = delay;
    }
    host.wait(300);
    assert_eq!(host.take_data(Flags::ACK), 0);
    assert_eq!(host.take_delayed_ack(), Span::from_millis(60));
}

/// PSH ends a burst: the application has read all of it, so that nothing else would cause an acknowledgment.
#[test]
fn pushed_segment_is_acknowledged_at_once_after_the_read() {
    let mut host = Host::after_quick_acks();
    host.wait(10);
    assert_eq!(host.take_data(Flags::ACK | Flags::PSH), 1);
    // A small segment is the end of a write, with or without PSH.
    host.wait(10);
    let seq = host.next;
    assert_eq!(host.take_segment(seq, 100, Flags::ACK), 1);
}

/// An application that has not read keeps the acknowledgment of a pushed segment delayed.
#[test]
fn pushed_segment_is_acknowledged_when_the_application_reads() {
    let mut host = Host::after_quick_acks();
    host.end.hold_reading();
    host.wait(10);
    assert_eq!(host.take_data(Flags::ACK | Flags::PSH), 0);
    host.wait(5);
    assert_eq!(host.end.read(500), 500);
    assert_eq!(host.count_acks(), 0, "data is left");
    assert_eq!(host.end.read(500), 500);
    assert_eq!(host.count_acks(), 1);
}

/// The retransmission timeout of this end is 1 s. After a longer pause the sender may be in slow start again.
#[test]
fn acknowledgments_are_quick_after_a_pause_longer_than_the_timeout() {
    let mut host = Host::after_quick_acks();
    host.wait(1001);
    let acks: Vec<usize> = (0..18)
        .map(|_| {
            host.wait(1);
            host.take_data(Flags::ACK)
        })
        .collect();
    assert_eq!(acks.iter().take(16).sum::<usize>(), 16);
    assert_eq!(acks[16..], [0, 1]);
}

/// Own data sent within the delay makes the connection interactive: acknowledgments wait for data, also at the end of a
/// burst.
#[test]
fn interactive_connection_delays_the_acknowledgment_of_a_request() {
    let mut host = Host::after_quick_acks();
    host.wait(10);
    host.take_data(Flags::ACK | Flags::PSH);
    host.end.write(100);
    assert_eq!(host.count_acks(), 1, "the answer");
    host.wait(100);
    assert_eq!(host.take_data(Flags::ACK | Flags::PSH), 0);
    assert_eq!(host.take_delayed_ack(), Span::from_millis(40));
    // The timer ends the interactive mode.
    host.wait(100);
    assert_eq!(host.take_data(Flags::ACK | Flags::PSH), 1);
}

#[test]
fn duplicate_is_acknowledged_at_once_and_restarts_quick_acknowledgments() {
    let mut host = Host::after_quick_acks();
    host.wait(10);
    assert_eq!(host.take_segment(0, SEGMENT, Flags::ACK), 1);
    host.wait(10);
    assert_eq!(host.take_data(Flags::ACK), 1);
}

/// With a hole, three duplicate acknowledgments are sent at once; further ones are held back until the hole is filled.
/// Without a round trip the time for which they are held back is zero.
#[test]
fn segment_that_fills_the_last_hole_is_acknowledged_at_once() {
    let mut host = Host::after_quick_acks();
    let hole = host.next;
    host.next += SEGMENT;
    for _ in 0..3 {
        assert_eq!(host.take_data(Flags::ACK), 1);
    }
    assert_eq!(host.take_segment(hole, SEGMENT, Flags::ACK), 1);
}

/// An autotuned buffer of 128 KiB, with segments of 1460 bytes including timestamps.
fn tuned_host() -> Host {
    let config = Config {
        window: ReceiveWindow::Autotuned(BufferSizes::default()),
        delayed_ack: DelayedAck::Linux,
        timestamps: true,
        ..Config::default()
    };
    Host::new(config)
}

/// Receives a segment of 1448 bytes with timestamps whose echo is `age` old; returns the advertised windows.
fn take_stamped(host: &mut Host, seq: u32, age: u32) -> Vec<u32> {
    let millis = (host.now.as_nanos() / 1_000_000) as u32;
    let mut segment =
        Segment { src_port: 2, dst_port: 1, seq: SeqNum(seq), len: 1448, flags: Flags::ACK, ..Segment::default() };
    segment.options.timestamps = Some(Timestamps { value: millis, echo: millis - age });
    host.end.handle_segment(host.now, &segment, Ecn::NotEct);
    std::iter::from_fn(|| host.end.poll_transmit(host.now)).map(|(ack, _)| ack.window).collect()
}

/// Half of 131,072 bytes in whole segments of 1448 bytes is 65,160; one segment is reserved, 64,088. The first segment
/// has 1448 bytes of data in 2304 bytes of memory, a ratio of 160 / 256, so that the buffer holds 81,920 bytes. Each
/// segment adds two segments to the window.
#[test]
fn autotuned_window_grows_by_two_segments_for_each_segment() {
    let mut host = tuned_host();
    host.wait(1000);
    let windows: Vec<u32> = (0..8).flat_map(|number| take_stamped(&mut host, 1448 * number, 100)).collect();
    let grown = |segments: u32| (64_088 + 2896 * segments).min(81_920);
    assert_eq!(windows, (1..=8).map(grown).collect::<Vec<_>>());
}

/// A sender that doubles its window each round trip of 100 ms, from 10 segments on, is never limited by the receive
/// window before the buffer has its maximum.
#[test]
fn autotuned_window_does_not_limit_slow_start() {
    let mut host = tuned_host();
    host.wait(1000);
    let (mut window, mut seq, mut flight) = (65_160, 0, 10);
    while 1448 * flight < 8_000_000 {
        assert!(1448 * flight <= window, "{flight} segments in a window of {window} bytes");
        host.wait(100);
        for _ in 0..flight {
            window = take_stamped(&mut host, seq, 100).last().copied().unwrap_or(window);
            seq = seq.wrapping_add(1448);
        }
        flight *= 2;
    }
}

/// The window of a constant rate stays near the bandwidth-delay product: 100 segments each round trip.
#[test]
fn autotuned_window_of_a_constant_rate_stays_bounded() {
    let mut host = tuned_host();
    host.wait(1000);
    let mut windows = Vec::new();
    for round in 0..50 {
        for number in 0..100 {
            host.wait(1);
            windows.extend(take_stamped(&mut host, 1448 * (100 * round + number), 100));
        }
    }
    let last = windows[windows.len() - 1];
    // The first round trip has 100 segments after an estimate of 10: 2 x (1 + 2 x 9) of them.
    assert!((2 * 144_800..=39 * 144_800).contains(&last), "{last}");
    assert_eq!(windows[windows.len() / 2], last, "the window no longer grows");
}
