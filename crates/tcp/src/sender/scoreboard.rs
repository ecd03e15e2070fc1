//! What has been sent and not acknowledged, segment by segment [RFC6675 s3, s4].
//!
//! Each piece of work is paid for by the segments it is about, never by the window: an acknowledgment visits the segments
//! that it brings news of, the search for one by its number is a guess that is nearly always right, and the segments to
//! send again are kept in a heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use engine::Time;
use wire::SackBlocks;

use super::rate::Snapshot;

/// A segment that has been sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// First byte.
    pub seq: u64,
    /// Sequence numbers taken: bytes, and one for a FIN.
    pub len: u32,
    /// When it was sent last.
    pub at: Time,
    /// Its place in the order of sending, modulo 2^32.
    pub turn: u32,
    /// SACKed.
    pub sacked: bool,
    /// Taken for lost. A lost segment that was sent again is lost and `resent`.
    pub lost: bool,
    /// Sent again since it was taken for lost, and in flight as far as anybody knows.
    pub resent: bool,
    /// Sent more than once, ever.
    pub retransmitted: bool,
    /// Whether its last sequence number is a FIN.
    pub fin: bool,
}

impl Sent {
    /// When it was sent last, in an order that tells apart what was sent at one time.
    #[inline]
    pub fn moment(&self) -> Moment {
        Moment { at: self.at, turn: self.turn }
    }

    /// First byte behind it.
    #[inline]
    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }
}

/// When something was sent, and after what of the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// When.
    pub at: Time,
    /// Its place in the order of sending, modulo 2^32.
    turn: u32,
}

impl Moment {
    /// Whether it was sent after `other`.
    #[inline]
    pub fn is_after(self, other: Moment) -> bool {
        self.at > other.at || self.at == other.at && (self.turn.wrapping_sub(other.turn) as i32) > 0
    }
}

/// The segments between `una` and `nxt`, oldest first.
#[derive(Debug, Default)]
pub struct Scoreboard {
    una: u64,
    nxt: u64,
    segments: VecDeque<Sent>,
    /// How many have been sent, modulo 2^32.
    turns: u32,
    sacked_bytes: u64,
    /// Bytes that are lost and not SACKed, and those of them sent again.
    lost_bytes: u64,
    resent_bytes: u64,
    /// Lost segments to send again, lowest first; some have been acknowledged or sent since.
    to_resend: BinaryHeap<Reverse<u64>>,
    /// What is SACKed, as disjoint, separate, rising ranges.
    sacked: VecDeque<(u64, u64)>,
    /// What had been delivered when each was sent last; empty if nobody wants to know.
    snapshots: VecDeque<Snapshot>,
    /// How many segments are SACKed, lost, and sent again of those lost.
    sacked_segments: u32,
    lost_segments: u32,
    resent_segments: u32,
    /// Bytes ever taken for lost.
    total_lost: u64,
    /// Up to here losses have been inferred from SACK.
    inferred_to: u64,
}

/// Room for so many segments is not worth giving back.
const LEAST_ROOM: usize = 4;

impl Scoreboard {
    /// First unacknowledged byte.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// First byte never sent.
    #[inline]
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Bytes sent and not acknowledged.
    #[inline]
    pub fn outstanding(&self) -> u64 {
        self.nxt - self.una
    }

    /// Bytes in the network as far as is known: those outstanding that are neither SACKed nor lost, and those of the lost
    /// that were sent again [RFC6675 s4 SetPipe].
    #[inline]
    pub fn pipe(&self) -> u64 {
        self.outstanding() - self.sacked_bytes - self.lost_bytes + self.resent_bytes
    }

    /// Bytes SACKed.
    #[inline]
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Bytes lost, sent again or not.
    pub fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    /// Bytes ever taken for lost.
    #[inline]
    pub fn total_lost(&self) -> u64 {
        self.total_lost
    }

    /// Segments outstanding.
    pub fn segments(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Segments SACKed.
    pub fn sacked_segments(&self) -> u32 {
        self.sacked_segments
    }

    /// Segments lost, sent again or not.
    pub fn lost_segments(&self) -> u32 {
        self.lost_segments
    }

    /// Lost segments sent again.
    pub fn resent_segments(&self) -> u32 {
        self.resent_segments
    }

    /// First byte behind the highest one SACKed, or `una` (snd.fack) [Mathis and Mahdavi 1996].
    pub fn sacked_to(&self) -> u64 {
        self.sacked.back().map_or(self.una, |range| range.1)
    }

    /// Whether anything is outstanding.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The oldest segment outstanding.
    #[inline]
    pub fn first(&self) -> Option<&Sent> {
        self.segments.front()
    }

    /// The segment with the highest number.
    pub fn last(&self) -> Option<&Sent> {
        self.segments.back()
    }

    /// The segment that byte `seq` is in.
    #[inline]
    pub fn get(&self, seq: u64) -> Option<&Sent> {
        self.place(seq).map(|place| &self.segments[place])
    }

    /// All outstanding segments, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Sent> {
        self.segments.iter()
    }

