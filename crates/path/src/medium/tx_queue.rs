//! A station's transmit queue for one neighbour, with the link layer's state.

use std::collections::VecDeque;

use engine::Time;
use wire::Packet;

use super::TxQueueSpec;
use super::reorder::Reorder;
use crate::context::{Cx, Observer};
use crate::event::LinkEvent;
use crate::hop_state::{HopState, LinkLayerState};
use crate::ids::{HopId, MediumStationId};
use crate::link::HopCounters;
use crate::mac::dcf::rate::RateControl;
use crate::outcome::{DeliveryNotice, LinkOutcome};
use crate::queue::Backlog;

/// A packet taken from the queue for transmission, until it is delivered or given up.
pub(super) struct HeadOfLine {
    pub packet: Packet,
    /// Time at which the packet was queued.
    pub queued: Time,
    pub number: u64,
    /// Number of attempts to send the packet as data.
    pub attempts: u32,
    /// Numbers of failed short and long frames since the last success of the same kind for this packet [802.11-2007
    /// s9.2.5.3].
    pub failures: [u32; 2],
    /// Number of all failures.
    pub failed: u32,
    /// Bytes of the packet acknowledged in fragments.
    pub done: u32,
    /// Number of transmissions of the next fragment.
    pub sent: u32,
    /// True if the receiver has the complete packet, even if the acknowledgment was lost.
    pub arrived: bool,
    /// True if the channel damages the packet in the current aggregate.
    pub damaged: bool,
}

impl HeadOfLine {
    /// Returns the report of this packet, which was acknowledged on `hop`.
    pub fn delivery_outcome(&self, hop: HopId) -> LinkOutcome {
        let HeadOfLine { packet, queued, failed, .. } = *self;
        LinkOutcome::Acknowledged(DeliveryNotice { hop, packet, queued, attempts: failed + 1 })
    }
}

/// Transmit queue for one neighbour.
pub(super) struct TxQueue {
    pub hop: HopId,
    /// Station number of the neighbour.
    pub to: MediumStationId,
    pub backlog: Backlog,
    /// Head-of-line packet; with aggregation, the first of the packets taken for transmission.
    pub head: Option<HeadOfLine>,
    /// Further packets taken for transmission, in sequence.
    behind: VecDeque<HeadOfLine>,
    /// Reorder buffer of the receiver, used with aggregation.
    pub reorder: Reorder,
    pub rate: Box<dyn RateControl>,
    /// Number of packets given up since the last acknowledged one.
    pub drops_in_a_row: u32,
    pub counters: HopCounters,
    /// True if the neighbour accepts frames: a mobile accepts only frames of the base station with which it is
    /// associated.
    pub open: bool,
    /// True if acknowledged packets are reported to the node.
    pub reports_deliveries: bool,
    /// End of the last frame sent.
    pub sent_until: Time,
    next_number: u64,
    /// State of the receiver: number of the next packet, and the next byte of that packet that is not a duplicate.
    expected: (u64, u32),
}

impl TxQueue {
    pub fn new(spec: TxQueueSpec, rate: Box<dyn RateControl>) -> Self {
        let TxQueueSpec { hop, to, queue, stream, reports_deliveries, rate: _ } = spec;
        TxQueue {
            hop,
            to,
            reports_deliveries,
            backlog: Backlog::new(&queue, stream),
            head: None,
            behind: VecDeque::new(),
            reorder: Reorder::default(),
            rate,
            drops_in_a_row: 0,
            counters: HopCounters::default(),
            open: true,
            sent_until: Time::ZERO,
            next_number: 0,
            expected: (0, 0),
        }
    }

