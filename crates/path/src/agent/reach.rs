//! Conversion of sequence numbers, which wrap around, to stream offsets.

use wire::SeqNum;

/// Converts sequence numbers to stream offsets relative to the highest number seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    seq: SeqNum,
    offset: u64,
}

/// Maximum distance of a valid number in bytes: the largest possible window [RFC7323 s2.3].
const MAX_DISTANCE: u32 = 1 << 30;

impl Reach {
    /// Creates the mapping for a stream whose first number seen is `seq`; lower numbers have offsets too.
    pub fn new(seq: SeqNum) -> Self {
        Reach { seq, offset: 1 << 32 }
    }

    /// Returns the offset of a sequence number; `None` if it is too far from the highest number seen.
    pub fn offset(&self, seq: SeqNum) -> Option<u64> {
        let distance = seq.since(self.seq);
        (distance.unsigned_abs() <= MAX_DISTANCE).then(|| self.offset.saturating_add_signed(i64::from(distance)))
    }

    /// Returns the highest offset seen.
    pub fn end(&self) -> u64 {
        self.offset
    }

    /// Records data up to the offset `end`.
    pub fn extend(&mut self, end: u64) {
        if end > self.offset {
            self.seq = self.seq.at(end - self.offset);
            self.offset = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_continue_across_sequence_number_wrap_and_distant_sequence_numbers_are_refused() {
        let mut reach = Reach::new(SeqNum(u32::MAX - 9));
        let start = reach.offset(SeqNum(u32::MAX - 9)).unwrap();
        assert_eq!(reach.offset(SeqNum(10)), Some(start + 20));
        reach.extend(start + 20);
        assert_eq!((reach.end(), reach.offset(SeqNum(10))), (start + 20, Some(start + 20)));
        assert_eq!(reach.offset(SeqNum(u32::MAX - 9)), Some(start));
        assert_eq!(reach.offset(SeqNum(10 + MAX_DISTANCE + 1)), None);
    }
}
