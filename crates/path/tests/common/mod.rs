//! Helpers of the contract tests.

use engine::{Schedule, Slot, Time};
use path::link::fifo::{FifoArrival, FifoLink};
use path::link::priority::PriorityLink;
use path::link::{HopCounters, Link, LinkParts, TransmissionLine};
use path::mac::arq::{ArqConfig, ArqSender};
use path::outcome::{LinkOutcome, Outcomes};
use path::queue::{RouterBuffer, Tie, drop_tail};
use path::scheduler::SchedulerConfig;
use path::station::{Station, TxQueue};
use path::{Cx, HopId, HopState, LinkDirection, LinkEvent, LinkId, MediumEvent, MediumId, Observer};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use wire::{Addr, Body, CompactPacket, Flags, Packet, Segment, SeqNum};

/// Returns the member of a registry with this name and default settings.
pub fn member<T: for<'de> Deserialize<'de>>(name: &str) -> Result<T, Error> {
    T::deserialize(MapDeserializer::<_, Error>::new([("kind", name)].into_iter()))
}

/// Returns a packet from node 0 to node 2 with `len` bytes of data.
pub fn packet(seq: u32, len: u32) -> Packet {
    let segment = Segment {
        src_port: 1,
        dst_port: 2,
        seq: SeqNum(seq),
        ack: SeqNum(0),
        flags: Flags::ACK,
        len,
        ..Segment::default()
    };
    Packet::new(Addr::of_node(0), Addr::of_node(2), Body::Tcp(segment))
}

/// An event of a link or of a medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoggedEvent {
    Link(HopId, LinkEvent),
    Medium(MediumEvent),
}

/// Records every event.
#[derive(Default)]
pub struct EventLog(pub Vec<(Time, LoggedEvent)>);

impl Observer for EventLog {
    fn watches(&self) -> bool {
        true
    }
    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent) {
        self.0.push((at, LoggedEvent::Link(hop, event)));
    }
    fn medium(&mut self, at: Time, _: MediumId, event: MediumEvent) {
        self.0.push((at, LoggedEvent::Medium(event)));
    }
}

impl EventLog {
    /// Returns the events of links.
    pub fn link_events(&self) -> impl Iterator<Item = (Time, HopId, LinkEvent)> {
        self.0.iter().filter_map(|(at, event)| match event {
            LoggedEvent::Link(hop, event) => Some((*at, *hop, *event)),
            LoggedEvent::Medium(_) => None,
        })
    }

    /// Returns the events of media.
    pub fn medium_events(&self) -> impl Iterator<Item = (Time, MediumEvent)> {
        self.0.iter().filter_map(|(at, event)| match event {
            LoggedEvent::Link(..) => None,
            LoggedEvent::Medium(event) => Some((*at, *event)),
        })
    }
}

/// Collects the outcomes of a wake-up.
pub fn collect(act: impl FnOnce(&mut Outcomes<'_>)) -> Vec<LinkOutcome> {
    let (mut first, mut more) = (packet(0, 0), Vec::new());
    let mut outcomes = Outcomes::new(&mut first, &mut more);
    act(&mut outcomes);
    let delivered = outcomes.delivered_hop().map(|_| LinkOutcome::Delivered(first));
    delivered.into_iter().chain(more.into_iter().map(|(_, outcome)| outcome)).collect()
}

/// Returns the packet of an outcome if it is a delivery.
pub fn delivered(outcome: &LinkOutcome) -> Option<&Packet> {
    match outcome {
        LinkOutcome::Delivered(packet) => Some(packet),
        _ => None,
    }
}

/// One direction of a link with any link layer.
pub enum Sending {
    Fifo(Box<FifoLink>),
    Station { station: Station, arrival: Slot },
    Link(Box<dyn Link>),
}

impl Sending {
    /// Builds the link; without a link layer a FIFO link, or one that supports expedited packets.
    pub fn new(
        arq: &ArqConfig,
        expedited: bool,
        (hop, line): (HopId, TransmissionLine),
        queue: impl Into<drop_tail::Config>,
        schedule: &mut Schedule,
    ) -> Self {
        let (slot, queue, tie) = (schedule.slot(), queue.into(), Tie::default());
        match arq.build().sender() {
            ArqSender::Plain if expedited => {
                Sending::Link(Box::new(PriorityLink::new(hop, line, (queue, tie), true, slot)))
            }
            ArqSender::Plain => Sending::Fifo(Box::new(FifoLink::new(hop, line, (queue, tie), true, slot))),
            ArqSender::Station(arq) => {
                let queues = vec![TxQueue::new(hop, line, *arq, queue)];
                let station = Station::new(queues, &SchedulerConfig::default(), slot, schedule.slot());
                Sending::Station { station, arrival: slot }
            }
            ArqSender::Own(build) => {
                let (agent_at_far_end, reports_deliveries) = (false, true);
                Sending::Link(build(LinkParts {
                    hop,
                    line,
                    queue: queue.into(),
                    slot,
                    agent_at_far_end,
                    reports_deliveries,
                }))
            }
        }
    }

    pub fn accept<O: Observer>(
        &mut self,
        packet: &Packet,
        expedited: bool,
        buffer: &mut RouterBuffer,
        cx: &mut Cx<'_, O>,
    ) -> bool {
        match self {
            Sending::Fifo(link) => {
                let leaves = link.on_packet(packet, cx);
                buffer.release_at(leaves, packet.size());
                leaves.is_some()
            }
            Sending::Station { station, .. } => station.on_packet(0, packet, expedited, buffer, cx),
            Sending::Link(link) => cx.with_erased_observer(|cx| link.accept(packet, expedited, buffer, cx)),
        }
    }

    pub fn wake<O: Observer>(&mut self, slot: Slot, buffer: &mut RouterBuffer, cx: &mut Cx<'_, O>) -> Vec<LinkOutcome> {
        collect(|outcomes| match self {
            Sending::Fifo(link) => {
                let hop = LinkId::new(0).hop(LinkDirection::Forward);
                outcomes.deliver_with(hop, |packet| {
                    let mut compact = CompactPacket::of(packet);
                    let arrival = link.on_wake(cx, &mut compact, packet);
                    if arrival == FifoArrival::Compact {
                        compact.write_to(packet);
                    }
                    arrival != FifoArrival::Nothing
                });
            }
            Sending::Station { station, arrival } if slot == *arrival => station.on_arrival(buffer, outcomes, cx),
            Sending::Station { station, .. } => station.on_timer(buffer, outcomes, cx),
            Sending::Link(link) => cx.with_erased_observer(|cx| link.wake(buffer, outcomes, cx)),
        })
    }

    pub fn counters(&self, now: Time) -> HopCounters {
        match self {
            Sending::Fifo(link) => link.counters(now),
            Sending::Station { station, .. } => station.queues()[0].counters(now),
            Sending::Link(link) => link.counters(now),
        }
    }

    pub fn state(&self, now: Time) -> HopState {
        match self {
            Sending::Fifo(link) => link.state(now),
            Sending::Station { station, .. } => station.queues()[0].state(),
            Sending::Link(link) => link.state(now),
        }
    }
}
