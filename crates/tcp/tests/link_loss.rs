//! The flag of disconnections2012 (figure 5), by hand: twelve segments in flight, some of them given up by the host's
//! own link layer.

use crate::common;

use common::member;
use engine::Time;
use tcp::{Config, Connection, Event};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment, SeqNum};

const SEGMENT: u32 = 1000;

struct Upload {
    end: Connection,
    now: Time,
}

impl Upload {
    /// Twelve segments in flight, and twelve more to send.
    fn new() -> Self {
        let config = Config {
            segment: SEGMENT,
            initial_window: 12,
            recovery: member("newreno"),
            response: member("link-loss"),
            ..Config::default()
        };
        let mut end = Connection::established(&config, 1, 2, config.window.max());
        end.observe();
        end.write(u64::from(24 * SEGMENT));
        let mut upload = Upload { end, now: Time::ZERO };
        assert_eq!(upload.sent().len(), 12);
        upload
    }

    /// The segments sent now, by number.
    fn sent(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.end.poll_transmit(self.now)).map(|(segment, _)| segment.seq.0 / SEGMENT).collect()
    }

    fn given_up(&mut self, number: u32) {
        let seq = SeqNum(number * SEGMENT);
        let kind = NoticeKind::Retransmit;
        self.end.handle_icmp(self.now, &Notice { kind, segment_dst: Addr::of_node(1), src_port: 1, dst_port: 2, seq });
    }

    fn ack(&mut self, number: u32, times: u32) -> Vec<u32> {
        let ack = SeqNum(number * SEGMENT);
        let flags = Flags::ACK;
        let segment = Segment { src_port: 2, dst_port: 1, ack, flags, window: 65_535, ..Segment::default() };
        (0..times)
            .flat_map(|_| {
                self.end.handle_segment(self.now, &segment, Ecn::NotEct);
                self.sent()
            })
            .collect()
    }

    /// cwnd in segments, and whether it has ever been reduced.
    fn window(&self) -> (f64, bool) {
        (self.end.cwnd() / f64::from(SEGMENT), self.end.ssthresh().is_finite())
    }

    fn recoveries(&mut self) -> (usize, usize) {
        let (mut cut, mut kept) = (0, 0);
        while let Some(event) = self.end.poll_event() {
            cut += usize::from(matches!(event, Event::FastRetransmit { .. }));
            kept += usize::from(matches!(event, Event::NotifiedRecovery { .. }));
        }
        (cut, kept)
    }
}

/// Segments 0 and 1 are given up, 2 and the rest arrive: the third duplicate resends 0, each further one allows a new
/// segment once cwnd does, the partial acknowledgment resends 1. cwnd and ssthresh are unchanged, and the flag is
/// reset.
// covers [disconnections2012 figure 5]
#[test]
fn third_duplicate_recovers_without_a_reduction_and_resets_the_flag() {
    let mut upload = Upload::new();
    upload.given_up(0);
    upload.given_up(1);
    assert!(upload.ack(0, 2).is_empty(), "two duplicates show nothing yet, whatever the flag");
    // Three segments have left the network. Therefore 12 + 3 segments may be outstanding, as after a reduction, but
    // with a cwnd of 12 instead of 6.
    assert_eq!(upload.ack(0, 1), [0, 12, 13, 14]);
    assert_eq!(upload.ack(0, 2), [15, 16]);
    // [RFC6582 s3.2 step 3]: cwnd less the acknowledged data, plus one segment, allows one new segment.
    assert_eq!(upload.ack(1, 1), [1, 17]);
    assert!(!upload.window().1);
    assert_eq!(upload.ack(18, 1), [18, 19, 20, 21, 22, 23]);
    assert_eq!(upload.window(), (12.0, false));
    assert_eq!(upload.recoveries(), (0, 1));
    // "Conventional congestion control for other packet losses detected then after."
    assert_eq!(upload.ack(18, 3), [18]);
    assert!(upload.window().1);
    assert_eq!(upload.recoveries(), (1, 0));
}

/// A timeout reduces cwnd as usual, and covers earlier losses.
#[test]
fn timeout_reduces_cwnd_and_resets_the_flag() {
    let mut upload = Upload::new();
    upload.given_up(0);
    upload.now = upload.end.poll_timeout();
    upload.end.handle_timeout(upload.now);
    assert_eq!(upload.sent(), [0]);
    assert_eq!(upload.window(), (1.0, true));
    let ssthresh = upload.end.ssthresh();
    // Segments 0 to 11 have arrived by then; of 12 to 15 the first is lost in the network.
    assert_eq!(upload.ack(12, 1), [12, 13]);
    assert_eq!(upload.ack(13, 1), [14, 15]);
    assert_eq!(upload.ack(14, 1), [16, 17]);
    assert_eq!(upload.ack(14, 3).first(), Some(&14));
    assert_eq!(upload.recoveries(), (1, 0));
    assert!(upload.end.ssthresh() < ssthresh);
}

/// Only the link acknowledgments of segment 3 were lost, and the segment has arrived. The flag is reset with the window
/// to which it refers, because otherwise it would hide later congestion.
#[test]
fn flag_is_reset_when_its_segments_are_acknowledged() {
    let mut upload = Upload::new();
    upload.given_up(3);
    assert_eq!(upload.ack(3, 1).len(), 4, "slow start");
    // The flag is still set: a loss within the same window.
    let mut same = upload;
    same.ack(3, 3);
    assert_eq!(same.recoveries(), (0, 1));
    let mut later = Upload::new();
    later.given_up(3);
    later.ack(4, 1);
    later.ack(4, 3);
    assert_eq!(later.recoveries(), (1, 0));
}
