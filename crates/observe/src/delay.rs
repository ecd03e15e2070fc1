//! The delays of a run: round trips as TCP measures them, one-way delays of data, waits in queues and times in link
//! layers.
//!
//! Memory: a [`Histogram`] for each flow and each direction of a link, and an entry for each packet in the network.

use std::collections::VecDeque;

use engine::{Histogram, Span, Time};
use path::mac::arq::ArqConfig;
use path::{HopId, LinkEvent};
use sim::{Event, Jitter, Network, NodeEvent, PacketFlow, Sink};

/// The delays of one flow.
#[derive(Clone, Debug, Default)]
pub struct FlowDelays {
    /// Round trips that the sender measured [RFC6298 s3, RFC7323 s4].
    pub rtt: Histogram,
    /// From the transmission of a segment by its sender to its arrival at the receiver.
    pub one_way: Histogram,
    /// Jitter of the one-way delay.
    pub jitter: Jitter,
    /// The node that sends the data.
    sender: usize,
    /// The transmissions of segments that have not arrived, in the order of their times: mostly that of arrivals, so that
    /// searches end at the first.
    sent: VecDeque<Transmission>,
    /// Whether `sent` has retransmissions, so that its bytes are not in order.
    repeats: bool,
}

/// A transmission of a segment by its sender.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    /// First byte.
    seq: u64,
    at: Time,
    lost: bool,
}

impl FlowDelays {
    /// A segment of data was sent.
    fn sent(&mut self, at: Time, seq: u64) {
        if self.sent.back().is_some_and(|last| last.seq >= seq) {
            self.repeats = true;
            self.sent.retain(|copy| copy.seq != seq || !copy.lost);
        }
        self.sent.push_back(Transmission { seq, at, lost: false });
    }

    /// A transmission of a segment was lost: the oldest or the newest.
    fn lost(&mut self, seq: u64, newest: bool) {
        let mut alive = self.sent.iter_mut().filter(|copy| copy.seq == seq && !copy.lost);
        let lost = if newest { alive.next_back() } else { alive.next() };
        if let Some(copy) = lost {
            copy.lost = true;
        }
    }

    /// A segment arrived at the receiver: mostly the first transmission that has not arrived.
    #[inline]
    fn arrived(&mut self, at: Time, seq: u64) {
        match self.sent.front() {
            Some(Transmission { seq: first, at: sent, lost: false }) if *first == seq => {
                let one_way = at.since(*sent);
                self.sent.pop_front();
                self.measured(one_way);
            }
            _ => self.arrived_out_of_order(at, seq),
        }
    }

    /// If all transmissions of the segment were lost, a scheme has delivered a copy of its own.
    fn arrived_out_of_order(&mut self, at: Time, seq: u64) {
        let alive = self.sent.iter().position(|copy| copy.seq == seq && !copy.lost);
        let copy = alive.or_else(|| self.sent.iter().position(|copy| copy.seq == seq));
        if let Some(Transmission { at: sent, .. }) = copy.and_then(|copy| self.sent.remove(copy)) {
            self.measured(at.since(sent));
        }
    }

    #[inline]
    fn measured(&mut self, one_way: Span) {
        self.one_way.record_span(one_way);
        self.jitter.record(one_way);
    }

    /// Everything before `ack` was acknowledged. Copies may still be under way; they are not measured.
    fn acknowledged(&mut self, ack: u64) {
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
    /// From the start of the first transmission, or of contention in a medium, to the arrival at the far end. Empty on a
    /// link without a link layer.
    pub link_layer: Histogram,
    /// Whether it has a link layer.
    pub has_link_layer: bool,
    /// Packets in the link layer, and when it took them, the oldest first.
    taken: VecDeque<(Key, Time)>,
}

/// Distinguishes the packets on a link: flow, direction, sequence and acknowledgment numbers.
type Key = (u32, bool, Option<u64>, Option<u64>);

fn key(of: &PacketFlow) -> Key {
    (of.flow, of.from_sender, of.seq, of.ack)
}

/// Measures the delays of a run.
#[derive(Clone, Debug)]
pub struct Delays {
    flows: Vec<FlowDelays>,
    hops: Vec<HopDelays>,
}

impl Delays {
    /// An observer of `network`.
    pub fn of(network: &Network) -> Self {
        let flow = |spec: &sim::FlowSpec| FlowDelays { sender: spec.from, ..FlowDelays::default() };
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
        self.flows.get(number)
    }

