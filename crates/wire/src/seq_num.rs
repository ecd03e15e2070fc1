//! Sequence numbers [RFC9293 s3.4].

use std::ops::Add;

/// A sequence number on the wire: 32 bits that wrap around.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeqNum(pub u32);

impl SeqNum {
    /// The wire form of an offset in the stream.
    pub const fn from_offset(offset: u64) -> Self {
        SeqNum(offset as u32)
    }

    /// How far this number lies behind `base`, wrapping around: positive if it comes after it [RFC9293 s3.4].
    pub const fn since(self, base: SeqNum) -> i32 {
        self.0.wrapping_sub(base.0) as i32
    }

    /// The number of the byte at `offset` of a stream whose first byte has this number.
    #[inline]
    pub const fn at(self, offset: u64) -> Self {
        SeqNum(self.0.wrapping_add(offset as u32))
    }

    /// The number of a stream's first byte, if this is that of the byte at `offset`.
    pub const fn origin_of(self, offset: u64) -> Self {
        SeqNum(self.0.wrapping_sub(offset as u32))
    }

    /// The offset in a stream whose first byte has the number `origin`, as [`to_offset`](Self::to_offset) finds it.
    #[inline]
    pub fn offset_from(self, origin: SeqNum, near: u64) -> Option<u64> {
        SeqNum(self.0.wrapping_sub(origin.0)).to_offset(near)
    }

    /// The offset in the stream that this number means: the one nearest to `near` [RFC9293 s3.4].
    /// Numbers that would lie before the stream's beginning give `None`.
    pub fn to_offset(self, near: u64) -> Option<u64> {
        let distance = self.0.wrapping_sub(near as u32) as i32;
        near.checked_add_signed(i64::from(distance))
    }
}

impl Add<u32> for SeqNum {
    type Output = SeqNum;
    /// The number `distance` later.
    fn add(self, distance: u32) -> SeqNum {
        SeqNum(self.0.wrapping_add(distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_numbers_find_their_offset() {
        let four_gib = 1u64 << 32;
        for offset in [0, 5, four_gib - 1, four_gib, four_gib + 7, 9 * four_gib + 3] {
            assert_eq!(SeqNum::from_offset(offset).to_offset(offset), Some(offset));
            assert_eq!(SeqNum::from_offset(offset + 1000).to_offset(offset), Some(offset + 1000));
            assert_eq!(SeqNum::from_offset(offset).to_offset(offset + 1000), Some(offset));
        }
        assert_eq!(SeqNum(u32::MAX).to_offset(3), None);
    }
}
