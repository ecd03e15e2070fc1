//! Sets of packet numbers in frames.

/// Packet numbers of a transmit queue within 64 of the first, as in a block acknowledgment: a first number and a bitmap
/// [802.11-2012 s8.3.1.9.3]. The contents of any frame fit in two words, without a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeqBitmap {
    first: u64,
    bits: u64,
}

impl SeqBitmap {
    /// Number of consecutive packet numbers in the set's range.
    pub const MAX: u64 = 64;

    /// Returns the empty set for numbers from `first` on.
    pub const fn empty_from(first: u64) -> Self {
        SeqBitmap { first, bits: 0 }
    }

    /// Returns the set of one packet.
    pub const fn single(number: u64) -> Self {
        SeqBitmap { first: number, bits: 1 }
    }

    /// Returns the set with `number` added; `None` if the number is out of range.
    #[must_use]
    pub const fn with(self, number: u64) -> Self {
        SeqBitmap { first: self.first, bits: self.bits | self.bit(number) }
    }

    /// Returns true if the set contains `number`.
    pub const fn contains(self, number: u64) -> bool {
        self.bits & self.bit(number) != 0
    }

    /// Returns the lowest number of the range.
    pub const fn first(self) -> u64 {
        self.first
    }

    /// Returns the highest number in the set, if there is one.
    pub fn last(self) -> Option<u64> {
        self.bits.checked_ilog2().map(|place| self.first + u64::from(place))
    }

    /// Returns a bit for each number, from the first on.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Returns the size of the set.
    pub const fn count(self) -> u32 {
        self.bits.count_ones()
    }

    /// Iterates over the numbers, in order.
    pub fn iter(self) -> impl Iterator<Item = u64> {
        (0..Self::MAX).map(move |place| self.first + place).filter(move |number| self.contains(*number))
    }

    const fn bit(self, number: u64) -> u64 {
        match number.checked_sub(self.first) {
            Some(place) if place < Self::MAX => 1 << place,
            _ => 0,
        }
    }
}

impl FromIterator<u64> for SeqBitmap {
    /// Collects numbers, the first of which must be the lowest.
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut numbers = numbers.into_iter();
        let first = numbers.next().map_or(SeqBitmap::empty_from(0), SeqBitmap::single);
        numbers.fold(first, SeqBitmap::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_64_of_the_first_are_kept() {
        let numbers: SeqBitmap = [7, 9, 70, 71, 3].into_iter().collect();
        assert_eq!(numbers.iter().collect::<Vec<_>>(), [7, 9, 70], "64 from 7 on end with 70");
        assert_eq!((numbers.first(), numbers.last(), numbers.count()), (7, Some(70), 3));
        assert!(numbers.contains(9) && !numbers.contains(8) && !numbers.contains(71) && !numbers.contains(0));
        assert_eq!(numbers.bits(), 1 | 1 << 2 | 1 << 63);
        assert_eq!((SeqBitmap::empty_from(5).last(), SeqBitmap::empty_from(5).count()), (None, 0));
    }
}
