//! The transmitters of a network, which all flows share, and the flow that each transmitter serves.

use std::collections::BTreeSet;

use engine::{IdVec, Span, Time};
use path::link::variable::plan::Outages;
use path::{HopIndex, LinkEvent, LinkId};
use sim::{FlowId, Network, NodeId};
use wire::Packet;

use crate::captured::{FORWARD, LinkService, SENDER};
use crate::hop_timing::{HopTiming, HopTimings};
use crate::packets_in_flight::{Departure, PacketsInFlight};

/// How a hop sends its packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// Packets are sent one after the other, without acknowledgments.
    Plain,
    /// Packets are sent one after the other, each until it is acknowledged or given up.
    StopAndWait,
    /// Several, each until it is acknowledged or given up.
    Window,
    /// In a shared medium.
    Medium,
}

/// The transmissions in one direction of a link.
pub struct TransmitterLine {
    /// How the hop sends packets.
    pub kind: LineKind,
    /// Node at the sending end of the hop.
    pub near: NodeId,
    /// Number of the hop's transmitter, which several hops may share.
    transmitter: usize,
    /// Whether the hop computes the departure of a packet when the packet arrives, so that a waiting packet is known at
    /// once.
    pub books: bool,
    /// Whether the hop sends at recorded opportunities. Between them the first packet counts as in service.
    pub at_opportunities: bool,
    outages: Outages,
    /// The end of the last transmission booked.
    pub free_at: Time,
    /// Whether the hop repeats a frame that has arrived, because its link acknowledgment was lost.
    pub in_vain: bool,
}

/// The hop of an event.
pub struct OnHop<'a> {
    /// The time of the event.
    pub at: Time,
    /// The hop.
    pub number: HopIndex,
    /// Transmission times of the hop.
    pub hop: &'a HopTiming,
}

/// The state of a hop before an event.
#[derive(Clone, Copy)]
pub struct Before {
    /// Until when its transmissions were booked.
    pub free: Time,
    /// Whether the hop's transmitter serves the flow.
    pub serves: bool,
}

impl OnHop<'_> {
    /// The transmission time of a packet.
    pub fn sending(&self, packet: &Packet, at: Time) -> Span {
        self.hop.sending(packet.size(), at)
    }

    /// Returns the end of the transmission of a packet that the transmitter takes at `starts`; `None` unless the link
    /// is plain.
    pub fn leaves(&self, packet: &Packet, starts: Time, kind: LineKind) -> Option<Time> {
        (kind == LineKind::Plain).then(|| starts + self.sending(packet, starts))
    }
}

impl TransmitterLine {
    /// Whether packets wait for the end of an outage.
    pub fn is_interrupted(&self, at: Time) -> bool {
        self.outages.end_of_wait(at) > at
    }

    /// Returns the next beginning or end, after `at`, of an outage in which packets wait; NEVER if there is none.
    pub fn next_interruption(&self, at: Time) -> Time {
        if self.is_interrupted(at) { self.outages.end_of_wait(at) } else { self.outages.next(at) }
    }
}

impl TransmitterLine {
    /// Sets the stage of a flow's packet on this hop, whose transmissions were booked until `free` before.
    pub fn set_stage(
        &mut self,
        on: &OnHop<'_>,
        (event, packet): (&LinkEvent, &Packet),
        packets: &mut PacketsInFlight,
        free: Time,
    ) {
        let (at, place) = (on.at, (self.near, on.number));
        match *event {
            LinkEvent::Dequeued { starts, leaves, .. } => {
                // At recorded opportunities the first packet is in service from the time at which the previous one
                // left.
                let starts = if self.at_opportunities { free.max(at).min(starts) } else { starts };
                let ends = leaves.or_else(|| on.leaves(packet, starts, self.kind));
                packets.dequeue(place, packet, &Departure { at, free, starts, ends });
            }
            LinkEvent::FrameSent { .. } if self.kind != LineKind::Medium => {
                let ends = (self.kind == LineKind::Window).then(|| at + on.sending(packet, at));
                self.in_vain = !packets.attempt(place, packet, ends);
            }
            LinkEvent::FrameCorrupted { .. } if self.kind != LineKind::Medium => {
                packets.fail_attempt(place, packet);
            }
            _ => {}
        }
    }
}

/// The transmitters of a network.
pub struct Transmitters {
    lines: IdVec<HopIndex, TransmitterLine>,
    /// The flow of the last packet that a transmitter took, by transmitter.
    serving: Vec<Option<FlowId>>,
    /// The flows whose packets each node has sent.
    flows: IdVec<NodeId, BTreeSet<FlowId>>,
}

