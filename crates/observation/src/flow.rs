//! The packets of one flow, with the fate of each transmission by an endpoint.

mod captured;
mod in_media;

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::{Rate, Span, Time};
use path::{HopId, HopIndex, LinkEvent, MediumId};
use sim::{FlowSpec, NodeId, PacketFlow};
use wire::{Addr, Body, Flags, Packet, Segment};

use crate::byte_ranges::ByteRanges;
use crate::evidence::Evidence;
use crate::fact::Fact;
use crate::hop_timing::HopTiming;
use crate::losses::{LossPlace, Losses};
use crate::media::AttemptFailure;
use crate::packet_in_flight::{PacketInFlight, PacketLoad};
use crate::packets_in_flight::PacketsInFlight;
use crate::receiver_state::ReceiverState;
use crate::sender_fact::SenderFact;
use crate::sender_state::SenderState;
use in_media::InMedia;

/// The state of a link layer's attempts at the flow's packet on a hop.
#[derive(Clone, Copy)]
struct LinkAttempts {
    /// Start of the first attempt.
    began: Time,
    /// Start of the current attempt.
    attempt_began: Time,
    /// Whether the packet has arrived at the far end.
    arrived: bool,
}

/// The hop with the lowest capacity in segments per second.
pub struct SlowestHop {
    /// The hop.
    pub id: HopId,
    near: NodeId,
    /// Time that the hop takes for each full segment.
    pub cycle: Evidence<Span>,
    /// The medium of the hop; `None` without a medium.
    pub medium: Option<MediumId>,
    has_link_layer: bool,
    sending: Span,
    processing: Span,
    /// The end of the transmission, or of the exchange, of the data it was given.
    free: Time,
}

impl SlowestHop {
    /// A hop of a medium.
    fn in_medium(id: HopId, hop: &HopTiming, medium: MediumId, cycle: Span) -> Self {
        SlowestHop {
            id,
            near: hop.near,
            cycle: Evidence::Known(cycle),
            medium: Some(medium),
            has_link_layer: true,
            sending: Span::ZERO,
            processing: hop.processing,
            free: Time::ZERO,
        }
    }
}

/// The time for which the slowest hop has had no data of a flow to send.
#[derive(Clone, Copy)]
pub enum SlowestIdle {
    /// The slowest hop is idle from this time on, which may be in the future.
    From(Time),
    /// The slowest hop belongs to this medium, which has been idle for this time in total.
    Cell(MediumId, Span),
}

/// A flow, with its sender, its receiver, and its packets in the network.
pub struct FlowObservation {
    /// The receiver's address.
    pub receiver: Addr,
    /// Bytes of data in a full segment.
    pub segment: u32,
    /// Bytes of its IP packet.
    packet: u32,
    /// The fixed window of a simulated receiver whose application reads on arrival.
    own_window: Option<u64>,
    /// Whether the application at the receiver reads slowly or in bursts.
    has_reader: bool,
    /// The largest receive window in an acknowledgment that has arrived at the sender.
    largest_window: u64,
    /// Bytes to send; `None` if endless.
    pub bytes: Option<u64>,
    /// The state of its sender.
    pub sender: SenderState,
    /// The bytes that have arrived at its receiver's node.
    pub received: ByteRanges,
    /// The state of the receiver; `None` in a capture, which does not show when the receiver handles a segment.
    pub receiver_state: Option<ReceiverState>,
    /// The losses that are not repaired.
    pub losses: Losses,
    /// The place of every packet of the flow.
    pub packets: PacketsInFlight,
    /// Time at which a queue last dropped or marked a packet of the flow, or a node's buffers last dropped one.
    pub congested_at: Option<Time>,
    /// Names of links, by number.
    pub links: Rc<[String]>,
    /// The state in shared media.
    in_media: InMedia,
    services: BTreeMap<HopIndex, LinkAttempts>,
    /// The slowest hop that has delivered data of it.
    pub slowest: Option<SlowestHop>,
    next_id: u64,
    /// The rate of the slowest link, if the flow was captured.
    captured_rate: Option<Evidence<Rate>>,
}

