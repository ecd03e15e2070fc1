//! What a link layer brings about at the nodes at its ends.

use wire::Packet;

use crate::event::HopId;

/// The link layer learned that an attempt failed. Agents act on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RadioNotice {
    /// The hop it failed on.
    pub hop: HopId,
    /// The packet.
    pub packet: Packet,
    /// Which attempt failed, from 1.
    pub attempt: u32,
    /// Whether it was the last: the packet is dropped.
    pub last: bool,
}

/// What a wake-up of a link layer brings about at the nodes at its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// A packet has come to the far end of this hop.
    pub delivered: Option<(HopId, Packet)>,
    /// An attempt has failed.
    pub notice: Option<RadioNotice>,
    /// Bytes that this node need not keep any longer.
    pub freed: u32,
}
