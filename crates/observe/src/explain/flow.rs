//! Follows the packets of one flow: the fate of each transmission by an endpoint.

mod in_cell;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use engine::{Span, Time};
use path::{HopId, LinkEvent, MediumId};
use sim::{FlowSpec, PacketFlow};
use tcp::Reason;
use wire::{Addr, Body, Packet, Segment};

use super::cell::Why;
use super::hops::{self, Hop, Hops};
use super::sending::{Load, Sending};
use super::transit::Transit;
use crate::received::Received;
use in_cell::InCells;

/// Something that happened to a flow.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fact {
    /// A segment entered the network.
    Sent(Sending),
    /// A segment arrived at a node on its path.
    Passed,
    /// A segment arrived at the receiver; `news` if it contained new bytes.
    Reached { sending: Sending, news: bool },
    /// An acknowledgment or a message arrived at the sender's node.
    Answered(Sending),
    /// A packet was lost.
    Gone(Sending),
    /// An attempt of the link layer at a packet, or the only transmission if there is no link layer, failed. `unbroken`
    /// if it was in a medium, and the previous attempt there had failed for the same reason.
    Failed { hop: HopId, from: Time, to: Time, data: bool, why: Why, unbroken: bool },
    /// A packet waited at a station of a medium during transmissions of others.
    Waited { from: Time, to: Time },
    /// An event of the sender.
    Tcp(tcp::Event),
}

/// The state of a link layer's attempts at the flow's packet on a hop.
#[derive(Clone, Copy)]
struct Service {
    /// The start of the first attempt, and of the current one.
    began: Time,
    attempt_began: Time,
    /// Whether the packet has arrived at the far end.
    arrived: bool,
}

/// The hop with the lowest capacity in segments per second.
pub(super) struct Slowest {
    pub id: HopId,
    near: usize,
    pub cycle: Span,
    /// The medium to which it belongs.
    pub medium: Option<MediumId>,
    has_link_layer: bool,
    sending: Span,
    processing: Span,
    /// The end of the transmission, or of the exchange, of the data it was given.
    free: Time,
}

impl Slowest {
    /// A hop of a medium.
    pub fn in_cell(id: HopId, hop: &Hop, medium: MediumId, cycle: Span) -> Self {
        Slowest {
            id,
            near: hop.near,
            cycle,
            medium: Some(medium),
            has_link_layer: true,
            sending: Span::ZERO,
            processing: hop.processing,
            free: Time::ZERO,
        }
    }
}

/// For how long the slowest hop has had no data of a flow to send.
#[derive(Clone, Copy)]
pub(super) enum Idle {
    /// From a given time on, which may be in the future.
    From(Time),
    /// It belongs to this medium, which has been idle for this time in total.
    Cell(MediumId, Span),
}

pub(super) struct Flow {
    receiver: Addr,
    /// Bytes of data in a full segment.
    pub segment: u32,
    /// Bytes of its IP packet.
    packet: u32,
    /// The receiver's window.
    pub window: u64,
    /// Whether acknowledgments state the window. The receivers of this simulator read at once, so theirs is constant.
    pub(super) follows_window: bool,
    /// Bytes to send; `None` if endless.
    pub bytes: Option<u64>,
    /// First unacknowledged byte.
    pub una: u64,
    /// First byte never sent.
    pub max: u64,
    /// cwnd, including the inflation during recovery.
    pub cwnd: f64,
    /// When the sender last sent or received something; expiries of its timer do not count.
    pub acted: Time,
    /// When a queue last dropped or marked a packet of the flow, or a node's buffers dropped one.
    pub congested_at: Option<Time>,
    /// Unacknowledged segments lost on the channel: the time of the last loss, by first byte.
    pub lost_in_air: BTreeMap<u64, Time>,
    /// First bytes of unacknowledged segments that were lost anywhere and that the receiver does not have.
    missed: BTreeSet<u64>,
    /// Names of links, by number.
    pub links: Rc<[String]>,
    least_rtt: Option<Span>,
    received: Received,
    /// The first transmission time of each outstanding segment, oldest first.
    first_sent: VecDeque<(u64, Time)>,
    /// The reason for the last transmission of the segment with this first byte.
    reason: (u64, Reason),
    /// The position of every packet of the flow.
    pub(super) transit: Transit,
    /// The state in shared media.
    in_cells: InCells,
    /// By hop number.
    services: BTreeMap<usize, Service>,
    pub(super) slowest: Option<Slowest>,
    next_id: u64,
}

