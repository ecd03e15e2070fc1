//! SACK information about segments [RFC2018, RFC6675 s4].

use wire::SackBlocks;

use super::{Scoreboard, SentSegment, Snapshot};

impl Scoreboard {
    /// Marks `from..to` SACKed; `each` is called for the segments that were not SACKed before, lowest first. Only whole
    /// segments count. A block with bytes never sent, or below `una`, is ignored.
    pub(crate) fn sack(&mut self, from: u64, to: u64, mut each: impl FnMut(&SentSegment, Option<Snapshot>)) {
        let from = from.max(self.una);
        if from >= to || to > self.nxt {
            return;
        }
        // A block inside a known range adds no information.
        let mut range = self.reaching(from);
        let mut at = from;
        while at < to {
            // The gaps between known ranges.
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

    /// Marks the whole segments in `from..to`, where no segment is SACKed yet. Returns the range that they cover.
    fn sack_gap(
        &mut self,
        from: u64,
        to: u64,
        each: &mut impl FnMut(&SentSegment, Option<Snapshot>),
    ) -> Option<(u64, u64)> {
        let mut place = self.place(from)?;
        if self.segments[place].seq < from {
            place += 1;
        }
        let mut marked: Option<(u64, u64)> = None;
        while let Some(sent) = self.segments.get_mut(place)
            && sent.end() <= to
        {
            // State of the segment while in flight: whether it was lost, and retransmitted.
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

    /// Returns the index of the first SACKED range that reaches `from`. SACK blocks report the latest and the lowest
    /// ranges, so that range is mostly the first or the last one.
    pub(super) fn reaching(&self, from: u64) -> usize {
        if let Some(last) = self.sacked.back()
            && last.0 <= from
        {
            return self.sacked.len() - usize::from(last.1 >= from);
        }
        let low = self.sacked.iter().take(SackBlocks::MAX).position(|range| range.1 >= from);
        low.unwrap_or_else(|| self.sacked.partition_point(|range| range.1 < from))
    }

    /// Adds a range that overlaps no other range, and merges it with adjacent ones. Returns the index after the result.
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

    /// Returns the offset below which `IsLost` is true: all data below the offset that is not SACKed has more than
    /// `bytes` SACKed above it, or `ranges` separate SACKed ranges [RFC6675 s4].
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
}
