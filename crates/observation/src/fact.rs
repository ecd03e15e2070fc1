//! What happens to a flow.

use engine::Time;
use path::HopId;

use crate::evidence::Evidence;
use crate::losses::LossPlace;
use crate::media::AttemptFailure;
use crate::packet_in_flight::PacketInFlight;
use crate::sender_fact::SenderFact;

/// Something that happened to a flow.
#[derive(Clone, Copy, Debug)]
pub enum Fact {
    /// A segment entered the network.
    Sent(PacketInFlight),
    /// A segment arrived at a node on its path.
    Passed,
    /// A segment arrived at the receiver.
    Reached {
        /// The segment.
        packet: PacketInFlight,
        /// Whether the packet contained new bytes.
        news: bool,
    },
    /// An acknowledgment or a message arrived at the sender's node.
    Answered(PacketInFlight),
    /// A node's scheme took a packet out of the network.
    Absorbed(PacketInFlight),
    /// A packet was lost.
    Gone {
        /// The packet.
        packet: PacketInFlight,
        /// Where it was lost.
        place: Evidence<LossPlace>,
    },
    /// An attempt of the link layer at a packet, or the only transmission if there is no link layer, failed.
    Failed {
        /// The hop.
        hop: HopId,
        /// Start of the attempt.
        from: Time,
        /// The start of the next attempt, or the end of the last one.
        to: Time,
        /// Whether the packet has data.
        data: bool,
        /// Reason of the failure.
        why: AttemptFailure,
        /// Whether the attempt was in a medium, and the previous attempt there had failed for the same reason.
        unbroken: bool,
    },
    /// A packet waited at a station of a medium during transmissions of others.
    Waited {
        /// The start of the wait.
        from: Time,
        /// End of the wait.
        to: Time,
    },
    /// The receiver has handled a segment that completes data.
    Delivered {
        /// The number of bytes that are in order for the first time.
        bytes: u64,
    },
    /// Something that the sender did.
    Sender(SenderFact),
}
