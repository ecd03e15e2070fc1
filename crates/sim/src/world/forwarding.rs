//! A packet's path through one wake-up: out of a link into a node, to a connection or to the next link.

use path::HopId;
use path::agent::AgentVerdict;
use path::outcome::LinkOutcome;
use wire::{Body, Packet};

use super::World;
use super::event_loop::LoopSink;
use crate::event::NodeEvent;
use crate::ids::{HopIndex, NodeId};

impl World {
    /// Processes the outcomes of a link's or station's wake-up. If a packet was written over `arriving`, `delivered` is the
    /// hop that it has crossed.
    #[inline]
    pub(super) fn after_wakeup<S: LoopSink>(&mut self, delivered: Option<HopId>, arriving: &mut Packet, sink: &mut S) {
        if let Some(hop) = delivered {
            self.arrive(HopIndex::from(hop), arriving, sink);
        }
        if let Some(outcomes) = self.transmitters.take_outcomes() {
            self.process_outcomes(outcomes, sink);
        }
    }

    #[inline(never)]
    fn process_outcomes<S: LoopSink>(&mut self, mut outcomes: Vec<(HopId, LinkOutcome)>, sink: &mut S) {
        for (hop, outcome) in outcomes.drain(..) {
            self.process_outcome(hop, outcome, sink);
        }
        self.transmitters.reuse_outcomes(outcomes);
    }

    /// Processes an outcome at the node concerned.
    pub(super) fn process_outcome<S: LoopSink>(&mut self, hop: HopId, outcome: LinkOutcome, sink: &mut S) {
        let hop = HopIndex::from(hop);
        match outcome {
            LinkOutcome::Delivered(mut packet) => self.arrive(hop, &mut packet, sink),
            LinkOutcome::Failed(notice) => self.notify_agent(self.topology.near_end(hop), &notice, sink),
            LinkOutcome::Acknowledged(notice) => {
                self.notify_agent_of_delivery(self.topology.near_end(hop), &notice, sink);
            }
            LinkOutcome::Freed(bytes) => self.transmitters.release(self.topology.near_end(hop), bytes),
        }
    }

    /// Handles the arrival of a packet at the node at the far end of a hop.
    #[inline]
    pub(super) fn arrive<S: LoopSink>(&mut self, hop: HopIndex, packet: &mut Packet, sink: &mut S) {
        let node = self.topology.far_end(hop);
        let here = self.topology.role(node);
        let ends = packet.dst == node.addr();
        if !ends && !here.forwards {
            return;
        }
        let agent_acts = self.topology.is_wireless(hop) && self.processors.has_agent(node);
        self.emit(node, sink, || {
            if ends { NodeEvent::Received { packet: *packet } } else { NodeEvent::Transit { packet: *packet } }
        });
        if agent_acts
            && self.ask_agent(node, packet, sink, |agent, packet, cx| agent.after_air(packet, cx)) == AgentVerdict::Take
        {
            self.agent_sends(node, sink);
            return;
        }
        if !(agent_acts && self.processors.delay_after_agent(hop, packet, &mut self.agenda)) {
            if ends { self.receive(node, packet, sink) } else { self.forward(node, packet, sink) }
        }
        if agent_acts {
            self.agent_sends(node, sink);
        }
    }

    /// Handles a packet that the node has processed.
    pub(super) fn pass_on<S: LoopSink>(&mut self, node: NodeId, packet: &mut Packet, sink: &mut S) {
        if packet.dst == node.addr() { self.receive(node, packet, sink) } else { self.forward(node, packet, sink) }
    }

    /// Sends a packet that was created at this node.
    #[inline]
    pub(super) fn originate<S: LoopSink>(&mut self, node: NodeId, packet: &mut Packet, sink: &mut S) {
        if packet.dst == node.addr() {
            self.receive(node, packet, sink);
            return;
        }
        if self.admit(node, packet, sink) {
            self.emit(node, sink, || NodeEvent::Sent { packet: *packet });
            self.output(node, packet, sink);
        }
    }

    /// Forwards a packet to another node.
    #[inline]
    fn forward<S: LoopSink>(&mut self, node: NodeId, packet: &mut Packet, sink: &mut S) {
        if !self.admit(node, packet, sink) {
            return;
        }
        if !self.processors.process(node, packet, &mut self.agenda) {
            self.output(node, packet, sink);
        }
    }

    /// Whether the node's buffers have room for the packet.
    #[inline(always)]
    pub(super) fn admit<S: LoopSink>(&mut self, node: NodeId, packet: &Packet, sink: &mut S) -> bool {
        !self.transmitters.is_limited(node) || self.admit_to_limited(node, packet, sink)
    }

    #[inline(never)]
    fn admit_to_limited<S: LoopSink>(&mut self, node: NodeId, packet: &Packet, sink: &mut S) -> bool {
        let admitted = self.transmitters.admit(node, packet.size(), self.agenda.now());
        if !admitted {
            self.emit(node, sink, || NodeEvent::BufferFull { packet: *packet });
        }
        admitted
    }

    /// Hands a packet to the link on its route after passing it to the node's agent, which may change or consume it.
    #[inline]
    pub(super) fn output<S: LoopSink>(&mut self, node: NodeId, packet: &mut Packet, sink: &mut S) {
        let Some(hop) = self.topology.next_hop(node, packet.dst) else {
            // Scenarios are checked, so that the only possible cause is a mobile without a base station.
            self.transmitters.release(node, packet.size());
            self.topology.count_no_route(node);
            self.emit(node, sink, || NodeEvent::NoRoute { packet: *packet });
            return;
        };
        if self.topology.is_wireless(hop) && self.processors.has_agent(node) {
            return self.output_through_agent(node, hop, packet, sink);
        }
        self.launch(node, hop, packet, false, sink);
    }

    /// Hands a packet to a link. An `expedited` packet is put ahead of the queue. Returns whether the packet was
    /// accepted.
    #[inline(always)]
    pub(super) fn launch<S: LoopSink>(
        &mut self,
        node: NodeId,
        hop: HopIndex,
        packet: &Packet,
        expedited: bool,
        sink: &mut S,
    ) -> bool {
        let relay = &mut self.probes.relay(&self.endpoints, sink);
        self.transmitters.accept((node, hop), packet, expedited, &mut self.agenda, relay)
    }

    /// Handles a packet that has arrived at its destination.
    #[inline]
    pub(super) fn receive<S: LoopSink>(&mut self, node: NodeId, packet: &Packet, sink: &mut S) {
        let Body::Tcp(segment) = &packet.body else { return self.receive_message(node, packet, sink) };
        match self.endpoints.take_segment(node, segment, packet.ecn, self.agenda.now()) {
            Some(end) => self.end_acted(end, sink),
            None => self.deliver_outside(node, packet),
        }
    }

    /// Processes a packet other than a segment that has arrived at its destination.
    #[inline(never)]
    fn receive_message<S: LoopSink>(&mut self, node: NodeId, packet: &Packet, sink: &mut S) {
        let Body::Icmp(notice) = &packet.body else { return self.receive_datagram(node, packet, sink) };
        match self.endpoints.take_notice(packet, notice, self.agenda.now()) {
            Some(end) => self.end_acted(end, sink),
            None => self.deliver_outside(node, packet),
        }
    }
}
