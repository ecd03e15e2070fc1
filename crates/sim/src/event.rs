//! The events of a run, from which all outputs are made.

use engine::{Span, Time};
use path::channel::ChannelState;
use path::{HopId, LinkEvent, LinkId, MediumEvent, MediumId};
use wire::Packet;

use crate::ids::{ArrivalsId, FlowId, NodeId};

/// An event of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// An event at the sending end of a flow.
    Sender {
        /// The flow.
        flow: FlowId,
        /// The event.
        event: tcp::Event,
    },
    /// An event at the receiving end of a flow.
    Receiver {
        /// The flow.
        flow: FlowId,
        /// The event.
        event: tcp::Event,
    },
    /// A flow's application starts.
    FlowStarted {
        /// The flow.
        flow: FlowId,
    },
    /// A flow arrives during the run; [`FlowStarted`](Event::FlowStarted) follows.
    FlowArrived {
        /// The flow: the flows of the network have the lower numbers.
        flow: FlowId,
        /// The flow's arrival process.
        arrivals: ArrivalsId,
        /// Bytes that the flow will send.
        bytes: u64,
        /// Flow completion time on the empty path: see [`ShortFlow::ideal`](crate::ShortFlow::ideal).
        ideal: Option<Span>,
    },
    /// The last byte of a flow has been acknowledged at its sender.
    FlowCompleted {
        /// The flow.
        flow: FlowId,
    },
    /// An event on a link.
    Link {
        /// The link and its direction.
        hop: HopId,
        /// The event.
        event: LinkEvent,
        /// The flow and offset of the packet, if the event is about one of a flow.
        of: Option<PacketFlow>,
    },
    /// An event in a shared medium.
    Medium {
        /// The medium's number.
        medium: MediumId,
        /// The event.
        event: MediumEvent,
    },
    /// The channel of a link changed state.
    Air {
        /// The link.
        link: LinkId,
        /// The new state.
        state: ChannelState,
    },
    /// An event at a node.
    Node {
        /// The node.
        node: NodeId,
        /// The event.
        event: NodeEvent,
        /// The flow and offset of the packet, if the event is about one of a flow.
        of: Option<PacketFlow>,
    },
    /// An event that a node's scheme [emits](path::agent::AgentCx::emit), or the growth of one of its counters.
    Agent {
        /// The node.
        node: NodeId,
        /// The event's name.
        name: &'static str,
        /// The event's value, in a unit that depends on the event.
        value: f64,
        /// The flow and offset of the packet, if the event is about one of a flow.
        of: Option<PacketFlow>,
        /// The packet that the event is about, if any.
        packet: Option<Packet>,
    },
}

/// The flow of a packet, and the packet's offsets in that flow: sequence numbers on the wire have 32 bits and start at
/// any value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketFlow {
    /// The flow.
    pub flow: FlowId,
    /// Whether the packet comes from the sender of the flow's data, and not from the receiver. For an ICMP message:
    /// whether it is addressed to the sender.
    pub from_sender: bool,
    /// Offset of the packet's first byte in the stream of the sending end; for an ICMP message, offset of the quoted
    /// segment. A SYN precedes the stream and has `None`.
    pub seq: Option<u64>,
    /// Offset, in the stream of the other end, of the next byte expected; `None` for a segment without ACK and for an
    /// ICMP message.
    pub ack: Option<u64>,
}

/// An event at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeEvent {
    /// The node created this packet and hands it to its first link.
    Sent {
        /// The packet.
        packet: Packet,
    },
    /// A packet for this node arrived.
    Received {
        /// The packet.
        packet: Packet,
    },
    /// A packet to be forwarded arrived.
    Transit {
        /// The packet.
        packet: Packet,
    },
    /// The node's buffer had no space for a packet.
    BufferFull {
        /// The dropped packet.
        packet: Packet,
    },
    /// The node's scheme consumed the packet.
    Taken {
        /// The packet.
        packet: Packet,
    },
    /// No route led to the packet's destination, because a mobile is not associated.
    NoRoute {
        /// The dropped packet.
        packet: Packet,
    },
    /// A mobile starts using a link.
    Associated {
        /// The link.
        link: LinkId,
    },
    /// A mobile stops using a link.
    Left {
        /// The link.
        link: LinkId,
    },
}

impl NodeEvent {
    /// The packet of the event, if any.
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

/// Receives the events of a run. The event loop is compiled four times: for all sinks that are
/// [`ACTIVE`](Sink::ACTIVE), whose events are passed through a pointer to a function, with and without the events of
/// packets; without events but with [delays](crate::delay); and without any of these, so that unused observation costs
/// nothing.
pub trait Sink {
    /// Whether events are generated at all.
    const ACTIVE: bool;
    /// Whether the sink needs the events of packets at nodes, on links and in media, which are most events. They may
    /// be generated although it does not.
    const NEEDS_PACKETS: bool = Self::ACTIVE;
    /// Handles an event at `at`; times never decrease.
    fn event(&mut self, at: Time, event: &Event);
}

/// Discards every event.
pub struct NullSink;

impl Sink for NullSink {
    const ACTIVE: bool = false;
    fn event(&mut self, _: Time, _: &Event) {}
}

/// Collects all events, for plots and tests.
impl Sink for Vec<(Time, Event)> {
    const ACTIVE: bool = true;
    fn event(&mut self, at: Time, event: &Event) {
        self.push((at, *event));
    }
}

/// Passes events to the sink, if there is one.
impl<S: Sink> Sink for Option<S> {
    const ACTIVE: bool = S::ACTIVE;
    const NEEDS_PACKETS: bool = S::NEEDS_PACKETS;
    #[inline]
    fn event(&mut self, at: Time, event: &Event) {
        if let Some(sink) = self {
            sink.event(at, event);
        }
    }
}

/// Passes each event to both sinks.
impl<A: Sink, B: Sink> Sink for (A, B) {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
    const NEEDS_PACKETS: bool = A::NEEDS_PACKETS || B::NEEDS_PACKETS;
    #[inline]
    fn event(&mut self, at: Time, event: &Event) {
        self.0.event(at, event);
        self.1.event(at, event);
    }
}
