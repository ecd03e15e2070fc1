//! Ids of the items of a path: its links, their directions, and its media.

engine::define_ids! {
    /// The number of a link, in the order of the scenario.
    pub struct LinkId;
    /// The number of a direction of a link, `2 x link + direction`.
    pub struct HopIndex;
    /// The number of a medium, in the order of the scenario.
    pub struct MediumId;
    /// The number of a station in its medium.
    pub struct MediumStationId;
}

/// Direction on a link: scenarios name its two nodes in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LinkDirection {
    /// From the first node to the second.
    Forward,
    /// From the second node to the first.
    Backward,
}

impl LinkDirection {
    /// Both, forward first.
    pub const BOTH: [LinkDirection; 2] = [LinkDirection::Forward, LinkDirection::Backward];

    /// Returns the opposite direction.
    pub const fn opposite(self) -> Self {
        match self {
            LinkDirection::Forward => LinkDirection::Backward,
            LinkDirection::Backward => LinkDirection::Forward,
        }
    }

    /// Returns 0 for forward, 1 for backward.
    pub const fn index(self) -> usize {
        match self {
            LinkDirection::Forward => 0,
            LinkDirection::Backward => 1,
        }
    }
}

/// One direction of one link.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HopId {
    /// The link.
    pub link: LinkId,
    /// Direction on the link.
    pub direction: LinkDirection,
}

impl LinkId {
    /// One of its directions.
    #[inline]
    pub const fn hop(self, direction: LinkDirection) -> HopId {
        HopId { link: self, direction }
    }

    /// Returns the directions of the link, forward first.
    #[inline]
    pub fn hops(self) -> [HopIndex; 2] {
        [HopIndex(2 * self.0), HopIndex(2 * self.0 + 1)]
    }
}

impl HopId {
    /// The same link in the other direction.
    #[inline]
    pub const fn opposite(self) -> Self {
        HopId { link: self.link, direction: self.direction.opposite() }
    }
}

impl HopIndex {
    /// The same link in the other direction.
    #[inline]
    pub fn opposite(self) -> Self {
        HopIndex(self.0 ^ 1)
    }

    /// Returns the link of the hop.
    #[inline]
    pub fn link(self) -> LinkId {
        LinkId(self.0 / 2)
    }

    /// Returns the direction of the hop.
    #[inline]
    pub fn direction(self) -> LinkDirection {
        if self.0.is_multiple_of(2) { LinkDirection::Forward } else { LinkDirection::Backward }
    }

    /// Link and direction of the hop, as in events.
    #[inline]
    pub fn id(self) -> HopId {
        self.link().hop(self.direction())
    }
}

impl From<HopId> for HopIndex {
    #[inline]
    fn from(hop: HopId) -> Self {
        HopIndex(2 * hop.link.0 + hop.direction.index() as u32)
    }
}
