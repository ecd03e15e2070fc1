//! What happens to a flow, as the rows of the table of marks match it.

use observation::CapturedFact;

/// Position of a packet in its flow: the sequence number of its data, or the number that it acknowledges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum PacketRole {
    /// Offset of the first byte of its data.
    Data(u64),
    /// Offset of the next byte expected.
    Ack(u64),
}

/// Something that happened to a flow.
pub(crate) enum Occurrence<'a> {
    /// An event of the sender.
    Sender(&'a tcp::Event),
    /// A fact of a captured connection.
    Captured(&'a CapturedFact),
    /// An event of a packet between the ends.
    Packet(PacketFate, PacketRole),
}

/// What happened to a packet.
#[derive(Clone, Copy)]
pub(crate) enum PacketFate {
    /// The packet was lost, and no link layer retransmits it: dropped by a queue or a node, or given up by a link
    /// layer.
    Lost,
    /// A frame that carried the packet was corrupted on the radio channel.
    Corrupted,
    /// A node between the ends sent it on its own.
    Inserted,
    /// A node between the ends consumed the packet.
    Consumed,
}