impl FlowObservation {
    /// A flow that has not started, on links with these names, between nodes that belong to these media.
    pub(crate) fn new(spec: &FlowSpec, links: Rc<[String]>, homes: Rc<[Option<MediumId>]>) -> Self {
        let (agreed, receiver) = (spec.agreed_tcp(), spec.receiver_tcp());
        FlowObservation {
            receiver: Addr::of_node(spec.to),
            segment: agreed.segment_data(),
            packet: Packet::HEADER + Segment::HEADER + agreed.segment,
            own_window: receiver.window.fixed().filter(|_| spec.reader.is_none()),
            has_reader: spec.reader.is_some(),
            largest_window: receiver.window.initial(receiver.segment),
            bytes: spec.traffic.total(),
            sender: SenderState::new(spec.start)
                .with_receive_window(Evidence::Known(receiver.window.initial(receiver.segment))),
            received: ByteRanges::default(),
            receiver_state: Some(ReceiverState::default()),
            losses: Losses::default(),
            packets: PacketsInFlight::new(homes),
            congested_at: None,
            links,
            in_media: InMedia::default(),
            services: BTreeMap::new(),
            slowest: None,
            next_id: 0,
            captured_rate: None,
        }
    }

    /// Whether the first unacknowledged segment is lost: neither in the network nor at the receiver.
    pub fn has_hole(&self) -> bool {
        let una = self.sender.una;
        una < self.sender.max && self.received.in_order() <= una && !self.packets.has_data(una)
    }

    /// Whether the first unacknowledged segment was lost and has been retransmitted, and a copy or its acknowledgment
    /// is in flight.
    pub fn is_repairing_hole(&self) -> bool {
        self.losses.has(self.sender.una) && !self.has_hole()
    }

    /// A lower bound of the start times of all later findings; `None` if nothing is outstanding.
    pub fn unsettled_since(&self) -> Option<Time> {
        // A link layer whose acknowledgments are lost continues after the packet, or even the transfer, is complete.
        let attempts = self.services.values().map(|service| service.attempt_began);
        let in_network = self.packets.all().map(|sending| sending.since);
        in_network.chain(attempts).chain(self.sender.oldest_sent()).min()
    }

    /// Whether a link layer holds the segment that begins at `seq` in another transmission than `id`, and is sending it
    /// or will send it.
    pub fn with_link_layer_besides(&self, seq: u64, id: u64) -> bool {
        self.packets.with_link_layer().any(|other| other.seq() == Some(seq) && other.id != id)
    }

    /// Whether data that the receiver's application has not read makes the receive window smaller than it was. A scheme
    /// that also reduces the window of such a flow is not told apart.
    pub fn is_window_unread(&self) -> bool {
        let window = self.sender.receive_window.value();
        self.has_reader && window.is_some_and(|window| window < self.largest_window)
    }

    /// Returns the receive window that the receiver itself grants. The window of a simulated receiver with a fixed
    /// buffer is constant if the application reads on arrival, and a smaller window is due to a scheme. Of an autotuned
    /// window, of one with unread data, and in a capture, only the stated window is known.
    pub fn granted_window(&self) -> Evidence<u64> {
        self.own_window.map_or(self.sender.receive_window, Evidence::Known)
    }

    /// Returns the bytes in flight that keep the slowest hop busy, which are its bandwidth-delay product at the min
    /// RTT. `None` if the rate is unknown.
    pub fn pipe(&self) -> Option<f64> {
        let (rtt, slowest) = (self.sender.least_rtt.value()?, self.slowest.as_ref()?);
        let cycle = slowest.cycle.value()?.as_nanos();
        (cycle > 0).then(|| rtt.as_nanos() as f64 / cycle as f64 * f64::from(self.segment))
    }

