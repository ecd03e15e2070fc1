//! The one stream of events that feeds every output.

use engine::Time;
use path::channel::State;
use path::{HopId, LinkEvent, MediumEvent};
use wire::Packet;

/// Something that happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// At the sending end of a flow.
    Sender {
        /// The flow's number.
        flow: u32,
        /// What.
        event: tcp::Event,
    },
    /// At the receiving end of a flow.
    Receiver {
        /// The flow's number.
        flow: u32,
        /// What.
        event: tcp::Event,
    },
    /// A flow's application begins.
    FlowStarted {
        /// The flow's number.
        flow: u32,
    },
    /// The last byte of a flow has been acknowledged at its sender.
    FlowCompleted {
        /// The flow's number.
        flow: u32,
    },
    /// On a link.
    Link {
        /// Which, and which way.
        hop: HopId,
        /// What.
        event: LinkEvent,
        /// Where the packet belongs, if the event is about one of a flow.
        of: Option<PacketFlow>,
    },
    /// In a shared medium.
    Medium {
        /// The medium's number.
        medium: u32,
        /// What.
        event: MediumEvent,
    },
    /// The air of a link changed state.
    Air {
        /// The link's number.
        link: u32,
        /// The new state.
        state: State,
    },
    /// At a node.
    Node {
        /// The node's number.
        node: u32,
        /// What.
        event: NodeEvent,
        /// Where the packet belongs, if the event is about one of a flow.
        of: Option<PacketFlow>,
    },
}

/// The flow that a packet is part of, and its place there: sequence numbers on the wire have 32 bits and begin anywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketFlow {
    /// The flow's number.
    pub flow: u32,
    /// Whether the sender of the flow's data sent it, or its receiver; of an ICMP message, whether it is for the sender.
    pub from_sender: bool,
    /// Offset of its first byte in the stream of the end that sent it; of an ICMP message, of the segment that it is about. A SYN lies before
    /// the stream, at `None`.
    pub seq: Option<u64>,
    /// Offset, in the stream of the other end, of the byte that it acknowledges next; `None` of a segment without ACK and an ICMP message.
    pub ack: Option<u64>,
}

/// Something that happened at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeEvent {
    /// The node made this packet and hands it to its first link.
    Sent {
        /// The packet.
        packet: Packet,
    },
    /// A packet for this node came in.
    Received {
        /// The packet.
        packet: Packet,
    },
    /// A packet to be forwarded came in.
    Transit {
        /// The packet.
        packet: Packet,
    },
    /// The node's buffers had no room for a packet.
    BufferFull {
        /// The packet, now lost.
        packet: Packet,
    },
    /// The node's scheme took it: it goes no further.
    Taken {
        /// The packet.
        packet: Packet,
    },
    /// No way led to where a packet was for, because a mobile is not associated.
    NoRoute {
        /// The packet, now lost.
        packet: Packet,
    },
    /// A mobile uses a link from now on.
    Associated {
        /// The link's number.
        link: u32,
    },
    /// A mobile uses a link no longer.
    Left {
        /// The link's number.
        link: u32,
    },
}

impl NodeEvent {
    /// The packet that it is about, if any.
    pub fn packet(&self) -> Option<&Packet> {
        match self {
            NodeEvent::Sent { packet }
            | NodeEvent::Received { packet }
            | NodeEvent::Transit { packet }
            | NodeEvent::BufferFull { packet }
            | NodeEvent::Taken { packet }
            | NodeEvent::NoRoute { packet } => Some(packet),
            NodeEvent::Associated { .. } | NodeEvent::Left { .. } => None,
        }
    }
}

/// Who wants to know. The world is compiled once for each kind of sink, so that one that is not
/// [`ACTIVE`](Sink::ACTIVE) costs nothing.
pub trait Sink {
    /// Whether events are made at all.
    const ACTIVE: bool;
    /// Something happened at `at`; times never fall.
    fn event(&mut self, at: Time, event: &Event);
}

/// The sink of a run that nobody watches.
pub struct NullSink;

impl Sink for NullSink {
    const ACTIVE: bool = false;
    fn event(&mut self, _: Time, _: &Event) {}
}

/// Keeps everything, for plots and tests.
impl Sink for Vec<(Time, Event)> {
    const ACTIVE: bool = true;
    fn event(&mut self, at: Time, event: &Event) {
        self.push((at, *event));
    }
}

/// Both are told.
impl<A: Sink, B: Sink> Sink for (A, B) {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
    fn event(&mut self, at: Time, event: &Event) {
        self.0.event(at, event);
        self.1.event(at, event);
    }
}
