use super::*;
use proptest::prelude::*;

const SEGMENT: u32 = 10;

fn board(segments: u32) -> Scoreboard {
    let mut board = Scoreboard::default();
    for _ in 0..segments {
        board.record_new(Time::ZERO, SEGMENT, false, None);
    }
    board
}

#[test]
fn capacity_of_a_large_window_is_freed() {
    let mut board = board(1000);
    board.sack(20, 9990, |_, _| ());
    board.acknowledge(9970, |_, _| ());
    check(&board);
    assert_eq!(board.segments(), 3);
    assert!(board.segments.capacity() <= 4 * MIN_CAPACITY);
}

/// Capacity is freed when less than a quarter of it is used, and twice the used part remains. The capacity for a few
/// segments is kept.
#[test]
fn capacity_is_kept_until_less_than_a_quarter_is_used() {
    let mut board = board(120);
    board.acknowledge(80 * u64::from(SEGMENT), |_, _| ());
    let capacity = board.segments.capacity();
    assert!(capacity >= 120, "a third is used: {capacity}");
    board.acknowledge(110 * u64::from(SEGMENT), |_, _| ());
    assert!((20..capacity).contains(&board.segments.capacity()), "a twelfth: {}", board.segments.capacity());
    let mut quarter = self::board(120);
    let capacity = quarter.segments.capacity() as u64;
    quarter.acknowledge((120 - capacity / 4) * u64::from(SEGMENT), |_, _| ());
    assert_eq!(quarter.segments.capacity() as u64, capacity, "just a quarter");
    let mut few = self::board(8);
    few.acknowledge(7 * u64::from(SEGMENT), |_, _| ());
    assert!(few.segments.capacity() >= 8);
    few.acknowledge(8 * u64::from(SEGMENT), |_, _| ());
    assert!(few.segments.capacity() >= 8);
}

/// A block that begins or ends within a segment does not cover that segment.
// covers [RFC2018 s3]
#[test]
fn only_whole_segments_are_sacked() {
    for (from, to, first, count) in [(5, 35, 10, 2), (10, 39, 10, 2), (11, 40, 20, 2), (1, 10, 0, 0), (10, 20, 10, 1)] {
        let mut board = board(6);
        let mut seen = Vec::new();
        board.sack(from, to, |sent, _| seen.push(sent.seq));
        let expected: Vec<u64> = (0..count).map(|number| first + 10 * number).collect();
        assert_eq!(seen, expected, "{from}..{to}");
        check(&board);
    }
}

/// There are more ranges than an acknowledgment can report. Each range is found, at either end and in the middle.
#[test]
fn segments_of_many_ranges_are_sacked() {
    let mut board = board(60);
    for number in 0..20 {
        board.sack(30 * number + 10, 30 * number + 20, |_, _| ());
        check(&board);
    }
    assert_eq!(board.sacked.len(), 20);
    // A range in the middle joins its neighbours.
    board.sack(320, 340, |_, _| ());
    check(&board);
    assert_eq!((board.sacked.len(), board.sacked_segments()), (19, 22));
    // A range that covers all ranges and touches the last: a single range remains.
    board.sack(10, 580, |_, _| ());
    check(&board);
    assert_eq!(board.sacked.iter().copied().collect::<Vec<_>>(), [(10, 590)]);
}

/// Of two transmissions at the same time the one with the higher number counts as later. A transmission is not later
/// than itself.
#[test]
fn transmissions_are_ordered_by_time_then_number() {
    let mut board = board(2);
    board.record_new(Time::from_millis(1), SEGMENT, false, None);
    let moments: Vec<_> = board.iter().map(SentSegment::moment).collect();
    for (a, first) in moments.iter().enumerate() {
        for (b, second) in moments.iter().enumerate() {
            assert_eq!(first.is_after(*second), a > b, "{a} {b}");
        }
    }
}

/// Recomputes every total from the segments.
fn check(board: &Scoreboard) {
    let sum = |pick: fn(&SentSegment) -> bool| board.iter().filter(|s| pick(s)).map(|s| u64::from(s.len)).sum::<u64>();
    let count = |pick: fn(&SentSegment) -> bool| board.iter().filter(|s| pick(s)).count() as u32;
    assert_eq!(sum(|_| true), board.outstanding());
    assert_eq!((sum(|s| s.sacked), count(|s| s.sacked)), (board.sacked_bytes, board.sacked_segments));
    assert_eq!((sum(|s| s.lost), count(|s| s.lost)), (board.lost_bytes, board.lost_segments));
    assert_eq!((sum(|s| s.resent), count(|s| s.resent)), (board.resent_bytes, board.resent_segments));
    assert!(board.iter().all(|s| !(s.sacked && s.lost) && (s.lost || !s.resent)));
    assert_eq!(board.pipe(), sum(|s| !s.sacked && (!s.lost || s.resent)));
    // The ranges equal the SACKed segments.
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for sent in board.iter().filter(|sent| sent.sacked) {
        match ranges.last_mut() {
            Some(range) if range.1 == sent.seq => range.1 = sent.end(),
            _ => ranges.push((sent.seq, sent.end())),
        }
    }
    assert_eq!(board.sacked.iter().copied().collect::<Vec<_>>(), ranges);
    for from in board.una..=board.nxt {
        assert_eq!(board.reaching(from), ranges.iter().take_while(|range| range.1 < from).count());
    }
}

/// The rule of RFC 6675, byte by byte.
fn is_lost(board: &Scoreboard, seq: u64) -> bool {
    let above: Vec<_> = board.sacked.iter().filter(|range| range.0 > seq).collect();
    above.len() >= 3 || above.iter().map(|range| range.1 - range.0).sum::<u64>() > 2 * u64::from(SEGMENT)
}

proptest! {
    /// After any sequence of operations the totals match the segments, and the next to retransmit is the lowest lost
    /// segment.
    #[test]
    fn scoreboard_totals_match_its_segments(steps in prop::collection::vec((0u8..9, 0u64..60, 1u64..8), 1..120)) {
        let mut board = board(8);
        for (kind, at, count) in steps {
            let at = board.una() + at;
            match kind {
                0 => (0..count).for_each(|_| board.record_new(Time::ZERO, SEGMENT, false, None)),
                1 => {
                    let ack = (board.una() + at % 25).min(board.nxt());
                    if ack > board.una() {
                        board.acknowledge(ack, |_, _| ());
                    }
                }
                2 | 3 => board.sack(at / 10 * 10, at / 10 * 10 + 10 * count, |sent, _| assert!(!sent.sacked)),
                4 => board.sack(at, at + count, |_, _| ()),
                5 => {
                    let edge = board.lost_below(2 * u64::from(SEGMENT), 3);
                    board.lose_below(edge);
                    prop_assert!(board.iter().all(|s| s.sacked || s.lost || !is_lost(&board, s.seq)));
                }
                6 => if let Some(sent) = board.next_to_resend() {
                    let lowest = board.iter().find(|s| s.lost && !s.resent).map(|s| s.seq);
                    prop_assert_eq!(Some(sent.seq), lowest);
                    board.record_retransmission(Time::ZERO, sent.seq, None);
                },
                7 => {
                    board.lose_at(at);
                }
                _ if count == 1 => board.lose_all(),
                _ if count == 2 => board.find_all(),
                _ => board.record_retransmission(Time::ZERO, at, None),
            }
            check(&board);
        }
    }
}