    /// The place of the segment that byte `seq` is in. Segments are mostly of one size, so a division finds it, or nearly.
    #[inline]
    fn place(&self, seq: u64) -> Option<usize> {
        let first = self.segments.front()?;
        if seq < first.seq || seq >= self.nxt {
            return None;
        }
        let guess = ((seq - first.seq) / u64::from(first.len.max(1))) as usize;
        if let Some(sent) = self.segments.get(guess)
            && sent.seq <= seq
            && seq < sent.end()
        {
            return Some(guess);
        }
        Some(self.segments.partition_point(|sent| sent.end() <= seq))
    }

    /// A new segment goes out.
    #[inline]
    pub(crate) fn sent(&mut self, now: Time, len: u32, fin: bool, snapshot: Option<Snapshot>) {
        let turn = self.turn();
        self.segments.push_back(Sent {
            seq: self.nxt,
            len,
            at: now,
            turn,
            sacked: false,
            lost: false,
            resent: false,
            retransmitted: false,
            fin,
        });
        if let Some(snapshot) = snapshot {
            self.snapshots.push_back(snapshot);
        }
        self.nxt += u64::from(len);
    }

    /// The segment at `seq` goes out again, lost or not. One that was not taken for lost is now: there would be no other
    /// reason to send it.
    pub(crate) fn resent(&mut self, now: Time, seq: u64, snapshot: Option<Snapshot>) {
        let Some(place) = self.place(seq) else { return };
        self.note(place, snapshot);
        if !self.segments[place].sacked {
            self.lose(place);
        }
        let turn = self.turn();
        let sent = &mut self.segments[place];
        (sent.at, sent.turn) = (now, turn);
        sent.retransmitted = true;
        if !sent.sacked && !sent.resent {
            sent.resent = true;
            self.resent_bytes += u64::from(sent.len);
            self.resent_segments += 1;
        }
    }

    /// A probe: the segment at `seq` goes out again although it is not known to be lost [RFC8985 s7.3].
    pub(crate) fn probed(&mut self, now: Time, seq: u64, snapshot: Option<Snapshot>) {
        if let Some(place) = self.place(seq) {
            self.note(place, snapshot);
            let turn = self.turn();
            let sent = &mut self.segments[place];
            (sent.at, sent.turn, sent.retransmitted) = (now, turn, true);
        }
    }

    /// The place in the order of sending of what is sent now; the first has 1.
    #[inline]
    fn turn(&mut self) -> u32 {
        self.turns = self.turns.wrapping_add(1);
        self.turns
    }

    fn note(&mut self, place: usize, snapshot: Option<Snapshot>) {
        if let (Some(slot), Some(snapshot)) = (self.snapshots.get_mut(place), snapshot) {
            *slot = snapshot;
        }
    }

    /// Everything before `ack` is acknowledged; `each` is told of the segments this frees, oldest first, and of what had been
    /// delivered when they left. A segment of which only a part is acknowledged is cut.
    #[inline]
    pub(crate) fn acknowledge(&mut self, ack: u64, mut each: impl FnMut(&Sent, Option<Snapshot>)) {
        while let Some(first) = self.segments.front_mut() {
            if first.end() > ack {
                if first.seq < ack {
                    let cut = (ack - first.seq) as u32;
                    let bytes = u64::from(cut);
                    self.sacked_bytes -= if first.sacked { bytes } else { 0 };
                    self.lost_bytes -= if first.lost { bytes } else { 0 };
                    self.resent_bytes -= if first.resent { bytes } else { 0 };
                    first.seq = ack;
                    first.len -= cut;
                    if first.lost && !first.resent {
                        self.to_resend.push(Reverse(ack));
                    }
                }
                break;
            }
            let snapshot = if self.snapshots.is_empty() { None } else { self.snapshots.pop_front() };
            if first.sacked || first.lost {
                let first = *first;
                self.forget(&first);
            }
            if let Some(first) = self.segments.front() {
                each(first, snapshot);
            }
            self.segments.pop_front();
        }
        self.una = ack;
        while let Some(range) = self.sacked.front_mut() {
            if range.1 > ack {
                range.0 = range.0.max(ack);
                break;
            }
            self.sacked.pop_front();
        }
        let enough = if self.segments.is_empty() {
            self.to_resend.clear();
            2 * LEAST_ROOM
        } else {
            4 * self.segments.len().max(LEAST_ROOM)
        };
        if self.segments.capacity() > enough {
            self.give_back();
        }
    }

