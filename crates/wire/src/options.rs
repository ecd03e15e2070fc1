//! TCP options [RFC9293 s3.2, RFC7323, RFC2018].

use std::num::NonZeroU16;

use crate::seq_num::SeqNum;

/// The options of a segment. An absent option takes no room on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Bytes of data the sender of this SYN takes in a segment [RFC9293 s3.7.1].
    pub mss: Option<NonZeroU16>,
    /// By how many bits the windows after this SYN are to be shifted left [RFC7323 s2.2].
    pub window_scale: Option<u8>,
    /// The sender of this SYN understands SACK [RFC2018 s2].
    pub sack_permitted: bool,
    /// The sender's clock and an echo of the other's [RFC7323 s3.2].
    pub timestamps: Option<Timestamps>,
    /// The ranges received out of order [RFC2018 s3].
    pub sack: SackBlocks,
}

/// The Timestamps option [RFC7323 s3.2].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Timestamps {
    /// TSval: the sender's clock.
    pub value: u32,
    /// TSecr: what the other end's clock said.
    pub echo: u32,
}

/// Ranges of sequence numbers that have come out of order, the one of the newest arrival first [RFC2018 s4]; a first
/// one that lies below the acknowledgment number, or inside the second, reports a duplicate (RFC 2883).
#[derive(Clone, Copy, Debug, Default)]
pub struct SackBlocks {
    count: u8,
    /// Entries from `count` on are unused.
    blocks: [(SeqNum, SeqNum); SackBlocks::MOST],
}

impl SackBlocks {
    /// As many as fit in a header.
    pub const MOST: usize = 4;

    /// Adds `from..to`; whether there was room.
    pub fn push(&mut self, from: SeqNum, to: SeqNum) -> bool {
        let room = self.len() < Self::MOST;
        if room {
            self.blocks[self.len()] = (from, to);
            self.count += 1;
        }
        room
    }

    /// The blocks, first to last.
    pub fn as_slice(&self) -> &[(SeqNum, SeqNum)] {
        &self.blocks[..self.len()]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Whether there are none.
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
    /// The first [`MOST`](SackBlocks::MOST) of them.
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
    /// Takes all options away. The room for SACK blocks, most of what there is, is left as it was: nearly every segment
    /// has none, and writing over the room each time costs more than all the rest of the segment.
    #[inline]
    pub fn clear(&mut self) {
        self.mss = None;
        self.window_scale = None;
        self.sack_permitted = false;
        self.timestamps = None;
        self.sack.count = 0;
    }

    /// Bytes on the wire, each option padded to whole words as implementations do [RFC7323 appendix A].
    #[inline]
    pub fn size(&self) -> u32 {
        let mut size = 0;
        if self.mss.is_some() {
            size += 4;
        }
        if self.window_scale.is_some() {
            size += 4;
        }
        // SACK-permitted shares its word with the padding in front of the timestamps.
        size += match (self.timestamps.is_some(), self.sack_permitted) {
            (true, _) => 12,
            (false, true) => 4,
            (false, false) => 0,
        };
        if !self.sack.is_empty() {
            size += 4 + 8 * u32::from(self.sack.count);
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_common_stacks() {
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
    fn cleared_options_are_none() {
        let mut options = Options {
            mss: NonZeroU16::new(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some(Timestamps::default()),
            sack: [(SeqNum(1), SeqNum(2))].into_iter().collect(),
        };
        options.clear();
        assert_eq!(options, Options::default());
        assert_eq!(options.size(), 0);
    }

    #[test]
    fn a_fifth_block_finds_no_room() {
        let mut sack: SackBlocks = (0..9).map(|n| (SeqNum(n), SeqNum(n + 1))).collect();
        assert_eq!(sack.len(), SackBlocks::MOST);
        assert!(!sack.push(SeqNum(9), SeqNum(10)));
    }
}
