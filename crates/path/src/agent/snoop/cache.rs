//! Cache of a flow's packets until the mobile acknowledges them.

use std::collections::VecDeque;

use wire::Packet;

/// A packet that the base station has sent to the mobile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cached {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Stream offset after the last byte.
    pub end: u64,
    pub packet: Packet,
    /// Number of local retransmissions since the packet last arrived from the sender.
    pub retransmissions: u32,
    /// True if the TCP sender has retransmitted the packet: duplicate acknowledgments that request it are then
    /// forwarded, not suppressed.
    pub senders: bool,
    /// Number of copies sent without an indication that the previous transmission was lost.
    pub needless: u32,
    /// Number of the flow's packets sent up to the packet's last transmission.
    pub order: u64,
}

/// Cached packets in the order of their stream offsets. Packets are mostly appended in order and removed at the front,
/// so a ring buffer avoids searches; an insertion in the middle moves the packets on the shorter side.
#[derive(Default)]
pub(super) struct Cache {
    packets: VecDeque<Cached>,
    bytes: u64,
}

impl Cache {
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Returns the total size of the packets in bytes, including headers.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn get(&mut self, start: u64) -> Option<&mut Cached> {
        let place = self.place(start).ok()?;
        self.packets.get_mut(place)
    }

    /// Adds a packet, or replaces the one with the same offset.
    pub fn insert(&mut self, cached: Cached) {
        self.bytes += u64::from(cached.packet.size());
        match self.place(cached.start) {
            Ok(place) => {
                let before = std::mem::replace(&mut self.packets[place], cached);
                self.bytes -= u64::from(before.packet.size());
            }
            Err(place) if place == self.packets.len() => self.packets.push_back(cached),
            Err(place) => self.packets.insert(place, cached),
        }
    }

    /// Removes a packet.
    pub fn remove(&mut self, start: u64) {
        let gone = self.place(start).ok().and_then(|place| self.packets.remove(place));
        self.bytes -= gone.map_or(0, |cached| u64::from(cached.packet.size()));
    }

    /// Returns the first packet if it contains the byte at `offset`.
    pub fn holding(&mut self, offset: u64) -> Option<&mut Cached> {
        self.first().filter(|first| (first.start..first.end).contains(&offset))
    }

    /// Returns the first packet.
    pub fn first(&mut self) -> Option<&mut Cached> {
        self.packets.front_mut()
    }

    /// Removes the fully acknowledged packets at the front; returns the number of possibly needless retransmissions of
    /// these packets.
    pub fn acknowledge(&mut self, acked: u64) -> u64 {
        let mut needless = 0;
        while let Some(first) = self.packets.front().filter(|first| first.end <= acked) {
            self.bytes -= u64::from(first.packet.size());
            needless += u64::from(first.needless);
            self.packets.pop_front();
        }
        needless
    }

    /// Returns the position of the packet that begins at `start`, or `Err` with its insertion position.
    #[inline]
    fn place(&self, start: u64) -> Result<usize, usize> {
        match self.packets.back() {
            Some(last) if last.start >= start => self.packets.binary_search_by_key(&start, |cached| cached.start),
            _ => Err(self.packets.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use wire::{Addr, Body, Segment};

    use super::*;

    fn cached(start: u64, len: u32) -> Cached {
        let body = Body::Tcp(Segment { len, ..Segment::default() });
        let packet = Packet::new(Addr::of_node(0), Addr::of_node(1), body);
        Cached { start, end: start + u64::from(len), packet, retransmissions: 0, senders: false, needless: 0, order: 0 }
    }

    fn starts(cache: &Cache) -> Vec<u64> {
        cache.packets.iter().map(|cached| cached.start).collect()
    }

    #[test]
    fn packets_are_ordered_by_offset() {
        let mut cache = Cache::default();
        for start in [30, 10, 50, 20, 40, 60] {
            cache.insert(cached(start, 10));
        }
        assert_eq!(starts(&cache), [10, 20, 30, 40, 50, 60]);
        // Each packet has 40 bytes of headers.
        assert_eq!(cache.bytes(), 6 * 50);
        // A longer packet replaces the one with the same offset.
        cache.insert(cached(20, 15));
        assert_eq!((cache.len(), cache.bytes()), (6, 6 * 50 + 5));
        assert!(cache.get(25).is_none() && cache.get(70).is_none());
        assert_eq!(cache.get(20).map(|cached| cached.end), Some(35));
        cache.remove(40);
        cache.remove(45);
        assert_eq!((starts(&cache), cache.bytes()), (vec![10, 20, 30, 50, 60], 5 * 50 + 5));
    }

    #[test]
    fn partially_acknowledged_packet_is_kept() {
        let mut cache = Cache::default();
        for start in [10, 20, 30] {
            cache.insert(cached(start, 10));
        }
        cache.acknowledge(29);
        assert_eq!((starts(&cache), cache.bytes()), (vec![20, 30], 100));
        assert!(cache.holding(29).is_some() && cache.holding(30).is_none() && cache.holding(19).is_none());
        cache.acknowledge(40);
        assert_eq!((cache.len(), cache.bytes()), (0, 0));
        assert!(cache.first().is_none() && cache.get(20).is_none());
    }
}
