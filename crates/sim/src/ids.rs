//! Ids of the items of a network.

pub use path::ids::{HopId, HopIndex, LinkId, MediumId, MediumStationId};
use wire::Addr;

engine::define_ids! {
    /// The number of a node, in the order of the scenario.
    pub struct NodeId;
    /// The number of a flow: first the flows of the scenario in its order, then flows that arrive.
    pub struct FlowId;
    /// The number of a process by which flows arrive.
    pub struct ArrivalsId;
}

impl NodeId {
    /// The node with an address, which must be one of the simulated network.
    #[inline]
    pub fn of(addr: Addr) -> Self {
        Self::from_index(addr.node())
    }

    /// Returns the address of the node.
    #[inline]
    pub fn addr(self) -> Addr {
        Addr::of_node(self.index())
    }
}

impl FlowId {
    /// Number of the next arriving flow.
    pub fn next(self) -> Self {
        FlowId(self.0 + 1)
    }
}
