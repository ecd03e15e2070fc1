//! UDP datagrams and ICMP echo messages.

use engine::Time;

/// The protocol of a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Protocol {
    /// UDP (RFC 768).
    #[default]
    Udp,
    /// An ICMP echo request (RFC 792).
    EchoRequest,
    /// An ICMP echo reply (RFC 792).
    EchoReply,
    /// Any other protocol, in which everything after the IP header is payload. It occurs only in emulation, which keeps
    /// the bytes of a real packet.
    Other,
}

impl Protocol {
    /// Returns the name for traces.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Udp => "UDP",
            Protocol::EchoRequest => "ECHO-REQUEST",
            Protocol::EchoReply => "ECHO-REPLY",
            Protocol::Other => "OTHER",
        }
    }

    /// Returns the size of the header in bytes.
    #[inline]
    pub const fn header(self) -> u32 {
        match self {
            Protocol::Udp | Protocol::EchoRequest | Protocol::EchoReply => Datagram::HEADER,
            Protocol::Other => 0,
        }
    }
}

/// A datagram without payload bytes, of a protocol without connections.
///
/// The payload begins with the datagram's number and its creation time, as in packets of iperf and ping. The receiver
/// computes loss, delay and jitter from these fields, which are part of `len`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Datagram {
    /// Source port. For an echo request this is its identifier.
    pub src_port: u16,
    /// Destination port. For an echo reply this is its identifier.
    pub dst_port: u16,
    /// Bytes of payload.
    pub len: u32,
    /// Number of the datagram in its flow, from 0.
    pub number: u32,
    /// Two halves of the creation time in nanoseconds. With 32-bit fields a [`Packet`](crate::Packet) needs no stricter
    /// alignment than a segment.
    created: [u32; 2],
    /// The protocol.
    pub protocol: Protocol,
}

impl Datagram {
    /// Size of the header in bytes, which is eight for both UDP and ICMP echo messages.
    pub const HEADER: u32 = 8;

    /// Returns a datagram created at `now`.
    pub fn new(protocol: Protocol, [src_port, dst_port]: [u16; 2], len: u32, number: u32, now: Time) -> Self {
        let nanos = now.as_nanos();
        Datagram { src_port, dst_port, len, number, created: [nanos as u32, (nanos >> 32) as u32], protocol }
    }

    /// Returns the size of header and payload in bytes.
    #[inline]
    pub const fn size(&self) -> u32 {
        self.protocol.header() + self.len
    }

    /// Returns the creation time of the datagram.
    pub fn created_at(&self) -> Time {
        Time::from_nanos(u64::from(self.created[0]) | u64::from(self.created[1]) << 32)
    }

    /// Returns the reply to an echo request: with the number, length and creation time of the request [RFC792 p14].
    pub fn reply(&self) -> Datagram {
        Datagram { src_port: self.dst_port, dst_port: self.src_port, protocol: Protocol::EchoReply, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_keeps_the_time_of_the_request() {
        let at = Time::from_nanos(u64::from(u32::MAX) + 7);
        let request = Datagram::new(Protocol::EchoRequest, [1, 2], 56, 3, at);
        let reply = request.reply();
        assert_eq!((reply.created_at(), reply.number, reply.len), (at, 3, 56));
        assert_eq!((reply.src_port, reply.dst_port, reply.protocol), (2, 1, Protocol::EchoReply));
    }

    /// The size is 24 bytes, that of a segment without options, because queues store both in the same space.
    #[test]
    fn datagram_is_as_large_as_a_header_of_tcp() {
        assert_eq!((size_of::<Datagram>(), align_of::<Datagram>()), (24, 4));
    }
}
