//! The ports of each node, and the flow that a packet is part of.

use wire::{Body, Flags, Packet};

use super::end::End;
use crate::event::PacketFlow;

/// The port of a node's first connection; the others follow.
const FIRST_PORT: u16 = 10_000;
/// The maximum number of connections of one node.
pub const MAX_PORTS: usize = (u16::MAX - FIRST_PORT) as usize + 1;

/// The ends of flows, by node and by port above [`FIRST_PORT`].
pub(super) struct Ports(Vec<Vec<u32>>);

impl Ports {
    /// Empty tables for `nodes` nodes.
    pub fn of(nodes: usize) -> Self {
        Ports(vec![Vec::new(); nodes])
    }

    /// Allocates the next port of a node for an end.
    pub fn open(&mut self, node: usize, end: usize) -> u16 {
        self.0[node].push(end as u32);
        FIRST_PORT + (self.0[node].len() - 1) as u16
    }

    /// The end that uses a port.
    #[inline]
    pub fn end(&self, node: usize, port: u16) -> Option<usize> {
        self.0.get(node)?.get(port.wrapping_sub(FIRST_PORT) as usize).map(|end| *end as usize)
    }

    /// The flow of a packet. A packet whose addresses and ports match no flow has none.
    pub fn flow_of(&self, packet: &Packet, ends: &[End]) -> Option<PacketFlow> {
        let port = match &packet.body {
            Body::Tcp(segment) => segment.dst_port,
            Body::Icmp(notice) => notice.src_port,
            Body::Datagram(_) => return None,
        };
        let to = self.end(packet.dst.node(), port)?;
        let there = &ends[to];
        // The two ends of a flow are adjacent.
        let here = &ends[to ^ 1];
        match &packet.body {
            Body::Tcp(segment) => {
                let ours = packet.src == there.peer && segment.src_port == here.connection.ports().0;
                let seq = segment.seq.offset_from(here.connection.origin(), here.connection.bytes_acknowledged());
                let ack = segment.ack.offset_from(there.connection.origin(), there.connection.bytes_acknowledged());
                ours.then_some(PacketFlow {
                    flow: there.flow,
                    from_sender: here.sends,
                    seq: seq.filter(|_| !segment.flags.has(Flags::SYN)),
                    ack: ack.filter(|_| segment.flags.has(Flags::ACK)),
                })
            }
            Body::Icmp(notice) => {
                let ours = notice.segment_dst == there.peer && notice.dst_port == here.connection.ports().0;
                let seq = notice.seq.offset_from(there.connection.origin(), there.connection.bytes_acknowledged());
                ours.then_some(PacketFlow { flow: there.flow, from_sender: there.sends, seq, ack: None })
            }
            Body::Datagram(_) => None,
        }
    }
}
