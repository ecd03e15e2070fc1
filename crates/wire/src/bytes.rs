//! Packets as bytes on the wire: IPv4, TCP, UDP and ICMP headers.

use etherparse::checksum::Sum16BitWords;
use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement};

use crate::datagram::{Datagram, Protocol};
use crate::icmp::{Notice, NoticeKind};
use crate::options::{Options, SackBlocks};
use crate::packet::{Body, Ecn, Packet};
use crate::segment::{Flags, Segment};

/// ICMP type for experiments [RFC4727 s4]: the thesis requires a new type, and no number was assigned. The ICMP code is
/// 0 for DEFER and 1 for RETRANSMIT.
pub const ICMP_EXPERIMENT: u8 = 253;

/// Returns the packet's headers as bytes. The payload, all zeros, is left out, as in a capture with a short snap
/// length.
///
/// The window field is the window shifted right by the segment's `window_shift`, and 65,535 if that does not fit: a
/// connection that starts in ESTABLISHED did not negotiate a window scale. `identification` is the IPv4 identification
/// field.
pub fn serialize_headers(packet: &Packet, identification: u16) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    match &packet.body {
        Body::Tcp(segment) => {
            let mut tcp = tcp_header(segment);
            let mut ip = ipv4_header(packet, segment.len + segment.header(), IpNumber::TCP, identification);
            ip.header_checksum = ip.calc_header_checksum();
            ip.write(&mut out).expect("writing to memory");
            tcp.checksum = tcp_checksum(&ip, &tcp);
            tcp.write(&mut out).expect("writing to memory");
        }
        Body::Icmp(notice) => {
            let mut ip = ipv4_header(packet, Notice::SIZE, IpNumber::ICMP, identification);
            ip.header_checksum = ip.calc_header_checksum();
            ip.write(&mut out).expect("writing to memory");
            out.extend(serialize_notice(packet, notice));
        }
        Body::Datagram(datagram) => {
            let protocol = match datagram.protocol {
                Protocol::Udp => IpNumber::UDP,
                Protocol::EchoRequest | Protocol::EchoReply => IpNumber::ICMP,
                // A number for experiments [RFC3692 s2.1].
                Protocol::Other => IpNumber(253),
            };
            let mut ip = ipv4_header(packet, datagram.size(), protocol, identification);
            ip.header_checksum = ip.calc_header_checksum();
            ip.write(&mut out).expect("writing to memory");
            if datagram.protocol != Protocol::Other {
                out.extend(datagram_header(&ip, datagram));
            }
        }
    }
    out
}

fn ipv4_header(packet: &Packet, payload: u32, protocol: IpNumber, identification: u16) -> Ipv4Header {
    let octets = |addr| std::net::Ipv4Addr::from(addr).octets();
    // A simulated segment may exceed the maximum length of an IPv4 packet; the total length is then the maximum.
    let payload = payload.min(u32::from(u16::MAX) - Packet::HEADER) as u16;
    let mut header =
        Ipv4Header::new(payload, 64, protocol, octets(packet.src), octets(packet.dst)).expect("payload fits");
    header.identification = identification;
    header.ecn = match packet.ecn {
        Ecn::NotEct => IpEcn::ZERO,
        Ecn::Ect1 => IpEcn::ONE,
        Ecn::Ect0 => IpEcn::TWO,
        Ecn::Ce => IpEcn::THREE,
    };
    header.dscp = IpDscp::try_new(packet.dscp.number()).expect("a class has six bits");
    header
}

