//! The packets of one flow in the network: the place of each, and its stage on the way from one node to the next.
//!
//! Between two nodes packets of one flow keep their order, so of several transmissions of the same bytes the oldest at
//! a node is the one that leaves it. The event of a drop gives the time at which the packet arrived at the queue.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque, btree_map};
use std::rc::Rc;

use engine::Time;
use path::{HopIndex, MediumId};
use sim::NodeId;
use wire::{Addr, Packet};

use crate::packet_in_flight::{PacketInFlight, is_same_packet};

/// A node, and the destination of the packets that are on their way from this node.
pub type Place = (NodeId, Addr);

/// The stage of a packet on its way from one node to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The packet is at the node. It may wait in a queue, or the node may process it.
    Held,
    /// The packet is in the queue of a hop that computes departures, until a known time.
    Booked,
    /// The packet is in a transmitter. `good` is false if the attempt is known to fail.
    InTransmitter { hop: HopIndex, good: bool },
    /// The packet is on its way to the next node, or, with a link layer, not yet acknowledged. `good` is false if its
    /// last attempt failed.
    Flying { good: bool },
}

/// A packet at a place.
struct PlacedPacket {
    sending: PacketInFlight,
    /// Numbers increase along a place.
    slot: u64,
    stage: Stage,
}

/// A change of a stage at a known time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// The transmitter is free, but the link is interrupted.
    Interrupted,
    Begins {
        hop: HopIndex,
    },
    Ends,
}

/// A packet's departure from the queue of a hop.
pub struct Departure {
    /// When it is known.
    pub at: Time,
    /// Until when the transmitter is busy.
    pub free: Time,
    /// Time at which the transmitter takes the packet.
    pub starts: Time,
    /// End of the packet's transmission, if it is known.
    pub ends: Option<Time>,
}

/// The packets that a hop transmits.
#[derive(Clone, Copy, Default)]
pub struct HopService {
    /// Number of packets whose attempt may succeed.
    pub good: u32,
    /// Number of packets whose attempt is known to fail.
    pub bad: u32,
}

impl HopService {
    /// Whether the hop transmits none.
    pub fn is_idle(self) -> bool {
        self.good == 0 && self.bad == 0
    }
}

/// The packets of a flow.
#[derive(Default)]
pub struct PacketsInFlight {
    places: BTreeMap<Place, VecDeque<PlacedPacket>>,
    next_slot: u64,
    /// Places whose packets wait for a link layer.
    lanes: BTreeSet<Place>,
    /// For each node the medium to which all its links belong, if there is one.
    homes: Rc<[Option<MediumId>]>,
    /// The medium in which the packets of a place wait, if any.
    media: BTreeMap<Place, MediumId>,
    /// By medium and node: the number of waiting packets, and the time since which there are any.
    waiting: BTreeMap<(MediumId, NodeId), (u32, Time)>,
    /// The number of transmissions of data in the network, by first byte.
    alive: BTreeMap<u64, u32>,
    /// The number of packets of the transfer in the network.
    in_network: usize,
    empty_since: Option<Time>,
    changes: BinaryHeap<Reverse<(Time, u64, Place, Change)>>,
    /// Number of packets with the stage `Held`, by place.
    held: BTreeMap<Place, u32>,
    /// Number of packets with the stage `Booked`, by place.
    booked: BTreeMap<Place, u32>,
    /// Places where the first packet waits for the end of an interruption, with its slot.
    interrupted: BTreeMap<Place, u64>,
    service: BTreeMap<HopIndex, HopService>,
    /// Packets whose last attempt has failed and that no transmitter has.
    failed: u32,
    /// The hop that packets take from a place, by place.
    routes: BTreeMap<Place, HopIndex>,
}

/// Whether an observed packet is this transmission.
fn is_same(entry: &PlacedPacket, packet: &Packet) -> bool {
    is_same_packet(&entry.sending.packet, packet)
}

fn count_up(counts: &mut BTreeMap<Place, u32>, place: Place) {
    *counts.entry(place).or_default() += 1;
}

fn count_down(counts: &mut BTreeMap<Place, u32>, place: Place) {
    if let Some(count) = counts.get_mut(&place) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(&place);
        }
    }
}

/// Where packets are.
impl PacketsInFlight {
    /// An empty state for a network whose nodes belong to these media.
    pub(crate) fn new(homes: Rc<[Option<MediumId>]>) -> Self {
        PacketsInFlight { homes, ..PacketsInFlight::default() }
    }

    /// Returns the time since which the network has contained no packet of the transfer.
    pub fn empty_since(&self) -> Option<Time> {
        self.empty_since
    }