    /// Returns the time since which the slowest hop has had no data of this flow to send, or from which on it will have
    /// none; `None` while data waits.
    pub fn slowest_idle(&self) -> Option<SlowestIdle> {
        let slowest = self.slowest.as_ref()?;
        if slowest.medium.is_some() {
            let (medium, idle) = self.in_media.idle?;
            return Some(SlowestIdle::Cell(medium, idle));
        }
        let waits = slowest.has_link_layer && self.packets.waits(slowest.near, self.receiver);
        (!waits).then_some(SlowestIdle::From(slowest.free))
    }

    /// Returns whether the time that the slowest hop takes for a segment is known or inferred. Otherwise the hop is
    /// idle for less time than it seems.
    pub fn slowest_is_known(&self) -> bool {
        self.slowest.as_ref().is_some_and(|slowest| !slowest.cycle.is_unknown())
    }

    /// Whether the slowest hop belongs to a medium.
    pub fn slowest_is_cell(&self) -> bool {
        self.slowest.as_ref().is_some_and(|slowest| slowest.medium.is_some())
    }

    /// Handles an event of the sender.
    pub(crate) fn on_sender_event(&mut self, at: Time, event: &tcp::Event, facts: &mut Vec<Fact>) {
        let acknowledged = self.sender.apply(at, event);
        if let Some(fact) = SenderFact::of_event(event) {
            self.losses.apply(fact, &self.sender, acknowledged.bytes > 0);
            facts.push(Fact::Sender(fact));
        }
    }

    /// Handles an event of the receiver.
    pub(crate) fn on_receiver_event(&mut self, event: &tcp::Event, facts: &mut Vec<Fact>) {
        let bytes = self.receiver_state.as_mut().map(|receiver| receiver.apply(event));
        facts.extend(bytes.filter(|bytes| *bytes > 0).map(|bytes| Fact::Delivered { bytes }));
    }

    /// Handles a packet of this flow that a node created.
    pub(crate) fn send(&mut self, at: Time, node: NodeId, packet: &Packet, of: &PacketFlow, facts: &mut Vec<Fact>) {
        let Some(sending) = self.identify_packet(at, packet, of) else { return };
        self.packets.enter(&sending);
        self.put(at, node, sending);
        if sending.seq().is_some() {
            facts.push(Fact::Sent(sending));
        }
    }

    /// Handles a packet that a node dropped because its buffers had no room, or because there was no route.
    pub(crate) fn drop_at_node(
        &mut self,
        at: Time,
        node: NodeId,
        (packet, of): (&Packet, &PacketFlow),
        place: LossPlace,
        facts: &mut Vec<Fact>,
    ) {
        let sending = if node.addr() == packet.src {
            // The packet never left the node that created it.
            if is_transfer(packet, of) {
                self.packets.refuse(at);
            }
            self.identify_packet(at, packet, of)
        } else {
            self.packets.take_queued(at, node, packet, at)
        };
        if place == LossPlace::Queue && is_transfer(packet, of) {
            self.congested_at = Some(at);
        }
        self.lose(at, (packet, of), sending, place, facts);
    }

    /// Handles the arrival of a packet at its destination. An acknowledgment states the receive window.
    pub(crate) fn receive(&mut self, packet: &Packet, of: &PacketFlow) {
        if let (Body::Tcp(segment), false) = (&packet.body, of.from_sender) {
            let window = u64::from(segment.window);
            self.sender.receive_window = Evidence::Known(window);
            self.largest_window = self.largest_window.max(window);
        }
    }

    /// Handles a packet that a node's scheme consumed, which is not a loss.
    pub(crate) fn consume(&mut self, at: Time, node: NodeId, packet: &Packet, facts: &mut Vec<Fact>) {
        let taken = self.packets.take_queued(at, node, packet, at);
        facts.extend(taken.filter(PacketInFlight::is_of_transfer).map(Fact::Absorbed));
    }

