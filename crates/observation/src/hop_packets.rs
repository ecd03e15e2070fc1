//! The packets at the hops of a network: each from its arrival at a queue until it arrives at the far end or is lost.
//!
//! A queue that chooses a packet when a transmission can begin reports that a packet [joins](LinkEvent::Joined) it. A
//! queue that computes departures reports the departure of a packet at its arrival. So the backlog of each hop is known
//! at any time, for all flows. Of equal packets at a hop the oldest leaves, unless the event gives the time of arrival.
//!
//! Memory: proportional to the packets in the network, and to the retransmissions at nodes.

use std::collections::VecDeque;

use engine::{IdVec, Time};
use path::{HopId, HopIndex, LinkEvent};
use sim::{Event, PacketFlow};
use wire::Packet;

use crate::hop_timing::{HopTiming, HopTimings};
use crate::packet_in_flight::is_same_packet;
use crate::sent_data::SentData;

/// A packet at a hop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PacketAtHop {
    /// The packet.
    pub packet: Packet,
    /// Flow of the packet, if it has one.
    pub of: Option<PacketFlow>,
    /// Whether the node that created it, or a link layer before this hop, had sent its data before.
    pub repeats: bool,
    /// Time at which the packet arrived at the queue.
    pub joined: Time,
    /// Time at which the transmitter takes the packet, which may be in the future; `None` while the time is not known.
    pub starts: Option<Time>,
    /// End of the packet's last transmission; `None` while it is not known.
    pub leaves: Option<Time>,
    /// Whether the link layer has transmitted the packet.
    has_frame: bool,
}

/// The end of a packet's stay at a hop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HopOutcome {
    /// The packet arrived at the far end.
    Arrived,
    /// The channel damaged the packet.
    Lost,
    /// The queue was full.
    QueueFull,
    /// The queue discipline dropped the packet although the queue was not full.
    DroppedEarly,
    /// The link layer gave the packet up.
    GivenUp,
}

impl HopOutcome {
    /// Whether the queue dropped it.
    pub fn is_drop(self) -> bool {
        matches!(self, HopOutcome::QueueFull | HopOutcome::DroppedEarly)
    }
}

/// A packet's way over a hop, at its end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HopPassage {
    /// The hop.
    pub hop: HopIndex,
    /// The packet.
    pub packet: Packet,
    /// Flow of the packet, if it has one.
    pub of: Option<PacketFlow>,
    /// Whether the packet repeats data: see [`PacketAtHop::repeats`].
    pub repeats: bool,
    /// Time at which the packet arrived at the queue.
    pub joined: Time,
    /// Time at which the transmitter took the packet; for a dropped packet, the time of the drop.
    pub starts: Time,
    /// End of the packet's last transmission.
    pub leaves: Time,
    /// Time at which the packet arrived or was lost.
    pub ends: Time,
    /// End of the packet's stay at the hop.
    pub outcome: HopOutcome,
    /// Whether the packet had arrived before: a link layer that numbers each transmission delivers a packet again if
    /// the link acknowledgment was lost. All times are the time of the arrival.
    pub arrives_again: bool,
}

/// The packets at one hop.
#[derive(Default)]
struct HopQueue {
    /// The packets that wait for the transmitter, by the time of their arrival.
    waiting: VecDeque<PacketAtHop>,
    /// The packets that the transmitter has taken or, if the hop computes departures, will take at a known time.
    taken: VecDeque<PacketAtHop>,
}

impl HopQueue {
    /// Takes the packet that joined the queue at `joined`.
    fn take_waiting(&mut self, joined: Time, packet: &Packet) -> Option<PacketAtHop> {
        let first = self.waiting.partition_point(|waiting| waiting.joined < joined);
        let mut alike = self.waiting.range(first..).take_while(|waiting| waiting.joined == joined);
        let place = alike.position(|waiting| is_same_packet(&waiting.packet, packet))?;
        self.waiting.remove(first + place)
    }
}

/// The packets at the hops of a network.
pub struct HopPackets {
    timings: HopTimings,
    queues: IdVec<HopIndex, HopQueue>,
    sent: SentData,
}

impl HopPackets {
    /// The state of a network with these hops, without packets.
    pub fn new(timings: HopTimings) -> Self {
        let queues = std::iter::repeat_with(HopQueue::default).take(timings.len()).collect();
        HopPackets { timings, queues, sent: SentData::default() }
    }

    /// The transmission times of all hops.
    pub fn timings(&self) -> &HopTimings {
        &self.timings
    }

    /// Returns every packet at a hop, first those that the transmitter has taken.
    pub fn at_hop(&self, hop: HopIndex) -> impl Iterator<Item = &PacketAtHop> {
        self.queues.get(hop).into_iter().flat_map(|queue| queue.taken.iter().chain(&queue.waiting))
    }

    /// All hops, with the packets at each hop.
    pub fn all(&self) -> impl Iterator<Item = (HopIndex, &PacketAtHop)> {
        self.queues.ids().flat_map(|hop| self.at_hop(hop).map(move |packet| (hop, packet)))
    }

    /// The packets at a hop whose first transmission has not begun at `at`, the present time.
    pub fn backlog(&self, hop: HopIndex, at: Time) -> impl Iterator<Item = &PacketAtHop> {
        let in_medium = self.timings.get(hop).is_some_and(|timing| timing.medium.is_some());
        let waits = move |packet: &&PacketAtHop| {
            packet.starts.is_none_or(|starts| starts > at || (in_medium && !packet.has_frame))
        };
        self.at_hop(hop).filter(waits)
    }

