//! The current state of nodes and link queues.

use path::{HopId, HopState};

use super::World;
use crate::ids::{HopIndex, NodeId};

/// The state of a node, except the queues of its links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeState {
    /// Bytes in the node's buffer, and the limit of the buffer; `None` if it is unlimited.
    pub buffer: Option<(u64, u64)>,
    /// Packets being processed.
    pub processing: usize,
}

impl World {
    /// The state of node number `node`.
    ///
    /// # Panics
    ///
    /// If the network has no such node.
    pub fn node_state(&self, node: usize) -> NodeState {
        let node = NodeId::from_index(node);
        let buffer = self.transmitters.buffer_state(node, self.agenda.now());
        NodeState { buffer, processing: self.processors.in_processing(node) }
    }

    /// Bytes of state that the scheme of node number `node` holds, such as a cache of packets; `None` without a scheme that
    /// counts them.
    ///
    /// # Panics
    ///
    /// If the network has no such node.
    pub fn scheme_state_bytes(&self, node: usize) -> Option<u64> {
        let counters = self.processors.agent(NodeId::from_index(node))?.counters();
        counters.into_iter().find_map(|(name, count)| (name == "state_bytes").then_some(count))
    }

    /// The packets at the sending end of a hop, and the state of its link layer.
    ///
    /// # Panics
    ///
    /// If the network has no such link.
    pub fn hop_state(&self, hop: HopId) -> HopState {
        self.transmitters.state(HopIndex::from(hop), self.agenda.now())
    }
}
