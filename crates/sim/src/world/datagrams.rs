//! Flows of datagrams: UDP, and ICMP echo requests with their replies.

use engine::{Histogram, Time};
use wire::{Body, Datagram, Dscp, Packet, Protocol};

use super::World;
use super::event_loop::Observed;
use super::progress::Progress;
use crate::app::DatagramArrival;
use crate::event::Event;
use crate::ids::NodeId;
use crate::jitter::Jitter;
use crate::results::DatagramResult;

/// A flow of datagrams. Its receiver, or with echo its sender, computes delay and jitter from what arrives.
pub(super) struct DatagramFlow {
    flow: u32,
    protocol: Protocol,
    /// The sending node and the receiving one, and their ports.
    nodes: [NodeId; 2],
    ports: [u16; 2],
    dscp: Dscp,
    pub(super) progress: Progress,
    sent: u32,
    bytes_sent: u64,
    received: u32,
    bytes_received: u64,
    /// The number after the highest that arrived.
    expected: u32,
    reordered: u32,
    delay: Histogram,
    jitter: Jitter,
    /// When the application finished.
    finished: Option<Time>,
}

impl DatagramFlow {
    /// A flow between `nodes`, the sending one first, which use `ports`.
    pub fn new(flow: u32, protocol: Protocol, nodes: [NodeId; 2], ports: [u16; 2], dscp: Dscp, start: Time) -> Self {
        DatagramFlow {
            flow,
            protocol,
            nodes,
            ports,
            dscp,
            progress: Progress::from(start),
            sent: 0,
            bytes_sent: 0,
            received: 0,
            bytes_received: 0,
            expected: 0,
            reordered: 0,
            delay: Histogram::default(),
            jitter: Jitter::default(),
            finished: None,
        }
    }

    pub fn bytes_received(&self) -> u64 {
        self.bytes_received
    }

    pub fn finish(&mut self, now: Time) {
        self.finished.get_or_insert(now);
    }

    /// When the last datagram was sent for good, if the application has finished.
    pub fn finished(&self) -> Option<Time> {
        self.finished
    }

    /// Whether all datagrams were sent and arrived.
    fn complete(&self) -> bool {
        self.finished.is_some() && self.received == self.sent
    }

    /// Returns the flow if a packet at its end number `side` comes from the other end.
    pub fn matches(&self, packet: &Packet, side: usize) -> Option<u32> {
        let there = packet.src == self.nodes[1 - side].addr() && packet.ports()[0] == self.ports[1 - side];
        there.then_some(self.flow)
    }

    /// Counts an arrival.
    fn count(&mut self, datagram: &Datagram, now: Time) -> DatagramArrival {
        let delay = now.since(datagram.created());
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
            round_trip: self.protocol == Protocol::EchoRequest,
            delay: self.delay.clone(),
            jitter: self.jitter.get(),
        }
    }
}

impl World {
    /// Sends the datagrams that the application of a flow has written.
    pub(super) fn send_datagrams<S: Observed>(&mut self, number: usize, sink: &mut S) {
        let mut sizes = std::mem::take(&mut self.datagram_sizes);
        for size in sizes.drain(..) {
            let flow = &mut self.endpoints.datagrams[number];
            let datagram = Datagram::new(flow.protocol, flow.ports, size, flow.sent, self.agenda.now());
            flow.sent += 1;
            flow.bytes_sent += u64::from(size);
            let [from, to] = flow.nodes;
            let body = Body::Datagram(datagram);
            let mut packet = Packet { dscp: flow.dscp, ..Packet::new(from.addr(), to.addr(), body) };
            self.originate(from, &mut packet, sink);
        }
        if self.datagram_sizes.is_empty() {
            self.datagram_sizes = sizes;
        }
        self.look_over_datagrams(number, sink);
    }

    /// A datagram has arrived at its destination.
    #[inline(never)]
    pub(super) fn receive_datagram<S: Observed>(&mut self, node: NodeId, packet: &Packet, sink: &mut S) {
        let Body::Datagram(datagram) = &packet.body else { return };
        let end = self.endpoints.datagram_ports.end(node, datagram.dst_port);
        let Some(end) = end.filter(|end| self.endpoints.datagrams[end / 2].matches(packet, end % 2).is_some()) else {
            return self.deliver_outside(node, packet);
        };
        let (number, at_receiver) = (end / 2, end % 2 == 1);
        let flow = &mut self.endpoints.datagrams[number];
        if at_receiver && flow.protocol == Protocol::EchoRequest {
            let body = Body::Datagram(datagram.reply());
            let mut reply = Packet { dscp: packet.dscp, ..Packet::new(packet.dst, packet.src, body) };
            return self.originate(node, &mut reply, sink);
        }
        let arrival = flow.count(datagram, self.agenda.now());
        if let Some((session, _)) = self.flows[flow.flow as usize].session
            && self.sessions[session as usize].application.observes()
        {
            self.with_application(session as usize, sink, |application, cx| application.arrived(&arrival, cx));
        }
        self.look_over_datagrams(number, sink);
    }

    /// Checks whether a flow of datagrams is over: its application has finished, and all have arrived. After a loss it
    /// is not over before the run ends.
    fn look_over_datagrams<S: Observed>(&mut self, number: usize, sink: &mut S) {
        if !self.endpoints.datagrams[number].complete() {
            return;
        }
        let flow = &mut self.flows[self.endpoints.datagrams[number].flow as usize];
        if !std::mem::replace(&mut flow.over, true) {
            flow.completed = Some(self.agenda.now());
            self.unfinished -= usize::from(flow.awaited);
            if S::ACTIVE {
                sink.event(self.agenda.now(), &Event::FlowCompleted { flow: flow.number });
            }
        }
    }
}