    /// Returns the packet of a frame that the link layer of a hop transmits; `None` if the packet has arrived before.
    pub fn in_transmission(&self, hop: HopIndex, packet: &Packet) -> Option<&PacketAtHop> {
        self.queues.get(hop)?.taken.iter().find(|taken| is_same_packet(&taken.packet, packet))
    }

    /// Handles an event. Returns the packet whose stay at a hop it ends.
    pub fn apply(&mut self, at: Time, event: &Event) -> Option<HopPassage> {
        match event {
            Event::Node { node, event, of: Some(of) } => {
                self.sent.on_node(*node, event, of);
                None
            }
            Event::Link { hop, event, of } => self.on_link(at, *hop, event, *of),
            _ => None,
        }
    }

    fn on_link(&mut self, at: Time, id: HopId, event: &LinkEvent, of: Option<PacketFlow>) -> Option<HopPassage> {
        let hop = id.into();
        match *event {
            LinkEvent::Joined { packet } => {
                let packet = self.join(at, hop, &packet, of)?;
                self.queues[hop].waiting.push_back(packet);
                None
            }
            LinkEvent::Dequeued { packet, arrived, starts, leaves } => {
                let waiting = self.queues.get_mut(hop)?.take_waiting(arrived, &packet);
                let left = waiting.or_else(|| self.join(arrived, hop, &packet, of))?;
                self.queues[hop].taken.push_back(PacketAtHop { packet, starts: Some(starts), leaves, ..left });
                None
            }
            LinkEvent::FrameSent { packet, .. } => {
                let timing = self.timings.get(hop)?;
                let mut taken = self.queues[hop].taken.iter_mut();
                let sent = taken.find(|taken| is_same_packet(&taken.packet, &packet))?;
                sent.has_frame = true;
                // The frame ends in a medium when it is received.
                sent.leaves = timing.medium.is_none().then(|| at + timing.sending(packet.size(), at));
                None
            }
            LinkEvent::Arrived { packet } => self.leave(at, hop, (&packet, of), HopOutcome::Arrived),
            LinkEvent::Lost { packet } => self.leave(at, hop, (&packet, of), HopOutcome::Lost),
            LinkEvent::GivenUp { packet, arrived: false, .. } => {
                self.leave(at, hop, (&packet, of), HopOutcome::GivenUp)
            }
            LinkEvent::QueueFull { packet, arrived } => {
                self.drop_packet(at, hop, (&packet, of), arrived, HopOutcome::QueueFull)
            }
            LinkEvent::DroppedEarly { packet, arrived } => {
                self.drop_packet(at, hop, (&packet, of), arrived, HopOutcome::DroppedEarly)
            }
            _ => None,
        }
    }

    /// Records that a packet arrives at a hop.
    fn join(&mut self, at: Time, hop: HopIndex, packet: &Packet, of: Option<PacketFlow>) -> Option<PacketAtHop> {
        let node = self.timings.get(hop)?.near;
        let repeats = of.is_some_and(|of| self.sent.pass_on(node, packet, &of));
        Some(PacketAtHop { packet: *packet, of, repeats, joined: at, starts: None, leaves: None, has_frame: false })
    }

    /// Records that a packet arrives at the far end, or is lost after it has left the queue.
    fn leave(
        &mut self,
        at: Time,
        hop: HopIndex,
        (packet, of): (&Packet, Option<PacketFlow>),
        outcome: HopOutcome,
    ) -> Option<HopPassage> {
        let timing = self.timings.get(hop)?;
        let taken = &mut self.queues[hop].taken;
        let place = taken.iter().position(|taken| is_same_packet(&taken.packet, packet));
        let left = place.and_then(|place| taken.remove(place));
        let repeats = left.is_none_or(|left| left.repeats);
        if let (true, HopOutcome::Arrived, Some(of)) = (repeats && timing.far.addr() != packet.dst, outcome, of) {
            self.sent.repeat(timing.far, packet, &of);
        }
        let packet = *packet;
        let Some(left) = left else {
            let [joined, starts, leaves, ends] = [at; 4];
            let passage =
                HopPassage { hop, packet, of, repeats, joined, starts, leaves, ends, outcome, arrives_again: true };
            return Some(passage);
        };
        let joined = left.joined;
        let starts = left.starts.unwrap_or(joined);
        let leaves = left.leaves.unwrap_or_else(|| find_departure(timing, at, outcome)).clamp(starts, at.max(starts));
        Some(HopPassage { hop, packet, of, repeats, joined, starts, leaves, ends: at, outcome, arrives_again: false })
    }

    /// A queue drops a packet that had arrived at the queue at `joined`.
    fn drop_packet(
        &mut self,
        at: Time,
        hop: HopIndex,
        (packet, of): (&Packet, Option<PacketFlow>),
        joined: Time,
        outcome: HopOutcome,
    ) -> Option<HopPassage> {
        let waiting = self.queues.get_mut(hop)?.take_waiting(joined, packet);
        let repeats = waiting.or_else(|| self.join(joined, hop, packet, of))?.repeats;
        let [starts, leaves, ends] = [at; 3];
        let packet = *packet;
        Some(HopPassage { hop, packet, of, repeats, joined, starts, leaves, ends, outcome, arrives_again: false })
    }
}

/// Returns the end of the last transmission of a packet whose stay at a hop ends at `at`.
fn find_departure(timing: &HopTiming, at: Time, outcome: HopOutcome) -> Time {
    if outcome == HopOutcome::GivenUp { at } else { timing.departure(at) }
}
