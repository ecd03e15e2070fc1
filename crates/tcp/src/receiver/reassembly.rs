//! Reassembly of the stream.

use std::collections::VecDeque;

/// Received data: everything before `next`, and ranges of data received out of order ("islands"), each after a hole.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    next: u64,
    /// Disjoint, not adjacent, in ascending order, all beyond `next`. New data mostly extends the last.
    islands: VecDeque<(u64, u64)>,
}

/// Capacity kept for ranges.
const MIN_CAPACITY: usize = 4;

impl Reassembly {
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether data is missing before received data.
    #[inline]
    pub fn has_holes(&self) -> bool {
        !self.islands.is_empty()
    }

    /// Bytes from `next` to the end of the last range; 0 without holes.
    #[inline]
    pub fn beyond(&self) -> u64 {
        self.islands.back().map_or(0, |last| last.1 - self.next)
    }

    /// The islands, lowest first.
    pub fn islands(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.islands.iter().copied()
    }

    /// The received range that contains byte `at`.
    pub fn island(&self, at: u64) -> Option<(u64, u64)> {
        // The requested byte was mostly received last, and is then in the last island.
        if let Some(last) = self.islands.back().filter(|last| last.0 <= at) {
            return Some(*last).filter(|last| at < last.1);
        }
        let place = self.islands.partition_point(|island| island.1 <= at);
        self.islands.get(place).copied().filter(|island| island.0 <= at)
    }

    /// The first part of `from..to` that was received beyond `next`.
    pub fn first_within(&self, from: u64, to: u64) -> Option<(u64, u64)> {
        let place = self.islands.partition_point(|island| island.1 <= from);
        let (begin, end) = *self.islands.get(place)?;
        (begin < to).then(|| (begin.max(from), end.min(to)))
    }

    /// Adds bytes `from..to`. Returns whether any is new.
    #[inline]
    pub fn insert(&mut self, from: u64, to: u64) -> bool {
        if from <= self.next && self.islands.is_empty() {
            let new = to > self.next;
            self.next = self.next.max(to);
            return new;
        }
        self.insert_slowly(from, to)
    }

    fn insert_slowly(&mut self, mut from: u64, mut to: u64) -> bool {
        if from > self.next {
            if let Some(last) = self.islands.back_mut().filter(|last| last.0 <= from && from <= last.1) {
                let new = to > last.1;
                last.1 = last.1.max(to);
                return new;
            }
            // Ranges that touch `from..to` are merged with it.
            let first = self.islands.partition_point(|island| island.1 < from);
            let last = self.islands.partition_point(|island| island.0 <= to);
            if self.islands.get(first).is_some_and(|island| island.0 <= from && to <= island.1) {
                return false;
            }
            if first == last {
                self.islands.insert(first, (from, to));
                return true;
            }
            from = from.min(self.islands[first].0);
            to = to.max(self.islands[last - 1].1);
            self.islands[first] = (from, to);
            self.islands.drain(first + 1..last);
            return true;
        }
        let new = to > self.next;
        self.next = self.next.max(to);
        while let Some(island) = self.islands.front().filter(|island| island.0 <= self.next) {
            self.next = self.next.max(island.1);
            self.islands.pop_front();
        }
        if self.islands.is_empty() {
            // A connection without holes frees their memory.
            self.islands.shrink_to(MIN_CAPACITY);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn data_after_a_hole_is_held_back() {
        let mut assembly = Reassembly::default();
        assembly.insert(1000, 2000);
        assembly.insert(3000, 4000);
        assert_eq!(assembly.next(), 0);
        assembly.insert(0, 1000);
        assert_eq!(assembly.next(), 2000);
        assembly.insert(1500, 3000);
        assert_eq!(assembly.next(), 4000);
        assert!(assembly.islands.is_empty());
    }

    proptest! {
        /// For any ranges in any order, `next` is the first missing byte, and a range counts as new if at least one of
        /// its bytes is new.
        #[test]
        fn reassembly_agrees_with_a_bitmap(pieces in prop::collection::vec((0u64..60, 1u64..12), 0..80)) {
            let mut assembly = Reassembly::default();
            let mut come = [false; 80];
            for (from, len) in pieces {
                let new = come[from as usize..(from + len) as usize].contains(&false);
                prop_assert_eq!(assembly.insert(from, from + len), new);
                come[from as usize..(from + len) as usize].fill(true);
                let first_missing = come.iter().position(|here| !here).unwrap() as u64;
                prop_assert_eq!(assembly.next(), first_missing);
                prop_assert!(assembly.islands.iter().all(|(from, to)| from < to && *from > assembly.next()));
                prop_assert!(assembly.islands.make_contiguous().windows(2).all(|pair| pair[0].1 < pair[1].0));
                for at in 0..80 {
                    let island = assembly.islands().find(|island| island.0 <= at && at < island.1);
                    prop_assert_eq!(assembly.island(at), island);
                }
            }
        }
    }
}
