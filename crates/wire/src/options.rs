//! TCP options [RFC9293 s3.2, RFC7323, RFC2018].

use std::num::NonZeroU16;

use crate::seq_num::SeqNum;

/// The options of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Maximum segment size that the sender of this SYN accepts, in bytes of data [RFC9293 s3.7.1].
    pub mss: Option<NonZeroU16>,
    /// Window scale: number of bits by which the sender's later windows are shifted left [RFC7323 s2.2].
    pub window_scale: Option<u8>,
    /// True if the sender of this SYN supports SACK [RFC2018 s2].
    pub sack_permitted: bool,
    /// The sender's timestamp and the echo of the peer's [RFC7323 s3.2].
    pub timestamps: Option<Timestamps>,
    /// Ranges received out of order [RFC2018 s3].
    pub sack: SackBlocks,
    /// Size in bytes of header parts of a real packet that simulated packets do not have: other TCP options, IP
    /// options, and the additional length of an IPv6 header. 0 in simulated packets.
    pub other: u8,
}

/// The Timestamps option [RFC7323 s3.2].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Timestamps {
    /// TSval: the sender's timestamp clock.
    pub value: u32,
    /// TSecr: the most recent timestamp received from the peer.
    pub echo: u32,
}

/// SACK blocks: ranges of sequence numbers received out of order, the most recent one first [RFC2018 s4]. A first block
/// below the acknowledgment number, or inside the second block, reports a duplicate (RFC 2883).
#[derive(Clone, Copy, Debug, Default)]
pub struct SackBlocks {
    count: u8,
    /// Entries at index `count` and above are unused.
    blocks: [(SeqNum, SeqNum); SackBlocks::MAX],
}

impl SackBlocks {
    /// Maximum number of blocks in a TCP header.
    pub const MAX: usize = 4;

    /// Appends the block `from..to`; returns false if the maximum is reached.
    pub fn push(&mut self, from: SeqNum, to: SeqNum) -> bool {
        let fits = self.len() < Self::MAX;
        if fits {
            self.blocks[self.len()] = (from, to);
            self.count += 1;
        }
        fits
    }

    /// The blocks in order.
    pub fn as_slice(&self) -> &[(SeqNum, SeqNum)] {
        &self.blocks[..self.len()]
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// True without blocks.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl PartialEq for SackBlocks {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for SackBlocks {}

impl FromIterator<(SeqNum, SeqNum)> for SackBlocks {
    /// Takes the first [`MAX`](SackBlocks::MAX) blocks. Further blocks are ignored.
    fn from_iter<I: IntoIterator<Item = (SeqNum, SeqNum)>>(blocks: I) -> Self {
        let mut sack = SackBlocks::default();
        for (from, to) in blocks {
            if !sack.push(from, to) {
                break;
            }
        }
        sack
    }
}

impl Options {
    /// Removes all options. The array of SACK blocks, the largest part, is not overwritten: nearly all segments have no
    /// blocks, and writing the array costs more than the rest of the segment.
    #[inline]
    pub fn clear(&mut self) {
        self.mss = None;
        self.window_scale = None;
        self.sack_permitted = false;
        self.timestamps = None;
        self.sack.count = 0;
        self.other = 0;
    }

    /// Returns the size on the wire in bytes, each option padded to 32-bit words as implementations do [RFC7323
    /// appendix A].
    #[inline]
    pub fn size(&self) -> u32 {
        // The code has no branches, because every link queries the size of every packet.
        let [mss, scale] = [self.mss.is_some(), self.window_scale.is_some()].map(u32::from);
        // SACK-permitted takes the place of the padding before the timestamps.
        let stamps = if self.timestamps.is_some() { 3 } else { u32::from(self.sack_permitted) };
        let sack = u32::from(!self.sack.is_empty()) + 2 * u32::from(self.sack.count);
        4 * (mss + scale + stamps + sack) + u32::from(self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_sizes_include_padding() {
        let mut options = Options { mss: NonZeroU16::new(1460), ..Options::default() };
        assert_eq!(options.size(), 4);
        options.sack_permitted = true;
        options.window_scale = Some(7);
        assert_eq!(options.size(), 12);
        options.timestamps = Some(Timestamps::default());
        assert_eq!(options.size(), 20);
        let block = (SeqNum(1), SeqNum(2));
        let three = Options {
            timestamps: Some(Timestamps::default()),
            sack: [block; 3].into_iter().collect(),
            ..Options::default()
        };
        assert_eq!(three.size(), 40);
    }

    #[test]
    fn cleared_options_equal_the_default() {
        let mut options = Options {
            mss: NonZeroU16::new(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some(Timestamps::default()),
            sack: [(SeqNum(1), SeqNum(2))].into_iter().collect(),
            other: 20,
        };
        options.clear();
        assert_eq!(options, Options::default());
        assert_eq!(options.size(), 0);
    }

    #[test]
    fn fifth_sack_block_is_refused() {
        let mut sack: SackBlocks = (0..9).map(|n| (SeqNum(n), SeqNum(n + 1))).collect();
        assert_eq!(sack.len(), SackBlocks::MAX);
        assert!(!sack.push(SeqNum(9), SeqNum(10)));
    }
}
