//! Packets that wait to be sent for the first time.

use std::collections::VecDeque;

use engine::Order;
use wire::{Ecn, Packet};

use crate::context::{Cx, Observer};
use crate::event::{HopId, LinkEvent};
use crate::link::Counters;
use crate::queue::Limit;

pub(crate) struct Backlog {
    limit: Limit,
    /// Beyond this a packet that says it understands marks is marked.
    pub threshold: Limit,
    /// Expedited ones first.
    packets: VecDeque<(Packet, Order)>,
    expedited: usize,
    bytes: u64,
}

impl Backlog {
    pub fn new(limit: Limit) -> Self {
        Backlog { limit, threshold: Limit::None, packets: VecDeque::new(), expedited: 0, bytes: 0 }
    }

    pub fn len(&self) -> usize {
        self.packets.len()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().map(|(packet, _)| packet)
    }

    /// Whether a packet that has to wait finds room, besides packets and bytes that wait elsewhere; marks it if more than
    /// the threshold waits [RFC8257 s3.1].
    pub fn admits<O: Observer>(
        &self,
        packet: &mut Packet,
        besides: (usize, u64),
        hop: HopId,
        counters: &mut Counters,
        cx: &mut Cx<'_, O>,
    ) -> bool {
        let (packets, bytes) = (self.packets.len() + besides.0, self.bytes + besides.1);
        if !self.limit.admits(packets, bytes, packet.size()) {
            counters.packets_dropped += 1;
            counters.queue_full += 1;
            cx.emit(hop, || LinkEvent::QueueFull { packet: *packet });
            return false;
        }
        if packet.ecn.is_capable() && self.threshold.is_exceeded(packets, bytes) {
            packet.ecn = Ecn::Ce;
            counters.marked += 1;
            cx.emit(hop, || LinkEvent::Marked { packet: *packet });
        }
        true
    }

    /// Adds a packet: behind all others, or before those that are not expedited if it is `expedited`.
    pub fn push(&mut self, packet: Packet, order: Order, expedited: bool) {
        self.bytes += u64::from(packet.size());
        if expedited {
            self.packets.insert(self.expedited, (packet, order));
            self.expedited += 1;
        } else {
            self.packets.push_back((packet, order));
        }
    }

    pub fn pop(&mut self) -> Option<(Packet, Order)> {
        let (packet, order) = self.packets.pop_front()?;
        self.expedited = self.expedited.saturating_sub(1);
        self.bytes -= u64::from(packet.size());
        Some((packet, order))
    }
}
