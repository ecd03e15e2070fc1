//! A packet of a capture as plain values.

use std::net::{IpAddr, SocketAddr};

use engine::Time;
pub use wire::pcapng::Direction;
use wire::{Ecn, Segment};

/// A packet of a capture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Packet {
    /// The number of the frame in the file, counted from 1 as Wireshark does.
    pub number: u64,
    /// Time since the first frame of the capture, two years at most; zero for one with an earlier time. Files need not
    /// be in order of time, in particular with several interfaces.
    pub at: Time,
    /// The number of the interface in its section, from 0. Always 0 in pcap files.
    pub interface: u32,
    /// Whether the capturing host sent or received the packet, if the file states this by flags of pcapng or in Linux
    /// cooked captures.
    pub direction: Option<Direction>,
    /// Source address.
    pub src: IpAddr,
    /// Destination address.
    pub dst: IpAddr,
    /// Length of the IP packet in bytes, headers included, from its header; from the length of the frame if
    /// segmentation offload left the length in the header zero.
    pub ip_len: u32,
    /// Whether fewer bytes than that were captured (snap length). Header fields are complete in any case.
    pub truncated: bool,
    /// Whether the snap length cut the TCP options; the captured options are in the segment.
    pub options_cut: bool,
    /// Whether the packet is a fragment. The first fragment has its transport header, later fragments are
    /// [`Transport::Other`].
    pub fragment: bool,
    /// ECN field.
    pub ecn: Ecn,
    /// Time to live; hop limit of IPv6.
    pub ttl: u8,
    /// Identification; `None` in IPv6.
    pub ip_id: Option<u16>,
    /// The payload of the IP packet.
    pub transport: Transport,
    /// The connection to which a TCP segment belongs, and the end that sent it.
    pub stream: Option<StreamEnd>,
}

/// The payload of an IP packet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Transport {
    /// A TCP segment. `len` follows from the IP header. `window` is scaled by the shift in the SYN of the same end;
    /// where that SYN was not captured, `window_shift` is 0 and `window` is the value on the wire
    /// (see [`Stream::knows_scale`](crate::Stream::knows_scale)). SACK-blocks beyond the snap length are missing.
    Tcp(Segment),
    /// A UDP datagram.
    Udp(Udp),
    /// An ICMP or ICMPv6 message.
    Icmp(Icmp),
    /// Another protocol, by its IP protocol number, or a later fragment.
    Other(u8),
}

/// A UDP datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Udp {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Bytes of data.
    pub len: u32,
}

/// An ICMP or ICMPv6 message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Icmp {
    /// Type.
    pub kind: u8,
    /// Code.
    pub code: u8,
    /// Bytes after the eight bytes of its header.
    pub len: u32,
}

/// An end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// The end that opened the connection. If no SYN was captured, the end that sent the first captured segment.
    Client,
    /// The other end.
    Server,
}

impl End {
    /// The index of this end in arrays: 0 for the client, 1 for the server.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other end.
    pub const fn other(self) -> End {
        match self {
            End::Client => End::Server,
            End::Server => End::Client,
        }
    }
}

/// The sender of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreamEnd {
    /// The number of the connection, an index of [`Capture::streams`](crate::Capture::streams). Numbers count
    /// connections in the order of their first segment, as `tcp.stream` of Wireshark does.
    pub stream: u32,
    /// The end that sent the segment.
    pub from: End,
}

impl Packet {
    /// Returns the TCP segment of the packet; `None` for a packet of another protocol.
    pub fn segment(&self) -> Option<&Segment> {
        match &self.transport {
            Transport::Tcp(segment) => Some(segment),
            _ => None,
        }
    }

    /// Returns source and destination with their ports. The port is 0 for protocols without ports.
    pub fn sockets(&self) -> (SocketAddr, SocketAddr) {
        let (from, to) = match &self.transport {
            Transport::Tcp(segment) => (segment.src_port, segment.dst_port),
            Transport::Udp(udp) => (udp.src_port, udp.dst_port),
            Transport::Icmp(_) | Transport::Other(_) => (0, 0),
        };
        (SocketAddr::new(self.src, from), SocketAddr::new(self.dst, to))
    }
}
