//! The data that nodes have sent, by which repeated transmissions are recognized.

use std::collections::BTreeMap;

use sim::{FlowId, NodeEvent, NodeId, PacketFlow};
use wire::{Body, Packet};

/// A node, and the direction of a flow whose data the node sends.
type DataSource = (NodeId, FlowId, bool);

/// The data that nodes have sent.
///
/// A packet repeats data if the node that creates the packet has sent the data before. This node is the sender of a
/// flow, a proxy that ends the connection, or a scheme with a copy. The packet remains a repetition at the next nodes
/// on its path.
#[derive(Default)]
pub(crate) struct SentData {
    /// The byte after the last one that a node has handed to a hop.
    ends: BTreeMap<DataSource, u64>,
    /// The number of repetitions at a node that no hop has yet, by first byte.
    repeats: BTreeMap<(DataSource, u64), u32>,
}

/// The first byte of a packet's data, and the byte after the last one.
fn data_range(packet: &Packet, of: &PacketFlow) -> Option<(u64, u64)> {
    match &packet.body {
        Body::Tcp(segment) if segment.len > 0 => of.seq.map(|seq| (seq, seq + u64::from(segment.len))),
        _ => None,
    }
}

impl SentData {
    /// Handles an event of a node that creates a packet, or does not pass a packet on.
    pub fn on_node(&mut self, node: NodeId, event: &NodeEvent, of: &PacketFlow) {
        match event {
            NodeEvent::Sent { packet } => {
                if let Some((seq, _)) = data_range(packet, of)
                    && self.ends.get(&(node, of.flow, of.from_sender)).is_some_and(|end| seq < *end)
                {
                    self.repeat(node, packet, of);
                }
            }
            NodeEvent::BufferFull { packet } | NodeEvent::NoRoute { packet } | NodeEvent::Taken { packet } => {
                self.take_repeat(node, packet, of);
            }
            _ => {}
        }
    }

    /// Records that a packet that repeats data is at a node.
    pub fn repeat(&mut self, node: NodeId, packet: &Packet, of: &PacketFlow) {
        if let Some((seq, _)) = data_range(packet, of) {
            *self.repeats.entry(((node, of.flow, of.from_sender), seq)).or_default() += 1;
        }
    }

    /// A node hands a packet to a hop. Returns whether the packet repeats data.
    pub fn pass_on(&mut self, node: NodeId, packet: &Packet, of: &PacketFlow) -> bool {
        let Some((_, end)) = data_range(packet, of) else { return false };
        let last = self.ends.entry((node, of.flow, of.from_sender)).or_default();
        *last = end.max(*last);
        self.take_repeat(node, packet, of)
    }

    /// Removes a repetition from a node. Returns whether there was one.
    fn take_repeat(&mut self, node: NodeId, packet: &Packet, of: &PacketFlow) -> bool {
        if self.repeats.is_empty() {
            return false;
        }
        let Some((seq, _)) = data_range(packet, of) else { return false };
        let key = ((node, of.flow, of.from_sender), seq);
        let Some(count) = self.repeats.get_mut(&key) else { return false };
        *count -= 1;
        if *count == 0 {
            self.repeats.remove(&key);
        }
        true
    }
}
