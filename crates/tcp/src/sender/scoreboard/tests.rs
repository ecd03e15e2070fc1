use super::*;
use proptest::prelude::*;

const SEGMENT: u32 = 10;

fn board(segments: u32) -> Scoreboard {
    let mut board = Scoreboard::default();
    for _ in 0..segments {
        board.sent(Time::ZERO, SEGMENT, false, None);
    }
    board
}

#[test]
fn room_for_a_large_window_is_given_back() {
    let mut board = board(1000);
    board.sack(20, 9990, |_, _| ());
    board.acknowledge(9970, |_, _| ());
    check(&board);
    assert_eq!(board.segments(), 3);
    assert!(board.segments.capacity() <= 4 * LEAST_ROOM);
}

/// Room is given back when less than a quarter of it is used, and then down to twice what is used; the room for a few segments
/// never.
#[test]
fn room_is_kept_until_a_quarter_of_it_is_used() {
    let mut board = board(120);
    board.acknowledge(80 * u64::from(SEGMENT), |_, _| ());
    let room = board.segments.capacity();
    assert!(room >= 120, "a third is used: {room}");
    board.acknowledge(110 * u64::from(SEGMENT), |_, _| ());
    assert!((20..room).contains(&board.segments.capacity()), "a twelfth: {}", board.segments.capacity());
    let mut few = self::board(8);
    few.acknowledge(7 * u64::from(SEGMENT), |_, _| ());
    assert!(few.segments.capacity() >= 8);
    few.acknowledge(8 * u64::from(SEGMENT), |_, _| ());
    assert!(few.segments.capacity() >= 8);
}

/// Counts everything anew.
fn check(board: &Scoreboard) {
    let sum = |pick: fn(&Sent) -> bool| board.iter().filter(|s| pick(s)).map(|s| u64::from(s.len)).sum::<u64>();
    let count = |pick: fn(&Sent) -> bool| board.iter().filter(|s| pick(s)).count() as u32;
    assert_eq!(sum(|_| true), board.outstanding());
    assert_eq!((sum(|s| s.sacked), count(|s| s.sacked)), (board.sacked_bytes, board.sacked_segments));
    assert_eq!((sum(|s| s.lost), count(|s| s.lost)), (board.lost_bytes, board.lost_segments));
    assert_eq!((sum(|s| s.resent), count(|s| s.resent)), (board.resent_bytes, board.resent_segments));
    assert!(board.iter().all(|s| !(s.sacked && s.lost) && (s.lost || !s.resent)));
    assert_eq!(board.pipe(), sum(|s| !s.sacked && (!s.lost || s.resent)));
    // The ranges are what is SACKed.
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

/// The rule as RFC 6675 writes it, byte for byte of the segments.
fn is_lost(board: &Scoreboard, seq: u64) -> bool {
    let above: Vec<_> = board.sacked.iter().filter(|range| range.0 > seq).collect();
    above.len() >= 3 || above.iter().map(|range| range.1 - range.0).sum::<u64>() > 2 * u64::from(SEGMENT)
}

proptest! {
    /// Whatever is acknowledged, SACKed, lost and sent again in whatever order: the sums are those of the segments, and
    /// what is to be sent again is the lowest lost segment.
    #[test]
    fn the_sums_are_those_of_the_segments(steps in prop::collection::vec((0u8..9, 0u64..60, 1u64..8), 1..120)) {
        let mut board = board(8);
        for (kind, at, count) in steps {
            let at = board.una() + at;
            match kind {
                0 => (0..count).for_each(|_| board.sent(Time::ZERO, SEGMENT, false, None)),
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
                    board.resent(Time::ZERO, sent.seq, None);
                },
                7 => {
                    board.lose_at(at);
                }
                _ if count == 1 => board.lose_all(),
                _ if count == 2 => board.find_all(),
                _ => board.resent(Time::ZERO, at, None),
            }
            check(&board);
        }
    }
}
