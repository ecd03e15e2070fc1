//! Conversion between packets of the TUN device and segments.

use etherparse::{NetSlice, SlicedPacket, TcpOptionElement, TransportSlice};
use wire::{Addr, Ecn, Flags, Packet, Segment, SeqNum, Timestamps};

/// Parses a packet that the host under test sends; `None` for anything but TCP over IPv4.
pub fn read(bytes: &[u8]) -> Option<(Segment, Ecn)> {
    let packet = SlicedPacket::from_ip(bytes).ok()?;
    let (Some(NetSlice::Ipv4(ip)), Some(TransportSlice::Tcp(tcp))) = (&packet.net, &packet.transport) else {
        return None;
    };
    let flags = [
        (tcp.fin(), Flags::FIN),
        (tcp.syn(), Flags::SYN),
        (tcp.rst(), Flags::RST),
        (tcp.psh(), Flags::PSH),
        (tcp.ack(), Flags::ACK),
        (tcp.urg(), Flags::URG),
        (tcp.ece(), Flags::ECE),
        (tcp.cwr(), Flags::CWR),
    ];
    let mut segment = Segment {
        src_port: tcp.source_port(),
        dst_port: tcp.destination_port(),
        seq: SeqNum(tcp.sequence_number()),
        ack: SeqNum(tcp.acknowledgment_number()),
        flags: flags.iter().filter(|(set, _)| *set).fold(Flags::default(), |all, (_, flag)| all | *flag),
        window: u32::from(tcp.window_size()),
        len: u32::try_from(tcp.payload().len()).ok()?,
        ..Segment::default()
    };
    let options = &mut segment.options;
    for option in tcp.options_iterator().filter_map(Result::ok) {
        match option {
            TcpOptionElement::MaximumSegmentSize(mss) => options.mss = mss.try_into().ok(),
            TcpOptionElement::WindowScale(shift) => options.window_scale = Some(shift),
            TcpOptionElement::SelectiveAcknowledgementPermitted => options.sack_permitted = true,
            TcpOptionElement::Timestamp(value, echo) => options.timestamps = Some(Timestamps { value, echo }),
            TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                let all = std::iter::once(first).chain(rest.into_iter().flatten());
                options.sack = all.map(|(from, to)| (SeqNum(from), SeqNum(to))).collect();
            }
            TcpOptionElement::Noop => {}
        }
    }
    Some((segment, Ecn::from_bits(ip.header().ecn().value())))
}

/// Serializes an injected segment as an IPv4 packet whose payload is zeros.
pub fn written(segment: &Segment, ecn: Ecn) -> Vec<u8> {
    let body = wire::Body::Tcp(*segment);
    let packet = Packet { ecn, ..Packet::new(Addr::of_node(1), Addr::of_node(0), body) };
    let mut bytes = wire::bytes::headers(&packet, 0);
    bytes.resize(bytes.len() + segment.len as usize, 0);
    bytes
}