    /// The delays of a direction of a link: 0 for forward, 1 for backward.
    pub fn hop(&self, link: usize, direction: usize) -> Option<&HopDelays> {
        self.hops.get(2 * link + direction)
    }

    fn node(&mut self, at: Time, node: u32, event: &NodeEvent, of: &PacketFlow) {
        let Some(flow) = self.flows.get_mut(of.flow as usize) else { return };
        let (NodeEvent::Sent { packet }
        | NodeEvent::Received { packet }
        | NodeEvent::BufferFull { packet }
        | NodeEvent::NoRoute { packet }) = event
        else {
            return;
        };
        let Some(seq) = data(packet, of) else { return };
        match event {
            NodeEvent::Sent { .. } if node as usize == flow.sender => flow.sent(at, seq),
            NodeEvent::Received { .. } => flow.arrived(at, seq),
            NodeEvent::BufferFull { .. } | NodeEvent::NoRoute { .. } => flow.lost(seq, true),
            _ => {}
        }
    }

    fn link(&mut self, at: Time, hop: HopId, event: &LinkEvent, of: Option<&PacketFlow>) {
        let Some(here) = self.hops.get_mut(2 * hop.link as usize + hop.direction.index()) else { return };
        if let LinkEvent::Dequeued { arrived, starts, .. } = event {
            here.queue.record_span(starts.since(*arrived));
        }
        let Some(of) = of else { return };
        let flow = self.flows.get_mut(of.flow as usize);
        match event {
            LinkEvent::Dequeued { starts, .. } if here.has_link_layer => {
                here.taken.push_back((key(of), *starts));
            }
            LinkEvent::Arrived { .. } if here.has_link_layer => {
                if let Some(taken) = here.taken_at(of) {
                    here.link_layer.record_span(at.since(taken));
                }
            }
            LinkEvent::GivenUp { packet, arrived, .. } => {
                here.taken_at(of);
                if let (Some(flow), Some(seq), false) = (flow, data(packet, of), *arrived) {
                    flow.lost(seq, false);
                }
            }
            LinkEvent::Lost { packet } => {
                here.taken_at(of);
                if let (Some(flow), Some(seq)) = (flow, data(packet, of)) {
                    flow.lost(seq, false);
                }
            }
            LinkEvent::QueueFull { packet } | LinkEvent::DroppedEarly { packet } => {
                if let (Some(flow), Some(seq)) = (flow, data(packet, of)) {
                    flow.lost(seq, true);
                }
            }
            _ => {}
        }
    }
}

impl HopDelays {
    /// When the link layer took a packet that leaves it now: mostly the oldest.
    fn taken_at(&mut self, of: &PacketFlow) -> Option<Time> {
        let key = key(of);
        let place = match self.taken.front() {
            Some((first, _)) if *first == key => 0,
            _ => self.taken.iter().position(|(other, _)| *other == key)?,
        };
        self.taken.remove(place).map(|(_, taken)| taken)
    }
}

/// The first byte of a segment of data on its way to the receiver.
#[inline]
fn data(packet: &wire::Packet, of: &PacketFlow) -> Option<u64> {
    of.seq.filter(|_| of.from_sender && packet.data().is_some())
}

impl Sink for Delays {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Sender { flow, event: tcp::Event::RttSample { rtt, .. } } => {
                if let Some(flow) = self.flows.get_mut(*flow as usize) {
                    flow.rtt.record_span(*rtt);
                }
            }
            Event::Sender { flow, event: tcp::Event::AckReceived { ack, duplicate: false } } => {
                if let Some(flow) = self.flows.get_mut(*flow as usize) {
                    flow.acknowledged(*ack);
                }
            }
            Event::Node { node, event, of: Some(of) } => self.node(at, *node, event, of),
            Event::Link { hop, event, of } => self.link(at, *hop, event, of.as_ref()),
            _ => {}
        }
    }
}

/// The mean of a distribution in seconds; `None` without values.
pub(crate) fn mean(histogram: &Histogram) -> Option<f64> {
    histogram.mean().map(|nanos| nanos / 1e9)
}

/// A quantile in seconds, within 1 %; `None` without values.
pub(crate) fn quantile(histogram: &Histogram, share: f64) -> Option<f64> {
    histogram.quantile(share).map(seconds)
}

/// The maximum in seconds; `None` without values.
pub(crate) fn max(histogram: &Histogram) -> Option<f64> {
    histogram.max().map(seconds)
}

fn seconds(nanos: u64) -> f64 {
    Span::from_nanos(nanos).as_secs_f64()
}