/// Returns the header of a UDP datagram (RFC 768) or an ICMP echo message (RFC 792), with the checksum over an all-zero
/// payload. A number beyond 16 bits wraps around, as in ping.
fn datagram_header(ip: &Ipv4Header, datagram: &Datagram) -> [u8; 8] {
    let length = ip.payload_len().expect("the total length covers the header").to_be_bytes();
    let (src, dst) = (datagram.src_port.to_be_bytes(), datagram.dst_port.to_be_bytes());
    let number = (datagram.number as u16).to_be_bytes();
    let (mut header, at) = match datagram.protocol {
        Protocol::Udp => ([src[0], src[1], dst[0], dst[1], length[0], length[1], 0, 0], 6),
        Protocol::EchoRequest => ([8, 0, 0, 0, src[0], src[1], number[0], number[1]], 2),
        Protocol::EchoReply | Protocol::Other => ([0, 0, 0, 0, dst[0], dst[1], number[0], number[1]], 2),
    };
    let mut sum = Sum16BitWords::new().add_slice(&header);
    if datagram.protocol == Protocol::Udp {
        sum = sum.add_4bytes(ip.source).add_4bytes(ip.destination);
        sum = sum.add_2bytes([0, ip.protocol.0]).add_2bytes(length);
    }
    let checksum = match sum.ones_complement() {
        // Zero means no checksum.
        0 if datagram.protocol == Protocol::Udp => u16::MAX,
        checksum => checksum,
    };
    header[at..at + 2].copy_from_slice(&checksum.to_ne_bytes());
    header
}

/// Returns the header of a segment, with the checksum field 0. The window field is as in [`serialize_headers`].
pub fn tcp_header(segment: &Segment) -> TcpHeader {
    let window = u16::try_from(segment.window >> segment.window_shift.min(31)).unwrap_or(u16::MAX);
    let mut tcp = TcpHeader::new(segment.src_port, segment.dst_port, segment.seq.0, window);
    tcp.acknowledgment_number = segment.ack.0;
    tcp.fin = segment.flags.has(Flags::FIN);
    tcp.syn = segment.flags.has(Flags::SYN);
    tcp.rst = segment.flags.has(Flags::RST);
    tcp.psh = segment.flags.has(Flags::PSH);
    tcp.ack = segment.flags.has(Flags::ACK);
    tcp.urg = segment.flags.has(Flags::URG);
    tcp.ece = segment.flags.has(Flags::ECE);
    tcp.cwr = segment.flags.has(Flags::CWR);
    // Formerly the nonce sum of ECN, reserved again [RFC8311 s3.1].
    tcp.ns = segment.flags.has(Flags::ELN);
    tcp.set_options(&serialize_options(&segment.options)).expect("options fit into the header");
    tcp
}

/// Returns the checksum of a segment whose `header` has the checksum field 0 [RFC9293 s3.1]. The payload is all zeros
/// and contributes only its length.
fn tcp_checksum(ip: &Ipv4Header, header: &TcpHeader) -> u16 {
    let length = ip.payload_len().expect("the total length covers the header");
    Sum16BitWords::new()
        .add_4bytes(ip.source)
        .add_4bytes(ip.destination)
        .add_2bytes([0, ip.protocol.0])
        .add_2bytes(length.to_be_bytes())
        .add_slice(&header.to_bytes())
        .ones_complement()
        .to_be()
}

/// Returns the options in the order and with the padding of common TCP stacks [RFC7323 appendix A].
fn serialize_options(options: &Options) -> Vec<TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp, WindowScale,
    };
    let mut out = Vec::new();
    out.extend(options.mss.map(|mss| MaximumSegmentSize(mss.get())));
    match (options.timestamps, options.sack_permitted) {
        (Some(stamps), true) => {
            out.extend([SelectiveAcknowledgementPermitted, Timestamp(stamps.value, stamps.echo)]);
        }
        (Some(stamps), false) => out.extend([Noop, Noop, Timestamp(stamps.value, stamps.echo)]),
        (None, true) => out.extend([Noop, Noop, SelectiveAcknowledgementPermitted]),
        (None, false) => {}
    }
    if let Some(scale) = options.window_scale {
        out.extend([Noop, WindowScale(scale)]);
    }
    // The header has 40 bytes of options: with timestamps, three blocks fit.
    let others = Options { sack: SackBlocks::default(), other: 0, ..*options }.size();
    let max_blocks = SackBlocks::MAX.min(36_u32.saturating_sub(others) as usize / 8);
    let mut blocks = options.sack.as_slice().iter().take(max_blocks).map(|(from, to)| (from.0, to.0));
    if let Some(first) = blocks.next() {
        let rest = [blocks.next(), blocks.next(), blocks.next()];
        out.extend([Noop, Noop, SelectiveAcknowledgement(first, rest)]);
    }
    out
}

