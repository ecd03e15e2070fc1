//! A list of packets in the order of their arrival, used to build disciplines.

use std::collections::VecDeque;

use wire::Packet;

use super::Queued;

/// A first-in first-out list of packets; expedited ones precede the others, in the order of their arrival.
#[derive(Default)]
pub(super) struct PacketFifo {
    /// Expedited ones first.
    packets: VecDeque<Queued>,
    expedited: usize,
    bytes: u64,
}

impl PacketFifo {
    /// Adds a packet after all others, or before those that are not expedited.
    #[inline]
    pub fn push(&mut self, packet: Queued) {
        self.bytes += u64::from(packet.packet.size());
        if packet.expedited {
            self.packets.insert(self.expedited, packet);
            self.expedited += 1;
        } else {
            self.packets.push_back(packet);
        }
    }

    /// Takes the first packet with `take`, without copying it.
    #[inline]
    pub fn pop_with<T>(&mut self, take: impl FnOnce(&Queued) -> T) -> Option<T> {
        let first = self.packets.front()?;
        self.bytes -= u64::from(first.packet.size());
        self.expedited = self.expedited.saturating_sub(1);
        let taken = take(first);
        self.packets.pop_front();
        Some(taken)
    }

    /// Removes and returns the first packet.
    #[inline]
    pub fn pop(&mut self) -> Option<Queued> {
        self.pop_with(|queued| *queued)
    }

    /// Removes and returns the last packet.
    pub fn pop_back(&mut self) -> Option<Queued> {
        let last = self.packets.pop_back()?;
        self.bytes -= u64::from(last.packet.size());
        self.expedited = self.expedited.min(self.packets.len());
        Some(last)
    }

    /// Returns the first packet.
    pub fn front(&self) -> Option<&Packet> {
        self.first().map(|queued| &queued.packet)
    }

    /// Returns the first packet with its data.
    pub fn first(&self) -> Option<&Queued> {
        self.packets.front()
    }

    /// Returns the packets, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> + '_ {
        self.packets.iter().map(|queued| &queued.packet)
    }

    /// Returns the number of packets.
    #[inline]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Returns true if there is no packet.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Returns the bytes of all packets.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Implements the methods of [`QueueDiscipline`](super::QueueDiscipline) about waiting packets, for a discipline that
/// keeps all packets in this field, a [`PacketFifo`].
macro_rules! holds {
    ($field:ident) => {
        fn packets(&self) -> Box<dyn Iterator<Item = &wire::Packet> + '_> {
            Box::new(self.$field.iter())
        }

        fn len(&self) -> usize {
            self.$field.len()
        }

        fn bytes(&self) -> u64 {
            self.$field.bytes()
        }
    };
}
pub(super) use holds;
