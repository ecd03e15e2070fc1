//! The state of the sending end of a hop, for traces.

/// Packets at the sending end of a hop, and the state of its link layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HopState {
    /// Number of packets whose first transmission has not begun.
    pub waiting: usize,
    /// Size of the waiting packets in bytes.
    pub waiting_bytes: u64,
    /// Number of packets whose transmission has begun and that have not arrived, or, with a link layer, that have been
    /// neither acknowledged nor given up.
    pub outstanding: usize,
    /// State of the link layer; `None` on a hop without one.
    pub link_layer: Option<LinkLayerState>,
}

/// State of a link layer that numbers and retransmits its frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkLayerState {
    /// Number of transmissions of the oldest outstanding packet; 0 if none is outstanding.
    pub attempts: u32,
    /// Number of the next new frame.
    pub next_number: u64,
    /// At the far end, the lowest frame number that does not count as a duplicate.
    pub expected: u64,
}
