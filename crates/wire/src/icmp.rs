//! ICMP messages that tell a sender what happened to a segment on the wireless hop [goel1997 5.4, 5.5].

use crate::addr::Addr;
use crate::seq_num::SeqNum;

/// What the link layer of the wireless hop has to say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoticeKind {
    /// ICMP-DEFER: the first local attempt failed, more follow.
    Defer,
    /// ICMP-RETRANSMIT: all local attempts failed, the segment is gone.
    Retransmit,
}

impl NoticeKind {
    /// The name the thesis gives the message.
    pub const fn name(self) -> &'static str {
        match self {
            NoticeKind::Defer => "ICMP-DEFER",
            NoticeKind::Retransmit => "ICMP-RETRANSMIT",
        }
    }
}

/// An ICMP message about one segment. Like any ICMP error it quotes the IP header and the first eight bytes behind
/// it (RFC 792), which hold the ports and the sequence number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Which of the two messages.
    pub kind: NoticeKind,
    /// Where the segment was going.
    pub segment_dst: Addr,
    /// Source port of the segment: the port of the end that gets this message.
    pub src_port: u16,
    /// Destination port of the segment.
    pub dst_port: u16,
    /// First byte of the segment.
    pub seq: SeqNum,
}

impl Notice {
    /// Bytes of the message behind the IP header: ICMP header, quoted IP header, eight quoted bytes.
    pub const SIZE: u32 = 8 + 20 + 8;
}
