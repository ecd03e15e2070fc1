//! Transmitters of packets over hops: links, stations and media with their channels, and the buffers of nodes.

mod build;

use engine::{IdVec, Rate, Time};
use path::MediumStationId;
use path::agent::LinkView;
use path::channel::{Channel, ChannelState};
use path::link::fifo::{FifoArrival, FifoLink};
use path::link::{HopCounters, Link};
use path::medium::{Medium, QueueId};
use path::outcome::{LinkOutcome, Outcomes};
use path::queue::{Limit, RouterBuffer};
use path::station::Station;
use path::{Cx, HopId, HopState, MediumId, Observer};
use wire::{CompactPacket, Packet};

use super::agenda::Agenda;
use super::event_loop::Arriving;
use crate::ids::{HopIndex, LinkId, NodeId};
use crate::results::{LinkResult, MediumResult};
use crate::world::ids::StationId;

/// Transmitter of the packets of a hop.
#[expect(clippy::large_enum_variant, reason = "there are few hops, and indirection would slow down every packet")]
enum Transmitter {
    Fifo(FifoLink),
    /// Any other link with a separate transmitter.
    Link(Box<dyn Link>),
    /// A queue of a station.
    TxQueue {
        station: StationId,
        queue: usize,
    },
    /// A queue of a station of a shared medium.
    Medium {
        medium: MediumId,
        queue: QueueId,
    },
}

/// Reason of a medium's wake-up.
pub(super) enum MediumWakeup {
    /// A station's back-off, frame, or timeout ends.
    Station(MediumStationId),
    /// A beacon of a station is due.
    Beacon(MediumStationId),
    /// Stations enter or leave each other's range.
    Crossing,
}

/// The transmitters of all hops. Every hop has one transmitter. The buffer of a node counts each packet from its
/// admission until its transmitter has sent or dropped it.
pub(super) struct Transmitters {
    hops: IdVec<HopIndex, Transmitter>,
    /// The queue limit and the rate of each hop.
    lines: IdVec<HopIndex, (Limit, Rate)>,
    stations: IdVec<StationId, Station>,
    /// The node of each station.
    station_nodes: IdVec<StationId, NodeId>,
    media: IdVec<MediumId, Medium>,
    channels: IdVec<LinkId, Box<dyn Channel>>,
    buffers: IdVec<NodeId, RouterBuffer>,
    /// Packets dropped because a buffer was full.
    buffer_full: IdVec<NodeId, u64>,
    /// Outcomes of a wake-up after the first delivered packet.
    outcomes: Vec<(HopId, LinkOutcome)>,
}

impl Transmitters {
    /// Hands a packet of a node to a hop. An `expedited` packet is put ahead of the queue. Returns whether the packet
    /// was accepted. Inlined, because this is the largest part of an event's cost.
    #[inline(always)]
    pub fn accept<O: Observer>(
        &mut self,
        (node, hop): (NodeId, HopIndex),
        packet: &Packet,
        expedited: bool,
        agenda: &mut Agenda,
        observer: &mut O,
    ) -> bool {
        let mut cx = Cx { now: agenda.now(), schedule: agenda.schedule(), channels: &mut self.channels, observer };
        let buffer = &mut self.buffers[node];
        match &mut self.hops[hop] {
            Transmitter::Fifo(link) => {
                let leaves = link.on_packet(packet, &mut cx);
                buffer.release_at(leaves, packet.size());
                leaves.is_some()
            }
            Transmitter::Link(link) => cx.with_erased_observer(|cx| link.accept(packet, expedited, buffer, cx)),
            Transmitter::Medium { medium, queue } => {
                self.media[*medium].on_packet(*queue, *packet, expedited, buffer, &mut cx)
            }
            Transmitter::TxQueue { station, queue } => {
                self.stations[*station].on_packet(*queue, packet, expedited, buffer, &mut cx)
            }
        }
    }

    /// Hands a packet without options to a hop with a FIFO link, of a node whose buffer is unlimited.
    #[inline(always)]
    pub fn accept_compact<O: Observer>(
        &mut self,
        hop: HopIndex,
        packet: &CompactPacket,
        agenda: &mut Agenda,
        observer: &mut O,
    ) {
        let Transmitter::Fifo(link) = &mut self.hops[hop] else { unreachable!("the hop has a FIFO link") };
        link.on_compact(
            packet,
            &mut Cx { now: agenda.now(), schedule: agenda.schedule(), channels: &mut self.channels, observer },
        );
    }

