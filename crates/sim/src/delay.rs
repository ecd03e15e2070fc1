//! The delays of a run: round trips measured by TCP, one-way delays of data, waits in queues and times in link layers.
//!
//! Memory: a [`Histogram`] for each flow and each direction of a link, and an entry for each packet in the network.

use std::collections::VecDeque;

use engine::{Histogram, IdVec, Span, Time};
use path::mac::arq::ArqConfig;
use path::{HopId, LinkEvent};
use wire::Packet;

use crate::event::{NodeEvent, PacketFlow};
use crate::ids::{FlowId, HopIndex, LinkId, NodeId};
use crate::jitter::Jitter;
use crate::network::{FlowSpec, Network};

/// The delays of one flow.
#[derive(Clone, Debug, Default)]
pub struct FlowDelays {
    /// Round trips measured by the sender [RFC6298 s3, RFC7323 s4].
    pub rtt: Histogram,
    /// Times from the transmission of a segment by its sender to its arrival at the receiver.
    pub one_way: Histogram,
    /// Jitter of the one-way delay.
    pub jitter: Jitter,
    /// Node that sends the data; `None` while unknown.
    sender: Option<NodeId>,
    /// The transmissions of segments that have not arrived, in the order of their times. As this is mostly the order of
    /// arrivals, searches end at the first entry.
    sent: VecDeque<TimedTransmission>,
    /// Whether `sent` includes retransmissions, so that its offsets are not ascending.
    repeats: bool,
    /// Bytes acknowledged so far.
    acknowledged: u64,
}

/// A transmission of a segment by its sender.
#[derive(Clone, Copy, Debug)]
struct TimedTransmission {
    /// First byte.
    seq: u64,
    at: Time,
    lost: bool,
}

impl FlowDelays {
    /// Records that a segment of data was sent.
    fn record_transmission(&mut self, at: Time, seq: u64) {
        if self.sent.back().is_some_and(|last| last.seq >= seq) {
            self.repeats = true;
            self.sent.retain(|copy| copy.seq != seq || !copy.lost);
        }
        self.sent.push_back(TimedTransmission { seq, at, lost: false });
    }

    /// Removes a lost transmission of a segment: the oldest one, or the last one that was sent by the time `queued` at
    /// which it joined a queue.
    fn record_loss(&mut self, seq: u64, queued: Option<Time>) {
        let mut alive = self.sent.iter_mut().filter(|copy| copy.seq == seq && !copy.lost);
        let lost = match queued {
            Some(queued) => alive.rfind(|copy| copy.at <= queued),
            None => alive.next(),
        };
        if let Some(copy) = lost {
            copy.lost = true;
        }
    }

    /// Records that a segment arrived at the receiver: mostly the first transmission that has not arrived.
    #[inline]
    fn record_arrival(&mut self, at: Time, seq: u64) {
        match self.sent.front() {
            Some(TimedTransmission { seq: first, at: sent, lost: false }) if *first == seq => {
                let one_way = at.since(*sent);
                self.sent.pop_front();
                self.record_delay(one_way);
            }
            _ => self.arrived_out_of_order(at, seq),
        }
    }

    /// Handles the arrival of a segment out of order. If all transmissions of the segment were lost, a scheme has
    /// delivered a cached copy.
    fn arrived_out_of_order(&mut self, at: Time, seq: u64) {
        let alive = self.sent.iter().position(|copy| copy.seq == seq && !copy.lost);
        let copy = alive.or_else(|| self.sent.iter().position(|copy| copy.seq == seq));
        if let Some(TimedTransmission { at: sent, .. }) = copy.and_then(|copy| self.sent.remove(copy)) {
            self.record_delay(at.since(sent));
        }
    }

    #[inline]
    fn record_delay(&mut self, one_way: Span) {
        self.one_way.record_span(one_way);
        self.jitter.record(one_way);
    }

    /// Forgets everything before `ack`, which is acknowledged. The delays of copies that are still in flight are not
    /// measured.
    #[inline]
    fn forget_acknowledged(&mut self, ack: u64) {
        if ack == self.acknowledged {
            return;
        }
        self.acknowledged = ack;
        if self.repeats {
            self.sent.retain(|copy| copy.seq >= ack);
            self.repeats = !self.sent.iter().is_sorted_by_key(|copy| copy.seq);
            return;
        }
        while self.sent.front().is_some_and(|copy| copy.seq < ack) {
            self.sent.pop_front();
        }
    }
}

/// The delays of one direction of a link.
#[derive(Clone, Debug, Default)]
pub struct HopDelays {
    /// Waits in the queue: from the arrival of a packet to the start of its transmission.
    pub queue: Histogram,
    /// Waits of the packets that the queue dropped: 0 for an arriving packet that it refused.
    pub queue_dropped: Histogram,
    /// Times from the start of the first transmission, or of contention in a medium, to the arrival at the far end.
    /// Empty on a link without a link layer.
    pub link_layer: Histogram,
    /// Whether the hop has a link layer.
    pub has_link_layer: bool,
    /// Packets in the link layer, and the times at which the link layer took them, the oldest first.
    taken: VecDeque<(PacketFlow, Time)>,
}

/// The delays of a run. The world updates them at the transmission and the arrival of each packet, with or without a
/// sink.
#[derive(Clone, Debug)]
pub struct Delays {
    flows: IdVec<FlowId, FlowDelays>,
    hops: IdVec<HopIndex, HopDelays>,
}

