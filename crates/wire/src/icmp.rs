//! ICMP messages that report the state of a segment on the wireless hop to its sender [goel1997 5.4, 5.5].

use crate::addr::Addr;
use crate::seq_num::SeqNum;

/// The event on the wireless hop that an ICMP message reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoticeKind {
    /// ICMP-DEFER: the first attempt of the link layer failed, and further attempts follow.
    Defer,
    /// ICMP-RETRANSMIT: all attempts of the link layer failed, and the segment is lost.
    Retransmit,
}

impl NoticeKind {
    /// The name of the message in the thesis.
    pub const fn name(self) -> &'static str {
        match self {
            NoticeKind::Defer => "ICMP-DEFER",
            NoticeKind::Retransmit => "ICMP-RETRANSMIT",
        }
    }
}

/// An ICMP message about one segment. As any ICMP error, the message quotes the IP header and the following eight bytes
/// (RFC 792), which contain the ports and the sequence number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Kind of the message.
    pub kind: NoticeKind,
    /// Destination of the segment.
    pub segment_dst: Addr,
    /// Source port of the segment, at the host that receives this message.
    pub src_port: u16,
    /// Destination port of the segment.
    pub dst_port: u16,
    /// Sequence number of the segment.
    pub seq: SeqNum,
}

impl Notice {
    /// Size in bytes without the IP header: the ICMP header, the quoted IP header, and eight quoted bytes.
    pub const SIZE: u32 = 8 + 20 + 8;
}
