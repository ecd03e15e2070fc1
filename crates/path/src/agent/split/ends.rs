//! Endpoints of a flow.

use wire::{Addr, Packet, Segment};

/// The endpoints of a flow, address and port, in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct FlowEndpoints(pub [(Addr, u16); 2]);

impl FlowEndpoints {
    /// Returns the endpoints of a segment's flow, and the index of the one that sent it.
    pub fn of(packet: &Packet, segment: &Segment) -> (Self, usize) {
        let (from, to) = ((packet.src, segment.src_port), (packet.dst, segment.dst_port));
        (Self::between([from, to]), usize::from(from > to))
    }

    /// Returns these endpoints, in ascending order.
    pub fn between([from, to]: [(Addr, u16); 2]) -> Self {
        FlowEndpoints(if from <= to { [from, to] } else { [to, from] })
    }
}