    /// Returns the packets held by the queue.
    pub fn state(&self) -> HopState {
        let taken = self.head.iter().chain(&self.behind);
        let (begun, fresh): (Vec<&HeadOfLine>, Vec<&HeadOfLine>) = taken.partition(|head| head.attempts > 0);
        let fresh_bytes: u64 = fresh.iter().map(|head| u64::from(head.packet.size())).sum();
        let attempts = begun.first().map_or(0, |head| head.attempts);
        // A packet that has been received in part counts as received.
        let expected = self.expected.0 + u64::from(self.expected.1 > 0);
        let link_layer = LinkLayerState { attempts, next_number: self.next_number, expected };
        HopState {
            waiting: self.backlog.len() + fresh.len(),
            waiting_bytes: self.backlog.bytes() + fresh_bytes,
            outstanding: begun.len(),
            link_layer: Some(link_layer),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.backlog.is_empty()
    }

    /// Returns true if the station has a packet to send at `now`, after an attempt: a packet taken before, or else the
    /// next one.
    pub fn has_more(&mut self, now: Time) -> bool {
        self.head.is_some() || self.backlog.has_more(now)
    }

    /// Takes the first waiting packet for transmission, unless one is already taken.
    pub fn take_head<O: Observer>(&mut self, cx: &mut Cx<'_, O>) {
        if self.head.is_none() {
            self.head = self.pop_numbered(cx);
        }
    }

    /// Removes the first waiting packet and assigns the next number to it.
    fn pop_numbered<O: Observer>(&mut self, cx: &mut Cx<'_, O>) -> Option<HeadOfLine> {
        let number = self.next_number;
        let head = self.backlog.pop(self.hop, &mut self.counters, cx, |queued| HeadOfLine {
            packet: queued.packet,
            queued: queued.arrived,
            number,
            attempts: 0,
            failures: [0; 2],
            failed: 0,
            done: 0,
            sent: 0,
            arrived: false,
            damaged: false,
        });
        self.next_number += u64::from(head.is_some());
        head
    }

    /// Returns taken packet number `place`, or the first waiting packet after them, if its number is below
    /// `end`.
    pub fn peek<O: Observer>(&mut self, place: usize, end: u64, cx: &mut Cx<'_, O>) -> Option<Packet> {
        let (number, packet) = match self.behind.get(place - 1) {
            Some(head) => (head.number, head.packet),
            None => (self.next_number, self.backlog.peek(self.hop, &mut self.counters, cx)?),
        };
        (number < end).then_some(packet)
    }

    /// Takes the packet that [`peek`](Self::peek) returned for transmission.
    pub fn take_next<O: Observer>(&mut self, place: usize, cx: &mut Cx<'_, O>) {
        if self.behind.len() < place {
            let next = self.pop_numbered(cx);
            self.behind.extend(next);
        }
    }

    /// Returns the first `count` packets taken for transmission.
    pub fn iter_taken_mut(&mut self, count: usize) -> impl Iterator<Item = &mut HeadOfLine> {
        self.head.iter_mut().chain(&mut self.behind).take(count)
    }

    /// Returns the first `count` packets taken for transmission, read-only.
    pub fn iter_taken(&self, count: usize) -> impl Iterator<Item = &HeadOfLine> {
        self.head.iter().chain(&self.behind).take(count)
    }

    /// Marks taken packet `place` as received; returns true if the receiver did not have it.
    pub fn mark_received(&mut self, place: usize) -> bool {
        let TxQueue { head, behind, reorder, .. } = self;
        let Some(head) = head.iter_mut().chain(behind).nth(place) else { return false };
        head.arrived = true;
        reorder.receive(head.number, head.packet)
    }

    /// Removes and returns the first `count` packets taken for transmission.
    pub fn take_batch(&mut self, count: usize) -> Vec<HeadOfLine> {
        let behind = self.behind.drain(..(count - 1).min(self.behind.len()));
        self.head.take().into_iter().chain(behind).collect()
    }

    /// Puts unacknowledged packets back in front of other taken packets.
    pub fn put_back(&mut self, left: Vec<HeadOfLine>) {
        for head in left.into_iter().rev() {
            self.behind.push_front(head);
        }
        self.head = self.behind.pop_front();
    }

    /// Counts and reports a packet that is given up.
    pub fn give_up<O: Observer>(&mut self, head: &HeadOfLine, cx: &mut Cx<'_, O>) {
        let HeadOfLine { number, attempts, packet, arrived, .. } = *head;
        self.counters.given_up += 1;
        if !arrived {
            self.counters.packets_dropped += 1;
        }
        cx.emit_timing(self.hop, || LinkEvent::GivenUp { number, attempts, packet, arrived });
        self.rate.on_given_up();
        self.drops_in_a_row += 1;
    }

    /// Processes a frame at the receiver that ends with byte `end` of packet `number`; returns true if it contains new
    /// data.
    pub fn receive(&mut self, number: u64, end: u32) -> bool {
        let new = (number, end) >= self.expected;
        if new {
            self.expected = (number, end + 1);
        }
        new
    }
}
