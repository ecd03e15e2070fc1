//! Flows of datagrams: UDP, and ICMP echo requests with their replies.

use engine::{Histogram, IdVec, Span, Time};
use wire::{Body, Datagram, Dscp, Ecn, Packet, Protocol};

use super::Endpoints;
use super::ports::Ports;
use super::progress::ReceiverProgress;
use crate::app::DatagramArrival;
use crate::event::PacketFlow;
use crate::ids::{FlowId, NodeId};
use crate::jitter::Jitter;
use crate::results::DatagramResult;
use crate::world::ids::FlowIndex;
use crate::world::ids::{DatagramEndId, DatagramFlowId};

/// The properties of a new flow of datagrams.
pub(in crate::world) struct DatagramPlan {
    /// The flow's index in the world's list, and its number in events.
    pub flow: (FlowIndex, FlowId),
    pub protocol: Protocol,
    /// The sending node and the receiving one.
    pub nodes: [NodeId; 2],
    pub class: Dscp,
    pub ecn: Ecn,
    pub start: Time,
}

/// The result of a datagram's arrival at a node.
pub(in crate::world) enum ArrivedDatagram {
    /// The packet belongs to no flow.
    Foreign,
    /// The node replies with this packet.
    Answered(Packet),
    /// The packet has reached its destination.
    Counted(DatagramFlowId, DatagramArrival),
}

/// A flow of datagrams. Delay and jitter are computed from the arrivals at its receiver, or with echo at its sender.
pub(in crate::world) struct DatagramFlow {
    flow: FlowIndex,
    number: FlowId,
    protocol: Protocol,
    /// The sending and the receiving node.
    nodes: [NodeId; 2],
    /// The ports of the flow at the sending and at the receiving node.
    ports: [u16; 2],
    dscp: Dscp,
    /// ECN field of packets when they are sent.
    ecn: Ecn,
    progress: ReceiverProgress,
    sent: u32,
    bytes_sent: u64,
    received: u32,
    bytes_received: u64,
    /// Next number after the highest that arrived.
    expected: u32,
    reordered: u32,
    marked: u64,
    delay: Histogram,
    jitter: Jitter,
    /// Time at which the application finished.
    finished: Option<Time>,
}

impl DatagramFlow {
    fn new(plan: &DatagramPlan, ports: [u16; 2]) -> Self {
        let DatagramPlan { flow: (flow, number), protocol, nodes, class, ecn, start } = *plan;
        DatagramFlow {
            flow,
            number,
            protocol,
            nodes,
            ports,
            dscp: class,
            ecn,
            progress: ReceiverProgress::from(start),
            sent: 0,
            bytes_sent: 0,
            received: 0,
            bytes_received: 0,
            expected: 0,
            reordered: 0,
            marked: 0,
            delay: Histogram::default(),
            jitter: Jitter::default(),
            finished: None,
        }
    }

    pub fn bytes_received(&self) -> u64 {
        self.bytes_received
    }

    /// Index of the flow in the world's list of flows.
    pub fn flow(&self) -> FlowIndex {
        self.flow
    }

    /// Returns the longest time without a new datagram. A flow that has received all of `wanted` no longer waits.
    pub fn longest_pause(&self, wanted: Option<u64>, now: Time) -> Span {
        self.progress.longest_pause(wanted, now)
    }

    /// Returns the time at which the last datagram was sent, if the application has finished.
    pub fn finish_time(&self) -> Option<Time> {
        self.finished
    }

    /// Whether all datagrams were sent and arrived.
    pub fn is_complete(&self) -> bool {
        self.finished.is_some() && self.received == self.sent
    }

    /// Whether a packet at an end of the flow comes from the other end.
    fn has(&self, packet: &Packet, end: DatagramEndId) -> bool {
        let there = usize::from(!end.receives());
        packet.src == self.nodes[there].addr() && packet.ports()[0] == self.ports[there]
    }

    /// The next datagram, with `size` bytes.
    fn next_packet(&mut self, size: u32, now: Time) -> Packet {
        let body = Body::Datagram(Datagram::new(self.protocol, self.ports, size, self.sent, now));
        self.sent += 1;
        self.bytes_sent += u64::from(size);
        let [from, to] = self.nodes.map(NodeId::addr);
        Packet { dscp: self.dscp, ecn: self.ecn, ..Packet::new(from, to, body) }
    }

