//! The hosts on both sides of the agent's node, and their packets.

use wire::{Addr, Body, Flags, Packet, Segment};

/// Address of the host in the wired network.
pub const FIXED: Addr = Addr::of_node(0);
/// Address of the agent's node.
pub const HERE: Addr = Addr::of_node(1);
/// Address of the host at the far end of the radio link.
pub const MOBILE: Addr = Addr::of_node(2);

/// Returns the ports of a flow at the fixed host and at the mobile.
pub const fn flow_ports(flow: u16) -> [u16; 2] {
    [10_000 + flow, 20_000 + flow]
}

/// Returns a segment of the first flow from the fixed host: a pure acknowledgment of 0, modified by `change`.
pub fn from_fixed(change: impl FnOnce(&mut Segment)) -> Packet {
    let [src_port, dst_port] = flow_ports(0);
    make_packet(FIXED, MOBILE, Segment { src_port, dst_port, ..blank_segment() }, change)
}

/// Returns a segment of the first flow from the mobile, modified by `change`.
pub fn from_mobile(change: impl FnOnce(&mut Segment)) -> Packet {
    let [dst_port, src_port] = flow_ports(0);
    make_packet(MOBILE, FIXED, Segment { src_port, dst_port, ..blank_segment() }, change)
}

/// Returns the packet with the ports of another flow.
pub fn of_flow(flow: u16, mut packet: Packet) -> Packet {
    let Body::Tcp(segment) = &mut packet.body else { return packet };
    let [fixed, mobile] = flow_ports(flow);
    (segment.src_port, segment.dst_port) = if packet.src == FIXED { (fixed, mobile) } else { (mobile, fixed) };
    packet
}

fn blank_segment() -> Segment {
    Segment { flags: Flags::ACK, window: 8000, ..Segment::default() }
}

fn make_packet(src: Addr, dst: Addr, mut segment: Segment, change: impl FnOnce(&mut Segment)) -> Packet {
    change(&mut segment);
    Packet::new(src, dst, Body::Tcp(segment))
}
