//! Outstanding segments [RFC6675 s3, s4].
//!
//! No operation is linear in the window: an acknowledgment visits the segments that it newly acknowledges or SACKs, a
//! segment is found from its number by a guess that is nearly always right, and the segments to retransmit are in a
//! heap. `sacked.rs` handles SACK, `losses.rs` losses.

mod losses;
mod sacked;
mod sent;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use engine::Time;

pub(crate) use sent::Snapshot;
pub use sent::{Moment, SentSegment};

/// The segments between `una` and `nxt`, oldest first.
#[derive(Debug, Default)]
pub struct Scoreboard {
    una: u64,
    nxt: u64,
    segments: VecDeque<SentSegment>,
    /// Number of transmissions, modulo 2^32.
    turns: u32,
    sacked_bytes: u64,
    /// Number of bytes that are lost and not SACKed.
    lost_bytes: u64,
    /// Number of lost bytes that were retransmitted.
    resent_bytes: u64,
    /// Lost segments to retransmit, lowest first; some have been acknowledged or sent since.
    to_resend: BinaryHeap<Reverse<u64>>,
    /// SACKed data, as disjoint, not adjacent ranges in ascending order.
    sacked: VecDeque<(u64, u64)>,
    /// The snapshot of the delivery rate at each segment's last transmission; empty without a rate estimator.
    snapshots: VecDeque<Snapshot>,
    /// Number of SACKed segments.
    sacked_segments: u32,
    /// Number of lost segments.
    lost_segments: u32,
    /// Number of lost segments that were retransmitted.
    resent_segments: u32,
    /// Bytes ever marked lost.
    total_lost: u64,
    /// Losses have been inferred from SACK up to this offset.
    inferred_to: u64,
}

/// Capacity kept when segments are acknowledged.
const MIN_CAPACITY: usize = 4;

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

    /// Estimate of bytes in the network: outstanding bytes that are neither SACKed nor lost, and lost bytes that were
    /// retransmitted [RFC6675 s4 SetPipe].
    #[inline]
    pub fn pipe(&self) -> u64 {
        self.outstanding() - self.sacked_bytes - self.lost_bytes + self.resent_bytes
    }

    /// Bytes SACKed.
    #[inline]
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// Bytes lost, retransmitted or not.
    pub fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    /// Bytes ever marked lost.
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

    /// Segments lost, retransmitted or not.
    pub fn lost_segments(&self) -> u32 {
        self.lost_segments
    }

    /// Lost segments that have been retransmitted.
    pub fn resent_segments(&self) -> u32 {
        self.resent_segments
    }

    /// First byte after the highest SACKed one, or `una` (snd.fack) [Mathis and Mahdavi 1996].
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
    pub fn first(&self) -> Option<&SentSegment> {
        self.segments.front()
    }

    /// The segment with the highest number.
    pub fn last(&self) -> Option<&SentSegment> {
        self.segments.back()
    }

    /// The segment that contains byte `seq`.
    #[inline]
    pub fn get(&self, seq: u64) -> Option<&SentSegment> {
        self.place(seq).map(|place| &self.segments[place])
    }

    /// All outstanding segments, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &SentSegment> {
        self.segments.iter()
    }

    /// Index of the segment that contains byte `seq`. Most segments have the same size, so a division gives the index
    /// exactly or nearly.
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

    /// Adds a new segment.
    #[inline]
    pub(crate) fn record_new(&mut self, now: Time, len: u32, fin: bool, snapshot: Option<Snapshot>) {
        let turn = self.turn();
        self.segments.push_back(SentSegment {
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

    /// Records a retransmission of the segment at `seq`, which is marked lost if necessary: no other segment is
    /// retransmitted in this way.
    pub(crate) fn record_retransmission(&mut self, now: Time, seq: u64, snapshot: Option<Snapshot>) {
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

    /// Records a probe: the segment at `seq` is retransmitted although it is not known to be lost [RFC8985 s7.3].
    pub(crate) fn record_probe(&mut self, now: Time, seq: u64, snapshot: Option<Snapshot>) {
        if let Some(place) = self.place(seq) {
            self.note(place, snapshot);
            let turn = self.turn();
            let sent = &mut self.segments[place];
            (sent.at, sent.turn, sent.retransmitted) = (now, turn, true);
        }
    }

    /// The next number in the order of transmissions, from 1.
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

    /// Removes everything before `ack`; `each` is called for the removed segments, oldest first, with the snapshot
    /// taken when they were sent. A partially acknowledged segment is shortened.
    #[inline]
    pub(crate) fn acknowledge(&mut self, ack: u64, mut each: impl FnMut(&SentSegment, Option<Snapshot>)) {
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
        let max_capacity = if self.segments.is_empty() {
            self.to_resend.clear();
            2 * MIN_CAPACITY
        } else {
            4 * self.segments.len().max(MIN_CAPACITY)
        };
        if self.segments.capacity() > max_capacity {
            self.shrink();
        }
    }

    /// Frees the capacity that a larger window needed: a ring buffer is traversed from end to end, which costs cache
    /// misses, and an idle connection should not keep it. The cost is amortized, since the window must grow again
    /// before the next time.
    #[cold]
    fn shrink(&mut self) {
        let idle = self.segments.is_empty();
        let capacity = if idle { 0 } else { 2 * self.segments.len().max(MIN_CAPACITY) };
        self.segments.shrink_to(capacity);
        self.snapshots.shrink_to(self.snapshots.len());
        self.to_resend.shrink_to(capacity);
        self.sacked.shrink_to(capacity);
    }

    /// Subtracts a segment from the totals.
    fn forget(&mut self, sent: &SentSegment) {
        if sent.sacked {
            self.sacked_bytes -= u64::from(sent.len);
            self.sacked_segments -= 1;
        }
        self.forget_loss(sent);
    }
}

#[cfg(test)]
mod tests;
