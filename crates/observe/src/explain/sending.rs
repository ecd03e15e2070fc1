//! One transmission of a packet by its endpoint; a retransmitted segment has several.

use engine::{Span, Time};
use tcp::Reason;
use wire::Packet;

/// A packet in flight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sending {
    /// Distinguishes transmissions of the same bytes.
    pub id: u64,
    pub packet: Packet,
    pub load: Load,
    /// When it entered the network.
    pub since: Time,
    /// When it came to the node where it is, or which it has left last.
    pub at_node_since: Time,
    /// Failed attempts of link layers.
    pub failed: u32,
    /// The hop that it occupied longest: start and end.
    pub longest: (Time, Time),
}

/// The contents, as offsets of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Load {
    /// A segment.
    Data { seq: u64, len: u32, reason: Reason },
    /// An acknowledgment.
    Ack { ack: u64 },
    /// A message about a segment.
    Notice,
    /// A segment of the handshake or the close, or data in the other direction.
    Control,
}

impl Sending {
    /// The first byte of data, if any.
    pub fn seq(&self) -> Option<u64> {
        match self.load {
            Load::Data { seq, .. } => Some(seq),
            _ => None,
        }
    }

    /// Whether it is a part of the transfer: data, its acknowledgment, or a message about it.
    pub fn is_of_transfer(&self) -> bool {
        self.load != Load::Control
    }

    /// The longest time for which it occupied a hop.
    pub fn held(&self) -> Span {
        self.longest.1.since(self.longest.0)
    }

    /// Records that it occupied a hop.
    pub fn crossed(&mut self, from: Time, to: Time) {
        if to.since(from) > self.held() {
            self.longest = (from, to);
        }
    }
}
