//! The two ends of a flow.

use wire::{Addr, Packet, Segment};

/// The two ends of a flow, the lesser first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ends(pub [(Addr, u16); 2]);

impl Ends {
    /// The ends of a segment's flow, and which of them sent it.
    pub fn of(packet: &Packet, segment: &Segment) -> (Self, usize) {
        let (from, to) = ((packet.src, segment.src_port), (packet.dst, segment.dst_port));
        if from <= to { (Ends([from, to]), 0) } else { (Ends([to, from]), 1) }
    }
}
