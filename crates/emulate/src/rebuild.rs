//! Bytes of packets that the simulated network changed or created.

use std::net::SocketAddr;

use etherparse::checksum::Sum16BitWords;
use etherparse::icmpv4::{TYPE_ECHO_REPLY, TYPE_ECHO_REQUEST};
use etherparse::icmpv6::{TYPE_ECHO_REPLY as TYPE6_ECHO_REPLY, TYPE_ECHO_REQUEST as TYPE6_ECHO_REQUEST};
use etherparse::{IpDscp, IpEcn, IpFragOffset, IpNumber, Ipv4Header, Ipv6FlowLabel, Ipv6Header};
use wire::bytes::tcp_header;
use wire::{Ecn, Packet, Segment};

/// Time to live, or hop limit, of created packets.
const HOP_LIMIT: u8 = 64;

/// Sets the ECN field of a packet, with the checksum of an IPv4 header. No effect on bytes that are no IP packet.
pub fn set_ecn(bytes: &mut [u8], ecn: Ecn) {
    match bytes.first().map(|first| first >> 4) {
        Some(4) if bytes.len() >= Ipv4Header::MIN_LEN => {
            let before = u16::from_be_bytes([bytes[0], bytes[1]]);
            bytes[1] = bytes[1] & !3 | ecn.bits();
            let after = u16::from_be_bytes([bytes[0], bytes[1]]);
            let checksum = u16::from_be_bytes([bytes[10], bytes[11]]);
            bytes[10..12].copy_from_slice(&update_checksum(checksum, before, after).to_be_bytes());
        }
        // The traffic class lies across the first two bytes. ECN is the two lowest bits of the class [RFC8200 s3].
        Some(6) if bytes.len() >= Ipv6Header::LEN => bytes[1] = bytes[1] & !0x30 | ecn.bits() << 4,
        _ => {}
    }
}

/// The ECN field of a packet; `None` for bytes that are no IP packet.
pub fn read_ecn(bytes: &[u8]) -> Option<Ecn> {
    match bytes {
        [first, second, ..] if first >> 4 == 4 => Some(Ecn::from_bits(*second)),
        [first, second, ..] if first >> 4 == 6 => Some(Ecn::from_bits(second >> 4)),
        _ => None,
    }
}