    /// Whether a hop has a FIFO link.
    #[inline(always)]
    pub fn is_fifo(&self, hop: HopIndex) -> bool {
        matches!(self.hops[hop], Transmitter::Fifo(_))
    }

    /// Takes the packet that arrives at the far end of a FIFO link.
    #[inline(always)]
    pub fn wake_fifo<O: Observer>(
        &mut self,
        hop: HopIndex,
        Arriving { compact, whole }: &mut Arriving,
        agenda: &mut Agenda,
        observer: &mut O,
    ) -> FifoArrival {
        let Transmitter::Fifo(link) = &mut self.hops[hop] else { unreachable!("the slot belongs to a FIFO link") };
        let mut cx = Cx { now: agenda.now(), schedule: agenda.schedule(), channels: &mut self.channels, observer };
        link.on_wake(&mut cx, compact, whole)
    }

    /// Calls the link of a node's hop; returns the hop if a packet was written over `arriving`.
    #[inline]
    pub fn wake_link<O: Observer>(
        &mut self,
        (node, hop): (NodeId, HopIndex),
        arriving: &mut Packet,
        agenda: &mut Agenda,
        observer: &mut O,
    ) -> Option<HopId> {
        let Transmitter::Link(link) = &mut self.hops[hop] else { unreachable!("the slot belongs to a link") };
        let mut cx = Cx { now: agenda.now(), schedule: agenda.schedule(), channels: &mut self.channels, observer };
        let mut outcomes = Outcomes::new(arriving, &mut self.outcomes);
        cx.with_erased_observer(|cx| link.wake(&mut self.buffers[node], &mut outcomes, cx));
        outcomes.delivered_hop()
    }

    /// Handles the arrival of a station's frame, or of its acknowledgment. Returns the same as
    /// [`wake_link`](Self::wake_link).
    #[inline]
    pub fn wake_station_at_arrival<O: Observer>(
        &mut self,
        station: StationId,
        arriving: &mut Packet,
        agenda: &mut Agenda,
        observer: &mut O,
    ) -> Option<HopId> {
        self.wake_station(station, arriving, agenda, observer, |station, buffer, outcomes, cx| {
            station.on_arrival(buffer, outcomes, cx);
        })
    }

    /// Handles the end of a station's timeout. Returns the same as [`wake_link`](Self::wake_link).
    #[inline]
    pub fn wake_station_at_timeout<O: Observer>(
        &mut self,
        station: StationId,
        arriving: &mut Packet,
        agenda: &mut Agenda,
        observer: &mut O,
    ) -> Option<HopId> {
        self.wake_station(station, arriving, agenda, observer, |station, buffer, outcomes, cx| {
            station.on_timer(buffer, outcomes, cx);
        })
    }

    #[inline]
    fn wake_station<O: Observer>(
        &mut self,
        station: StationId,
        arriving: &mut Packet,
        agenda: &mut Agenda,
        observer: &mut O,
        act: impl FnOnce(&mut Station, &mut RouterBuffer, &mut Outcomes<'_>, &mut Cx<'_, O>),
    ) -> Option<HopId> {
        let mut cx = Cx { now: agenda.now(), schedule: agenda.schedule(), channels: &mut self.channels, observer };
        let mut outcomes = Outcomes::new(arriving, &mut self.outcomes);
        let buffer = &mut self.buffers[self.station_nodes[station]];
        act(&mut self.stations[station], buffer, &mut outcomes, &mut cx);
        outcomes.delivered_hop()
    }

    /// Calls a medium. Its output is taken with [`take_medium_outcome`](Self::take_medium_outcome).
    #[inline(always)]
    pub fn wake_medium<O: Observer>(
        &mut self,
        medium: MediumId,
        wakeup: MediumWakeup,
        agenda: &mut Agenda,
        observer: &mut O,
    ) {
        let mut cx = Cx { now: agenda.now(), schedule: agenda.schedule(), channels: &mut self.channels, observer };
        let medium = &mut self.media[medium];
        match wakeup {
            MediumWakeup::Station(station) => medium.on_wake(station, &mut cx),
            MediumWakeup::Beacon(station) => medium.on_beacon(station, &mut cx),
            MediumWakeup::Crossing => medium.on_crossing(&mut cx),
        }
    }

