//! TCP segments [RFC9293 s3.1].

use std::ops::BitOr;

use crate::options::Options;
use crate::seq_num::SeqNum;

/// TCP control bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// FIN: the sender has no more data.
    pub const FIN: Flags = Flags(1);
    /// SYN: initial sequence number of a connection.
    pub const SYN: Flags = Flags(2);
    /// RST: the connection is aborted.
    pub const RST: Flags = Flags(4);
    /// PSH: the receiver should pass the data on without delay.
    pub const PSH: Flags = Flags(8);
    /// The acknowledgment number is valid.
    pub const ACK: Flags = Flags(16);
    /// The urgent pointer is valid; the simulation ignores it.
    pub const URG: Flags = Flags(32);
    /// ECN-Echo: the receiver got a packet with the CE mark [RFC3168 s6.1].
    pub const ECE: Flags = Flags(64);
    /// Congestion window reduced [RFC3168 s6.1].
    pub const CWR: Flags = Flags(128);
    /// Explicit loss notification: the segment at the acknowledgment number was lost on the radio link
    /// (balakrishnan1998). The reserved bit next to CWR.
    pub const ELN: Flags = Flags(256);

    /// True if all bits of `other` are set.
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

/// A segment without payload bytes, because the simulation carries only lengths and sequence numbers.
///
/// The fields have the order of [`CompactPacket`](crate::CompactPacket), so that a conversion at each hop copies one
/// contiguous block of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Segment {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Sequence number of the first byte of data.
    pub seq: SeqNum,
    /// Acknowledgment number: the next byte expected from the peer.
    pub ack: SeqNum,
    /// Receive window in bytes from `ack` on, after scaling.
    pub window: u32,
    /// Bytes of data.
    pub len: u32,
    /// Control bits.
    pub flags: Flags,
    /// Number of bits by which the window is shifted right on the wire [RFC7323 s2.2]; 0 without window scaling.
    pub window_shift: u8,
    /// TCP options.
    pub options: Options,
}

impl Segment {
    /// Size of the header in bytes, without options.
    pub const HEADER: u32 = 20;

    /// Returns the size of the header in bytes, with options.
    #[inline]
    pub fn header(&self) -> u32 {
        Self::HEADER + self.options.size()
    }

    /// Returns the number of sequence numbers that the segment occupies: its data, and one each for SYN and FIN
    /// [RFC9293 s3.4].
    #[inline]
    pub fn seq_len(&self) -> u32 {
        self.len + u32::from(self.flags.has(Flags::SYN)) + u32::from(self.flags.has(Flags::FIN))
    }
}
