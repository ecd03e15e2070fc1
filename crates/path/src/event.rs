//! Events of links and media.

use engine::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::Packet;

use crate::ids::{LinkDirection, MediumStationId};
use crate::numbers::SeqBitmap;

/// Purpose of a frame, in the order of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FrameKind {
    /// A request to send, which reserves the medium.
    Rts,
    /// The response to an RTS, which reserves the medium around the receiver.
    Cts,
    /// A packet, or a fragment of one.
    Data,
    /// Several packets.
    Aggregate,
    /// The acknowledgment of data.
    Ack,
    /// The block acknowledgment of an aggregate, with the packets that arrived.
    BlockAck,
    /// The broadcast of a base station.
    Beacon,
}

impl FrameKind {
    /// Returns the name in traces.
    pub const fn name(self) -> &'static str {
        match self {
            FrameKind::Rts => "RTS",
            FrameKind::Cts => "CTS",
            FrameKind::Data => "DATA",
            FrameKind::Aggregate => "A-MPDU",
            FrameKind::Ack => "ACK",
            FrameKind::BlockAck => "BLOCK-ACK",
            FrameKind::Beacon => "BEACON",
        }
    }

    /// Returns true if the frame responds to an earlier one: it follows after SIFS, without contention.
    pub const fn is_answer(self) -> bool {
        matches!(self, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck)
    }

    /// Returns true if the frame contains packets.
    pub const fn carries_packets(self) -> bool {
        matches!(self, FrameKind::Data | FrameKind::Aggregate)
    }
}

/// Directions on a link in which a setting applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkDirections {
    /// Both.
    #[default]
    Both,
    /// From the link's first node to its second.
    Forward,
    /// From the second to the first.
    Backward,
}

impl LinkDirections {
    /// Returns true if `direction` is included.
    pub const fn include(self, direction: LinkDirection) -> bool {
        match self {
            LinkDirections::Both => true,
            LinkDirections::Forward => matches!(direction, LinkDirection::Forward),
            LinkDirections::Backward => matches!(direction, LinkDirection::Backward),
        }
    }
}

/// An event of a packet on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// The link layer began to send a frame. Only links with a link layer report this.
    FrameSent {
        /// The frame's sequence number.
        number: u64,
        /// Number of transmissions of this packet, including this one.
        attempt: u32,
        /// Packet in the frame.
        packet: Packet,
    },
    /// A frame whose transmission begins now will arrive corrupted.
    FrameCorrupted {
        /// The frame's sequence number.
        number: u64,
        /// Number of transmissions of this packet, including this one.
        attempt: u32,
        /// Packet in the frame.
        packet: Packet,
    },
    /// A frame arrived a second time, because its link acknowledgment was lost.
    FrameDuplicate {
        /// The frame's sequence number.
        number: u64,
        /// Packet in the frame.
        packet: Packet,
    },
    /// The far end discarded a frame that arrived out of sequence (go-back-N).
    FrameDiscarded {
        /// The frame's sequence number.
        number: u64,
        /// Packet in the frame.
        packet: Packet,
    },
    /// The link layer began to send a parity frame.
    ParitySent {
        /// Number of the frame among the frames of the hop.
        number: u64,
        /// Size in bytes.
        size: u32,
    },
    /// A parity frame whose transmission begins now will arrive corrupted.
    ParityCorrupted {
        /// Number of the frame among the frames of the hop.
        number: u64,
    },
    /// A packet whose frame was lost was restored from the parity of its block.
    Recovered {
        /// The packet.
        packet: Packet,
    },
    /// The link acknowledgment of the frame was corrupted.
    AckCorrupted {
        /// Number of the acknowledged frame.
        number: u64,
    },
    /// The link layer gave up a packet: it is lost, unless only its link acknowledgments were lost.
    GivenUp {
        /// The last frame's sequence number.
        number: u64,
        /// Number of transmissions of the packet.
        attempts: u32,
        /// The packet.
        packet: Packet,
        /// True if the far end has the packet, and only its link acknowledgments were lost.
        arrived: bool,
    },
    /// A packet on a link without a link layer was lost in transit; the event occurs at the time at which the packet
    /// would have arrived. With parity, the block of the packet ended with too many losses to restore it.
    Lost {
        /// The packet.
        packet: Packet,
    },
    /// The queue in front of the link dropped a packet because it was full.
    QueueFull {
        /// The dropped packet.
        packet: Packet,
        /// Time at which the packet arrived at the queue. This is the time of the event if the arriving packet is
        /// dropped, and an earlier time if a packet in the queue is dropped.
        arrived: Time,
    },
    /// The queue discipline dropped a packet although the queue was not full.
    DroppedEarly {
        /// The dropped packet.
        packet: Packet,
        /// Time at which the packet arrived at the queue.
        arrived: Time,
    },
    /// The queue discipline marked a packet instead of dropping it [RFC3168 s5].
    Marked {
        /// The packet, with its ECN mark.
        packet: Packet,
    },
    /// A packet joined the queue, where it waits until a time that is not known yet. A packet that need not wait, or
    /// whose departure the link computes in advance, has only the event [`Dequeued`](LinkEvent::Dequeued).
    Joined {
        /// The packet.
        packet: Packet,
    },
    /// A packet left the queue. A link that computes departures reports it when the packet arrives.
    Dequeued {
        /// The packet.
        packet: Packet,
        /// Time at which the packet arrived at the queue.
        arrived: Time,
        /// Time at which the transmitter takes the packet, possibly in the future.
        starts: Time,
        /// End of the packet's transmission, on a link that computes departures. On other links the end follows from
        /// the link's rate or its link layer.
        leaves: Option<Time>,
    },
    /// A packet reached the far end.
    Arrived {
        /// The packet.
        packet: Packet,
    },
}

