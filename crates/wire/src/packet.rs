//! IP packets.

use crate::addr::Addr;
use crate::icmp::Notice;
use crate::options::Options;
use crate::segment::Segment;

/// An IPv4 packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The host that sent it.
    pub src: Addr,
    /// The host it goes to.
    pub dst: Addr,
    /// What it says about congestion.
    pub ecn: Ecn,
    /// What it carries.
    pub body: Body,
}

/// The ECN field of the IP header [RFC3168 s5].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Ecn {
    /// The ends do not take part.
    #[default]
    NotEct,
    /// The ends take part: ECT(1).
    Ect1,
    /// The ends take part: ECT(0).
    Ect0,
    /// A router met congestion.
    Ce,
}

impl Ecn {
    /// Whether a router may mark the packet: its ends take part, and it is not marked.
    #[inline]
    pub const fn is_capable(self) -> bool {
        matches!(self, Ecn::Ect0 | Ecn::Ect1)
    }

    /// The two bits on the wire.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// What the two lowest bits mean.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
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

    /// A packet with an empty segment, to be written to.
    #[inline]
    pub fn blank(src: Addr, dst: Addr) -> Self {
        Packet { src, dst, ecn: Ecn::NotEct, body: Body::Tcp(Segment::default()) }
    }

    /// The segment, to be written over: what is in it is what it carried last, an empty one if it carried none.
    #[inline]
    pub fn segment_to_write(&mut self) -> &mut Segment {
        if let Body::Icmp(_) = self.body {
            self.body = Body::Tcp(Segment::default());
        }
        match &mut self.body {
            Body::Tcp(segment) => segment,
            Body::Icmp(_) => unreachable!("it has just been replaced"),
        }
    }

    /// Bytes on the wire: all headers and the data, without any link header.
    #[inline]
    pub fn size(&self) -> u32 {
        self.bare_size() + self.options().map_or(0, Options::size)
    }

    /// The same, without the options of the segment.
    #[inline]
    pub fn bare_size(&self) -> u32 {
        match &self.body {
            Body::Tcp(segment) => Self::HEADER + Segment::HEADER + segment.len,
            Body::Icmp(_) => Self::HEADER + Notice::SIZE,
        }
    }

    /// The options of the segment, if it carries one.
    #[inline]
    pub fn options(&self) -> Option<&Options> {
        match &self.body {
            Body::Tcp(segment) => Some(&segment.options),
            Body::Icmp(_) => None,
        }
    }

    /// Gives the segment these options, if it carries one.
    pub fn put_options(&mut self, options: Options) {
        if let Body::Tcp(segment) = &mut self.body {
            segment.options = options;
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