    /// Handles an event of a packet on a link.
    pub(crate) fn link(
        &mut self,
        at: Time,
        id: HopId,
        hop: &HopTiming,
        (event, of): (&LinkEvent, &PacketFlow),
        facts: &mut Vec<Fact>,
    ) {
        if !event.packet().is_some_and(|packet| is_transfer(packet, of)) {
            return self.control_on_link(at, id, hop, (event, of));
        }
        match event {
            LinkEvent::FrameSent { packet, .. } if hop.medium.is_some() => {
                self.on_frame_sent_in_medium(at, id, hop, packet);
            }
            LinkEvent::FrameSent { attempt, packet, .. } if hop.stops_and_waits() => {
                self.on_frame_sent(at, id, hop, *attempt, packet, facts);
            }
            LinkEvent::FrameSent { attempt, packet, .. } => {
                self.on_window_frame_sent(at, id, hop, *attempt, packet, facts);
            }
            LinkEvent::FrameCorrupted { attempt, packet, .. } => {
                // A needless retransmission, of a packet that was received before, was counted when its frame was sent.
                if self.packets.count_failed(hop.near, *attempt, packet) && hop.has_window() {
                    facts.push(attempt_on_the_line(at, id, hop, packet));
                }
            }
            LinkEvent::GivenUp { packet, arrived, .. } => {
                if let Some(service) = self.services.remove(&id.into()) {
                    facts.push(failed_attempt(id, service.attempt_began, at, packet));
                }
                // A packet that was given up is not lost if only its link acknowledgments were lost.
                if !arrived {
                    self.on_given_up(at, id, hop, (packet, of), facts);
                }
            }
            LinkEvent::Lost { packet } => {
                let (from, to) = on_the_line(at, hop, packet);
                facts.push(failed_attempt(id, from, to, packet));
                let lost = self.packets.take_oldest(at, hop.near, packet);
                self.lose(at, (packet, of), lost, LossPlace::Air, facts);
            }
            LinkEvent::QueueFull { packet, arrived } | LinkEvent::DroppedEarly { packet, arrived } => {
                self.congested_at = Some(at);
                let sending = self.packets.take_queued(at, hop.near, packet, *arrived);
                self.lose(at, (packet, of), sending, LossPlace::Queue, facts);
            }
            LinkEvent::Arrived { packet } => self.on_arrival(at, id, hop, packet, of, facts),
            LinkEvent::Marked { .. } => self.congested_at = Some(at),
            LinkEvent::FrameDuplicate { .. }
            | LinkEvent::Joined { .. }
            | LinkEvent::Dequeued { .. }
            | LinkEvent::FrameDiscarded { .. }
            | LinkEvent::ParitySent { .. }
            | LinkEvent::ParityCorrupted { .. }
            | LinkEvent::Recovered { .. }
            | LinkEvent::AckCorrupted { .. } => {}
        }
    }

    fn on_frame_sent(
        &mut self,
        at: Time,
        id: HopId,
        hop: &HopTiming,
        attempt: u32,
        packet: &Packet,
        facts: &mut Vec<Fact>,
    ) {
        let fresh = LinkAttempts { began: at, attempt_began: at, arrived: false };
        let service = self.services.entry(id.into()).or_insert(fresh);
        if attempt == 1 {
            *service = fresh;
            self.packets.mark_link_layer(hop.near, packet.dst);
            return;
        }
        facts.push(failed_attempt(id, service.attempt_began, at, packet));
        service.attempt_began = at;
        self.packets.count_failed(hop.near, attempt - 1, packet);
    }

    /// Handles a frame that does not wait for the previous one. A failed attempt counts with its transmission time,
    /// because other frames are sent while its acknowledgment is awaited.
    fn on_window_frame_sent(
        &mut self,
        at: Time,
        id: HopId,
        hop: &HopTiming,
        attempt: u32,
        packet: &Packet,
        facts: &mut Vec<Fact>,
    ) {
        if !hop.has_window() {
            return;
        }
        self.packets.mark_link_layer(hop.near, packet.dst);
        // The frame is retransmitted needlessly, because only its link acknowledgment was lost.
        if attempt > 1 && !self.packets.has(hop.near, packet) {
            facts.push(attempt_on_the_line(at, id, hop, packet));
        }
    }