impl LinkEvent {
    /// Returns true if the event determines the delay of a packet: the packet leaves the queue or the link, or is lost.
    /// Observers that only measure delays receive only these events.
    pub fn is_timing(&self) -> bool {
        matches!(
            self,
            LinkEvent::Dequeued { .. }
                | LinkEvent::Arrived { .. }
                | LinkEvent::GivenUp { .. }
                | LinkEvent::Lost { .. }
                | LinkEvent::QueueFull { .. }
                | LinkEvent::DroppedEarly { .. }
        )
    }

    /// Returns true if the packet of the event is lost for good. A packet that was given up is not, if only its link
    /// acknowledgments were lost.
    pub fn is_loss(&self) -> bool {
        match self {
            LinkEvent::GivenUp { arrived, .. } => !arrived,
            event => {
                matches!(event, LinkEvent::Lost { .. } | LinkEvent::QueueFull { .. } | LinkEvent::DroppedEarly { .. })
            }
        }
    }

    /// Packet of the event, if any.
    pub fn packet(&self) -> Option<&Packet> {
        match self {
            LinkEvent::FrameSent { packet, .. }
            | LinkEvent::FrameCorrupted { packet, .. }
            | LinkEvent::FrameDuplicate { packet, .. }
            | LinkEvent::FrameDiscarded { packet, .. }
            | LinkEvent::Recovered { packet }
            | LinkEvent::GivenUp { packet, .. }
            | LinkEvent::Lost { packet }
            | LinkEvent::QueueFull { packet, .. }
            | LinkEvent::DroppedEarly { packet, .. }
            | LinkEvent::Marked { packet }
            | LinkEvent::Joined { packet }
            | LinkEvent::Dequeued { packet, .. }
            | LinkEvent::Arrived { packet } => Some(packet),
            LinkEvent::AckCorrupted { .. } | LinkEvent::ParitySent { .. } | LinkEvent::ParityCorrupted { .. } => None,
        }
    }
}

/// An event of a shared medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediumEvent {
    /// A station began to transmit a frame.
    Sent {
        /// The sending station.
        from: MediumStationId,
        /// The receiving station.
        to: MediumStationId,
        /// The frame.
        frame: AirFrame,
        /// First packet in the frame, if any.
        packet: Option<Packet>,
    },
    /// The transmission of a frame ended.
    Ended {
        /// The sending station.
        from: MediumStationId,
        /// The receiving station.
        to: MediumStationId,
        /// Purpose of the frame.
        kind: FrameKind,
        /// Reception of the frame.
        reception: Reception,
        /// The damaged packets of an aggregate: all of them if it collided.
        damaged: SeqBitmap,
    },
    /// A station drew a back-off.
    BackOff {
        /// The station.
        station: MediumStationId,
        /// Number of slots drawn.
        slots: u32,
        /// The contention window: the maximum number of slots.
        window: u32,
    },
    /// The audibility between two stations changed.
    Reaches {
        /// One station.
        a: MediumStationId,
        /// The other station.
        b: MediumStationId,
        /// The new audibility.
        reach: Reach,
    },
}

/// Audibility between two stations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reach {
    /// Out of carrier-sense range.
    Nothing,
    /// The receiver is within carrier-sense range, but out of decoding range.
    Senses,
    /// Within range: frames can be decoded.
    Reads,
}

impl Reach {
    /// Returns the name in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Reach::Nothing => "nothing",
            Reach::Senses => "senses",
            Reach::Reads => "reads",
        }
    }
}

/// A frame in a shared medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AirFrame {
    /// Purpose of the frame.
    pub kind: FrameKind,
    /// Start of the transmission. The event of an acknowledgment may be emitted before this time.
    pub start: Time,
    /// Duration of the transmission.
    pub duration: Span,
    /// Size in bytes, header and checksum included.
    pub size: u32,
    /// Rate in bits per second.
    pub rate: Rate,
    /// Duration of the frame's reservation of the medium, from its end.
    pub reserves: Span,
    /// Numbers of the packets that the frame contains (all of an aggregate's), acknowledges or refers to; for a beacon,
    /// its own number. Each data packet was reported earlier as [`LinkEvent::FrameSent`].
    pub packets: SeqBitmap,
    /// True for a retransmission, or for an RTS after a failed attempt at its packet.
    pub again: bool,
}

/// Reception of a frame at its receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// Received intact.
    Received,
    /// Lost to a collision.
    Collided,
    /// Damaged by the channel.
    Corrupted,
    /// Not received: the station is out of range.
    Unheard,
}

impl Reception {
    /// Returns the name in traces.
    pub const fn name(self) -> &'static str {
        match self {
            Reception::Received => "received",
            Reception::Collided => "collided",
            Reception::Corrupted => "corrupted",
            Reception::Unheard => "unheard",
        }
    }
}