fn serialize_notice(packet: &Packet, notice: &Notice) -> Vec<u8> {
    let code = match notice.kind {
        NoticeKind::Defer => 0,
        NoticeKind::Retransmit => 1,
    };
    let mut message = vec![ICMP_EXPERIMENT, code, 0, 0, 0, 0, 0, 0];
    // The quoted segment was sent by the host that receives this message.
    let quoted = Packet { src: packet.dst, dst: notice.segment_dst, ..*packet };
    let mut ip = ipv4_header(&quoted, Segment::HEADER, IpNumber::TCP, 0);
    ip.header_checksum = ip.calc_header_checksum();
    ip.write(&mut message).expect("writing to memory");
    message.extend(notice.src_port.to_be_bytes());
    message.extend(notice.dst_port.to_be_bytes());
    message.extend(notice.seq.0.to_be_bytes());
    let checksum = Sum16BitWords::new().add_slice(&message).ones_complement();
    message[2..4].copy_from_slice(&checksum.to_ne_bytes());
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addr::Addr;
    use crate::dscp::Dscp;
    use crate::options::Timestamps;
    use crate::seq_num::SeqNum;
    use etherparse::{NetSlice, SlicedPacket, TransportSlice};

    fn data() -> Packet {
        let segment = Segment {
            src_port: 10_000,
            dst_port: 10_001,
            seq: SeqNum(15_360),
            ack: SeqNum(7),
            flags: Flags::ACK | Flags::PSH,
            window: 1 << 20,
            len: 1024,
            ..Segment::default()
        };
        Packet::new(Addr::of_node(0), Addr::of_node(2), Body::Tcp(segment))
    }

    #[test]
    fn segment_headers_are_parsed_back() {
        let packet = data();
        let mut bytes = serialize_headers(&packet, 9);
        assert_eq!(bytes.len(), 40);
        bytes.resize(packet.size() as usize, 0);
        let sliced = SlicedPacket::from_ip(&bytes).unwrap();
        let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Tcp(tcp))) = (&sliced.net, &sliced.transport) else {
            panic!("not TCP over IPv4")
        };
        assert_eq!(ip.header().source(), [10, 0, 0, 1]);
        assert_eq!(ip.header().header_checksum(), ip.header().to_header().calc_header_checksum());
        assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number()), (15_360, 7));
        assert_eq!((tcp.ack(), tcp.psh(), tcp.syn(), tcp.window_size()), (true, true, false, 65_535));
        let checksum = tcp.to_header().calc_checksum_ipv4(&ip.header().to_header(), tcp.payload()).unwrap();
        assert_eq!(tcp.checksum(), checksum);
    }

    /// The reference is the checksum over all bytes, payload included.
    #[test]
    fn checksum_covers_the_payload() {
        for (len, stamped) in [(0, false), (1, true), (999, false), (1460, true), (65_495, false)] {
            let mut packet = data();
            let Body::Tcp(segment) = &mut packet.body else { unreachable!() };
            segment.len = len;
            segment.options.timestamps = stamped.then_some(Timestamps { value: 0xfffe_fdfc, echo: 50 });
            let bytes = [serialize_headers(&packet, 9), vec![0; len as usize]].concat();
            let sliced = SlicedPacket::from_ip(&bytes).unwrap();
            let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Tcp(tcp))) = (&sliced.net, &sliced.transport) else {
                panic!("not TCP over IPv4")
            };
            assert_eq!(tcp.payload().len(), len as usize);
            let checksum = tcp.to_header().calc_checksum_ipv4(&ip.header().to_header(), tcp.payload()).unwrap();
            assert_eq!(tcp.checksum(), checksum, "{len} bytes of data");
        }
    }

    #[test]
    fn options_and_ecn_are_parsed_back() {
        let mut packet = data();
        packet.ecn = Ecn::Ce;
        let Body::Tcp(segment) = &mut packet.body else { unreachable!() };
        segment.flags = segment.flags | Flags::ECE | Flags::CWR | Flags::ELN;
        segment.window_shift = 7;
        segment.options = Options {
            timestamps: Some(Timestamps { value: 100, echo: 50 }),
            sack: [(SeqNum(1), SeqNum(2)), (SeqNum(5), SeqNum(9))].into_iter().collect(),
            ..Options::default()
        };
        let bytes = serialize_headers(&packet, 9);
        assert_eq!(bytes.len(), 20 + 20 + 12 + 20);
        let padded = [bytes.as_slice(), &[0; 1024]].concat();
        let sliced = SlicedPacket::from_ip(&padded).unwrap().transport.unwrap();
        let TransportSlice::Tcp(tcp) = sliced else { panic!("not TCP") };
        assert_eq!((tcp.ece(), tcp.cwr(), tcp.ns(), tcp.window_size()), (true, true, true, 8192));
        let options: Vec<_> = tcp.options_iterator().map(Result::unwrap).collect();
        let noop = TcpOptionElement::Noop;
        let sack = TcpOptionElement::SelectiveAcknowledgement((1, 2), [Some((5, 9)), None, None]);
        assert_eq!(
            options,
            [noop.clone(), noop.clone(), TcpOptionElement::Timestamp(100, 50), noop.clone(), noop, sack]
        );
        assert_eq!(bytes[1] & 3, 3);
    }

    #[test]
    fn datagram_is_parsed_back_with_its_class() {
        let datagram = Datagram::new(Protocol::Udp, [5000, 6000], 161, 7, engine::Time::ZERO);
        let addresses = (Addr::of_node(0), Addr::of_node(2));
        let packet = Packet { dscp: Dscp::EF, ..Packet::new(addresses.0, addresses.1, Body::Datagram(datagram)) };
        let bytes = [serialize_headers(&packet, 9), vec![0; 161]].concat();
        assert_eq!(bytes.len(), packet.size() as usize);
        let sliced = SlicedPacket::from_ip(&bytes).unwrap();
        let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Udp(udp))) = (&sliced.net, &sliced.transport) else {
            panic!("not UDP over IPv4")
        };
        assert_eq!((udp.source_port(), udp.destination_port(), udp.length()), (5000, 6000, 169));
        assert_eq!(ip.header().dcp().value(), 46);
        let checksum = udp.to_header().calc_checksum_ipv4(&ip.header().to_header(), udp.payload()).unwrap();
        assert_eq!(udp.checksum(), checksum);
    }

    #[test]
    fn echo_request_and_reply_have_valid_checksums() {
        let request = Datagram::new(Protocol::EchoRequest, [77, 0], 56, 70_000, engine::Time::ZERO);
        for (datagram, kind) in [(request, 8), (request.reply(), 0)] {
            let packet = Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Datagram(datagram));
            let bytes = [serialize_headers(&packet, 0), vec![0; 56]].concat();
            let message = &bytes[20..];
            assert_eq!(message[..2], [kind, 0]);
            assert_eq!(message[4..8], [0, 77, 0x11, 0x70], "identifier, number modulo 65,536");
            assert_eq!(Sum16BitWords::new().add_slice(message).ones_complement(), 0);
        }
    }

    #[test]
    fn icmp_message_quotes_the_segment() {
        let notice = Notice {
            kind: NoticeKind::Retransmit,
            segment_dst: Addr::of_node(2),
            src_port: 10_000,
            dst_port: 10_001,
            seq: SeqNum(15_360),
        };
        let packet = Packet::new(Addr::of_node(1), Addr::of_node(0), Body::Icmp(notice));
        let bytes = serialize_headers(&packet, 0);
        assert_eq!(bytes.len(), packet.size() as usize);
        let message = &bytes[20..];
        assert_eq!(message[..2], [ICMP_EXPERIMENT, 1]);
        assert_eq!(Sum16BitWords::new().add_slice(message).ones_complement(), 0);
        assert_eq!(message[8 + 16..8 + 20], [10, 0, 0, 3]);
        assert_eq!(message[28..36], [0x27, 0x10, 0x27, 0x11, 0, 0, 0x3c, 0]);
    }
}
