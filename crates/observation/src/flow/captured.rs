//! A captured flow. Its path is a single hop from the sender to the receiver, which stands for the slowest link.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::{Rate, Span, Time};
use sim::NodeId;
use wire::{Body, Flags, Packet, Segment, SeqNum};

use super::{FlowObservation, InMedia, SlowestHop, on_the_line};
use crate::byte_ranges::ByteRanges;
use crate::captured::{CapturedConnection, CapturedFact, CapturedTransmission, FORWARD, LinkService, RECEIVER, SENDER};
use crate::evidence::{Evidence, Unseen};
use crate::fact::Fact;
use crate::hop_timing::HopTiming;
use crate::losses::Losses;
use crate::packet_in_flight::{PacketInFlight, PacketLoad};
use crate::packets_in_flight::{Departure, PacketsInFlight};
use crate::sender_state::SenderState;

impl FlowObservation {
    /// Creates a flow of which only the connection is known.
    pub(crate) fn of_capture(connection: &CapturedConnection) -> Self {
        FlowObservation {
            receiver: RECEIVER.addr(),
            segment: connection.segment,
            packet: connection.packet,
            own_window: None,
            has_reader: false,
            largest_window: 0,
            bytes: Some(connection.bytes),
            sender: SenderState::of_capture(connection.start),
            received: ByteRanges::default(),
            receiver_state: None,
            losses: Losses::default(),
            packets: PacketsInFlight::default(),
            congested_at: None,
            links: Rc::from([]),
            in_media: InMedia::default(),
            services: BTreeMap::new(),
            slowest: None,
            next_id: 0,
            captured_rate: Some(connection.rate),
        }
    }

    /// Handles an action of the sender.
    pub(crate) fn on_captured_sender(&mut self, at: Time, fact: &CapturedFact, facts: &mut Vec<Fact>) {
        let acknowledged = self.sender.apply_captured(at, fact);
        if let Some(fact) = fact.sender_fact() {
            self.losses.apply(fact, &self.sender, acknowledged.bytes > 0);
            facts.push(Fact::Sender(fact));
        }
    }

    /// Handles a segment that enters the path.
    pub(crate) fn send_captured(&mut self, at: Time, sent: &CapturedTransmission, facts: &mut Vec<Fact>) {
        let CapturedTransmission { seq, len, .. } = *sent;
        let load = PacketLoad::Data { seq, len, reason: self.sender.reason_for(seq) };
        let sending = self.enter_captured(at, SENDER, segment_of(seq, len), load);
        facts.push(Fact::Sent(sending));
    }

    /// Handles a segment that the hop takes; earlier transmissions lasted until `free`.
    pub(crate) fn serve_captured(&mut self, at: Time, sent: &CapturedTransmission, service: LinkService, free: Time) {
        let LinkService { starts, leaves } = service;
        let departure = Departure { at, free, starts, ends: Some(leaves) };
        self.packets.dequeue((SENDER, FORWARD.into()), &segment_of(sent.seq, sent.len), &departure);
    }

    /// Handles the arrival of a segment at the receiver. `hop` is the hop if its rate is known.
    pub(crate) fn arrive_captured(
        &mut self,
        at: Time,
        (seq, len): (u64, u32),
        hop: Option<&HopTiming>,
        facts: &mut Vec<Fact>,
    ) {
        let packet = segment_of(seq, len);
        let Some(mut sending) = self.packets.leave(SENDER, &packet) else { return };
        match hop {
            Some(hop) => {
                let (from, to) = on_the_line(at, hop, &packet);
                sending.record_hop(from, to);
                self.learn_speed(at, FORWARD, hop);
            }
            None => self.learn_unknown_speed(at),
        }
        if let (Some(slowest), Some(rate)) = (&mut self.slowest, self.captured_rate) {
            slowest.cycle = cycle_at(rate, self.packet);
        }
        self.packets.exit(at, &sending);
        facts.push(Fact::Reached { packet: sending, news: self.received.insert(seq, seq + u64::from(len)) });
    }

    /// Handles the loss of a segment that was sent at `sent`.
    pub(crate) fn lose_captured(&mut self, at: Time, (seq, len): (u64, u32), sent: Time, facts: &mut Vec<Fact>) {
        let lost = self.packets.take_queued(at, SENDER, &segment_of(seq, len), sent);
        if seq >= self.sender.una && !self.received.contains(seq) {
            self.losses.lose_segment(at, seq, Evidence::Unknown(Unseen::OnThePath));
        }
        let place = Evidence::Unknown(Unseen::OnThePath);
        facts.extend(lost.map(|packet| Fact::Gone { packet, place }));
    }

    /// Handles an acknowledgment that the receiver sends.
    pub(crate) fn send_captured_ack(&mut self, at: Time, ack: u64) {
        self.enter_captured(at, RECEIVER, ack_of(ack), PacketLoad::Ack { ack });
    }

    /// Handles the arrival of an acknowledgment at the sender.
    pub(crate) fn receive_captured_ack(&mut self, at: Time, ack: u64, window: Evidence<u64>, facts: &mut Vec<Fact>) {
        let Some(answer) = self.packets.leave(RECEIVER, &ack_of(ack)) else { return };
        self.packets.exit(at, &answer);
        self.sender.receive_window = window;
        facts.push(Fact::Answered(answer));
    }

    fn enter_captured(&mut self, at: Time, node: NodeId, packet: Packet, load: PacketLoad) -> PacketInFlight {
        let id = self.next_id;
        self.next_id += 1;
        let sending = PacketInFlight { id, packet, load, since: at, at_node_since: at, failed: 0, longest: (at, at) };
        self.packets.enter(&sending);
        self.put(at, node, sending);
        sending
    }

    /// Handles data that has crossed the hop, whose rate is unknown. The hop counts as idle unless a segment is known
    /// to be on it.
    fn learn_unknown_speed(&mut self, at: Time) {
        self.slowest.get_or_insert(SlowestHop {
            id: FORWARD,
            near: SENDER,
            cycle: Evidence::Unknown(Unseen::TooFewSamples),
            medium: None,
            has_link_layer: false,
            sending: Span::ZERO,
            processing: Span::ZERO,
            free: at,
        });
    }
}

/// Time between packets, if data passes the hop at a rate. The hop may be faster by any factor: its link layer and
/// other flows take the rest of its time.
fn cycle_at(rate: Evidence<Rate>, size: u32) -> Evidence<Span> {
    let time = |rate: Rate| rate.transmission_time(size);
    match rate {
        Evidence::Known(rate) => Evidence::Known(time(rate)),
        Evidence::Inferred { value, low, rule, .. } => {
            Evidence::Inferred { value: time(value), low: Span::ZERO, high: time(low), rule }
        }
        Evidence::Unknown(unseen) => Evidence::Unknown(unseen),
    }
}

/// The identity of a segment on the path.
fn segment_of(seq: u64, len: u32) -> Packet {
    let segment = Segment { seq: SeqNum::from_offset(seq), len, flags: Flags::ACK, ..Segment::default() };
    Packet::new(SENDER.addr(), RECEIVER.addr(), Body::Tcp(segment))
}

/// The identity of an acknowledgment on the path.
fn ack_of(ack: u64) -> Packet {
    let segment = Segment { ack: SeqNum::from_offset(ack), flags: Flags::ACK, ..Segment::default() };
    Packet::new(RECEIVER.addr(), SENDER.addr(), Body::Tcp(segment))
}
