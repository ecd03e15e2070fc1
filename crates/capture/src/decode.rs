//! Headers of IP, TCP, UDP and ICMP. Lengths come from the IP header, since the bytes may be cut by the snap length.

use std::net::IpAddr;

use etherparse::{IpNumber, Ipv4HeaderSlice, Ipv6HeaderSlice, TcpHeaderSlice, TcpOptionsIterator, ip_number};
use wire::{Ecn, Segment};

use crate::packet::{Icmp, Packet, Transport, Udp};

/// The fields that headers of both versions of IP have.
struct IpHeader {
    src: IpAddr,
    dst: IpAddr,
    /// The length of the packet in bytes, if the header states one. Packets of segmentation offload have no stated
    /// length.
    stated: Option<usize>,
    ecn: Ecn,
    ttl: u8,
    id: Option<u16>,
    fragment: bool,
    later_fragment: bool,
    /// The protocol after all extension headers.
    protocol: IpNumber,
    /// Offset of the header after all extension headers.
    headers: usize,
}

/// The fields of a packet that its bytes contain; the others are for the caller to fill in.
///
/// `bytes` begin with the IP header. `length` is the length of the frame on the wire from the IP header on, padding
/// included. Returns `None` if a header is damaged, or if the snap length cuts a required header field.
pub fn decode_packet(bytes: &[u8], length: u32) -> Option<Packet> {
    let ip = match bytes.first()? >> 4 {
        4 => decode_ipv4(bytes)?,
        6 => decode_ipv6(bytes)?,
        _ => return None,
    };
    // The frame may have padding after the packet.
    let captured = ip.stated.map_or(bytes.len(), |stated| stated.min(bytes.len()));
    let payload = bytes.get(ip.headers..captured)?;
    let ip_len = ip.stated.map_or(length, |stated| u32::try_from(stated).unwrap_or(u32::MAX));
    let len = ip_len.checked_sub(u32::try_from(ip.headers).ok()?)?;
    let mut options_cut = false;
    let transport = match ip.protocol {
        protocol if ip.later_fragment => Transport::Other(protocol.0),
        ip_number::TCP => {
            let (segment, cut) = decode_segment(payload, len)?;
            options_cut = cut;
            Transport::Tcp(segment)
        }
        ip_number::UDP => {
            let [a, b, c, d] = *payload.first_chunk()?;
            let [src_port, dst_port] = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
            Transport::Udp(Udp { src_port, dst_port, len: len.saturating_sub(8) })
        }
        ip_number::ICMP | ip_number::IPV6_ICMP => {
            let [kind, code] = *payload.first_chunk()?;
            Transport::Icmp(Icmp { kind, code, len: len.saturating_sub(8) })
        }
        protocol => Transport::Other(protocol.0),
    };
    Some(Packet {
        number: 0,
        at: engine::Time::ZERO,
        interface: 0,
        direction: None,
        src: ip.src,
        dst: ip.dst,
        ip_len,
        truncated: u32::try_from(captured).is_ok_and(|captured| captured < ip_len),
        options_cut,
        fragment: ip.fragment,
        ecn: ip.ecn,
        ttl: ip.ttl,
        ip_id: ip.id,
        transport,
        stream: None,
    })
}

fn decode_ipv4(bytes: &[u8]) -> Option<IpHeader> {
    let header = Ipv4HeaderSlice::from_slice(bytes).ok()?;
    let length = header.slice().len();
    let stated = usize::from(header.total_len());
    let later_fragment = header.fragments_offset().value() > 0;
    let behind = skip_extensions(bytes, header.protocol(), length).filter(|_| !later_fragment);
    let (protocol, headers) = behind.map_or((header.protocol(), length), |behind| (behind.protocol, behind.at));
    Some(IpHeader {
        src: header.source_addr().into(),
        dst: header.destination_addr().into(),
        stated: Some(stated).filter(|stated| *stated >= length),
        ecn: Ecn::from_bits(header.ecn().value()),
        ttl: header.ttl(),
        id: Some(header.identification()),
        fragment: header.is_fragmenting_payload(),
        later_fragment,
        protocol,
        headers,
    })
}

fn decode_ipv6(bytes: &[u8]) -> Option<IpHeader> {
    let header = Ipv6HeaderSlice::from_slice(bytes).ok()?;
    let length = header.slice().len();
    let stated = usize::from(header.payload_length());
    let behind = skip_extensions(bytes, header.next_header(), length)?;
    Some(IpHeader {
        src: header.source_addr().into(),
        dst: header.destination_addr().into(),
        stated: (stated > 0).then_some(length + stated),
        ecn: Ecn::from_bits(header.ecn().value()),
        ttl: header.hop_limit(),
        id: None,
        fragment: behind.fragment,
        later_fragment: behind.later_fragment,
        protocol: behind.protocol,
        headers: behind.at,
    })
}

/// The upper-layer header after all extension headers.
struct UpperLayerHeader {
    protocol: IpNumber,
    at: usize,
    fragment: bool,
    later_fragment: bool,
}

/// Skips the extension headers from `at` on [RFC8200 s4, RFC4302 s2]. Returns `None` if they are truncated.
/// `etherparse` skips extension headers, too, but reads beyond the end of some damaged packets (version 0.21.0).
fn skip_extensions(bytes: &[u8], first: IpNumber, at: usize) -> Option<UpperLayerHeader> {
    let mut behind = UpperLayerHeader { protocol: first, at, fragment: false, later_fragment: false };
    while !behind.later_fragment {
        let header = |count: usize| bytes.get(behind.at..behind.at + count);
        let length = match behind.protocol {
            ip_number::IPV6_HEADER_HOP_BY_HOP
            | ip_number::IPV6_ROUTE_HEADER
            | ip_number::IPV6_DESTINATION_OPTIONS
            | ip_number::MOBILITY_HEADER
            | ip_number::HIP
            | ip_number::SHIM6 => 8 * (1 + usize::from(header(2)?[1])),
            ip_number::AUTHENTICATION_HEADER => 4 * (2 + usize::from(header(2)?[1])),
            ip_number::IPV6_FRAGMENTATION_HEADER => {
                let header = header(8)?;
                behind.fragment = true;
                behind.later_fragment = u16::from_be_bytes([header[2], header[3]]) >> 3 > 0;
                8
            }
            _ => break,
        };
        behind.protocol = IpNumber(header(1)?[0]);
        behind.at += length;
    }
    Some(behind)
}

/// Decodes a segment of `len` bytes, header included, of which `bytes` were captured. Also returns whether the
/// segment's options are truncated. Returns `None` without the whole fixed part of the header.
fn decode_segment(bytes: &[u8], len: u32) -> Option<(Segment, bool)> {
    // Truncated options are padded with zeros so that the header can be parsed. Only captured options are read.
    let mut padded = [0; 60];
    let captured = bytes.len().min(padded.len());
    padded[..captured].copy_from_slice(&bytes[..captured]);
    if captured < Segment::HEADER as usize {
        return None;
    }
    let tcp = TcpHeaderSlice::from_slice(&padded).ok()?;
    let header = tcp.slice().len();
    let len = len.checked_sub(u32::try_from(header).ok()?)?;
    let captured_options = bytes.get(Segment::HEADER as usize..captured.min(header)).unwrap_or(&[]);
    let mut segment = wire::read::read_header(&tcp, len, TcpOptionsIterator::from_slice(captured_options));
    // [RFC7323 s2.3] A larger shift counts as 14.
    segment.options.window_scale = segment.options.window_scale.map(|shift| shift.min(14));
    Some((segment, captured < header))
}
