//! Packets of real hosts, read from their bytes.

use std::net::IpAddr;

use etherparse::icmpv4::{TYPE_ECHO_REPLY, TYPE_ECHO_REQUEST};
use etherparse::icmpv6::{TYPE_ECHO_REPLY as TYPE6_ECHO_REPLY, TYPE_ECHO_REQUEST as TYPE6_ECHO_REQUEST};
use etherparse::{LaxNetSlice, LaxSlicedPacket, TransportSlice};
use wire::{Body, Datagram, Dscp, Ecn, Packet, Protocol, Segment};

/// An IPv4 or IPv6 packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IpFrame {
    /// Source address.
    pub src: IpAddr,
    /// Destination address.
    pub dst: IpAddr,
    /// ECN field.
    pub ecn: Ecn,
    /// Class.
    pub dscp: Dscp,
    /// Bytes of the packet, all headers included.
    pub length: u32,
    /// Payload of the packet.
    pub payload: Payload,
}

/// The payload of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Payload {
    /// A segment. Its window is the unscaled header value.
    Tcp {
        /// The segment.
        segment: Segment,
        /// Position of the segment's data in the packet.
        data: usize,
    },
    /// Any other packet, as a datagram of the protocol with its ports: UDP's ports, or the identifier of an echo message.
    Datagram(Protocol, [u16; 2]),
}

impl IpFrame {
    /// Reads a packet; `None` if it is no IP packet, or if its length field differs from the length of `bytes`.
    ///
    /// Fragments, and packets whose headers are cut off or wrong, are datagrams of the protocol [`Protocol::Other`].
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let packet = LaxSlicedPacket::from_ip(bytes).ok()?;
        let (src, dst, class, ecn, length, fragmented): (IpAddr, IpAddr, _, _, _, _) = match packet.net.as_ref()? {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let length = u32::from(header.total_len());
                let (src, dst) = (header.source_addr().into(), header.destination_addr().into());
                (src, dst, header.dcp(), header.ecn(), length, ip.is_payload_fragmented())
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                let length = IPV6_HEADER + u32::from(header.payload_length());
                let (src, dst) = (header.source_addr().into(), header.destination_addr().into());
                (src, dst, header.dscp(), header.ecn(), length, ip.is_payload_fragmented())
            }
            LaxNetSlice::Arp(_) => return None,
        };
        if length as usize != bytes.len() {
            return None;
        }
        let broken = fragmented || packet.stop_err.is_some();
        let payload =
            packet.transport.filter(|_| !broken).map_or(Payload::OTHER, |transport| parse_payload(&transport, bytes));
        let dscp = Dscp::new(class.value()).unwrap_or_default();
        let mut frame = IpFrame { src, dst, ecn: Ecn::from_bits(ecn.value()), dscp, length, payload };
        frame.fit();
        Some(frame)
    }

    /// Makes the size of the simulated packet equal to the real one.
    fn fit(&mut self) {
        match &mut self.payload {
            Payload::Tcp { segment, .. } => {
                let modelled = Packet::HEADER + segment.header() + segment.len;
                // The packet has fewer bytes than in the model: its options have no padding to words, which saves at
                // most three bytes each.
                match u8::try_from(self.length.saturating_sub(modelled)) {
                    Ok(other) => segment.options.other = other,
                    Err(_) => self.payload = Payload::OTHER,
                }
            }
            Payload::Datagram(protocol, _) => {
                if self.length < Packet::HEADER + protocol.header() {
                    self.payload = Payload::OTHER;
                }
            }
        }
    }

    /// The packet's body in the simulation; a datagram gets the number `number`.
    pub fn body(&self, number: u32) -> Body {
        match self.payload {
            Payload::Tcp { segment, .. } => Body::Tcp(segment),
            Payload::Datagram(protocol, ports) => {
                let len = self.length.saturating_sub(Packet::HEADER + protocol.header());
                Body::Datagram(Datagram::new(protocol, ports, len, number, engine::Time::ZERO))
            }
        }
    }
}

/// Size of an IPv6 header in bytes [RFC8200 s3].
pub(crate) const IPV6_HEADER: u32 = 40;

impl Payload {
    const OTHER: Payload = Payload::Datagram(Protocol::Other, [0; 2]);
}

fn parse_payload(transport: &TransportSlice<'_>, bytes: &[u8]) -> Payload {
    match transport {
        TransportSlice::Tcp(tcp) => {
            Payload::Tcp { segment: wire::read::read_segment(tcp), data: bytes.len() - tcp.payload().len() }
        }
        TransportSlice::Udp(udp) => Payload::Datagram(Protocol::Udp, [udp.source_port(), udp.destination_port()]),
        TransportSlice::Icmpv4(icmp) => parse_echo(icmp.slice(), TYPE_ECHO_REQUEST, TYPE_ECHO_REPLY),
        TransportSlice::Icmpv6(icmp) => parse_echo(icmp.slice(), TYPE6_ECHO_REQUEST, TYPE6_ECHO_REPLY),
        TransportSlice::Igmp(_) => Payload::OTHER,
    }
}

/// An echo message with its identifier as a port, as in simulated messages.
fn parse_echo(message: &[u8], request: u8, reply: u8) -> Payload {
    let [kind, 0, _, _, high, low, ..] = *message else { return Payload::OTHER };
    let identifier = u16::from_be_bytes([high, low]);
    match kind {
        _ if kind == request => Payload::Datagram(Protocol::EchoRequest, [identifier, 0]),
        _ if kind == reply => Payload::Datagram(Protocol::EchoReply, [0, identifier]),
        _ => Payload::OTHER,
    }
}
