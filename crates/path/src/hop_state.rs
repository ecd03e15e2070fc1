//! What the sending end of a hop holds at one moment, for traces that print it.

/// Packets at the sending end of a hop, and where its link layer stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HopState {
    /// Packets whose first transmission has not begun.
    pub waiting: usize,
    /// Bytes of these packets.
    pub waiting_bytes: u64,
    /// Packets whose transmission has begun: until they arrive, or with a link layer until they are acknowledged or given up.
    pub outstanding: usize,
    /// The state of the link layer; none on a hop without one.
    pub link_layer: Option<LinkLayerState>,
}

/// A link layer that numbers and repeats its frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkLayerState {
    /// Transmissions of the oldest outstanding packet; 0 if none is outstanding.
    pub attempts: u32,
    /// The number of the next new frame.
    pub next_number: u64,
    /// At the far end: the lowest frame number that is not taken for a repetition.
    pub expected: u64,
}
