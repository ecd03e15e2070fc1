//! The packets of one flow in the network, and the stage of each on its hop.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use engine::Time;
use wire::{Addr, Packet};

/// Node, and destination of the packets that are on their way from there.
pub(super) type Place = (usize, Addr);

/// The stage of a packet on its way from one node to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// At the node. It may wait in a queue, or the node may process it.
    Held,
    /// In the queue of a hop that computes departures, until a known time.
    Booked,
    /// In a transmitter. `good` unless the attempt is known to fail.
    Sending { hop: usize, good: bool },
    /// On its way to the next node, or with a link layer until it is acknowledged. `good` unless its last attempt
    /// failed.
    Flying { hop: usize, good: bool },
}

struct Entry {
    id: u64,
    packet: Packet,
    /// When it came to the node.
    since: Time,
    stage: Stage,
}

/// A change of a stage at a known time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// The transmitter is free, but the link is interrupted.
    Interrupted,
    Begins {
        hop: usize,
    },
    Ends,
}

/// The packets that a hop transmits.
#[derive(Clone, Copy, Default)]
pub(super) struct Service {
    pub good: u32,
    pub bad: u32,
}

/// All packets of a flow.
#[derive(Default)]
pub(super) struct Packets {
    places: BTreeMap<Place, VecDeque<Entry>>,
    next_id: u64,
    changes: BinaryHeap<Reverse<(Time, u64, Place, Change)>>,
    /// By place, the number of packets with the stage `Held`, and `Booked`.
    held: BTreeMap<Place, u32>,
    booked: BTreeMap<Place, u32>,
    /// Places where the first packet waits for the end of an interruption.
    interrupted: BTreeMap<Place, u64>,
    service: BTreeMap<usize, Service>,
    /// Packets whose last attempt has failed and that no transmitter has.
    failed: u32,
    /// By place: the hop that packets take from there.
    routes: BTreeMap<Place, usize>,
}

/// Whether an observed packet is this one: a queue may have marked it since.
fn is(entry: &Entry, packet: &Packet) -> bool {
    entry.packet == Packet { ecn: entry.packet.ecn, dscp: entry.packet.dscp, ..*packet }
}

fn add(counts: &mut BTreeMap<Place, u32>, place: Place) {
    *counts.entry(place).or_default() += 1;
}

fn take(counts: &mut BTreeMap<Place, u32>, place: Place) {
    if let Some(count) = counts.get_mut(&place) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(&place);
        }
    }
}

impl Packets {
    /// Places with packets that the node or its queue holds.
    pub fn held(&self) -> impl Iterator<Item = &Place> {
        self.held.keys()
    }

    /// Places with packets in a queue that computes departures.
    pub fn booked(&self) -> impl Iterator<Item = &Place> {
        self.booked.keys()
    }

    pub fn is_held(&self, place: Place) -> bool {
        self.held.contains_key(&place)
    }

    pub fn is_booked(&self, place: Place) -> bool {
        self.booked.contains_key(&place)
    }

    /// Whether the packets of a place wait for the end of an interruption.
    pub fn is_interrupted(&self, place: Place) -> bool {
        self.interrupted.contains_key(&place)
    }

    pub fn service(&self, hop: usize) -> Service {
        self.service.get(&hop).copied().unwrap_or_default()
    }

