//! The path of packets in their compact form: segments without options, from one link to the next or to a connection,
//! in runs without an active sink. Everything else, such as schemes, processing delays and other kinds of links, is
//! handled by `forwarding`.

use tcp::Polled;
use wire::{Addr, CompactPacket, Packet};

use super::World;
use super::event_loop::LoopSink;
use crate::ids::{HopIndex, NodeId};
use crate::world::ids::EndId;

impl World {
    /// Handles the arrival of a packet at the node at the far end of a hop. `whole` is a buffer for the packet.
    #[inline]
    pub(super) fn arrive_compact<S: LoopSink>(
        &mut self,
        hop: HopIndex,
        packet: &CompactPacket,
        whole: &mut Packet,
        sink: &mut S,
    ) {
        let node = self.topology.far_end(hop);
        let here = self.topology.role(node);
        let handled = here.passes_on
            && if packet.dst() == node.addr() {
                self.receive_compact(node, packet, sink)
            } else {
                here.forwards && self.output_compact(node, packet, sink)
            };
        if !handled {
            packet.write_to(whole);
            self.arrive(hop, whole, sink);
        }
    }

    /// The hop from `node` to the address `to`, if the hop is a FIFO link.
    #[inline(always)]
    fn fifo_hop(&mut self, node: NodeId, to: Addr) -> Option<HopIndex> {
        let hop = self.topology.next_hop(node, to)?;
        self.transmitters.is_fifo(hop).then_some(hop)
    }

    /// Hands a packet to the link on its route. Returns false, without any action, if that link is not a FIFO link.
    #[inline]
    fn output_compact<S: LoopSink>(&mut self, node: NodeId, packet: &CompactPacket, sink: &mut S) -> bool {
        let Some(hop) = self.fifo_hop(node, packet.dst()) else { return false };
        self.enqueue_compact(hop, packet, sink);
        true
    }

    /// Hands a packet to a FIFO link.
    #[inline]
    fn enqueue_compact<S: LoopSink>(&mut self, hop: HopIndex, packet: &CompactPacket, sink: &mut S) {
        let relay = &mut self.probes.relay(&self.endpoints, sink);
        self.transmitters.accept_compact(hop, packet, &mut self.agenda, relay);
    }

    /// Hands a segment of an end to a FIFO link.
    #[inline(always)]
    fn send_on<S: LoopSink>(&mut self, hop: HopIndex, end: EndId, packet: &CompactPacket, sink: &mut S) {
        if S::TIMES && self.probes.measures_delays() {
            self.probes.time_sent(end, packet, &self.endpoints, self.agenda.now());
        }
        self.enqueue_compact(hop, packet, sink);
    }

    /// Passes a packet to its connection if header prediction applies. Otherwise returns false without any action.
    #[inline]
    fn receive_compact<S: LoopSink>(&mut self, node: NodeId, packet: &CompactPacket, sink: &mut S) -> bool {
        let Some(segment) = packet.segment() else { return false };
        let taken = self.endpoints.take_predicted(node, segment, packet.ecn(), self.agenda.now());
        let Some(end) = taken else { return false };
        if S::TIMES && self.probes.measures_delays() {
            self.probes.time_received(end, packet, &self.endpoints, self.agenda.now());
        }
        self.end_acted(end, sink);
        true
    }

    /// Sends the segments of a connection while they have no options; returns false if further segments are possible.
    #[inline]
    pub(super) fn send_compact<S: LoopSink>(&mut self, number: EndId, sink: &mut S) -> bool {
        let end = self.endpoints.end(number);
        let (node, addresses, dscp) = (end.node(), end.addresses(), end.dscp());
        if S::ACTIVE || !self.topology.role(node).passes_on || addresses[0] == addresses[1] {
            return false;
        }
        let Some(hop) = self.fifo_hop(node, addresses[1]) else { return false };
        loop {
            match self.endpoints.poll_compact(number, self.agenda.now()) {
                Polled::Nothing => return true,
                Polled::WithOptions => return false,
                Polled::Segment(segment, ecn) => {
                    self.send_on(hop, number, &CompactPacket::new(addresses, ecn, dscp, segment), sink);
                }
                Polled::Last(segment, ecn) => {
                    self.send_on(hop, number, &CompactPacket::new(addresses, ecn, dscp, segment), sink);
                    return true;
                }
            }
        }
    }
}
