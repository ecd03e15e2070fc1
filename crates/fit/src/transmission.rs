//! A transmission of a segment, and what became of it.

use engine::Time;

/// What became of a transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is not known.
    Open,
    /// It reached the receiver at this time.
    Arrived(Time),
    /// It was lost.
    Lost,
}

/// A transmission of a segment with data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transmission {
    /// When it was sent.
    pub sent: Time,
    /// Its first byte, counted from the first of the transfer.
    pub seq: u64,
    /// Bytes of data.
    pub len: u32,
    /// Bytes of its IP packet.
    pub size: u32,
    /// What became of it.
    pub fate: Fate,
    /// Whether its segment was sent before.
    pub retransmission: bool,
}
