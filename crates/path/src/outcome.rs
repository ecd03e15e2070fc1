//! Outcomes of link layers for the nodes at the ends of their links.

use engine::Time;
use wire::{Addr, Packet};

use crate::ids::HopId;

/// The link layer detected a failed attempt. Agents may respond to the failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RadioNotice {
    /// Hop of the attempt.
    pub hop: HopId,
    /// The packet.
    pub packet: Packet,
    /// Number of the failed attempt, from 1.
    pub attempt: u32,
    /// True for the last attempt: the packet is dropped.
    pub last: bool,
}

/// The acknowledgment of a packet has reached the link layer of the sending node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeliveryNotice {
    /// Hop that the packet has crossed.
    pub hop: HopId,
    /// The packet.
    pub packet: Packet,
    /// Time at which the packet joined the queue of the hop.
    pub queued: Time,
    /// Number of attempts, the successful one included.
    pub attempts: u32,
}

/// An outcome of a link layer for a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkOutcome {
    /// A packet arrived at the far end.
    Delivered(Packet),
    /// An attempt failed.
    Failed(RadioNotice),
    /// A packet was acknowledged; reported only by a hop whose sending node has an agent that [requires
    /// it](crate::agent::Agent::looks_at_deliveries).
    Acknowledged(DeliveryNotice),
    /// This number of bytes is free in the sending node's buffer.
    Freed(u32),
}

/// Collects the outcomes of one wake-up, in order. Usually there is one, a delivered packet, which is written to the
/// packet provided by the caller.
pub struct Outcomes<'a> {
    first: &'a mut Packet,
    delivered: Option<HopId>,
    more: &'a mut Vec<(HopId, LinkOutcome)>,
}

impl<'a> Outcomes<'a> {
    /// Creates an empty collection. If the first outcome is a delivered packet, it is written to `first`; all others
    /// are appended to `more`, which is empty.
    #[inline]
    pub fn new(first: &'a mut Packet, more: &'a mut Vec<(HopId, LinkOutcome)>) -> Self {
        Outcomes { first, delivered: None, more }
    }

    /// Adds a packet that arrived at the far end of `hop`.
    #[inline]
    pub fn deliver(&mut self, hop: HopId, packet: &Packet) {
        self.deliver_with(hop, |first| {
            *first = *packet;
            true
        });
    }

    /// Adds a packet as `deliver` does. `write` writes the packet, and returns false if the packet was lost.
    #[inline]
    pub fn deliver_with(&mut self, hop: HopId, write: impl FnOnce(&mut Packet) -> bool) {
        let first = self.delivered.is_none() && self.more.is_empty();
        let mut spare = None;
        let packet =
            if first { &mut *self.first } else { spare.insert(Packet::blank(Addr::of_node(0), Addr::of_node(0))) };
        if !write(packet) {
            return;
        }
        if first { self.delivered = Some(hop) } else { self.more.push((hop, LinkOutcome::Delivered(*packet))) }
    }

    /// Adds a failed attempt.
    #[inline]
    pub fn fail(&mut self, notice: RadioNotice) {
        self.more.push((notice.hop, LinkOutcome::Failed(notice)));
    }

    /// Adds an acknowledged packet.
    #[inline]
    pub fn acknowledge(&mut self, notice: DeliveryNotice) {
        self.more.push((notice.hop, LinkOutcome::Acknowledged(notice)));
    }

    /// Returns the hop of the packet that was written to the caller's packet; `None` if there is none.
    #[inline]
    pub fn delivered_hop(&self) -> Option<HopId> {
        self.delivered
    }
}