    fn on_given_up(
        &mut self,
        at: Time,
        id: HopId,
        hop: &HopTiming,
        (packet, of): (&Packet, &PacketFlow),
        facts: &mut Vec<Fact>,
    ) {
        let lost = self.packets.take_oldest(at, hop.near, packet);
        if lost.is_some_and(|sending| sending.seq().is_some())
            && let Some(slowest) = self.slowest.as_mut().filter(|slowest| slowest.id == id)
        {
            slowest.free = at;
        }
        self.lose(at, (packet, of), lost, self.find_place_of_failure(id), facts);
    }

    /// Handles an event of a packet that is no part of the transfer.
    fn control_on_link(&mut self, at: Time, id: HopId, hop: &HopTiming, (event, of): (&LinkEvent, &PacketFlow)) {
        let Some(packet) = event.packet() else { return };
        match event {
            LinkEvent::Arrived { .. } => {
                let left = self.packets.leave(hop.near, packet);
                if hop.far.addr() != packet.dst
                    && let Some(sending) = left.or_else(|| self.identify_packet(at, packet, of))
                {
                    self.put(at, hop.far, sending);
                }
            }
            LinkEvent::Lost { .. } => {
                self.packets.take_oldest(at, hop.near, packet);
                self.record_loss(at, (packet, of), LossPlace::Air);
            }
            LinkEvent::GivenUp { arrived: false, .. } => {
                self.packets.take_oldest(at, hop.near, packet);
                self.record_loss(at, (packet, of), self.find_place_of_failure(id));
            }
            LinkEvent::QueueFull { arrived, .. } | LinkEvent::DroppedEarly { arrived, .. } => {
                self.packets.take_queued(at, hop.near, packet, *arrived);
                self.record_loss(at, (packet, of), LossPlace::Queue);
            }
            _ => {}
        }
    }

    /// A packet was lost.
    fn lose(
        &mut self,
        at: Time,
        (packet, of): (&Packet, &PacketFlow),
        sending: Option<PacketInFlight>,
        place: LossPlace,
        facts: &mut Vec<Fact>,
    ) {
        self.record_loss(at, (packet, of), place);
        let lost = sending.filter(PacketInFlight::is_of_transfer);
        facts.extend(lost.map(|packet| Fact::Gone { packet, place: Evidence::Known(place) }));
    }

    /// Records where a segment or an acknowledgment was lost, unless the receiver has the data.
    fn record_loss(&mut self, at: Time, (packet, of): (&Packet, &PacketFlow), place: LossPlace) {
        if let Body::Tcp(segment) = &packet.body {
            match of.seq.filter(|_| of.from_sender && segment.len > 0) {
                Some(seq) if seq < self.sender.una || self.received.contains(seq) => {}
                Some(seq) => self.losses.lose_segment(at, seq, Evidence::Known(place)),
                None if !of.from_sender => self.losses.lose_ack(place),
                // A SYN, a FIN, or an acknowledgment of the sender: no timeout of data follows from its loss.
                None => {}
            }
        }
    }

    fn on_arrival(
        &mut self,
        at: Time,
        id: HopId,
        hop: &HopTiming,
        packet: &Packet,
        of: &PacketFlow,
        facts: &mut Vec<Fact>,
    ) {
        let service = self.services.get_mut(&id.into()).filter(|_| hop.stops_and_waits());
        let again = service.as_ref().is_some_and(|service| service.arrived);
        let held = match service {
            Some(service) => {
                service.arrived = true;
                (service.began, at)
            }
            None if hop.medium.is_some() => self.hold_in_medium(at, id),
            None => on_the_line(at, hop, packet),
        };
        // The packet is a repetition: each attempt has its own frame number, and the link acknowledgment was lost.
        // Therefore the packet is delivered twice.
        let left = if again { self.identify_packet(at, packet, of) } else { self.packets.leave(hop.near, packet) };
        let Some(mut sending) = left else { return };
        if again {
            self.packets.enter(&sending);
        }
        sending.record_hop(held.0, held.1);
        // In a medium this is done at the end of the exchange.
        if sending.seq().is_some() && hop.medium.is_none() {
            self.learn_speed(at, id, hop);
        }
        if hop.far.addr() != packet.dst {
            self.put(at, hop.far, sending);
            if sending.seq().is_some() {
                facts.push(Fact::Passed);
            }
            return;
        }
        self.packets.exit(at, &sending);
        facts.push(match sending.load {
            PacketLoad::Data { seq, len, .. } => {
                Fact::Reached { packet: sending, news: self.received.insert(seq, seq + u64::from(len)) }
            }
            PacketLoad::Ack { .. } | PacketLoad::Notice | PacketLoad::Control => Fact::Answered(sending),
        });
    }

