//! The ports of each node, and the flow that a packet is part of.

use std::collections::VecDeque;

use engine::IdVec;
use wire::{Body, CompactSegment, Flags, Packet};

use super::datagrams::DatagramFlow;
use super::end::End;
use crate::event::PacketFlow;
use crate::ids::NodeId;

/// The port of a node's first connection; the others follow.
const FIRST_PORT: u16 = 10_000;
/// The maximum number of connections of one node.
pub const MAX_PORTS: usize = (u16::MAX - FIRST_PORT) as usize + 1;

/// A port that no end uses.
const UNUSED: u32 = u32::MAX;

/// The ends of flows, by node and by port above [`FIRST_PORT`].
pub(super) struct Ports {
    ends: IdVec<NodeId, Vec<u32>>,
    /// Ports that were in use, by node: the one that was closed first comes first.
    closed: IdVec<NodeId, VecDeque<u16>>,
}

impl Ports {
    /// Empty tables for `nodes` nodes.
    pub fn of(nodes: usize) -> Self {
        Ports { ends: vec![Vec::new(); nodes].into(), closed: vec![VecDeque::new(); nodes].into() }
    }

    /// Allocates the next port of a node for an end. A node has at most [`MAX_PORTS`].
    pub fn open(&mut self, node: NodeId, end: usize) -> u16 {
        self.ends[node].push(end as u32);
        FIRST_PORT + (self.ends[node].len() - 1) as u16
    }

    /// Allocates a port of each node for ends `end` and `end + 1`: one that was never used, or else the one that was
    /// closed first. `None` if a node has none left.
    pub fn open_pair(&mut self, nodes: [NodeId; 2], end: usize) -> Option<[u16; 2]> {
        let free = |node: NodeId| self.ends[node].len() < MAX_PORTS || !self.closed[node].is_empty();
        if !nodes.into_iter().all(free) {
            return None;
        }
        Some([0, 1].map(|side| {
            let node = nodes[side];
            if self.ends[node].len() < MAX_PORTS {
                return self.open(node, end + side);
            }
            let port = self.closed[node].pop_front().expect("checked above");
            self.ends[node][usize::from(port - FIRST_PORT)] = (end + side) as u32;
            port
        }))
    }

    /// Closes a port.
    pub fn close(&mut self, node: NodeId, port: u16) {
        self.ends[node][usize::from(port - FIRST_PORT)] = UNUSED;
        self.closed[node].push_back(port);
    }

    /// The end that uses a port.
    #[inline]
    pub fn end(&self, node: NodeId, port: u16) -> Option<usize> {
        let end = *self.ends.get(node)?.get(port.wrapping_sub(FIRST_PORT) as usize)?;
        (end != UNUSED).then_some(end as usize)
    }
}

/// The ends of all flows, and the ports by which packets find them.
pub(super) struct Endpoints {
    /// The two ends of a connection are adjacent: the sending one has an even number, the receiving one follows.
    pub ends: Vec<End>,
    pub ports: Ports,
    pub datagrams: Vec<DatagramFlow>,
    /// The ends of flows of datagrams: `2 n` sends, `2 n + 1` receives.
    pub datagram_ports: Ports,
}

impl Endpoints {
    /// The flow of a packet. A packet whose addresses and ports match no flow has none.
    pub fn flow_of(&self, packet: &Packet) -> Option<PacketFlow> {
        let port = match &packet.body {
            Body::Tcp(segment) => segment.dst_port,
            Body::Icmp(notice) => notice.src_port,
            Body::Datagram(datagram) => {
                let end = self.datagram_ports.end(NodeId::of(packet.dst), datagram.dst_port)?;
                let flow = self.datagrams[end / 2].matches(packet, end % 2)?;
                return Some(PacketFlow { flow, from_sender: end % 2 == 1, seq: None, ack: None });
            }
        };
        let to = self.ports.end(NodeId::of(packet.dst), port)?;
        let there = &self.ends[to];
        // The two ends of a flow are adjacent.
        let here = &self.ends[to ^ 1];
        match &packet.body {
            Body::Tcp(segment) => {
                let ours = packet.src == there.peer && segment.src_port == here.connection.ports().0;
                ours.then(|| self.flow_of_segment(to, &CompactSegment::of(segment)))
            }
            Body::Icmp(notice) => {
                let ours = notice.segment_dst == there.peer && notice.dst_port == here.connection.ports().0;
                let seq = notice.seq.offset_from(there.connection.origin(), there.connection.bytes_acknowledged());
                ours.then_some(PacketFlow { flow: there.number, from_sender: there.sends, seq, ack: None })
            }
            Body::Datagram(_) => None,
        }
    }

    /// The flow of a segment between the two ends of a connection, of which it is for the end `to`.
    #[inline]
    pub fn flow_of_segment(&self, to: usize, segment: &CompactSegment) -> PacketFlow {
        let (here, there) = (&self.ends[to ^ 1], &self.ends[to]);
        let seq = segment.seq.offset_from(here.connection.origin(), here.connection.bytes_acknowledged());
        let ack = segment.ack.offset_from(there.connection.origin(), there.connection.bytes_acknowledged());
        PacketFlow {
            flow: there.number,
            from_sender: here.sends,
            seq: seq.filter(|_| !segment.flags.has(Flags::SYN)),
            ack: ack.filter(|_| segment.flags.has(Flags::ACK)),
        }
    }
}
