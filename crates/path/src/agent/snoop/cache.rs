//! What the base station keeps of a flow's packets until the mobile has acknowledged them.

use std::collections::BTreeMap;

use wire::Packet;

/// A packet that has gone out to the mobile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cached {
    pub packet: Packet,
    /// Offset behind its last byte.
    pub end: u64,
    /// Local retransmissions since it last came from the sender.
    pub retransmissions: u32,
    /// Whether the sender has resent it: its duplicate acknowledgments are the sender's.
    pub senders: bool,
    /// How many packets of the flow had gone out when it last did.
    pub order: u64,
}

/// Packets by the offset of their first byte.
#[derive(Default)]
pub(super) struct Cache {
    packets: BTreeMap<u64, Cached>,
    bytes: u64,
}

impl Cache {
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Bytes of the packets, headers included.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn get(&mut self, start: u64) -> Option<&mut Cached> {
        self.packets.get_mut(&start)
    }

    /// Adds or replaces a packet.
    pub fn insert(&mut self, start: u64, cached: Cached) {
        self.bytes += u64::from(cached.packet.size());
        if let Some(before) = self.packets.insert(start, cached) {
            self.bytes -= u64::from(before.packet.size());
        }
    }

    /// Forgets a packet.
    pub fn remove(&mut self, start: u64) {
        self.bytes -= self.packets.remove(&start).map_or(0, |cached| u64::from(cached.packet.size()));
    }

    /// The first packet, if it holds the byte at `offset`.
    pub fn holding(&mut self, offset: u64) -> Option<&mut Cached> {
        let mut first = self.packets.first_entry()?;
        (*first.key() <= offset && offset < first.get_mut().end).then(|| first.into_mut())
    }

    /// The first packet.
    pub fn first(&mut self) -> Option<(u64, &mut Cached)> {
        self.packets.iter_mut().next().map(|(start, cached)| (*start, cached))
    }

    /// Forgets what is wholly acknowledged.
    pub fn acknowledge(&mut self, acked: u64) {
        while let Some(first) = self.packets.first_entry() {
            if *first.key() >= acked {
                break;
            }
            if first.get().end > acked {
                break;
            }
            self.bytes -= u64::from(first.remove().packet.size());
        }
    }
}