    /// Handles data that has crossed a hop: checks whether the hop is the slowest.
    fn learn_speed(&mut self, at: Time, id: HopId, hop: &HopTiming) {
        let full = self.packet;
        let left = hop.departure(at);
        let cycle = hop.cycle(full, left);
        // If the rate of the slowest hop changes, it may no longer be the slowest. Another hop replaces it with the
        // next packet on that hop.
        let known = self.slowest.as_ref().filter(|slowest| slowest.id == id).map(|slowest| slowest.free);
        if known.is_some() || self.slowest.as_ref().is_none_or(|slowest| Some(cycle) > slowest.cycle.value()) {
            self.slowest = Some(SlowestHop {
                id,
                near: hop.near,
                cycle: Evidence::Known(cycle),
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

    /// The kind and offsets of a packet that was just created; `None` for a datagram.
    fn identify_packet(&mut self, at: Time, packet: &Packet, of: &PacketFlow) -> Option<PacketInFlight> {
        let load = match &packet.body {
            Body::Datagram(_) => return None,
            _ if !is_transfer(packet, of) => PacketLoad::Control,
            Body::Tcp(segment) if segment.len > 0 => {
                let seq = of.seq?;
                PacketLoad::Data { seq, len: segment.len, reason: self.sender.reason_for(seq) }
            }
            Body::Tcp(_) => PacketLoad::Ack { ack: of.ack? },
            Body::Icmp(_) => PacketLoad::Notice,
        };
        let id = self.next_id;
        self.next_id += 1;
        Some(PacketInFlight { id, packet: *packet, load, since: at, at_node_since: at, failed: 0, longest: (at, at) })
    }

    /// Handles the arrival of a packet at a node on its path.
    fn put(&mut self, at: Time, node: NodeId, sending: PacketInFlight) {
        if sending.packet.dst == self.receiver
            && sending.is_of_transfer()
            && let Some(slowest) = self.slowest.as_mut().filter(|slowest| slowest.near == node)
            && !slowest.has_link_layer
        {
            slowest.free = slowest.free.max(at + slowest.processing) + slowest.sending;
        }
        self.packets.put(at, node, sending);
    }
}

/// Returns whether a packet carries a flow's data, is a pure acknowledgment of this data, or is a message about it.
/// Segments of a handshake are excluded.
pub(crate) fn is_transfer(packet: &Packet, of: &PacketFlow) -> bool {
    match &packet.body {
        Body::Tcp(segment) if segment.len > 0 => of.from_sender,
        Body::Tcp(segment) => !of.from_sender && !segment.flags.has(Flags::SYN),
        Body::Icmp(_) => true,
        Body::Datagram(_) => false,
    }
}

/// An attempt that failed because of the channel.
fn failed_attempt(hop: HopId, from: Time, to: Time, packet: &Packet) -> Fact {
    Fact::Failed { hop, from, to, data: packet.data().is_some(), why: AttemptFailure::Air, unbroken: false }
}

/// An attempt that starts now and fails, with its transmission time.
fn attempt_on_the_line(at: Time, id: HopId, hop: &HopTiming, packet: &Packet) -> Fact {
    failed_attempt(id, at, at + hop.sending(packet.size(), at), packet)
}

/// Returns the start and the end of the transmission of a packet that arrives now on a link without a link layer.
fn on_the_line(at: Time, hop: &HopTiming, packet: &Packet) -> (Time, Time) {
    let to = hop.departure(at);
    let from = to.as_nanos().saturating_sub(hop.sending(packet.size(), to).as_nanos());
    (Time::from_nanos(from), to)
}
