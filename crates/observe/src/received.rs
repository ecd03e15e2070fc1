//! What a receiver has: the oracle's copy of its reassembly.

use std::collections::BTreeMap;

/// Bytes that have come: all before `next`, and islands behind it.
#[derive(Clone, Debug, Default)]
pub struct Received {
    next: u64,
    /// End by beginning; apart.
    islands: BTreeMap<u64, u64>,
}

impl Received {
    /// Next byte expected.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether byte `seq` has come.
    pub fn has(&self, seq: u64) -> bool {
        seq < self.next || self.islands.range(..=seq).next_back().is_some_and(|(_, end)| seq < *end)
    }

    /// Bytes from `seq` to `end` come in. Whether any of them is new.
    pub fn take(&mut self, seq: u64, end: u64) -> bool {
        let covered = self.islands.range(..=seq).next_back().is_some_and(|(_, island)| *island >= end);
        if end <= self.next || covered {
            return false;
        }
        let (mut from, mut to) = (seq, end);
        // Islands are apart, so their ends rise with their beginnings.
        while let Some((&begin, &island)) = self.islands.range(..=to).next_back().filter(|(_, island)| **island >= from)
        {
            self.islands.remove(&begin);
            (from, to) = (from.min(begin), to.max(island));
        }
        if from <= self.next {
            self.next = to;
        } else {
            self.islands.insert(from, to);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_bytes_that_had_not_come() {
        let mut received = Received::default();
        // first byte, end, whether it is news, next byte expected then
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
            assert_eq!((received.take(seq, end), received.next()), (news, next), "{seq}..{end}");
        }
    }

    #[test]
    fn a_byte_has_come_if_it_is_before_the_next_or_on_an_island() {
        let mut received = Received::default();
        for (seq, end) in [(0, 10), (20, 30)] {
            received.take(seq, end);
        }
        assert_eq!([9, 10, 19, 20, 29, 30].map(|seq| received.has(seq)), [true, false, false, true, true, false]);
    }
}
