//! IP packets.

use crate::addr::Addr;
use crate::icmp::Notice;
use crate::segment::Segment;

/// An IPv4 packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The host that sent it.
    pub src: Addr,
    /// The host it goes to.
    pub dst: Addr,
    /// What it carries.
    pub body: Body,
}

/// What a packet carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// A TCP segment.
    Tcp(Segment),
    /// A message about a segment.
    Icmp(Notice),
}

impl Packet {
    /// Bytes of the IPv4 header, without options.
    pub const HEADER: u32 = 20;

    /// Bytes on the wire: all headers and the data, without any link header.
    #[inline]
    pub fn size(&self) -> u32 {
        match &self.body {
            Body::Tcp(segment) => Self::HEADER + Segment::HEADER + segment.len,
            Body::Icmp(_) => Self::HEADER + Notice::SIZE,
        }
    }

    /// The segment, if it carries one with data.
    pub fn data(&self) -> Option<&Segment> {
        match &self.body {
            Body::Tcp(segment) if segment.len > 0 => Some(segment),
            _ => None,
        }
    }
}
