//! TCP sequence numbers [RFC9293 s3.4].

use std::ops::Add;

/// A 32-bit sequence number that wraps around.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SeqNum(pub u32);

impl SeqNum {
    /// Returns the sequence number of a stream offset, for a stream that starts at sequence number 0.
    pub const fn from_offset(offset: u64) -> Self {
        SeqNum(offset as u32)
    }

    /// Returns the signed distance from `base`, modulo 2^32: positive if this number comes after `base` [RFC9293 s3.4].
    pub const fn since(self, base: SeqNum) -> i32 {
        self.0.wrapping_sub(base.0) as i32
    }

    /// Returns the sequence number at `offset` of a stream that starts at this number.
    #[inline]
    pub const fn at(self, offset: u64) -> Self {
        SeqNum(self.0.wrapping_add(offset as u32))
    }

    /// Returns the start of a stream in which this is the number at `offset`.
    pub const fn origin_of(self, offset: u64) -> Self {
        SeqNum(self.0.wrapping_sub(offset as u32))
    }

    /// Returns the offset in a stream that starts at `origin`, as [`to_offset`](Self::to_offset) does.
    #[inline]
    pub fn offset_from(self, origin: SeqNum, near: u64) -> Option<u64> {
        SeqNum(self.0.wrapping_sub(origin.0)).to_offset(near)
    }

    /// Returns the stream offset with this sequence number that is nearest to `near` [RFC9293 s3.4]; `None` if it would
    /// lie before the start of the stream.
    #[inline]
    pub fn to_offset(self, near: u64) -> Option<u64> {
        let distance = self.0.wrapping_sub(near as u32) as i32;
        near.checked_add_signed(i64::from(distance))
    }
}

impl Add<u32> for SeqNum {
    type Output = SeqNum;
    /// Returns the sequence number `distance` bytes later.
    fn add(self, distance: u32) -> SeqNum {
        SeqNum(self.0.wrapping_add(distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_sequence_numbers_map_to_the_nearest_offset() {
        let four_gib = 1u64 << 32;
        for offset in [0, 5, four_gib - 1, four_gib, four_gib + 7, 9 * four_gib + 3] {
            assert_eq!(SeqNum::from_offset(offset).to_offset(offset), Some(offset));
            assert_eq!(SeqNum::from_offset(offset + 1000).to_offset(offset), Some(offset + 1000));
            assert_eq!(SeqNum::from_offset(offset).to_offset(offset + 1000), Some(offset));
        }
        assert_eq!(SeqNum(u32::MAX).to_offset(3), None);
    }
}
