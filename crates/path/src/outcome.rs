//! What link layers bring about at the nodes at the ends of their links.

use wire::{Addr, Packet};

use crate::event::HopId;

/// The link layer detected a failed attempt. Agents react to it.
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

/// Something that a link layer brings about at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A packet has come to the far end.
    Delivered(Packet),
    /// An attempt failed.
    Failed(RadioNotice),
    /// The sending node need not keep this number of bytes any longer.
    Freed(u32),
}

/// Collects the outcomes of one wake-up, in order. The first one is nearly always the only one, and nearly always a packet
/// that is delivered: it is written where the caller wants it.
pub struct Outcomes<'a> {
    first: &'a mut Packet,
    delivered: Option<HopId>,
    more: &'a mut Vec<(HopId, Outcome)>,
}

impl<'a> Outcomes<'a> {
    /// No outcomes so far. If the first is a packet that is delivered, it is written over `first`; all others go to `more`, which is
    /// empty.
    #[inline]
    pub fn new(first: &'a mut Packet, more: &'a mut Vec<(HopId, Outcome)>) -> Self {
        Outcomes { first, delivered: None, more }
    }

    /// A packet has come to the far end of `hop`.
    #[inline]
    pub fn deliver(&mut self, hop: HopId, packet: &Packet) {
        self.deliver_with(hop, |first| {
            *first = *packet;
            true
        });
    }

    /// `write` writes a packet over another and returns whether it has come to the far end of `hop`, or was lost.
    #[inline]
    pub fn deliver_with(&mut self, hop: HopId, write: impl FnOnce(&mut Packet) -> bool) {
        let first = self.delivered.is_none() && self.more.is_empty();
        let mut spare = None;
        let packet = match first {
            true => &mut *self.first,
            false => spare.insert(Packet::blank(Addr::of_node(0), Addr::of_node(0))),
        };
        if !write(packet) {
            return;
        }
        match first {
            true => self.delivered = Some(hop),
            false => self.more.push((hop, Outcome::Delivered(*packet))),
        }
    }

    /// An attempt failed.
    #[inline]
    pub fn fail(&mut self, notice: RadioNotice) {
        self.more.push((notice.hop, Outcome::Failed(notice)));
    }

    /// The hop to whose far end the packet has come that was written over the caller's, if one was.
    #[inline]
    pub fn delivered(&self) -> Option<HopId> {
        self.delivered
    }
}