    /// Takes the oldest outcome of a medium, with its hop.
    pub fn take_medium_outcome(&mut self, medium: MediumId) -> Option<(HopId, LinkOutcome)> {
        self.media[medium].outcome()
    }

    /// Takes the outcomes of a wake-up after the first delivered packet, if any;
    /// [`reuse_outcomes`](Self::reuse_outcomes) takes the list back.
    #[inline]
    pub fn take_outcomes(&mut self) -> Option<Vec<(HopId, LinkOutcome)>> {
        (!self.outcomes.is_empty()).then(|| std::mem::take(&mut self.outcomes))
    }

    /// Reuses the memory of outcomes that were all processed.
    pub fn reuse_outcomes(&mut self, outcomes: Vec<(HopId, LinkOutcome)>) {
        self.outcomes = outcomes;
    }

    /// Whether the buffer of a node has a limit.
    #[inline(always)]
    pub fn is_limited(&self, node: NodeId) -> bool {
        self.buffers[node].is_limited()
    }

    /// Reserves space for `size` bytes in the buffer of a node; returns whether there was enough.
    pub fn admit(&mut self, node: NodeId, size: u32, now: Time) -> bool {
        let admitted = self.buffers[node].admit(now, size);
        self.buffer_full[node] += u64::from(!admitted);
        admitted
    }

    /// Frees the buffer space of an admitted packet of `size` bytes that has left the node or was dropped.
    pub fn release(&mut self, node: NodeId, size: u32) {
        self.buffers[node].release(size);
    }

    /// Bytes in the buffer of a node, and the limit; `None` if unlimited.
    pub fn buffer_state(&self, node: NodeId, now: Time) -> Option<(u64, u64)> {
        self.buffers[node].state(now)
    }

    /// Packets dropped because a buffer was full, by node.
    pub fn buffer_full(&self) -> Vec<u64> {
        self.buffer_full.as_slice().to_vec()
    }

    /// Opens or closes a link of a medium for reception.
    pub fn set_open(&mut self, link: LinkId, open: bool) {
        for hop in link.hops() {
            if let Transmitter::Medium { medium, queue } = self.hops[hop] {
                self.media[medium].set_open(queue, open);
            }
        }
    }

    /// The next state change of a link's channel after `after`.
    pub fn next_change(&mut self, link: LinkId, after: Time) -> Option<(Time, ChannelState)> {
        self.channels[link].next_change(after)
    }

    /// All links.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + use<> {
        self.channels.ids()
    }

    /// The packets at the sending end of a hop, and the state of its link layer.
    pub fn state(&self, hop: HopIndex, now: Time) -> HopState {
        match &self.hops[hop] {
            Transmitter::Fifo(link) => link.state(now),
            Transmitter::Link(link) => link.state(now),
            Transmitter::TxQueue { station, queue } => self.stations[*station].queues()[*queue].state(),
            Transmitter::Medium { medium, queue } => self.media[*medium].state(*queue),
        }
    }

    /// Properties of a hop shown to an agent.
    pub fn view(&self, hop: HopIndex, now: Time) -> LinkView {
        let HopState { waiting, waiting_bytes, outstanding, .. } = self.state(hop, now);
        let (limit, rate) = self.lines[hop];
        LinkView { hop: hop.id(), waiting, waiting_bytes, outstanding, limit, rate, busy: self.counters(hop, now).busy }
    }

    fn counters(&self, hop: HopIndex, now: Time) -> HopCounters {
        match &self.hops[hop] {
            Transmitter::Fifo(link) => link.counters(now),
            Transmitter::Link(link) => link.counters(now),
            Transmitter::TxQueue { station, queue } => self.stations[*station].queues()[*queue].counters(now),
            Transmitter::Medium { medium, queue } => self.media[*medium].counters(*queue, now),
        }
    }

    /// The counters of all links.
    pub fn link_results(&self, now: Time) -> Vec<LinkResult> {
        let result = |link: LinkId| LinkResult { directions: link.hops().map(|hop| self.counters(hop, now)) };
        self.links().map(result).collect()
    }

    /// The counters of all media.
    pub fn medium_results(&self, now: Time) -> Vec<MediumResult> {
        let result = |medium: &Medium| MediumResult {
            air: medium.air_counters(now),
            stations: medium.stations().map(|station| medium.station_counters(station, now)).collect(),
        };
        self.media.iter().map(result).collect()
    }
}