    /// The hops that transmit packets of the flow.
    pub fn services(&self) -> impl Iterator<Item = (usize, Service)> + '_ {
        self.service.iter().map(|(hop, service)| (*hop, *service))
    }

    /// Whether a packet waits for another attempt of a link layer.
    pub fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// The nodes that have sent packets of the flow.
    pub fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.routes.keys().map(|(node, _)| *node)
    }

    /// The hop that packets take from a place.
    pub fn route(&self, place: Place) -> Option<usize> {
        self.routes.get(&place).copied()
    }

    /// A packet comes to a node.
    pub fn put(&mut self, at: Time, node: usize, packet: &Packet) {
        let (place, id) = ((node, packet.dst), self.next_id);
        self.next_id += 1;
        add(&mut self.held, place);
        self.places.entry(place).or_default().push_back(Entry { id, packet: *packet, since: at, stage: Stage::Held });
    }

    /// A packet leaves a node for good: of equal ones the oldest, or the last one that came by `queued`, when the one that is
    /// dropped joined its queue. Returns whether there was one.
    pub fn remove(&mut self, node: usize, packet: &Packet, queued: Option<Time>) -> bool {
        let place = (node, packet.dst);
        let Some(entries) = self.places.get_mut(&place) else { return false };
        let found = match queued {
            Some(queued) => entries.iter().rposition(|entry| entry.since <= queued && is(entry, packet)),
            None => entries.iter().position(|entry| is(entry, packet)),
        };
        let Some(entry) = found.and_then(|found| entries.remove(found)) else { return false };
        self.interrupted.retain(|_, id| *id != entry.id);
        self.leave(place, entry.stage);
        true
    }

    /// A packet leaves the queue of a hop: at once, or at `starts` if that is in the future and a queue computes it.
    /// Until `free`, the transmitter is busy. `ends` is the end of its transmission, if known.
    pub fn dequeued(
        &mut self,
        (node, hop): (usize, usize),
        packet: &Packet,
        now: Time,
        free: Time,
        (starts, ends): (Time, Option<Time>),
    ) {
        let place = (node, packet.dst);
        self.routes.insert(place, hop);
        let held = |entry: &&mut Entry| entry.stage == Stage::Held && is(entry, packet);
        // In a queue that serves at once the only one that waits is the last; many may be on their way before it.
        let alone = self.held.get(&place) == Some(&1);
        let entry = self.places.get_mut(&place).and_then(|entries| match entries.back_mut().filter(held) {
            Some(_) if alone => entries.back_mut(),
            _ => entries.iter_mut().find(held),
        });
        let Some(entry) = entry else { return };
        let id = entry.id;
        let stage = if starts > now { Stage::Booked } else { Stage::Sending { hop, good: true } };
        let before = std::mem::replace(&mut entry.stage, stage);
        self.leave(place, before);
        self.enter(place, stage);
        if starts > now {
            self.changes.push(Reverse((starts, id, place, Change::Begins { hop })));
            let free = free.max(now);
            if free < starts {
                self.changes.push(Reverse((free, id, place, Change::Interrupted)));
            }
        }
        if let Some(ends) = ends {
            self.changes.push(Reverse((ends, id, place, Change::Ends)));
        }
    }

    /// A link layer begins to transmit a packet; `ends` is the end of that transmission if others may follow before its
    /// acknowledgment. Returns false if the packet has arrived before.
    pub fn attempt(&mut self, (node, hop): (usize, usize), packet: &Packet, ends: Option<Time>) -> bool {
        self.set(node, packet, Stage::Sending { hop, good: true }, ends)
    }

    /// The attempt that has just begun will fail.
    pub fn fails(&mut self, (node, hop): (usize, usize), packet: &Packet) {
        self.set(node, packet, Stage::Sending { hop, good: false }, None);
    }

    fn set(&mut self, node: usize, packet: &Packet, stage: Stage, ends: Option<Time>) -> bool {
        let place = (node, packet.dst);
        let entries = self.places.get_mut(&place);
        let Some(entry) = entries.and_then(|entries| entries.iter_mut().find(|entry| is(entry, packet))) else {
            return false;
        };
        let (id, before) = (entry.id, std::mem::replace(&mut entry.stage, stage));
        self.leave(place, before);
        self.enter(place, stage);
        if let Some(ends) = ends {
            self.changes.push(Reverse((ends, id, place, Change::Ends)));
        }
        true
    }

    /// The time of the next change of a stage.
    pub fn next_change(&self) -> Option<Time> {
        self.changes.peek().map(|Reverse((at, ..))| *at)
    }

    /// Makes the next change.
    pub fn change(&mut self) {
        let Some(Reverse((_, id, place, change))) = self.changes.pop() else { return };
        let Some(entries) = self.places.get_mut(&place) else { return };
        // Numbers increase along a place.
        let Ok(found) = entries.binary_search_by_key(&id, |entry| entry.id) else { return };
        let entry = &mut entries[found];
        let stage = match (change, entry.stage) {
            (Change::Interrupted, _) => {
                self.interrupted.insert(place, id);
                return;
            }
            (Change::Begins { hop }, _) => {
                self.interrupted.remove(&place);
                Stage::Sending { hop, good: true }
            }
            (Change::Ends, Stage::Sending { hop, good }) => Stage::Flying { hop, good },
            (Change::Ends, _) => return,
        };
        let before = std::mem::replace(&mut entry.stage, stage);
        self.leave(place, before);
        self.enter(place, stage);
    }

    fn enter(&mut self, place: Place, stage: Stage) {
        match stage {
            Stage::Held => add(&mut self.held, place),
            Stage::Booked => add(&mut self.booked, place),
            Stage::Sending { hop, good: true } => self.service.entry(hop).or_default().good += 1,
            Stage::Sending { hop, good: false } => self.service.entry(hop).or_default().bad += 1,
            Stage::Flying { good, .. } => self.failed += u32::from(!good),
        }
    }

    fn leave(&mut self, place: Place, stage: Stage) {
        match stage {
            Stage::Held => take(&mut self.held, place),
            Stage::Booked => take(&mut self.booked, place),
            Stage::Sending { hop, good } => {
                if let Some(service) = self.service.get_mut(&hop) {
                    let count = if good { &mut service.good } else { &mut service.bad };
                    *count = count.saturating_sub(1);
                    if (service.good, service.bad) == (0, 0) {
                        self.service.remove(&hop);
                    }
                }
            }
            Stage::Flying { good, .. } => self.failed -= u32::from(!good),
        }
    }
}
