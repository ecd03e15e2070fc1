//! The ends of a connection, by which its packets are known.

use wire::{Addr, Packet, Segment};

/// The two ends of a connection as a packet names them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ends {
    from: (Addr, u16),
    to: (Addr, u16),
}

impl Ends {
    pub fn of(packet: &Packet, segment: &Segment) -> Self {
        Ends { from: (packet.src, segment.src_port), to: (packet.dst, segment.dst_port) }
    }

    pub fn reversed(self) -> Self {
        Ends { from: self.to, to: self.from }
    }
}

/// Which end of a flow made a packet.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Sender,
    Receiver,
}
