//! Ids of the items of a network.

use path::{HopId, LinkDirection};
use wire::Addr;

engine::define_ids! {
    /// The number of a node, in the order of the scenario.
    pub struct NodeId;
    /// The number of a link, in the order of the scenario.
    pub struct LinkId;
    /// The number of a flow: first the flows of the scenario in its order, then flows that arrive.
    pub struct FlowId;
    /// The number of a direction of a link, `2 x link + direction`.
    pub struct HopIndex;
}

impl NodeId {
    /// The node with an address, which must be one of the simulated network.
    #[inline]
    pub fn of(addr: Addr) -> Self {
        Self::from_index(addr.node())
    }

    /// Its address.
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

impl LinkId {
    /// Returns both directions of the link, forward first.
    #[inline]
    pub fn hops(self) -> [HopIndex; 2] {
        [HopIndex(2 * self.0), HopIndex(2 * self.0 + 1)]
    }
}

impl HopIndex {
    /// Returns the hop of the same link in the other direction.
    #[inline]
    pub fn opposite(self) -> Self {
        HopIndex(self.0 ^ 1)
    }

    /// Its link.
    #[inline]
    pub fn link(self) -> LinkId {
        LinkId(self.0 / 2)
    }

    /// Its direction.
    #[inline]
    pub fn direction(self) -> LinkDirection {
        if self.0.is_multiple_of(2) { LinkDirection::Forward } else { LinkDirection::Backward }
    }

    /// Link and direction of the hop, as in events.
    #[inline]
    pub fn id(self) -> HopId {
        HopId { link: self.0 / 2, direction: self.direction() }
    }
}

impl From<HopId> for HopIndex {
    #[inline]
    fn from(hop: HopId) -> Self {
        HopIndex(2 * hop.link + hop.direction.index() as u32)
    }
}