impl Flow {
    pub fn new(spec: &FlowSpec, links: Rc<[String]>, homes: Rc<[Option<MediumId>]>) -> Self {
        Flow {
            receiver: Addr::of_node(spec.to),
            segment: spec.tcp.segment_data(),
            packet: Packet::HEADER + Segment::HEADER + spec.tcp.segment,
            window: spec.tcp.window.0,
            follows_window: false,
            bytes: spec.traffic.total(),
            una: 0,
            max: 0,
            cwnd: 0.0,
            acted: spec.start,
            congested_at: None,
            lost_in_air: BTreeMap::new(),
            missed: BTreeSet::new(),
            links,
            least_rtt: None,
            received: Received::default(),
            first_sent: VecDeque::new(),
            reason: (0, Reason::New),
            transit: Transit::new(homes),
            in_cells: InCells::default(),
            services: BTreeMap::new(),
            slowest: None,
            next_id: 0,
        }
    }

    /// Since when the network has been empty of the flow's packets: data, acknowledgments and messages.
    pub fn empty_since(&self) -> Option<Time> {
        self.transit.empty_since()
    }

    /// Every packet in the network.
    pub fn in_network(&self) -> impl Iterator<Item = &Sending> {
        self.transit.all()
    }

    /// When the first outstanding segment was first sent.
    pub fn oldest_sent(&self) -> Option<Time> {
        self.first_sent.front().map(|(_, at)| *at)
    }

    /// Whether the first unacknowledged segment is lost: neither in the network nor at the receiver.
    pub fn hole(&self) -> bool {
        self.una < self.max && self.received.next() <= self.una && !self.transit.has_data(self.una)
    }

    /// Whether the first unacknowledged segment was lost and has been retransmitted, and a copy or its acknowledgment
    /// is in flight.
    pub fn repairs_hole(&self) -> bool {
        self.missed.contains(&self.una) && !self.hole()
    }

    /// A lower bound of the start times of all later findings; `None` if nothing is outstanding.
    pub fn unsettled_since(&self) -> Option<Time> {
        // A link layer whose acknowledgments are lost continues after the packet, and even the transfer, is complete.
        let attempts = self.services.values().map(|service| service.attempt_began);
        self.in_network().map(|sending| sending.since).chain(attempts).chain(self.oldest_sent()).min()
    }

    /// Whether a link layer holds the segment that begins at `seq` in another transmission than `id`, and is sending it
    /// or will send it.
    pub fn with_link_layer_besides(&self, seq: u64, id: u64) -> bool {
        self.transit.with_link_layer().any(|other| other.seq() == Some(seq) && other.id != id)
    }

    /// Bytes in flight that keep the slowest hop busy: its bandwidth-delay product at the min RTT.
    pub fn pipe(&self) -> Option<f64> {
        let (rtt, slowest) = (self.least_rtt?, self.slowest.as_ref()?);
        let cycle = slowest.cycle.as_nanos();
        (cycle > 0).then(|| rtt.as_nanos() as f64 / cycle as f64 * f64::from(self.segment))
    }

    /// Since when the slowest hop has had no data of this flow to send, or from when on it will have none; `None` while
    /// some data waits.
    pub fn slowest_idle(&self) -> Option<Idle> {
        let slowest = self.slowest.as_ref()?;
        if slowest.medium.is_some() {
            let (medium, idle) = self.in_cells.idle?;
            return Some(Idle::Cell(medium, idle));
        }
        let waits = slowest.has_link_layer && self.transit.waits(slowest.near, self.receiver);
        (!waits).then_some(Idle::From(slowest.free))
    }

    /// Whether the slowest hop belongs to a medium.
    pub fn slowest_is_cell(&self) -> bool {
        self.slowest.as_ref().is_some_and(|slowest| slowest.medium.is_some())
    }

