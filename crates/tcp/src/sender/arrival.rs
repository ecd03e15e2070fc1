//! The part of a received segment that concerns the sender.

use engine::{Span, Time};
use wire::{SackBlocks, SeqNum};

/// The part of a received segment that concerns the sender. Offsets count from the beginning of the stream.
pub(crate) struct AckArrival<'a> {
    pub now: Time,
    /// Next byte that the other end expects.
    pub ack: u64,
    /// Window advertised by the segment, in bytes; `None` if a newer segment has advertised one.
    pub window: Option<u64>,
    /// Whether the segment carries no data, as a duplicate must [RFC5681 s2].
    pub bare: bool,
    /// SACK blocks of the segment.
    pub sack: &'a SackBlocks,
    /// Sequence number of offset 0.
    pub origin: SeqNum,
    /// Timestamp echoed by the segment, and its age.
    pub echo: Option<(u32, Span)>,
    /// ECN-Echo.
    pub ecn_echo: bool,
    /// The network reports that the byte at `ack` was lost on the radio link (ELN).
    pub lost_in_air: bool,
}