/// Returns a checksum after a change of one of the words that the checksum covers [RFC1624 s3, equation 3].
fn update_checksum(checksum: u16, before: u16, after: u16) -> u16 {
    let mut sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Returns the reply to an echo request: the same packet with exchanged addresses. `None` for other packets, for
/// packets with extension headers, and if the checksum is wrong.
pub fn echo_reply(request: &[u8]) -> Option<Vec<u8>> {
    let mut reply = request.to_vec();
    let (addresses, message, kinds) = match (request.first()? >> 4, request.get(9)?, request.get(6)?) {
        (4, 1, _) => (12..20, usize::from(request[0] & 0xf) * 4, (TYPE_ECHO_REQUEST, TYPE_ECHO_REPLY)),
        (6, _, 58) => (8..40, Ipv6Header::LEN, (TYPE6_ECHO_REQUEST, TYPE6_ECHO_REPLY)),
        _ => return None,
    };
    let [kind, code, high, low, ..] = *request.get(message..)? else { return None };
    if kind != kinds.0 || addresses.end > message {
        return None;
    }
    let mut sum = Sum16BitWords::new().add_slice(&request[message..]);
    if kind == TYPE6_ECHO_REQUEST {
        // Pseudo header [RFC8200 s8.1].
        let length = (request.len() - message) as u32;
        sum = sum.add_slice(&request[addresses.clone()]).add_4bytes(length.to_be_bytes()).add_2bytes([0, 58]);
    }
    if sum.ones_complement() != 0 {
        return None;
    }
    // Exchanged addresses do not change the checksums.
    let half = addresses.len() / 2;
    reply[addresses].rotate_left(half);
    let words = [kind, kinds.1].map(|kind| u16::from_be_bytes([kind, code]));
    let checksum = update_checksum(u16::from_be_bytes([high, low]), words[0], words[1]);
    reply[message] = kinds.1;
    reply[message + 2..message + 4].copy_from_slice(&checksum.to_be_bytes());
    Some(reply)
}

/// A segment between two real ends, the sending one first, as an IP packet with checksums. `payload` is its data.
///
/// `None` if the packet would be longer than IP allows, or if one address is IPv4 and the other IPv6.
pub fn build_segment(
    packet: &Packet,
    segment: &Segment,
    [from, to]: [SocketAddr; 2],
    payload: &[u8],
) -> Option<Vec<u8>> {
    let segment = Segment { src_port: from.port(), dst_port: to.port(), ..*segment };
    let mut tcp = tcp_header(&segment);
    let length = tcp.header_len() + payload.len();
    let mut out = Vec::with_capacity(Ipv6Header::LEN + length);
    let (dscp, ecn) = (IpDscp::try_new(packet.dscp.number()).ok()?, IpEcn::try_new(packet.ecn.bits()).ok()?);
    match (from, to) {
        (SocketAddr::V4(from), SocketAddr::V4(to)) => {
            let payload_length = u16::try_from(length).ok()?;
            let mut ip =
                Ipv4Header::new(payload_length, HOP_LIMIT, IpNumber::TCP, from.ip().octets(), to.ip().octets()).ok()?;
            (ip.dscp, ip.ecn, ip.dont_fragment, ip.fragment_offset) = (dscp, ecn, true, IpFragOffset::ZERO);
            ip.header_checksum = ip.calc_header_checksum();
            tcp.checksum = tcp.calc_checksum_ipv4(&ip, payload).ok()?;
            ip.write(&mut out).ok()?;
        }
        (SocketAddr::V6(from), SocketAddr::V6(to)) => {
            let mut ip = Ipv6Header {
                traffic_class: 0,
                flow_label: Ipv6FlowLabel::ZERO,
                payload_length: u16::try_from(length).ok()?,
                next_header: IpNumber::TCP,
                hop_limit: HOP_LIMIT,
                source: from.ip().octets(),
                destination: to.ip().octets(),
            };
            ip.set_dscp(dscp);
            ip.set_ecn(ecn);
            tcp.checksum = tcp.calc_checksum_ipv6(&ip, payload).ok()?;
            ip.write(&mut out).ok()?;
        }
        _ => return None,
    }
    tcp.write(&mut out).ok()?;
    out.extend_from_slice(payload);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::{Ipv4HeaderSlice, PacketBuilder};

    #[test]
    fn marked_header_has_the_checksum_of_the_whole_header() {
        for (source, ecn) in [([10, 0, 0, 1], Ecn::Ce), ([255, 255, 0, 0], Ecn::Ect0), ([0; 4], Ecn::NotEct)] {
            let mut ip = Ipv4Header::new(100, 9, IpNumber::UDP, source, [10, 9, 8, 7]).unwrap();
            ip.ecn = IpEcn::ONE;
            ip.header_checksum = ip.calc_header_checksum();
            let mut bytes = ip.to_bytes().to_vec();
            set_ecn(&mut bytes, ecn);
            let marked = Ipv4HeaderSlice::from_slice(&bytes).unwrap();
            assert_eq!(Ecn::from_bits(marked.ecn().value()), ecn);
            assert_eq!(marked.header_checksum(), marked.to_header().calc_header_checksum());
        }
    }

    /// The expected values are those of etherparse's own headers and checksums.
    #[test]
    fn echo_reply_has_exchanged_addresses_and_right_checksums() {
        let data: Vec<u8> = (0..57).collect();
        let (mut request, mut reply) = (Vec::new(), Vec::new());
        let built = |from, to| PacketBuilder::ipv4(from, to, 64);
        built([10, 0, 0, 3], [10, 0, 0, 2]).icmpv4_echo_request(7, 9).write(&mut request, &data).unwrap();
        built([10, 0, 0, 2], [10, 0, 0, 3]).icmpv4_echo_reply(7, 9).write(&mut reply, &data).unwrap();
        assert_eq!(echo_reply(&request), Some(reply.clone()));
        assert_eq!(echo_reply(&reply), None);
        let (mut request, mut reply) = (Vec::new(), Vec::new());
        let built = |from, to| PacketBuilder::ipv6([from; 16], [to; 16], 64);
        built(1, 2).icmpv6_echo_request(7, 9).write(&mut request, &data).unwrap();
        built(2, 1).icmpv6_echo_reply(7, 9).write(&mut reply, &data).unwrap();
        assert_eq!(echo_reply(&request), Some(reply));
        for length in 0..request.len() {
            let _ = echo_reply(&request[..length]);
        }
        request[60] ^= 1;
        assert_eq!(echo_reply(&request), None, "a wrong checksum");
    }

    #[test]
    fn mark_of_ipv6_keeps_class_and_flow_label() {
        let mut bytes = vec![0; 40];
        (bytes[0], bytes[1], bytes[2]) = (0x6b, 0x8f, 0x77);
        set_ecn(&mut bytes, Ecn::Ce);
        assert_eq!(bytes[..3], [0x6b, 0xbf, 0x77]);
        assert_eq!(read_ecn(&bytes), Some(Ecn::Ce));
    }
}