    /// Handles an event of the sender.
    pub fn sender(&mut self, at: Time, event: &tcp::Event, facts: &mut Vec<Fact>) {
        match *event {
            tcp::Event::SegmentSent { seq, len, reason } => {
                self.reason = (seq, reason);
                self.acted = at;
                let end = seq + u64::from(len);
                if end > self.max {
                    self.first_sent.push_back((self.max, at));
                    self.max = end;
                }
            }
            tcp::Event::AckReceived { ack, duplicate } => {
                self.acted = at;
                if !duplicate {
                    self.una = ack;
                    self.lost_in_air = self.lost_in_air.split_off(&ack);
                    self.missed = self.missed.split_off(&ack);
                    // A segment counts until its last byte is acknowledged.
                    while self.first_sent.get(1).map_or(self.max, |(seq, _)| *seq) <= ack
                        && self.first_sent.pop_front().is_some()
                    {}
                }
            }
            tcp::Event::NoticeReceived { .. } => self.acted = at,
            tcp::Event::Window { cwnd, .. } => self.cwnd = cwnd,
            tcp::Event::RttSample { rtt, .. } => {
                self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
            }
            _ => {}
        }
        facts.push(Fact::Tcp(*event));
    }

    /// A node created a packet of this flow.
    pub fn sent(&mut self, at: Time, node: usize, packet: &Packet, of: &PacketFlow, facts: &mut Vec<Fact>) {
        let Some(sending) = self.made(at, packet, of) else { return };
        self.transit.entered(&sending);
        self.put(at, node, sending);
        if sending.seq().is_some() {
            facts.push(Fact::Sent(sending));
        }
    }

    /// A node's buffers had no room for a packet.
    pub fn buffer_full(&mut self, at: Time, node: usize, packet: &Packet, of: &PacketFlow, facts: &mut Vec<Fact>) {
        self.congested_at = Some(at);
        self.no_route(at, node, packet, of, facts);
    }

    /// A node refused a packet, or had no route for it.
    pub fn no_route(&mut self, at: Time, node: usize, packet: &Packet, of: &PacketFlow, facts: &mut Vec<Fact>) {
        let sending = if Addr::of_node(node) == packet.src {
            // It never left the node that created it.
            let made = self.made(at, packet, of);
            self.transit.refused(at);
            made
        } else {
            self.transit.take_queued(at, node, packet, at)
        };
        self.gone(sending, facts);
    }

    /// A node's scheme consumed a packet, which is not a loss.
    pub fn taken(&mut self, at: Time, node: usize, packet: &Packet) {
        self.transit.take_queued(at, node, packet, at);
    }

    /// Handles an event of a packet on a link.
    pub fn link(
        &mut self,
        at: Time,
        id: HopId,
        event: &LinkEvent,
        of: &PacketFlow,
        hops: &Hops,
        facts: &mut Vec<Fact>,
    ) {
        let Some(hop) = hops.get(id) else { return };
        match event {
            LinkEvent::FrameSent { packet, .. } if hop.medium.is_some() => self.sent_in_cell(at, id, hop, packet),
            LinkEvent::FrameSent { attempt, packet, .. } if hop.stops_and_waits() => {
                self.frame_sent(at, id, hop, *attempt, packet, facts);
            }
            LinkEvent::FrameSent { attempt, packet, .. } => self.one_of_many_sent(at, id, hop, *attempt, packet, facts),
            LinkEvent::FrameCorrupted { attempt, packet, .. } => {
                // Bytes received before were counted when they were sent.
                if self.transit.failed(hop.near, *attempt, packet) && hop.has_window() {
                    facts.push(attempt_on_the_line(at, id, hop, packet));
                }
            }
            LinkEvent::GivenUp { packet, arrived, .. } => self.given_up(at, id, hop, packet, *arrived, facts),
            LinkEvent::Lost { packet } => {
                let (from, to) = on_the_line(at, hop, packet);
                facts.push(failed(id, from, to, packet));
                let lost = self.transit.take_oldest(at, hop.near, packet);
                self.gone_in_air(at, lost, facts);
            }
            LinkEvent::QueueFull { packet, arrived } | LinkEvent::DroppedEarly { packet, arrived } => {
                self.congested_at = Some(at);
                let sending = self.transit.take_queued(at, hop.near, packet, *arrived);
                self.gone(sending, facts);
            }
            LinkEvent::Arrived { packet } => self.arrived(at, id, hop, packet, of, facts),
            LinkEvent::Marked { .. } => self.congested_at = Some(at),
            LinkEvent::FrameDuplicate { .. }
            | LinkEvent::Dequeued { .. }
            | LinkEvent::FrameDiscarded { .. }
            | LinkEvent::ParitySent { .. }
            | LinkEvent::ParityCorrupted { .. }
            | LinkEvent::Recovered { .. }
            | LinkEvent::AckCorrupted { .. } => {}
        }
    }