impl Transmitters {
    /// The transmitters of a network with these hops.
    pub(crate) fn of(network: &Network, hops: &HopTimings) -> Self {
        let nodes = network.nodes.len();
        let links = (0..network.links.len()).map(LinkId::from_index);
        let lines: IdVec<HopIndex, TransmitterLine> = links
            .flat_map(LinkId::hops)
            .filter_map(|id| {
                let hop = hops.get(id)?;
                let kind = match hop.medium {
                    Some(_) => LineKind::Medium,
                    None if hop.stops_and_waits() => LineKind::StopAndWait,
                    None if hop.has_window() => LineKind::Window,
                    None => LineKind::Plain,
                };
                let shared = kind == LineKind::StopAndWait && network.nodes[hop.near.index()].radio.is_shared();
                let transmitter = if shared { hop.near.index() } else { nodes + id.index() };
                Some(TransmitterLine {
                    kind,
                    near: hop.near,
                    transmitter,
                    books: false,
                    at_opportunities: has_opportunities(network, id),
                    outages: find_outages(network, id),
                    free_at: Time::ZERO,
                    in_vain: false,
                })
            })
            .collect();
        let serving = vec![None; nodes + lines.len()];
        Transmitters { lines, serving, flows: vec![BTreeSet::new(); nodes].into() }
    }

    /// The only transmitter of a captured path.
    pub(crate) fn of_capture() -> Self {
        let line = TransmitterLine {
            kind: LineKind::Plain,
            near: SENDER,
            transmitter: 0,
            books: false,
            at_opportunities: false,
            outages: Outages::default(),
            free_at: Time::ZERO,
            in_vain: false,
        };
        Transmitters { lines: vec![line].into(), serving: vec![None], flows: vec![BTreeSet::new()].into() }
    }

    /// Makes the transmitter of a captured path serve a segment that was sent at `at`. Returns the end of the
    /// transmitter's previous transmission.
    pub(crate) fn serve_captured(&mut self, at: Time, service: LinkService) -> Time {
        let line = &mut self.lines[HopIndex::from(FORWARD)];
        let free = line.free_at;
        line.books |= service.starts > at;
        line.free_at = service.leaves.max(free);
        free
    }

    /// Returns the line of a hop.
    pub fn line(&self, hop: HopIndex) -> Option<&TransmitterLine> {
        self.lines.get(hop)
    }

    /// Returns the line of a hop.
    pub(crate) fn line_mut(&mut self, hop: HopIndex) -> Option<&mut TransmitterLine> {
        self.lines.get_mut(hop)
    }

    /// The maximum number of flows besides `flow` that have sent from one of the nodes.
    pub fn others(&self, nodes: impl Iterator<Item = NodeId>, flow: FlowId) -> u32 {
        let others = |node: NodeId| self.flows[node].iter().filter(|other| **other != flow).count();
        nodes.map(others).max().and_then(|others| u32::try_from(others).ok()).unwrap_or(0)
    }

    /// The flow that a hop's transmitter serves, or served last.
    pub fn serving(&self, hop: HopIndex) -> Option<FlowId> {
        self.serving[self.lines.get(hop)?.transmitter]
    }

    /// Handles an event of a hop about a packet of `flow`; `taken` if its transmitter takes the packet. Returns until when
    /// its transmissions were booked before.
    pub(crate) fn observe(&mut self, on: &OnHop<'_>, event: &LinkEvent, flow: Option<FlowId>, taken: bool) -> Time {
        let Some(line) = self.lines.get_mut(on.number) else { return on.at };
        let free = line.free_at;
        if taken {
            self.serving[line.transmitter] = flow;
        }
        match event {
            LinkEvent::Dequeued { packet, starts, leaves, .. } => {
                self.flows[line.near].extend(flow);
                line.in_vain = false;
                line.books |= *starts > on.at;
                let leaves = leaves.or_else(|| on.leaves(packet, *starts, line.kind));
                line.free_at = leaves.map_or(free, |leaves| leaves.max(free));
            }
            LinkEvent::AckCorrupted { .. } => line.in_vain = true,
            _ => {}
        }
        free
    }
}

fn find_outages(network: &Network, hop: HopIndex) -> Outages {
    let changes = network.links.get(hop.link().index()).and_then(|link| link.changes.as_ref());
    changes.map_or_else(Outages::default, |changes| Outages::new(&changes.gaps, hop.direction()))
}

fn has_opportunities(network: &Network, hop: HopIndex) -> bool {
    let changes = network.links.get(hop.link().index()).and_then(|link| link.changes.as_ref());
    changes.is_some_and(|changes| changes.opportunities[hop.direction().index()].is_some())
}