    /// Gives back the room that a larger window took: it is walked through from end to end, in and out of the cache, and an
    /// idle connection should not keep it. The window must grow anew before the next time, which pays for it.
    #[cold]
    fn give_back(&mut self) {
        let idle = self.segments.is_empty();
        let room = if idle { 0 } else { 2 * self.segments.len().max(LEAST_ROOM) };
        self.segments.shrink_to(room);
        self.snapshots.shrink_to(self.snapshots.len());
        self.to_resend.shrink_to(room);
        self.sacked.shrink_to(room);
    }

    /// Takes a segment off the sums.
    fn forget(&mut self, sent: &Sent) {
        if sent.sacked {
            self.sacked_bytes -= u64::from(sent.len);
            self.sacked_segments -= 1;
        }
        self.forget_loss(sent);
    }

    fn forget_loss(&mut self, sent: &Sent) {
        if sent.lost {
            self.lost_bytes -= u64::from(sent.len);
            self.lost_segments -= 1;
        }
        if sent.resent {
            self.resent_bytes -= u64::from(sent.len);
            self.resent_segments -= 1;
        }
    }

    /// `from..to` is SACKed; `each` is told of the segments for which that is news, lowest first. Only whole segments
    /// count. A block that names what was never sent, or lies below `una`, changes nothing.
    pub(crate) fn sack(&mut self, from: u64, to: u64, mut each: impl FnMut(&Sent, Option<Snapshot>)) {
        let from = from.max(self.una);
        if from >= to || to > self.nxt {
            return;
        }
        // A block that ends where a range does and begins within it says nothing new.
        let mut range = self.reaching(from);
        let mut at = from;
        while at < to {
            // What lies between the ranges that are there.
            let gap_end = match self.sacked.get(range) {
                Some(&(begin, end)) if begin <= at => {
                    at = end.max(at);
                    range += 1;
                    continue;
                }
                Some(&(begin, _)) => begin.min(to),
                None => to,
            };
            let marked = self.sack_gap(at, gap_end, &mut each);
            at = gap_end;
            if let Some((begin, end)) = marked {
                range = self.join(begin, end);
                at = at.max(self.sacked[range - 1].1);
            }
        }
    }

    /// Marks the whole segments in `from..to`, where none is SACKed. The range they make up.
    fn sack_gap(&mut self, from: u64, to: u64, each: &mut impl FnMut(&Sent, Option<Snapshot>)) -> Option<(u64, u64)> {
        let mut place = self.place(from)?;
        if self.segments[place].seq < from {
            place += 1;
        }
        let mut marked: Option<(u64, u64)> = None;
        while let Some(sent) = self.segments.get_mut(place)
            && sent.end() <= to
        {
            // As it was while in flight: whether it was lost, and sent again.
            let before = *sent;
            sent.sacked = true;
            (sent.lost, sent.resent) = (false, false);
            self.sacked_bytes += u64::from(sent.len);
            self.sacked_segments += 1;
            marked = Some((marked.map_or(sent.seq, |range| range.0), sent.end()));
            self.forget_loss(&before);
            each(&before, self.snapshots.get(place).copied());
            place += 1;
        }
        marked
    }

    /// The place of the first SACKed range that reaches `from`. Blocks report what came last and what lies lowest, so it is
    /// mostly found at either end.
    fn reaching(&self, from: u64) -> usize {
        if let Some(last) = self.sacked.back()
            && last.0 <= from
        {
            return self.sacked.len() - usize::from(last.1 >= from);
        }
        let low = self.sacked.iter().take(SackBlocks::MOST).position(|range| range.1 >= from);
        low.unwrap_or_else(|| self.sacked.partition_point(|range| range.1 < from))
    }

