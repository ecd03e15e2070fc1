//! Headers of IP, TCP, UDP and ICMP. Lengths come from the IP header, since the bytes may be cut by the snap length.

use etherparse::{Ipv6ExtensionSlice, LaxIpSlice, TcpHeaderSlice, TcpOptionElement, TcpOptionsIterator, ip_number};
use wire::{Ecn, Flags, Segment, SeqNum, Timestamps};

use crate::packet::{Icmp, Packet, Transport, Udp};

/// The fields of a packet that its bytes contain; the others are for the caller to fill in.
///
/// `bytes` begin with the IP header. `length` is the length of the IP packet and what follows it in the frame before it
/// was cut. `None` if the headers are damaged, or cut within what a packet needs.
pub fn packet(bytes: &[u8], length: u32) -> Option<Packet> {
    let (ip, _) = LaxIpSlice::from_slice(bytes).ok()?;
    let payload = ip.payload();
    let header = match &ip {
        LaxIpSlice::Ipv4(ip) => {
            let header = ip.header();
            let stated = usize::from(header.total_len());
            IpFields {
                stated: Some(stated).filter(|stated| *stated >= header.slice().len()),
                ecn: Ecn::from_bits(header.ecn().value()),
                ttl: header.ttl(),
                id: Some(header.identification()),
                later_fragment: header.fragments_offset().value() > 0,
            }
        }
        LaxIpSlice::Ipv6(ip) => {
            let header = ip.header();
            let stated = usize::from(header.payload_length());
            let later = |extension| match extension {
                Ipv6ExtensionSlice::Fragment(fragment) => fragment.fragment_offset().value() > 0,
                _ => false,
            };
            IpFields {
                stated: (stated > 0).then_some(40 + stated),
                ecn: Ecn::from_bits(header.ecn().value()),
                ttl: header.hop_limit(),
                id: None,
                later_fragment: ip.extensions().clone().into_iter().any(later),
            }
        }
    };
    // The payload is the end of the captured part of the packet. Behind the packet the frame may have padding.
    let captured = header.stated.map_or(bytes.len(), |stated| stated.min(bytes.len()));
    let headers = captured.checked_sub(payload.payload.len())?;
    let ip_len = header.stated.map_or(length, |stated| u32::try_from(stated).unwrap_or(u32::MAX));
    let len = ip_len.checked_sub(u32::try_from(headers).ok()?)?;
    let protocol = payload.ip_number;
    let transport = match protocol {
        _ if header.later_fragment => Transport::Other(protocol.0),
        ip_number::TCP => Transport::Tcp(segment(payload.payload, len)?),
        ip_number::UDP => {
            let [a, b, c, d] = *payload.payload.first_chunk()?;
            let [src_port, dst_port] = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
            Transport::Udp(Udp { src_port, dst_port, len: len.saturating_sub(8) })
        }
        ip_number::ICMP | ip_number::IPV6_ICMP => {
            let [kind, code] = *payload.payload.first_chunk()?;
            Transport::Icmp(Icmp { kind, code, len: len.saturating_sub(8) })
        }
        _ => Transport::Other(protocol.0),
    };
    Some(Packet {
        number: 0,
        at: engine::Time::ZERO,
        interface: 0,
        direction: None,
        src: ip.source_addr(),
        dst: ip.destination_addr(),
        ip_len,
        truncated: u32::try_from(captured).is_ok_and(|captured| captured < ip_len),
        fragment: payload.fragmented,
        ecn: header.ecn,
        ttl: header.ttl,
        ip_id: header.id,
        transport,
        stream: None,
    })
}

/// What the headers of both versions of IP have.
struct IpFields {
    /// The length of the packet in bytes, if the header states one: it does not for packets of segmentation offload.
    stated: Option<usize>,
    ecn: Ecn,
    ttl: u8,
    id: Option<u16>,
    later_fragment: bool,
}

/// A segment of `len` bytes, header included, of which `bytes` were captured: at least the fixed part of the header.
fn segment(bytes: &[u8], len: u32) -> Option<Segment> {
    // A header whose options were cut is read with zeros in their place; only the options that were captured count.
    let mut padded = [0; 60];
    let captured = bytes.len().min(padded.len());
    padded[..captured].copy_from_slice(&bytes[..captured]);
    if captured < Segment::HEADER as usize {
        return None;
    }
    let tcp = TcpHeaderSlice::from_slice(&padded).ok()?;
    let header = tcp.slice().len();
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
        window: u32::from(tcp.window_size()),
        len: len.checked_sub(u32::try_from(header).ok()?)?,
        flags: flags.iter().filter(|(set, _)| *set).fold(Flags::default(), |all, (_, flag)| all | *flag),
        ..Segment::default()
    };
    let captured_options = bytes.get(Segment::HEADER as usize..captured.min(header)).unwrap_or(&[]);
    let options = &mut segment.options;
    for option in TcpOptionsIterator::from_slice(captured_options).map_while(Result::ok) {
        match option {
            TcpOptionElement::MaximumSegmentSize(mss) => options.mss = mss.try_into().ok(),
            // [RFC7323 s2.3] A larger shift counts as 14.
            TcpOptionElement::WindowScale(shift) => options.window_scale = Some(shift.min(14)),
            TcpOptionElement::SelectiveAcknowledgementPermitted => options.sack_permitted = true,
            TcpOptionElement::Timestamp(value, echo) => options.timestamps = Some(Timestamps { value, echo }),
            TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                let all = std::iter::once(first).chain(rest.into_iter().flatten());
                options.sack = all.map(|(from, to)| (SeqNum(from), SeqNum(to))).collect();
            }
            TcpOptionElement::Noop => {}
        }
    }
    Some(segment)
}
