//! Injected segments as packets of the TUN device.

use wire::{Addr, Ecn, Packet, Segment};

/// Serializes an injected segment as an IPv4 packet whose payload is zeros.
pub fn serialize_segment(segment: &Segment, ecn: Ecn) -> Vec<u8> {
    let body = wire::Body::Tcp(*segment);
    let packet = Packet { ecn, ..Packet::new(Addr::of_node(1), Addr::of_node(0), body) };
    let mut bytes = wire::bytes::serialize_headers(&packet, 0);
    bytes.resize(bytes.len() + segment.len as usize, 0);
    bytes
}