    /// Adds a range that overlaps none, and joins it with those it touches. The place behind it.
    fn join(&mut self, begin: u64, end: u64) -> usize {
        let place = self.reaching(begin);
        let touches_before = self.sacked.get(place).is_some_and(|range| range.1 == begin);
        let after = place + usize::from(touches_before);
        let touches_after = self.sacked.get(after).is_some_and(|range| range.0 == end);
        match (touches_before, touches_after) {
            (true, true) => {
                self.sacked[place].1 = self.sacked[after].1;
                self.sacked.remove(after);
            }
            (true, false) => self.sacked[place].1 = end,
            (false, true) => self.sacked[place].0 = begin,
            (false, false) => self.sacked.insert(place, (begin, end)),
        }
        place + 1
    }

    /// Where `IsLost` begins to be false: everything below that is not SACKed has more than `bytes` SACKed above it, or
    /// `ranges` separate SACKed ranges [RFC6675 s4].
    pub fn lost_below(&self, bytes: u64, ranges: usize) -> u64 {
        let mut above = 0;
        for (count, range) in self.sacked.iter().rev().enumerate() {
            above += range.1 - range.0;
            if above > bytes || count + 1 >= ranges {
                return range.0;
            }
        }
        self.una
    }

    /// Takes every segment below `edge` for lost that is not SACKed; `edge` is a segment's beginning. What was looked at by
    /// an earlier call is not looked at again.
    pub fn lose_below(&mut self, edge: u64) {
        let from = self.inferred_to.max(self.una);
        if edge <= from {
            return;
        }
        self.inferred_to = edge;
        let Some(mut place) = self.place(from) else { return };
        while place < self.segments.len() && self.segments[place].seq < edge {
            if !self.segments[place].sacked {
                self.lose(place);
            }
            place += 1;
        }
    }

    /// Takes the segment at `seq` for lost, unless it is SACKed or already taken for lost and not sent again since.
    /// Whether that is news.
    pub fn lose_at(&mut self, seq: u64) -> bool {
        let Some(place) = self.place(seq) else { return false };
        if self.segments[place].sacked {
            return false;
        }
        self.lose_again(place)
    }

    /// Takes the segment for lost, or its retransmission if it was sent again.
    fn lose_again(&mut self, place: usize) -> bool {
        let sent = &mut self.segments[place];
        if sent.resent {
            sent.resent = false;
            self.resent_bytes -= u64::from(sent.len);
            self.resent_segments -= 1;
            self.total_lost += u64::from(sent.len);
            self.to_resend.push(Reverse(sent.seq));
            return true;
        }
        self.lose(place)
    }

    fn lose(&mut self, place: usize) -> bool {
        let sent = &mut self.segments[place];
        if sent.lost {
            return false;
        }
        sent.lost = true;
        self.lost_bytes += u64::from(sent.len);
        self.lost_segments += 1;
        self.total_lost += u64::from(sent.len);
        self.to_resend.push(Reverse(sent.seq));
        true
    }

    /// The retransmission timer has expired: everything not SACKed is lost, and so is what was sent again
    /// [RFC6675 s5.1, RFC5681 s3.1].
    pub fn lose_all(&mut self) {
        self.to_resend.clear();
        for place in 0..self.segments.len() {
            if !self.segments[place].sacked && !self.lose_again(place) {
                self.to_resend.push(Reverse(self.segments[place].seq));
            }
        }
        self.inferred_to = self.nxt;
    }

    /// Nothing is lost after all: what was taken for lost and not sent again is in flight as before.
    pub fn find_all(&mut self) {
        for sent in &mut self.segments {
            if sent.lost && !sent.sacked {
                sent.lost = false;
                self.lost_bytes -= u64::from(sent.len);
                self.lost_segments -= 1;
                if sent.resent {
                    sent.resent = false;
                    self.resent_bytes -= u64::from(sent.len);
                    self.resent_segments -= 1;
                }
            }
        }
        self.to_resend.clear();
        self.inferred_to = self.una;
    }

    /// The receiver has thrown away what it had SACKed [RFC2018 s8].
    pub fn renege(&mut self) {
        self.sacked.clear();
        for sent in &mut self.segments {
            sent.sacked = false;
        }
        (self.sacked_bytes, self.sacked_segments) = (0, 0);
    }

    /// Whether there may be lost segments to send again.
    #[inline]
    pub fn has_losses(&self) -> bool {
        !self.to_resend.is_empty()
    }

    /// The lowest lost segment that has not been sent again.
    pub fn next_to_resend(&mut self) -> Option<Sent> {
        while let Some(Reverse(seq)) = self.to_resend.peek() {
            if let Some(place) = self.place(*seq) {
                let sent = self.segments[place];
                if sent.lost && !sent.resent && !sent.sacked {
                    return Some(sent);
                }
            }
            self.to_resend.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
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
}
