//! The path of packets in their compact form: segments without options, from one link to the next or to a connection, in
//! runs without an active sink. What needs more, such as a scheme, a processing delay, or any other kind of link, is left
//! to `forwarding`.

use path::Cx;
use tcp::Polled;
use wire::{CompactPacket, Packet};

use super::{Hop, Relay, World};
use crate::event::Sink;

impl World {
    /// A packet arrives at the node at the far end of a hop; `whole` is a buffer for it.
    #[inline]
    pub(super) fn arrive_compact<S: Sink>(
        &mut self,
        hop: usize,
        packet: &CompactPacket,
        whole: &mut Packet,
        sink: &mut S,
    ) {
        let node = self.far_ends[hop] as usize;
        let here = &self.nodes[node];
        let handled = here.passes_on
            && match packet.dst() == here.addr {
                true => self.receive_compact(node, packet, sink),
                false => here.forwards && self.output_compact(node, packet, sink),
            };
        if !handled {
            packet.write_to(whole);
            self.arrive(hop, whole, sink);
        }
    }

    /// The hop from `node` to the node `to`, if it is a FIFO link.
    #[inline(always)]
    fn fifo_hop(&mut self, node: usize, to: usize) -> Option<usize> {
        let hop = self.routes.hop(node, to)?;
        matches!(self.hops[hop], Hop::Fifo(_)).then_some(hop)
    }

    /// Hands a packet to the link on its route; returns false, and does nothing, if that is no FIFO link.
    #[inline]
    fn output_compact<S: Sink>(&mut self, node: usize, packet: &CompactPacket, sink: &mut S) -> bool {
        let Some(hop) = self.fifo_hop(node, packet.dst().node()) else { return false };
        self.enqueue_compact(hop, packet, sink);
        true
    }

    /// Hands a packet to a FIFO link.
    #[inline]
    fn enqueue_compact<S: Sink>(&mut self, hop: usize, packet: &CompactPacket, sink: &mut S) {
        let Hop::Fifo(link) = &mut self.hops[hop] else { unreachable!("the hop is a FIFO link") };
        let relay = &mut Relay { sink, flows: &self.endpoints };
        let mut cx = Cx { now: self.now, schedule: &mut self.schedule, channels: &mut self.channels, observer: relay };
        link.on_compact(packet, &mut cx);
    }

    /// Passes a packet to the connection that it is for, if that predicts it; returns false, and does nothing, otherwise.
    #[inline]
    fn receive_compact<S: Sink>(&mut self, node: usize, packet: &CompactPacket, sink: &mut S) -> bool {
        let Some(segment) = packet.segment() else { return false };
        let Some(number) = self.endpoints.ports.end(node, segment.dst_port) else { return false };
        let end = &mut self.endpoints.ends[number];
        if end.connection.handle_predicted(self.now, segment, packet.ecn()).is_err() {
            return false;
        }
        end.progress.has(end.connection.bytes_received(), self.now);
        self.end_acted(number, sink);
        true
    }

    /// Sends the segments of a connection while they have no options; returns false if there may be others.
    #[inline]
    pub(super) fn send_compact<S: Sink>(&mut self, number: usize, sink: &mut S) -> bool {
        let end = &self.endpoints.ends[number];
        let (node, to, addresses, dscp) = (end.node, end.peer.node(), [end.addr, end.peer], end.dscp);
        if S::ACTIVE || !self.nodes[node].passes_on || end.addr == end.peer {
            return false;
        }
        let Some(hop) = self.fifo_hop(node, to) else { return false };
        loop {
            match self.endpoints.ends[number].connection.poll_compact(self.now) {
                Polled::Nothing => return true,
                Polled::WithOptions => return false,
                Polled::Segment(segment, ecn) => {
                    self.enqueue_compact(hop, &CompactPacket::new(addresses, ecn, dscp, segment), sink);
                }
                Polled::Last(segment, ecn) => {
                    self.enqueue_compact(hop, &CompactPacket::new(addresses, ecn, dscp, segment), sink);
                    return true;
                }
            }
        }
    }
}