impl Delays {
    /// Creates the empty delays of a run of `network`, before the run begins.
    pub(crate) fn of(network: &Network) -> Self {
        let flow =
            |spec: &FlowSpec| FlowDelays { sender: Some(NodeId::from_index(spec.from)), ..FlowDelays::default() };
        let hops = network.links.iter().flat_map(|link| {
            link.directions().map(|way| HopDelays {
                has_link_layer: link.medium.is_some() || !matches!(way.arq, ArqConfig::None(_)),
                ..HopDelays::default()
            })
        });
        Delays { flows: network.flows.iter().map(flow).collect(), hops: hops.collect() }
    }

    /// The delays of a flow of the scenario.
    pub fn flow(&self, number: usize) -> Option<&FlowDelays> {
        self.flows.get(FlowId::from_index(number))
    }

    /// The delays of a direction of a link: 0 for forward, 1 for backward.
    pub fn hop(&self, link: usize, direction: usize) -> Option<&HopDelays> {
        self.hops.get(LinkId::from_index(link).hops()[direction])
    }

    /// Handles an event at a node about a packet of a flow.
    pub(crate) fn node(&mut self, at: Time, node: NodeId, event: &NodeEvent, of: &PacketFlow) {
        match event {
            NodeEvent::Sent { packet } if packet.data().is_some() => self.record_sent(at, node, of),
            NodeEvent::Received { packet } if packet.data().is_some() => self.record_received(at, of),
            NodeEvent::BufferFull { packet } | NodeEvent::NoRoute { packet } => self.record_loss(packet, of, Some(at)),
            _ => {}
        }
    }

    /// Records that a node sent a segment with data.
    pub(crate) fn record_sent(&mut self, at: Time, node: NodeId, of: &PacketFlow) {
        if let (Some(flow), Some(seq)) = (self.flows.get_mut(of.flow), to_receiver(of))
            && flow.sender == Some(node)
        {
            flow.record_transmission(at, seq);
        }
    }

    /// Records that a segment with data arrived at its destination.
    pub(crate) fn record_received(&mut self, at: Time, of: &PacketFlow) {
        if let (Some(flow), Some(seq)) = (self.flows.get_mut(of.flow), to_receiver(of)) {
            flow.record_arrival(at, seq);
        }
    }

    /// Records that the sender of a flow has acted: a round trip may have been measured, and `acknowledged` bytes of
    /// the flow are acknowledged.
    #[inline(never)]
    pub(crate) fn record_action(&mut self, flow: FlowId, rtt: Option<Span>, acknowledged: u64) {
        let Some(flow) = self.flows.get_mut(flow) else { return };
        if let Some(rtt) = rtt {
            flow.rtt.record_span(rtt);
        }
        flow.forget_acknowledged(acknowledged);
    }

    /// Records that a packet waited in the queue of a link.
    #[inline(never)]
    pub(crate) fn record_wait(&mut self, hop: HopId, wait: Span) {
        if let Some(here) = self.hops.get_mut(HopIndex::from(hop)) {
            here.queue.record_span(wait);
        }
    }

    /// Processes an event on a link that [times](LinkEvent::is_timing) a packet. `of` finds the packet's flow.
    #[inline]
    pub(crate) fn link(&mut self, at: Time, hop: HopId, event: &LinkEvent, of: impl FnOnce() -> Option<PacketFlow>) {
        let Some(here) = self.hops.get_mut(HopIndex::from(hop)) else { return };
        match event {
            LinkEvent::Dequeued { arrived, starts, .. } => {
                here.queue.record_span(starts.since(*arrived));
                if here.has_link_layer
                    && let Some(of) = of()
                {
                    here.taken.push_back((of, *starts));
                }
            }
            LinkEvent::Arrived { .. } => {
                if here.has_link_layer
                    && let Some(taken) = of().and_then(|of| here.taken_at(&of))
                {
                    here.link_layer.record_span(at.since(taken));
                }
            }
            LinkEvent::GivenUp { packet, arrived, .. } => {
                if let Some(of) = of() {
                    here.taken_at(&of);
                    if !arrived {
                        self.record_loss(packet, &of, None);
                    }
                }
            }
            LinkEvent::Lost { packet } => {
                if let Some(of) = of() {
                    here.taken_at(&of);
                    self.record_loss(packet, &of, None);
                }
            }
            LinkEvent::QueueFull { packet, arrived } | LinkEvent::DroppedEarly { packet, arrived } => {
                here.queue_dropped.record_span(at.since(*arrived));
                if let Some(of) = of() {
                    self.record_loss(packet, &of, Some(*arrived));
                }
            }
            _ => {}
        }
    }

    /// Processes the loss of a packet. If the packet has data, one of its transmissions, chosen by
    /// [`FlowDelays::record_loss`], is removed.
    #[cold]
    fn record_loss(&mut self, packet: &Packet, of: &PacketFlow, queued: Option<Time>) {
        if let (Some(flow), Some(seq)) = (self.flows.get_mut(of.flow), to_receiver(of))
            && packet.data().is_some()
        {
            flow.record_loss(seq, queued);
        }
    }
}

impl HopDelays {
    /// Returns the time at which the link layer accepted a packet that leaves it now; this is mostly the oldest packet.
    fn taken_at(&mut self, of: &PacketFlow) -> Option<Time> {
        let place = match self.taken.front() {
            Some((first, _)) if first == of => 0,
            _ => self.taken.iter().position(|(other, _)| other == of)?,
        };
        self.taken.remove(place).map(|(_, taken)| taken)
    }
}

/// Returns the first byte of a segment that is in transit to the receiver of the flow's data.
#[inline]
fn to_receiver(of: &PacketFlow) -> Option<u64> {
    of.seq.filter(|_| of.from_sender)
}
