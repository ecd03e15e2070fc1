//! The current state of nodes and link queues.

use path::{HopState, LinkDirection};

use super::{Hop, World};

/// The state of a node, except the queues of its links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeState {
    /// Bytes in its buffers, and their limit; `None` if unlimited.
    pub buffer: Option<(u64, u64)>,
    /// Packets being processed.
    pub processing: usize,
}

impl World {
    /// The state of node number `node`.
    pub fn node_state(&self, node: usize) -> NodeState {
        let node = &self.nodes[node];
        let processing = node.processing.as_ref().map_or(0, |processing| processing.len());
        NodeState { buffer: node.buffer.state(self.now), processing }
    }

    /// The queue at the sending end of link number `link`, in one direction.
    pub fn hop_state(&self, link: usize, way: LinkDirection) -> HopState {
        match &self.hops[2 * link + way.index()] {
            Hop::Fifo(link) => link.state(self.now),
            Hop::Link(link) => link.state(self.now),
            Hop::TxQueue { station, queue } => self.stations[*station as usize].queues()[*queue as usize].state(),
            Hop::Medium { medium, station, queue } => self.media[*medium as usize].state(*station, *queue as usize),
        }
    }
}
