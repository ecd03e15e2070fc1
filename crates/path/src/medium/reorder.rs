//! Reorder buffer at the receiver of aggregates: packets are delivered in sequence [802.11-2012 s9.21.4].

use std::collections::BTreeMap;

use wire::Packet;

/// Reorder buffer of a receiver.
#[derive(Default)]
pub(super) struct Reorder {
    /// Number of the next packet to deliver.
    next: u64,
    /// Packets received after `next`, with `None` for numbers that were given up; at most a window of packets.
    buffered: BTreeMap<u64, Option<Packet>>,
}

impl Reorder {
    /// Stores packet `number`; returns true if it is new.
    pub fn receive(&mut self, number: u64, packet: Packet) -> bool {
        let new = number >= self.next && !self.buffered.contains_key(&number);
        if new {
            self.buffered.insert(number, Some(packet));
        }
        new
    }

    /// Marks packet `number` as given up, unless the packet was received.
    pub fn pass_over(&mut self, number: u64) {
        if number >= self.next {
            self.buffered.entry(number).or_insert(None);
        }
    }

    /// Returns the next packet in sequence; `None` if it has not been received.
    pub fn hand_up(&mut self) -> Option<Packet> {
        loop {
            let packet = self.buffered.remove(&self.next)?;
            self.next += 1;
            if packet.is_some() {
                return packet;
            }
        }
    }
}
