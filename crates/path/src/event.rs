//! Events of links and media.

use engine::{Rate, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::Packet;

use crate::numbers::Numbers;

/// What a frame is for, in the order of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FrameKind {
    /// A request to send, that reserves the air.
    Rts,
    /// The answer to it, that reserves the air around the receiver.
    Cts,
    /// A packet, or a fragment of one.
    Data,
    /// Several packets.
    Aggregate,
    /// The answer to data.
    Ack,
    /// The answer to several packets, that tells which have come.
    BlockAck,
    /// A base station's announcement of itself, to all.
    Beacon,
}

impl FrameKind {
    /// The word that traces use.
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

    /// Whether a frame before it asked for it: it follows after SIFS, and its sender has no turn.
    pub const fn is_answer(self) -> bool {
        matches!(self, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck)
    }

    /// Whether it carries packets.
    pub const fn carries_packets(self) -> bool {
        matches!(self, FrameKind::Data | FrameKind::Aggregate)
    }
}

/// Which way along a link: scenarios name its two nodes in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LinkDirection {
    /// From the first node to the second.
    Forward,
    /// From the second node to the first.
    Backward,
}

impl LinkDirection {
    /// The other way.
    pub const fn reversed(self) -> Self {
        match self {
            LinkDirection::Forward => LinkDirection::Backward,
            LinkDirection::Backward => LinkDirection::Forward,
        }
    }

    /// 0 forward, 1 backward.
    pub const fn index(self) -> usize {
        match self {
            LinkDirection::Forward => 0,
            LinkDirection::Backward => 1,
        }
    }
}

/// Which ways along a link something acts.
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
    /// Whether `way` is one of them.
    pub const fn include(self, way: LinkDirection) -> bool {
        match self {
            LinkDirections::Both => true,
            LinkDirections::Forward => matches!(way, LinkDirection::Forward),
            LinkDirections::Backward => matches!(way, LinkDirection::Backward),
        }
    }
}

/// One direction of one link.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HopId {
    /// The link's number, in the order of the scenario.
    pub link: u32,
    /// Which way along it.
    pub way: LinkDirection,
}

/// Something that happened to a packet on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEvent {
    /// The link layer began to send a frame. Only links with a link layer say so.
    FrameSent {
        /// The frame's sequence number.
        number: u64,
        /// How many times this packet has been sent, this time included.
        attempt: u32,
        /// The packet that it carries.
        packet: Packet,
    },
    /// A frame whose sending began now will arrive corrupted.
    FrameCorrupted {
        /// The frame's sequence number.
        number: u64,
        /// How many times this packet has been sent, this time included.
        attempt: u32,
        /// The packet that it carries.
        packet: Packet,
    },
    /// A frame arrived that had arrived before: its link acknowledgment was lost.
    FrameDuplicate {
        /// The frame's sequence number.
        number: u64,
        /// The packet that it carries.
        packet: Packet,
    },
    /// A frame arrived that the far end has no use for yet: with go-back-N it takes frames in sequence only.
    FrameDiscarded {
        /// The frame's sequence number.
        number: u64,
        /// The packet that it carries.
        packet: Packet,
    },
    /// The link layer began to send a parity frame.
    ParitySent {
        /// Its place among the frames of the hop.
        number: u64,
        /// Bytes of it.
        size: u32,
    },
    /// A parity frame whose sending began now will arrive corrupted.
    ParityCorrupted {
        /// Its place among the frames of the hop.
        number: u64,
    },
    /// A packet whose frame was lost came out of the parity of its block.
    Recovered {
        /// The packet.
        packet: Packet,
    },
    /// The link acknowledgment of the frame was corrupted.
    AckCorrupted {
        /// The frame it acknowledged.
        number: u64,
    },
    /// The link layer gave up on a packet: it is lost, unless only its link acknowledgments were.
    GivenUp {
        /// The last frame's sequence number.
        number: u64,
        /// How often the packet was sent.
        attempts: u32,
        /// The packet.
        packet: Packet,
        /// Whether the far end has it: only its acknowledgments were lost.
        arrived: bool,
    },
    /// A packet on a link without link layer was lost on the way; it would have arrived now. With parity: its block is
    /// over, and too much of it was lost.
    Lost {
        /// The packet.
        packet: Packet,
    },
    /// The queue in front of the link was full.
    QueueFull {
        /// The packet, now lost.
        packet: Packet,
    },
    /// The queue discipline dropped a packet although the queue was not full.
    DroppedEarly {
        /// The packet, now lost.
        packet: Packet,
    },
    /// The queue discipline marked a packet instead of dropping it [RFC3168 s5].
    Marked {
        /// The packet, as it goes on.
        packet: Packet,
    },
    /// A packet reached the far end.
    Arrived {
        /// The packet.
        packet: Packet,
    },
}

