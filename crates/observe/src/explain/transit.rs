//! The position of each packet of a flow in the network.
//!
//! Between two nodes packets of one flow keep their order, so of several transmissions of the same bytes the oldest at
//! a node is the one that leaves it. A queue tells when the one that it drops arrived there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use engine::Time;
use path::MediumId;
use wire::{Addr, Packet};

use super::sending::Sending;

/// Whether an observed packet is this transmission: a queue may have marked it since.
fn is(sending: &Sending, packet: &Packet) -> bool {
    sending.packet == Packet { ecn: sending.packet.ecn, ..*packet }
}

#[derive(Default)]
pub(super) struct Transit {
    /// By the node they are at or have left last, and their destination.
    places: BTreeMap<(usize, Addr), VecDeque<Sending>>,
    /// Those of them waiting for a link layer.
    lanes: BTreeSet<(usize, Addr)>,
    /// For each node the medium to which all its links belong, if there is one.
    homes: Rc<[Option<MediumId>]>,
    /// The medium in which each waits, if any; and by medium and node their number, and since when there are any.
    media: BTreeMap<(usize, Addr), MediumId>,
    waiting: BTreeMap<(MediumId, usize), (u32, Time)>,
    /// The number of transmissions of data in the network, by first byte.
    alive: BTreeMap<u64, u32>,
    in_network: usize,
    empty_since: Option<Time>,
}

impl Transit {
    /// An empty state for a network whose nodes belong to these media.
    pub fn new(homes: Rc<[Option<MediumId>]>) -> Self {
        Transit { homes, ..Transit::default() }
    }

    /// Since when the network has been empty of the flow's packets.
    pub fn empty_since(&self) -> Option<Time> {
        self.empty_since
    }

    /// Every packet in the network.
    pub fn all(&self) -> impl Iterator<Item = &Sending> {
        self.places.values().flatten()
    }

    /// Whether a segment that begins at `seq` is in the network.
    pub fn has_data(&self, seq: u64) -> bool {
        self.alive.contains_key(&seq)
    }

    /// Every packet waiting for a link layer.
    pub fn with_link_layer(&self) -> impl Iterator<Item = &Sending> {
        self.lanes.iter().filter_map(|lane| self.places.get(lane)).flatten()
    }

    /// Whether a packet to `to` is at a node.
    pub fn waits(&self, node: usize, to: Addr) -> bool {
        self.places.get(&(node, to)).is_some_and(|place| !place.is_empty())
    }

    /// Packets from a node to `to` now wait for a link layer.
    pub fn has_link_layer(&mut self, node: usize, to: Addr) {
        self.lanes.insert((node, to));
    }

    /// Packets from a node to `to` now wait in a medium.
    pub fn is_of_medium(&mut self, at: Time, node: usize, to: Addr, medium: MediumId) {
        self.lanes.insert((node, to));
        let before = self.media.insert((node, to), medium);
        if before == Some(medium) {
            return;
        }
        let here = self.places.get(&(node, to)).map_or(0, |place| place.len() as u32);
        // A mobile has changed from one medium to another.
        if let Some((waiting, _)) = before.and_then(|before| self.waiting.get_mut(&(before, node))) {
            *waiting -= here;
        }
        let (waiting, since) = self.waiting.entry((medium, node)).or_insert((0, at));
        *since = if *waiting == 0 { at } else { *since };
        *waiting += here;
    }

    /// The nodes where a packet waits for medium access, and since when.
    pub fn waits_in(&self, medium: MediumId) -> impl Iterator<Item = (usize, Time)> {
        let here = self.waiting.range((medium, 0)..=(medium, usize::MAX));
        here.filter(|(_, (waiting, _))| *waiting > 0).map(|((_, node), (_, since))| (*node, *since))
    }

    /// The number of packets that wait in a medium.
    pub fn waiting_in(&self, medium: MediumId) -> u32 {
        self.waiting.range((medium, 0)..=(medium, usize::MAX)).map(|(_, (waiting, _))| waiting).sum()
    }

    /// Whether a packet is at a node, or on a link from there.
    pub fn has(&self, node: usize, packet: &Packet) -> bool {
        let place = self.places.get(&(node, packet.dst));
        place.is_some_and(|place| place.iter().any(|sending| is(sending, packet)))
    }

    /// The attempt with that number has failed, or is about to; whether the packet is at the node.
    pub fn failed(&mut self, node: usize, attempt: u32, packet: &Packet) -> bool {
        let place = self.places.get_mut(&(node, packet.dst));
        let sending = place.and_then(|place| place.iter_mut().find(|sending| is(sending, packet)));
        let found = sending.is_some();
        if let Some(sending) = sending {
            sending.failed = sending.failed.max(attempt);
        }
        found
    }

    /// A packet arrives at a node.
    pub fn put(&mut self, at: Time, node: usize, mut sending: Sending) {
        sending.at_node_since = at;
        if let Some(medium) = self.homes.get(node).copied().flatten() {
            self.media.entry((node, sending.packet.dst)).or_insert(medium);
        }
        if let Some(medium) = self.media.get(&(node, sending.packet.dst)) {
            let (waiting, since) = self.waiting.entry((*medium, node)).or_insert((0, at));
            *since = if *waiting == 0 { at } else { *since };
            *waiting += 1;
        }
        self.places.entry((node, sending.packet.dst)).or_default().push_back(sending);
    }

    /// A packet leaves a node for the next one.
    pub fn leave(&mut self, node: usize, packet: &Packet) -> Option<Sending> {
        let place = self.places.get_mut(&(node, packet.dst))?;
        let oldest = place.iter().position(|sending| is(sending, packet))?;
        let left = place.remove(oldest);
        self.has_left(node, packet.dst);
        left
    }

    /// A packet no longer waits at a node.
    fn has_left(&mut self, node: usize, to: Addr) {
        if let Some(medium) = self.media.get(&(node, to))
            && let Some((waiting, _)) = self.waiting.get_mut(&(*medium, node))
        {
            *waiting -= 1;
        }
    }

    /// A packet is lost after it has left a node.
    pub fn take_oldest(&mut self, at: Time, node: usize, packet: &Packet) -> Option<Sending> {
        let lost = self.leave(node, packet)?;
        self.left(at, &lost);
        Some(lost)
    }

    /// A packet is dropped by a queue, which it joined at `queued`, or by a node.
    pub fn take_queued(&mut self, at: Time, node: usize, packet: &Packet, queued: Time) -> Option<Sending> {
        let place = self.places.get_mut(&(node, packet.dst))?;
        let last = place.iter().rposition(|sending| sending.at_node_since <= queued && is(sending, packet))?;
        let lost = place.remove(last)?;
        self.has_left(node, packet.dst);
        self.left(at, &lost);
        Some(lost)
    }

    /// A packet enters the network; its position is set separately.
    pub fn entered(&mut self, sending: &Sending) {
        self.in_network += 1;
        self.empty_since = None;
        if let Some(seq) = sending.seq() {
            *self.alive.entry(seq).or_default() += 1;
        }
    }

    /// A packet was dropped on entering the network.
    pub fn refused(&mut self, at: Time) {
        if self.in_network == 0 {
            self.empty_since.get_or_insert(at);
        }
    }

    /// A packet without a position leaves the network.
    pub fn left(&mut self, at: Time, sending: &Sending) {
        if let Some(seq) = sending.seq()
            && let Some(count) = self.alive.get_mut(&seq)
        {
            *count -= 1;
            if *count == 0 {
                self.alive.remove(&seq);
            }
        }
        self.in_network -= 1;
        if self.in_network == 0 {
            self.empty_since = Some(at);
        }
    }
}
