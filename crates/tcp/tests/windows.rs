//! The receive window as seen by the sender, and the scaling of an end's own window.

use engine::{Bytes, Time};
use tcp::{Config, Connection};
use wire::{Ecn, Flags, Segment, SeqNum};

fn end() -> Connection {
    Connection::established(&Config { segment: 1000, initial_window: 10, ..Config::default() }, 1, 2, 4000)
}

fn sent(end: &mut Connection, now: Time) -> Vec<(u32, u32)> {
    std::iter::from_fn(|| end.poll_transmit(now)).map(|(segment, _)| (segment.seq.0, segment.len)).collect()
}

fn bare(end: &mut Connection, now: Time, ack: u32, window: u32) {
    let segment =
        Segment { src_port: 2, dst_port: 1, ack: SeqNum(ack), window, flags: Flags::ACK, ..Segment::default() };
    end.handle_segment(now, &segment, Ecn::NotEct);
}

/// The minimum shift with which the window fits into 16 bits, at most 14.
// covers [RFC7323 s2.3]
#[test]
fn window_scale_is_the_smallest_that_can_advertise_the_buffer() {
    for (window, scale) in [
        (1000, 0),
        (65_535, 0),
        (65_536, 1),
        (131_071, 1),
        (131_072, 2),
        (1_000_000, 4),
        (536_870_911, 13),
        (536_870_912, 14),
        (4_000_000_000, 14),
    ] {
        let config = Config { window: Bytes(window).into(), ..Config::default() };
        let mut end = Connection::connect(&config, 1, 2, SeqNum(0));
        let (syn, _) = end.poll_transmit(Time::ZERO).expect("a SYN");
        assert_eq!(syn.options.window_scale, Some(scale), "{window} bytes");
        assert_eq!(u64::from(syn.window), window.min(65_535), "a SYN's window is not scaled");
    }
}

/// An acknowledgment of unsent data is answered, changes no window, and does not block later window updates.
// covers [RFC9293 s3.10.7.4]: SND.WL1 and SND.WL2 are taken from acceptable acknowledgments.
#[test]
fn impossible_acknowledgment_does_not_block_later_window_updates() {
    let mut end = end();
    end.write(20_000);
    assert_eq!(sent(&mut end, Time::ZERO).len(), 4);
    let now = Time::from_millis(1);
    bare(&mut end, now, 9000, 2000);
    assert_eq!(sent(&mut end, now), [(4000, 0)], "the answer");
    bare(&mut end, now, 0, 6000);
    assert_eq!(sent(&mut end, now), [(4000, 1000), (5000, 1000)]);
}

/// An acknowledgment below `una` is accepted if it is older than `una` by at most the maximum window. An older one is
/// answered.
// covers [RFC5961 s5.2]
#[test]
fn acknowledgment_older_than_the_maximum_window_is_answered() {
    for (behind, answers) in [(3999, 0), (4000, 0), (4001, 1)] {
        let mut end = end();
        end.write(8000);
        let now = Time::from_millis(5000);
        sent(&mut end, now);
        bare(&mut end, now, 4000, 4000);
        sent(&mut end, now);
        bare(&mut end, now, 8000, 4000);
        assert_eq!(sent(&mut end, now), []);
        bare(&mut end, now, 8000 - behind, 4000);
        assert_eq!(sent(&mut end, now).len(), answers, "{behind} bytes behind");
    }
}