impl LinkEvent {
    /// The packet that it is about, if any.
    pub fn packet(&self) -> Option<&Packet> {
        match self {
            LinkEvent::FrameSent { packet, .. }
            | LinkEvent::FrameCorrupted { packet, .. }
            | LinkEvent::FrameDuplicate { packet, .. }
            | LinkEvent::FrameDiscarded { packet, .. }
            | LinkEvent::Recovered { packet }
            | LinkEvent::GivenUp { packet, .. }
            | LinkEvent::Lost { packet }
            | LinkEvent::QueueFull { packet }
            | LinkEvent::DroppedEarly { packet }
            | LinkEvent::Marked { packet }
            | LinkEvent::Arrived { packet } => Some(packet),
            LinkEvent::AckCorrupted { .. } | LinkEvent::ParitySent { .. } | LinkEvent::ParityCorrupted { .. } => None,
        }
    }
}

/// Something that happened in a shared medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediumEvent {
    /// A station begins a frame.
    Sent {
        /// Its number in the medium.
        from: u32,
        /// That of the station the frame is for.
        to: u32,
        /// The frame.
        frame: AirFrame,
    },
    /// A station's frame has ended, and reached its receiver or not.
    Ended {
        /// The sender's number in the medium.
        from: u32,
        /// That of the station the frame was for.
        to: u32,
        /// Its purpose.
        kind: FrameKind,
        /// How it came.
        reception: Reception,
        /// Of an aggregate, the packets that came damaged: all of them if it collided.
        damaged: Numbers,
    },
    /// A station draws a back-off.
    BackOff {
        /// Its number in the medium.
        station: u32,
        /// How many slots it will wait.
        slots: u32,
        /// How many at most it could have drawn.
        window: u32,
    },
    /// Two stations hear each other otherwise than before.
    Reaches {
        /// The number of the one in the medium.
        a: u32,
        /// That of the other.
        b: u32,
        /// How from now on.
        reach: Reach,
    },
}

/// How two stations hear each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reach {
    /// Not at all.
    Nothing,
    /// That there is a frame, but not what.
    Senses,
    /// They can read each other's frames.
    Reads,
}

impl Reach {
    /// The word that traces use.
    pub const fn name(self) -> &'static str {
        match self {
            Reach::Nothing => "nothing",
            Reach::Senses => "senses",
            Reach::Reads => "reads",
        }
    }
}

/// A frame in the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AirFrame {
    /// Its kind.
    pub kind: FrameKind,
    /// When its transmission begins. The event of an acknowledgment may be emitted before this time.
    pub start: Time,
    /// How long its sending takes.
    pub duration: Span,
    /// Bytes, header and checksum included.
    pub size: u32,
    /// Bits a second.
    pub rate: Rate,
    /// How long it reserves the air behind its end.
    pub reserves: Span,
    /// The packets that it carries (all of an aggregate's), acknowledges or is about; of a beacon, its own number. Each
    /// data packet has been reported before as [`LinkEvent::FrameSent`].
    pub packets: Numbers,
    /// Whether it has been sent before; of a request, whether its packet has failed before.
    pub again: bool,
    /// The first packet that it carries, if any.
    pub packet: Option<Packet>,
}

/// How a frame came to the station it was for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// Whole.
    Received,
    /// Damaged by another frame.
    Collided,
    /// Damaged by the air.
    Corrupted,
    /// Not at all: the station is out of range.
    Unheard,
}

impl Reception {
    /// The word that traces use.
    pub const fn name(self) -> &'static str {
        match self {
            Reception::Received => "received",
            Reception::Collided => "collided",
            Reception::Corrupted => "corrupted",
            Reception::Unheard => "unheard",
        }
    }
}