    fn frame_sent(&mut self, at: Time, id: HopId, hop: &Hop, attempt: u32, packet: &Packet, facts: &mut Vec<Fact>) {
        let fresh = Service { began: at, attempt_began: at, arrived: false };
        let service = self.services.entry(hops::number(id)).or_insert(fresh);
        if attempt == 1 {
            *service = fresh;
            self.transit.has_link_layer(hop.near, packet.dst);
            return;
        }
        facts.push(failed(id, service.attempt_began, at, packet));
        service.attempt_began = at;
        self.transit.failed(hop.near, attempt - 1, packet);
    }

    /// A frame that does not wait for the previous one. A failed attempt counts with its transmission time: other
    /// frames are sent while its acknowledgment is awaited.
    fn one_of_many_sent(
        &mut self,
        at: Time,
        id: HopId,
        hop: &Hop,
        attempt: u32,
        packet: &Packet,
        facts: &mut Vec<Fact>,
    ) {
        if !hop.has_window() {
            return;
        }
        self.transit.has_link_layer(hop.near, packet.dst);
        // Retransmitted in vain, because only its link acknowledgment was lost.
        if attempt > 1 && !self.transit.has(hop.near, packet) {
            facts.push(attempt_on_the_line(at, id, hop, packet));
        }
    }

    fn given_up(&mut self, at: Time, id: HopId, hop: &Hop, packet: &Packet, arrived: bool, facts: &mut Vec<Fact>) {
        let service = self.services.remove(&hops::number(id));
        if let Some(service) = service {
            facts.push(failed(id, service.attempt_began, at, packet));
        }
        // A packet that was given up is not lost if only the link acknowledgments were.
        if arrived {
            return;
        }
        let lost = self.transit.take_oldest(at, hop.near, packet);
        if lost.is_some_and(|sending| sending.seq().is_some())
            && let Some(slowest) = self.slowest.as_mut().filter(|slowest| slowest.id == id)
        {
            slowest.free = at;
        }
        self.gone_in_air(at, lost, facts);
    }

    fn gone_in_air(&mut self, at: Time, lost: Option<Sending>, facts: &mut Vec<Fact>) {
        if let Some(seq) = lost.and_then(|sending| sending.seq()).filter(|seq| *seq >= self.una) {
            self.lost_in_air.insert(seq, at);
        }
        self.gone(lost, facts);
    }

    fn gone(&mut self, lost: Option<Sending>, facts: &mut Vec<Fact>) {
        let Some(sending) = lost else { return };
        if let Some(seq) = sending.seq().filter(|seq| !self.received.has(*seq)) {
            self.missed.insert(seq);
        }
        facts.push(Fact::Gone(sending));
    }

