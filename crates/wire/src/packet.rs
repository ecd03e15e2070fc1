//! IP packets.

use crate::addr::Addr;
use crate::datagram::Datagram;
use crate::dscp::Dscp;
use crate::icmp::Notice;
use crate::options::Options;
use crate::segment::Segment;

/// An IPv4 packet with a TCP segment, a datagram or an ICMP message about a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Source address.
    pub src: Addr,
    /// Destination address.
    pub dst: Addr,
    /// ECN field of the IP header.
    pub ecn: Ecn,
    /// Class of the IP header.
    pub dscp: Dscp,
    /// Payload of the IP packet.
    pub body: Body,
}

/// The ECN field of the IP header [RFC3168 s5].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Ecn {
    /// Not ECN-capable: not-ECT.
    #[default]
    NotEct,
    /// ECN-capable: ECT(1).
    Ect1,
    /// ECN-capable: ECT(0).
    Ect0,
    /// Congestion experienced: CE, set by a router.
    Ce,
}

impl Ecn {
    /// True if a router may mark the packet: ECT(0) or ECT(1).
    #[inline]
    pub const fn is_capable(self) -> bool {
        matches!(self, Ecn::Ect0 | Ecn::Ect1)
    }

    /// The two bits of the field.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// Returns the codepoint of the two lowest bits.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
}

/// The payload of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body {
    /// A TCP segment.
    Tcp(Segment),
    /// An ICMP message about a segment.
    Icmp(Notice),
    /// A UDP datagram or an ICMP echo message.
    Datagram(Datagram),
}

impl Packet {
    /// Size of the IPv4 header in bytes, without options.
    pub const HEADER: u32 = 20;

    /// Returns a packet of the default class that is not ECN-capable.
    #[inline]
    pub fn new(src: Addr, dst: Addr, body: Body) -> Self {
        Packet { src, dst, ecn: Ecn::NotEct, dscp: Dscp::DEFAULT, body }
    }

    /// Returns a packet with an empty segment, to be overwritten.
    #[inline]
    pub fn blank(src: Addr, dst: Addr) -> Self {
        Packet::new(src, dst, Body::Tcp(Segment::default()))
    }

    /// Returns the packet's segment for overwriting, with its previous contents. Any other payload is first replaced by
    /// an empty segment.
    #[inline]
    pub fn segment_to_write(&mut self) -> &mut Segment {
        if !matches!(self.body, Body::Tcp(_)) {
            self.body = Body::Tcp(Segment::default());
        }
        match &mut self.body {
            Body::Tcp(segment) => segment,
            Body::Icmp(_) | Body::Datagram(_) => unreachable!("replaced above"),
        }
    }

    /// Size on the wire in bytes: all headers and the payload, without link-layer headers.
    #[inline]
    pub fn size(&self) -> u32 {
        self.bare_size() + self.options().map_or(0, Options::size)
    }

    /// Size on the wire in bytes, without TCP options.
    #[inline]
    pub fn bare_size(&self) -> u32 {
        match &self.body {
            Body::Tcp(segment) => Self::HEADER + Segment::HEADER + segment.len,
            Body::Icmp(_) => Self::HEADER + Notice::SIZE,
            Body::Datagram(datagram) => Self::HEADER + datagram.size(),
        }
    }

    /// Returns the segment's options; `None` for any other payload.
    #[inline]
    pub fn options(&self) -> Option<&Options> {
        match &self.body {
            Body::Tcp(segment) => Some(&segment.options),
            Body::Icmp(_) | Body::Datagram(_) => None,
        }
    }

    /// Sets the segment's options; no effect on any other payload.
    pub fn put_options(&mut self, options: Options) {
        if let Body::Tcp(segment) = &mut self.body {
            segment.options = options;
        }
    }

    /// Returns the segment if it carries data.
    pub fn data(&self) -> Option<&Segment> {
        match &self.body {
            Body::Tcp(segment) if segment.len > 0 => Some(segment),
            _ => None,
        }
    }

    /// Returns the source and the destination port; for a message about a segment, the ports of the segment, reversed.
    #[inline]
    pub fn ports(&self) -> [u16; 2] {
        match &self.body {
            Body::Tcp(segment) => [segment.src_port, segment.dst_port],
            Body::Icmp(notice) => [notice.dst_port, notice.src_port],
            Body::Datagram(datagram) => [datagram.src_port, datagram.dst_port],
        }
    }
}
