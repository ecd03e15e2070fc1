//! One transmission of a packet by its endpoint. A retransmitted segment has several transmissions.

use engine::{Span, Time};
use tcp::Reason;
use wire::Packet;

/// A packet in flight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PacketInFlight {
    /// Distinguishes transmissions of the same bytes.
    pub id: u64,
    /// The packet.
    pub packet: Packet,
    /// Contents of the packet.
    pub load: PacketLoad,
    /// Time at which the packet entered the network.
    pub since: Time,
    /// Arrival time of the packet at its current node, or at the node that the packet left last.
    pub at_node_since: Time,
    /// Failed attempts of link layers.
    pub failed: u32,
    /// Start and end of the packet's longest stay at a hop.
    pub longest: (Time, Time),
}

/// The contents, as offsets of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketLoad {
    /// A segment.
    Data {
        /// The first byte.
        seq: u64,
        /// The number of bytes.
        len: u32,
        /// Reason of the transmission.
        reason: Reason,
    },
    /// An acknowledgment.
    Ack {
        /// The next byte expected.
        ack: u64,
    },
    /// A message about a segment.
    Notice,
    /// A segment of the handshake or the close, or data in the other direction.
    Control,
}

/// Whether two packets are the same, except that a queue or a node may have marked one of them.
pub(crate) fn is_same_packet(one: &Packet, other: &Packet) -> bool {
    one.src == other.src && one.dst == other.dst && one.body == other.body
}

impl PacketInFlight {
    /// The first byte of data, if any.
    pub fn seq(&self) -> Option<u64> {
        match self.load {
            PacketLoad::Data { seq, .. } => Some(seq),
            _ => None,
        }
    }

    /// Returns whether the packet belongs to the transfer, as data, acknowledgment, or message about data.
    pub fn is_of_transfer(&self) -> bool {
        self.load != PacketLoad::Control
    }

    /// Returns the longest time for which the packet occupied a hop.
    pub fn longest_hold(&self) -> Span {
        self.longest.1.since(self.longest.0)
    }

    /// Records that it occupied a hop.
    pub fn record_hop(&mut self, from: Time, to: Time) {
        if to.since(from) > self.longest_hold() {
            self.longest = (from, to);
        }
    }
}