    fn arrived(&mut self, at: Time, id: HopId, hop: &Hop, packet: &Packet, of: &PacketFlow, facts: &mut Vec<Fact>) {
        let service = self.services.get_mut(&hops::number(id)).filter(|_| hop.stops_and_waits());
        let again = service.as_ref().is_some_and(|service| service.arrived);
        let held = match service {
            Some(service) => {
                service.arrived = true;
                (service.began, at)
            }
            None if hop.medium.is_some() => self.held_in_cell(at, id),
            None => on_the_line(at, hop, packet),
        };
        // A repetition: each attempt has its own frame number, and the link acknowledgment was lost. The packet is
        // delivered twice.
        let left = if again { self.made(at, packet, of) } else { self.transit.leave(hop.near, packet) };
        let Some(mut sending) = left else { return };
        if again {
            self.transit.entered(&sending);
        }
        sending.crossed(held.0, held.1);
        // In a medium, when the exchange is over.
        if sending.seq().is_some() && hop.medium.is_none() {
            self.learn_speed(at, id, hop);
        }
        if Addr::of_node(hop.far) != packet.dst {
            self.put(at, hop.far, sending);
            if sending.seq().is_some() {
                facts.push(Fact::Passed);
            }
            return;
        }
        self.transit.left(at, &sending);
        if let (true, Load::Ack { .. }, Body::Tcp(segment)) = (self.follows_window, sending.load, &packet.body) {
            self.window = segment.window.into();
        }
        facts.push(match sending.load {
            Load::Data { seq, len, .. } => {
                Fact::Reached { sending, news: self.received.take(seq, seq + u64::from(len)) }
            }
            Load::Ack { .. } | Load::Notice => Fact::Answered(sending),
        });
    }

    /// Data has crossed a hop: checks whether it is the slowest.
    fn learn_speed(&mut self, at: Time, id: HopId, hop: &Hop) {
        let full = self.packet;
        let left = hop.left(at);
        let cycle = hop.cycle(full, left);
        // If its rate changes it may no longer be the slowest; another hop takes its place with its next packet.
        let known = self.slowest.as_ref().filter(|slowest| slowest.id == id).map(|slowest| slowest.free);
        if known.is_some() || self.slowest.as_ref().is_none_or(|slowest| cycle > slowest.cycle) {
            self.slowest = Some(Slowest {
                id,
                near: hop.near,
                cycle,
                medium: None,
                has_link_layer: hop.link_ack.is_some(),
                sending: hop.sending(full, left),
                processing: hop.processing,
                free: known.unwrap_or(at),
            });
        }
        if let Some(slowest) = self.slowest.as_mut().filter(|slowest| slowest.id == id && slowest.has_link_layer) {
            slowest.free = at + hop.turnaround();
        }
    }

    /// The flow, kind and offsets of a packet that was just created.
    fn made(&mut self, at: Time, packet: &Packet, of: &PacketFlow) -> Option<Sending> {
        let load = match &packet.body {
            Body::Tcp(segment) if segment.len > 0 => {
                let seq = of.seq?;
                let (known, reason) = self.reason;
                Load::Data { seq, len: segment.len, reason: if known == seq { reason } else { Reason::New } }
            }
            Body::Tcp(_) => Load::Ack { ack: of.ack? },
            Body::Icmp(_) => Load::Notice,
            Body::Datagram(_) => return None,
        };
        let id = self.next_id;
        self.next_id += 1;
        Some(Sending { id, packet: *packet, load, since: at, at_node_since: at, failed: 0, longest: (at, at) })
    }

    /// A packet arrives at a node on its path.
    fn put(&mut self, at: Time, node: usize, sending: Sending) {
        if sending.packet.dst == self.receiver
            && let Some(slowest) = self.slowest.as_mut().filter(|slowest| slowest.near == node)
            && !slowest.has_link_layer
        {
            slowest.free = slowest.free.max(at + slowest.processing) + slowest.sending;
        }
        self.transit.put(at, node, sending);
    }
}

/// An attempt that failed because of the channel.
fn failed(hop: HopId, from: Time, to: Time, packet: &Packet) -> Fact {
    Fact::Failed { hop, from, to, data: packet.data().is_some(), why: Why::Air, unbroken: false }
}

/// An attempt that starts now and fails, with its transmission time.
fn attempt_on_the_line(at: Time, id: HopId, hop: &Hop, packet: &Packet) -> Fact {
    failed(id, at, at + hop.sending(packet.size(), at), packet)
}

/// When a packet that arrives now on a link without a link layer was transmitted.
fn on_the_line(at: Time, hop: &Hop, packet: &Packet) -> (Time, Time) {
    let to = hop.left(at);
    let from = to.as_nanos().saturating_sub(hop.sending(packet.size(), to).as_nanos());
    (Time::from_nanos(from), to)
}