    /// Every packet of the transfer in the network.
    pub fn all(&self) -> impl Iterator<Item = &PacketInFlight> {
        let entries = self.places.values().flatten().map(|entry| &entry.sending);
        entries.filter(|sending| sending.is_of_transfer())
    }

    /// Whether a segment that begins at `seq` is in the network.
    pub fn has_data(&self, seq: u64) -> bool {
        self.alive.contains_key(&seq)
    }

    /// Every packet waiting for a link layer.
    pub fn with_link_layer(&self) -> impl Iterator<Item = &PacketInFlight> {
        self.lanes.iter().filter_map(|lane| self.places.get(lane)).flatten().map(|entry| &entry.sending)
    }

    /// Whether a packet of the transfer to `to` is at a node.
    pub fn waits(&self, node: NodeId, to: Addr) -> bool {
        self.places.get(&(node, to)).is_some_and(|place| place.iter().any(|entry| entry.sending.is_of_transfer()))
    }

    /// Packets from a node to `to` now wait for a link layer.
    pub(crate) fn mark_link_layer(&mut self, node: NodeId, to: Addr) {
        self.lanes.insert((node, to));
    }

    /// Packets from a node to `to` now wait in a medium.
    pub(crate) fn assign_medium(&mut self, at: Time, node: NodeId, to: Addr, medium: MediumId) {
        self.lanes.insert((node, to));
        let before = self.media.insert((node, to), medium);
        if before == Some(medium) {
            return;
        }
        let place = self.places.get(&(node, to)).into_iter().flatten();
        let here = place.filter(|entry| entry.sending.is_of_transfer()).count() as u32;
        // A mobile has changed from one medium to another.
        if let Some((waiting, _)) = before.and_then(|before| self.waiting.get_mut(&(before, node))) {
            *waiting -= here;
        }
        let (waiting, since) = self.waiting.entry((medium, node)).or_insert((0, at));
        *since = if *waiting == 0 { at } else { *since };
        *waiting += here;
    }

    /// The nodes where a packet waits for medium access, and since when.
    pub fn waits_in(&self, medium: MediumId) -> impl Iterator<Item = (NodeId, Time)> {
        self.waiting_at(medium).filter(|(_, (waiting, _))| *waiting > 0).map(|((_, node), (_, since))| (*node, *since))
    }

