//! TCP segments [RFC9293 s3.1].

use std::ops::BitOr;

use crate::options::Options;
use crate::seq_num::SeqNum;

/// Control bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Flags = Flags(1);
    /// Synchronize sequence numbers.
    pub const SYN: Flags = Flags(2);
    /// Reset the connection.
    pub const RST: Flags = Flags(4);
    /// Push function.
    pub const PSH: Flags = Flags(8);
    /// The acknowledgment number means something.
    pub const ACK: Flags = Flags(16);
    /// The urgent pointer is valid; it is ignored here.
    pub const URG: Flags = Flags(32);
    /// ECN-Echo: congestion was met on the way here [RFC3168 s6.1].
    pub const ECE: Flags = Flags(64);
    /// Congestion window reduced [RFC3168 s6.1].
    pub const CWR: Flags = Flags(128);
    /// The segment that is acknowledged next was lost in the air (balakrishnan1998): the reserved bit beside CWR.
    pub const ELN: Flags = Flags(256);

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// A segment without its bytes: the simulation carries lengths, the contents of a stream are its offsets.
///
/// Its fields stand in memory as they do here, and in a [`CompactPacket`](crate::CompactPacket) packet in the same order: what is copied
/// from one to the other at every hop is then one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Segment {
    /// Port of the end that sent it.
    pub src_port: u16,
    /// Port of the end it goes to.
    pub dst_port: u16,
    /// First byte carried.
    pub seq: SeqNum,
    /// Next byte expected from the other end.
    pub ack: SeqNum,
    /// Bytes from `ack` on that may be sent, already scaled.
    pub window: u32,
    /// Bytes of data carried.
    pub len: u32,
    /// Control bits.
    pub flags: Flags,
    /// By how many bits the window is shifted right on the wire [RFC7323 s2.2]; 0 if no scale was agreed on.
    pub window_shift: u8,
    /// Options.
    pub options: Options,
}

impl Segment {
    /// Bytes of the header, without options.
    pub const HEADER: u32 = 20;

    /// Bytes of the header, with options.
    #[inline]
    pub fn header(&self) -> u32 {
        Self::HEADER + self.options.size()
    }

    /// Sequence numbers the segment takes: its data, and one each for SYN and FIN [RFC9293 s3.4].
    #[inline]
    pub fn seq_len(&self) -> u32 {
        self.len + u32::from(self.flags.has(Flags::SYN)) + u32::from(self.flags.has(Flags::FIN))
    }
}
