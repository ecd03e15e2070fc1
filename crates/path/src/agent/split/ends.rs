//! Endpoints of a flow.

use wire::{Addr, Packet, Segment};

/// The endpoints of a flow, address and port, in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct FlowEndpoints(pub [(Addr, u16); 2]);

impl FlowEndpoints {
    /// Returns the endpoints of a segment's flow, and the index of the one that sent it.
    pub fn of(packet: &Packet, segment: &Segment) -> (Self, usize) {
        let (from, to) = ((packet.src, segment.src_port), (packet.dst, segment.dst_port));
        if from <= to { (FlowEndpoints([from, to]), 0) } else { (FlowEndpoints([to, from]), 1) }
    }
}
