//! Ids of items in the parts of a world's state, by which other parts refer to them.

engine::define_ids! {
    /// The number of a mobile that uses one link at a time.
    pub(super) struct RoamerId;
    /// The number of a station outside of shared media.
    pub(super) struct StationId;
    /// Index of a flow in the world's list; an arriving flow takes the place of an ended one.
    pub(super) struct FlowIndex;
    /// Number of an application with its flows.
    pub(super) struct SessionId;
    /// The number of a flow of datagrams.
    pub(super) struct DatagramFlowId;
    /// Number of an end of such a flow: even numbers send, the following odd ones receive.
    pub(super) struct DatagramEndId;
    /// Number of an end of a connection: even numbers send, the following odd ones receive.
    pub(super) struct EndId;
}

impl DatagramFlowId {
    /// The sending and the receiving end of the flow.
    pub(super) fn ends(self) -> [DatagramEndId; 2] {
        [DatagramEndId(2 * self.0), DatagramEndId(2 * self.0 + 1)]
    }
}

impl DatagramEndId {
    /// Returns the flow of the end.
    pub(super) fn flow(self) -> DatagramFlowId {
        DatagramFlowId(self.0 / 2)
    }

    /// Whether the end receives.
    pub(super) fn receives(self) -> bool {
        !self.0.is_multiple_of(2)
    }
}

impl EndId {
    /// The other end of the connection.
    #[inline]
    pub(super) fn peer(self) -> Self {
        EndId(self.0 ^ 1)
    }

    /// The same end of the `n`-th next connection.
    #[inline]
    pub(super) fn after(self, n: usize) -> Self {
        EndId::from_index(self.index() + 2 * n)
    }
}