    /// Counts an arrival with this ECN field.
    fn count(&mut self, datagram: &Datagram, ecn: Ecn, now: Time) -> DatagramArrival {
        self.marked += u64::from(ecn == Ecn::Ce);
        let delay = now.since(datagram.created_at());
        self.received += 1;
        self.bytes_received += u64::from(datagram.len);
        self.progress.has(self.bytes_received, now);
        if datagram.number < self.expected {
            self.reordered += 1;
        }
        self.expected = self.expected.max(datagram.number + 1);
        self.delay.record_span(delay);
        self.jitter.record(delay);
        DatagramArrival { number: datagram.number, len: datagram.len, delay }
    }

    pub fn result(&self) -> DatagramResult {
        DatagramResult {
            sent: u64::from(self.sent),
            bytes_sent: self.bytes_sent,
            received: u64::from(self.received),
            reordered: u64::from(self.reordered),
            marked: self.marked,
            round_trip: self.protocol == Protocol::EchoRequest,
            delay: self.delay.clone(),
            jitter: self.jitter.get(),
        }
    }
}

/// The flows of datagrams, and the ports of their ends.
pub(super) struct DatagramFlows {
    flows: IdVec<DatagramFlowId, DatagramFlow>,
    ports: Ports<DatagramEndId>,
}

impl DatagramFlows {
    /// Creates an empty list of flows for `nodes` nodes.
    pub fn of(nodes: usize) -> Self {
        DatagramFlows { flows: IdVec::default(), ports: Ports::of(nodes) }
    }

    /// Returns the end to which a packet belongs.
    fn end_of(&self, packet: &Packet, datagram: &Datagram) -> Option<DatagramEndId> {
        let end = self.ports.end(NodeId::of(packet.dst), datagram.dst_port)?;
        self.flows[end.flow()].has(packet, end).then_some(end)
    }

    pub fn flow_of(&self, packet: &Packet, datagram: &Datagram) -> Option<PacketFlow> {
        let end = self.end_of(packet, datagram)?;
        let flow = self.flows[end.flow()].number;
        Some(PacketFlow { flow, from_sender: end.receives(), seq: None, ack: None })
    }
}

impl Endpoints {
    /// Opens a flow of datagrams; `None` if a node has no free port.
    pub fn open_datagrams(&mut self, plan: &DatagramPlan) -> Option<DatagramFlowId> {
        let DatagramFlows { flows, ports } = &mut self.datagrams;
        let ports = ports.open_pair(plan.nodes, flows.next_id().ends())?;
        Some(flows.push(DatagramFlow::new(plan, ports)))
    }

    /// A flow of datagrams, to be looked at.
    pub fn datagrams(&self, flow: DatagramFlowId) -> &DatagramFlow {
        &self.datagrams.flows[flow]
    }

    /// Creates the next datagram of a flow, with `size` bytes; returns the datagram and its sending node.
    pub fn next_datagram(&mut self, flow: DatagramFlowId, size: u32, now: Time) -> (NodeId, Packet) {
        let flow = &mut self.datagrams.flows[flow];
        (flow.nodes[0], flow.next_packet(size, now))
    }

    /// Processes a packet other than a TCP segment that has arrived at its destination.
    pub fn take_datagram(&mut self, packet: &Packet, datagram: &Datagram, now: Time) -> ArrivedDatagram {
        let Some(end) = self.datagrams.end_of(packet, datagram) else { return ArrivedDatagram::Foreign };
        let flow = &mut self.datagrams.flows[end.flow()];
        if end.receives() && flow.protocol == Protocol::EchoRequest {
            let body = Body::Datagram(datagram.reply());
            let reply = Packet { dscp: packet.dscp, ecn: flow.ecn, ..Packet::new(packet.dst, packet.src, body) };
            return ArrivedDatagram::Answered(reply);
        }
        ArrivedDatagram::Counted(end.flow(), flow.count(datagram, packet.ecn, now))
    }

    /// Ends the sending of the application of a flow of datagrams.
    pub fn finish_datagrams(&mut self, flow: DatagramFlowId, now: Time) {
        self.datagrams.flows[flow].finished.get_or_insert(now);
    }
}