    /// The number of packets that wait in a medium at each node, and since when there are any.
    fn waiting_at(&self, medium: MediumId) -> btree_map::Range<'_, (MediumId, NodeId), (u32, Time)> {
        self.waiting.range((medium, NodeId::new(0))..=(medium, NodeId::new(u32::MAX)))
    }

    /// The number of packets that wait in a medium.
    pub fn waiting_in(&self, medium: MediumId) -> u32 {
        self.waiting_at(medium).map(|(_, (waiting, _))| waiting).sum()
    }

    /// Whether a packet is at a node, or on a link from this node.
    pub fn has(&self, node: NodeId, packet: &Packet) -> bool {
        let place = self.places.get(&(node, packet.dst));
        place.is_some_and(|place| place.iter().any(|entry| is_same(entry, packet)))
    }

    /// The attempt with that number has failed, or is about to; whether the packet is at the node.
    pub(crate) fn count_failed(&mut self, node: NodeId, attempt: u32, packet: &Packet) -> bool {
        let place = self.places.get_mut(&(node, packet.dst));
        let entry = place.and_then(|place| place.iter_mut().find(|entry| is_same(entry, packet)));
        let found = entry.is_some();
        if let Some(entry) = entry {
            entry.sending.failed = entry.sending.failed.max(attempt);
        }
        found
    }

    /// Records that a packet comes to a node.
    pub(crate) fn put(&mut self, at: Time, node: NodeId, mut sending: PacketInFlight) {
        let place = (node, sending.packet.dst);
        sending.at_node_since = at;
        if sending.is_of_transfer() {
            if let Some(medium) = self.homes.get(node.index()).copied().flatten() {
                self.media.entry(place).or_insert(medium);
            }
            if let Some(medium) = self.media.get(&place) {
                let (waiting, since) = self.waiting.entry((*medium, node)).or_insert((0, at));
                *since = if *waiting == 0 { at } else { *since };
                *waiting += 1;
            }
        }
        let slot = self.next_slot;
        self.next_slot += 1;
        count_up(&mut self.held, place);
        self.places.entry(place).or_default().push_back(PlacedPacket { sending, slot, stage: Stage::Held });
    }

    /// Handles a packet that leaves a node for the next one. Of equal packets the oldest leaves.
    pub(crate) fn leave(&mut self, node: NodeId, packet: &Packet) -> Option<PacketInFlight> {
        let place = self.places.get(&(node, packet.dst))?;
        let oldest = place.iter().position(|entry| is_same(entry, packet))?;
        self.remove((node, packet.dst), oldest)
    }

    fn remove(&mut self, place: Place, index: usize) -> Option<PacketInFlight> {
        let PlacedPacket { sending, slot, stage } = self.places.get_mut(&place)?.remove(index)?;
        self.interrupted.retain(|_, first| *first != slot);
        self.leave_stage(place, stage);
        if sending.is_of_transfer()
            && let Some(medium) = self.media.get(&place)
            && let Some((waiting, _)) = self.waiting.get_mut(&(*medium, place.0))
        {
            *waiting -= 1;
        }
        Some(sending)
    }

    /// Takes out the oldest equal packet, which was lost after it had left a node.
    pub(crate) fn take_oldest(&mut self, at: Time, node: NodeId, packet: &Packet) -> Option<PacketInFlight> {
        let lost = self.leave(node, packet)?;
        self.exit(at, &lost);
        Some(lost)
    }

    /// Handles a packet that a queue, which it joined at `queued`, or a node drops.
    pub(crate) fn take_queued(
        &mut self,
        at: Time,
        node: NodeId,
        packet: &Packet,
        queued: Time,
    ) -> Option<PacketInFlight> {
        let place = self.places.get(&(node, packet.dst))?;
        let came = |entry: &PlacedPacket| entry.sending.at_node_since <= queued && is_same(entry, packet);
        let last = place.iter().rposition(came)?;
        let lost = self.remove((node, packet.dst), last)?;
        self.exit(at, &lost);
        Some(lost)
    }

    /// Handles a packet that enters the network. Its place is set separately.
    pub(crate) fn enter(&mut self, sending: &PacketInFlight) {
        if !sending.is_of_transfer() {
            return;
        }
        self.in_network += 1;
        self.empty_since = None;
        if let Some(seq) = sending.seq() {
            *self.alive.entry(seq).or_default() += 1;
        }
    }

    /// Records that a packet was dropped on entering the network.
    pub(crate) fn refuse(&mut self, at: Time) {
        if self.in_network == 0 {
            self.empty_since.get_or_insert(at);
        }
    }

    /// Records that a packet without a place leaves the network.
    pub(crate) fn exit(&mut self, at: Time, sending: &PacketInFlight) {
        if !sending.is_of_transfer() {
            return;
        }
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

/// Stages on the way.
impl PacketsInFlight {
    /// Places with packets that the node or its queue holds.
    pub fn held_places(&self) -> impl Iterator<Item = &Place> {
        self.held.keys()
    }

    /// Places with packets in a queue that computes departures.
    pub fn booked_places(&self) -> impl Iterator<Item = &Place> {
        self.booked.keys()
    }

    /// Whether a place has such a packet.
    pub fn is_held(&self, place: Place) -> bool {
        self.held.contains_key(&place)
    }

    /// Whether a place has such a packet.
    pub fn is_booked(&self, place: Place) -> bool {
        self.booked.contains_key(&place)
    }

    /// Whether the packets of a place wait for the end of an interruption.
    pub fn is_interrupted(&self, place: Place) -> bool {
        self.interrupted.contains_key(&place)
    }

    /// The packets that a hop transmits.
    pub fn service(&self, hop: HopIndex) -> HopService {
        self.service.get(&hop).copied().unwrap_or_default()
    }

    /// The hops that transmit packets of the flow.
    pub fn services(&self) -> impl Iterator<Item = (HopIndex, HopService)> + '_ {
        self.service.iter().map(|(hop, service)| (*hop, *service))
    }

    /// Whether a packet waits for another attempt of a link layer.
    pub fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// The nodes that have sent packets of the flow.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.routes.keys().map(|(node, _)| *node)
    }

    /// The hop that packets take from a place.
    pub fn route(&self, place: Place) -> Option<HopIndex> {
        self.routes.get(&place).copied()
    }

    /// Records that a packet leaves the queue of a hop: at once, or at a time in the future that the queue computes.
    pub(crate) fn dequeue(&mut self, (node, hop): (NodeId, HopIndex), packet: &Packet, departure: &Departure) {
        let Departure { at, free, starts, ends } = *departure;
        let place = (node, packet.dst);
        self.routes.insert(place, hop);
        let held = |entry: &&mut PlacedPacket| entry.stage == Stage::Held && is_same(entry, packet);
        // In a queue that serves at once, a single waiting packet is the last one. Many packets may be on their way
        // before it.
        let alone = self.held.get(&place) == Some(&1);
        let entry = self.places.get_mut(&place).and_then(|entries| match entries.back_mut().filter(held) {
            Some(_) if alone => entries.back_mut(),
            _ => entries.iter_mut().find(held),
        });
        let Some(entry) = entry else { return };
        let slot = entry.slot;
        let stage = if starts > at { Stage::Booked } else { Stage::InTransmitter { hop, good: true } };
        let before = std::mem::replace(&mut entry.stage, stage);
        self.leave_stage(place, before);
        self.enter_stage(place, stage);
        if starts > at {
            self.changes.push(Reverse((starts, slot, place, Change::Begins { hop })));
            let free = free.max(at);
            if free < starts {
                self.changes.push(Reverse((free, slot, place, Change::Interrupted)));
            }
        }
        if let Some(ends) = ends {
            self.changes.push(Reverse((ends, slot, place, Change::Ends)));
        }
    }

    /// Handles the start of a packet's transmission by a link layer. `ends` is the end of that transmission, if others
    /// may follow before its acknowledgment. Returns false if the packet has arrived before.
    pub(crate) fn attempt(&mut self, (node, hop): (NodeId, HopIndex), packet: &Packet, ends: Option<Time>) -> bool {
        self.set_stage(node, packet, Stage::InTransmitter { hop, good: true }, ends)
    }

    /// Records that the attempt that has just begun will fail.
    pub(crate) fn fail_attempt(&mut self, (node, hop): (NodeId, HopIndex), packet: &Packet) {
        self.set_stage(node, packet, Stage::InTransmitter { hop, good: false }, None);
    }

    fn set_stage(&mut self, node: NodeId, packet: &Packet, stage: Stage, ends: Option<Time>) -> bool {
        let place = (node, packet.dst);
        let entries = self.places.get_mut(&place);
        let Some(entry) = entries.and_then(|entries| entries.iter_mut().find(|entry| is_same(entry, packet))) else {
            return false;
        };
        let (slot, before) = (entry.slot, std::mem::replace(&mut entry.stage, stage));
        self.leave_stage(place, before);
        self.enter_stage(place, stage);
        if let Some(ends) = ends {
            self.changes.push(Reverse((ends, slot, place, Change::Ends)));
        }
        true
    }

    /// The time of the next change of a stage.
    pub fn next_change(&self) -> Option<Time> {
        self.changes.peek().map(|Reverse((at, ..))| *at)
    }

    /// Makes the next change.
    pub(crate) fn make_change(&mut self) {
        let Some(Reverse((_, slot, place, change))) = self.changes.pop() else { return };
        let Some(entries) = self.places.get_mut(&place) else { return };
        let Ok(found) = entries.binary_search_by_key(&slot, |entry| entry.slot) else { return };
        let entry = &mut entries[found];
        let stage = match (change, entry.stage) {
            (Change::Interrupted, _) => {
                self.interrupted.insert(place, slot);
                return;
            }
            (Change::Begins { hop }, _) => {
                self.interrupted.remove(&place);
                Stage::InTransmitter { hop, good: true }
            }
            (Change::Ends, Stage::InTransmitter { good, .. }) => Stage::Flying { good },
            (Change::Ends, _) => return,
        };
        let before = std::mem::replace(&mut entry.stage, stage);
        self.leave_stage(place, before);
        self.enter_stage(place, stage);
    }

    fn enter_stage(&mut self, place: Place, stage: Stage) {
        match stage {
            Stage::Held => count_up(&mut self.held, place),
            Stage::Booked => count_up(&mut self.booked, place),
            Stage::InTransmitter { hop, good: true } => self.service.entry(hop).or_default().good += 1,
            Stage::InTransmitter { hop, good: false } => self.service.entry(hop).or_default().bad += 1,
            Stage::Flying { good } => self.failed += u32::from(!good),
        }
    }

    fn leave_stage(&mut self, place: Place, stage: Stage) {
        match stage {
            Stage::Held => count_down(&mut self.held, place),
            Stage::Booked => count_down(&mut self.booked, place),
            Stage::InTransmitter { hop, good } => {
                if let Some(service) = self.service.get_mut(&hop) {
                    let count = if good { &mut service.good } else { &mut service.bad };
                    *count = count.saturating_sub(1);
                    if service.is_idle() {
                        self.service.remove(&hop);
                    }
                }
            }
            Stage::Flying { good } => self.failed -= u32::from(!good),
        }
    }
}
