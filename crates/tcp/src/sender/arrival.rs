//! The part of a received segment that concerns the sender.

use engine::{Span, Time};
use wire::{SackBlocks, SeqNum};

/// The part of a received segment that concerns the sender. Offsets count from the beginning of the stream.
pub(crate) struct AckArrival<'a> {
    pub now: Time,
    /// Next byte the other end expects.
    pub ack: u64,
    /// The window it advertises, in bytes; `None` if the segment is older than the last one that did.
    pub window: Option<u64>,
    /// Whether it carries no data, as a duplicate must [RFC5681 s2].
    pub bare: bool,
    /// SACK blocks, and the sequence number of offset 0.
    pub sack: &'a SackBlocks,
    pub origin: SeqNum,
    /// The timestamp it echoes, and how long ago that was.
    pub echo: Option<(u32, Span)>,
    /// ECN-Echo.
    pub ecn_echo: bool,
    /// The network reports that the byte at `ack` was lost on the radio link (ELN).
    pub lost_in_air: bool,
}
