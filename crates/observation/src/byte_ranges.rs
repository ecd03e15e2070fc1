//! Ranges of a stream, which describe the data that a receiver has. The code is independent of the reassembly of the
//! receiver.

use std::collections::BTreeMap;

/// Bytes of a stream: all bytes before `next`, and separate ranges after it.
#[derive(Clone, Debug, Default)]
pub struct ByteRanges {
    next: u64,
    /// End by start; disjoint.
    out_of_order: BTreeMap<u64, u64>,
}

impl ByteRanges {
    /// The next byte expected.
    pub fn in_order(&self) -> u64 {
        self.next
    }

    /// The byte after the last one received.
    pub fn end(&self) -> u64 {
        self.out_of_order.last_key_value().map_or(self.next, |(_, end)| *end)
    }

    /// Whether byte `seq` was received.
    pub fn contains(&self, seq: u64) -> bool {
        seq < self.next || self.out_of_order.range(..=seq).next_back().is_some_and(|(_, end)| seq < *end)
    }

    /// Adds the bytes from `seq` to `end`; returns whether any of them is new.
    pub fn insert(&mut self, seq: u64, end: u64) -> bool {
        let covered = self.out_of_order.range(..=seq).next_back().is_some_and(|(_, island)| *island >= end);
        if end <= self.next || covered {
            return false;
        }
        let (mut from, mut to) = (seq, end);
        // Ranges are disjoint. Therefore their ends increase with their starts.
        while let Some((&begin, &island)) =
            self.out_of_order.range(..=to).next_back().filter(|(_, island)| **island >= from)
        {
            self.out_of_order.remove(&begin);
            (from, to) = (from.min(begin), to.max(island));
        }
        if from <= self.next {
            self.next = to;
        } else {
            self.out_of_order.insert(from, to);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_received_before_do_not_count_as_new() {
        let mut received = ByteRanges::default();
        // first byte, end, whether any is new, next byte expected then
        let arrivals = [
            (0, 10, true, 10),
            (0, 10, false, 10),
            (20, 30, true, 10),
            (40, 50, true, 10),
            (20, 30, false, 10),
            (30, 40, true, 10),
            (25, 45, false, 10),
            (5, 25, true, 50),
            (40, 50, false, 50),
            (45, 55, true, 55),
        ];
        for (seq, end, news, next) in arrivals {
            assert_eq!((received.insert(seq, end), received.in_order()), (news, next), "{seq}..{end}");
        }
    }

    #[test]
    fn byte_is_received_if_before_the_next_expected_one_or_in_a_sack_range() {
        let mut received = ByteRanges::default();
        for (seq, end) in [(0, 10), (20, 30)] {
            received.insert(seq, end);
        }
        assert_eq!((received.in_order(), received.end()), (10, 30));
        assert_eq!([9, 10, 19, 20, 29, 30].map(|seq| received.contains(seq)), [true, false, false, true, true, false]);
    }
}
