//! The ports of each node.

use std::collections::VecDeque;

use engine::{Id, IdVec};

use crate::ids::NodeId;

/// Port of a node's first connection; further connections use the following ports.
const FIRST_PORT: u16 = 10_000;
/// The maximum number of connections of one node.
pub const MAX_PORTS: usize = (u16::MAX - FIRST_PORT) as usize + 1;

/// Ends of flows, by node and by port above [`FIRST_PORT`].
pub(super) struct Ports<E> {
    ends: IdVec<NodeId, Vec<E>>,
    /// Formerly used ports, by node: the port that was closed first comes first.
    closed: IdVec<NodeId, VecDeque<u16>>,
    /// Marks a port without an end.
    unused: E,
}

impl<E: Id + PartialEq> Ports<E> {
    /// Creates empty tables for `nodes` nodes.
    pub fn of(nodes: usize) -> Self {
        let (ends, closed) = (vec![Vec::new(); nodes].into(), vec![VecDeque::new(); nodes].into());
        Ports { ends, closed, unused: E::from_index(u32::MAX as usize) }
    }

    /// Allocates a port of each node for these ends: a port that was never used, or otherwise the port that was closed
    /// first. `None` if a node has no free port.
    pub fn open_pair(&mut self, nodes: [NodeId; 2], ends: [E; 2]) -> Option<[u16; 2]> {
        let free = |node: NodeId| self.ends[node].len() < MAX_PORTS || !self.closed[node].is_empty();
        if !nodes.into_iter().all(free) {
            return None;
        }
        Some([0, 1].map(|side| self.open(nodes[side], ends[side])))
    }

    fn open(&mut self, node: NodeId, end: E) -> u16 {
        let ends = &mut self.ends[node];
        if ends.len() < MAX_PORTS {
            ends.push(end);
            return FIRST_PORT + (ends.len() - 1) as u16;
        }
        let port = self.closed[node].pop_front().expect("the caller has found a free port");
        ends[usize::from(port - FIRST_PORT)] = end;
        port
    }

    /// Closes a port.
    pub fn close(&mut self, node: NodeId, port: u16) {
        self.ends[node][usize::from(port - FIRST_PORT)] = self.unused;
        self.closed[node].push_back(port);
    }

    /// The end that uses a port.
    #[inline]
    pub fn end(&self, node: NodeId, port: u16) -> Option<E> {
        let end = *self.ends.get(node)?.get(usize::from(port.wrapping_sub(FIRST_PORT)))?;
        (end != self.unused).then_some(end)
    }
}
