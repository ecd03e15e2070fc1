//! The far end of a lane whose packets are acknowledged in blocks: packets are handed up in sequence [802.11-2012 s9.21.4].

use std::collections::BTreeMap;

use wire::Packet;

/// What has come, and what is waited for.
#[derive(Default)]
pub(super) struct Reorder {
    /// The number of the next packet to hand up.
    next: u64,
    /// Beyond it: packets that have come, and numbers that never will. At most a window of them.
    held: BTreeMap<u64, Option<Packet>>,
}

impl Reorder {
    /// Packet `number` has come. Whether it is new.
    pub fn receive(&mut self, number: u64, packet: Packet) -> bool {
        let new = number >= self.next && !self.held.contains_key(&number);
        if new {
            self.held.insert(number, Some(packet));
        }
        new
    }

    /// Packet `number` will not come any more, if it has not yet.
    pub fn pass_over(&mut self, number: u64) {
        if number >= self.next {
            self.held.entry(number).or_insert(None);
        }
    }

    /// The next packet to hand up, if it has come.
    pub fn hand_up(&mut self) -> Option<Packet> {
        loop {
            let packet = self.held.remove(&self.next)?;
            self.next += 1;
            if packet.is_some() {
                return packet;
            }
        }
    }
}
