//! A station's queue for one neighbour, and the link layer's state toward it.

use std::collections::VecDeque;

use engine::{Order, Time};
use wire::Packet;

use super::reorder::Reorder;
use crate::backlog::Backlog;
use crate::context::{Cx, Observer};
use crate::event::{HopId, LinkEvent};
use crate::hop_state::{HopState, LinkLayerState};
use crate::link::Counters;
use crate::mac::dcf::rate::RateControl;

/// A packet in the hands of the MAC, until it is delivered or given up.
pub(super) struct HeadOfLine {
    pub packet: Packet,
    pub number: u64,
    /// Attempts of data.
    pub attempts: u32,
    /// Failures of short frames and of long ones since the last success of their kind with this packet
    /// [802.11-2007 s9.2.5.3].
    pub failures: [u32; 2],
    /// All failures.
    pub failed: u32,
    /// Bytes of it that have been acknowledged in fragments.
    pub done: u32,
    /// How often the fragment that comes next has been sent.
    pub sent: u32,
    /// Whether the far end has all of it, though its acknowledgment may not have arrived.
    pub arrived: bool,
    /// Whether the air damages it in the aggregate that is being sent.
    pub damaged: bool,
}

/// One neighbour.
pub(super) struct TxQueue {
    pub hop: HopId,
    /// The neighbour's number in the medium.
    pub to: u32,
    pub backlog: Backlog,
    /// The packet in hand; where packets go in aggregates, the first of them.
    pub head: Option<HeadOfLine>,
    /// The others in hand, in sequence.
    behind: VecDeque<HeadOfLine>,
    /// The far end, where packets go in aggregates.
    pub reorder: Reorder,
    pub rate: Box<dyn RateControl>,
    /// Packets given up since one was last acknowledged.
    pub drops_in_a_row: u32,
    pub counters: Counters,
    /// Whether the neighbour listens: a mobile listens to the base station that it is associated with.
    pub open: bool,
    /// When its last frame has left.
    pub sent_until: Time,
    next_number: u64,
    /// At the far end: the next packet number and byte of it that is not a repetition.
    expected: (u64, u32),
}

impl TxQueue {
    pub fn new(hop: HopId, to: u32, backlog: Backlog, rate: Box<dyn RateControl>) -> Self {
        TxQueue {
            hop,
            to,
            backlog,
            head: None,
            behind: VecDeque::new(),
            reorder: Reorder::default(),
            rate,
            drops_in_a_row: 0,
            counters: Counters::default(),
            open: true,
            sent_until: Time::ZERO,
            next_number: 0,
            expected: (0, 0),
        }
    }

    /// The packets that it holds.
    pub fn state(&self) -> HopState {
        let in_hand = self.head.iter().chain(&self.behind);
        let (begun, fresh): (Vec<&HeadOfLine>, Vec<&HeadOfLine>) = in_hand.partition(|head| head.attempts > 0);
        let fresh_bytes: u64 = fresh.iter().map(|head| u64::from(head.packet.size())).sum();
        let attempts = begun.first().map_or(0, |head| head.attempts);
        // A packet of which anything has come is not new.
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

    pub fn push(&mut self, packet: Packet, expedited: bool) {
        self.backlog.push(packet, Order::default(), expedited);
    }

    /// Takes the first packet that waits into the hands of the MAC, unless it has one.
    pub fn take_head(&mut self) {
        if self.head.is_none() {
            self.head = self.numbered();
        }
    }

    /// The first packet that waits, with the next number.
    fn numbered(&mut self) -> Option<HeadOfLine> {
        let (packet, _) = self.backlog.pop()?;
        let number = self.next_number;
        self.next_number += 1;
        Some(HeadOfLine {
            packet,
            number,
            attempts: 0,
            failures: [0; 2],
            failed: 0,
            done: 0,
            sent: 0,
            arrived: false,
            damaged: false,
        })
    }

    /// The packet at or next to `place` in hand, if its own number is below `end`.
    pub fn peek(&self, place: usize, end: u64) -> Option<&Packet> {
        let (number, packet) = match self.behind.get(place - 1) {
            Some(head) => (head.number, &head.packet),
            None => (self.next_number, self.backlog.iter().next()?),
        };
        (number < end).then_some(packet)
    }

    /// Takes what [`peek`](Self::peek) has shown in hand.
    pub fn take_in_hand(&mut self, place: usize) {
        if self.behind.len() < place {
            let next = self.numbered();
            self.behind.extend(next);
        }
    }

    /// The first packets in hand.
    pub fn in_hand(&mut self, count: usize) -> impl Iterator<Item = &mut HeadOfLine> {
        self.head.iter_mut().chain(&mut self.behind).take(count)
    }

    /// The same, to look at.
    pub fn held(&self, count: usize) -> impl Iterator<Item = &HeadOfLine> {
        self.head.iter().chain(&self.behind).take(count)
    }

    /// Marks the packet at `place` in hand as received at the far end; returns whether it is new there.
    pub fn has_come(&mut self, place: usize) -> bool {
        let TxQueue { head, behind, reorder, .. } = self;
        let Some(head) = head.iter_mut().chain(behind).nth(place) else { return false };
        head.arrived = true;
        reorder.receive(head.number, head.packet)
    }

    /// The first packets in hand leave it.
    pub fn take_batch(&mut self, count: usize) -> Vec<HeadOfLine> {
        let behind = self.behind.drain(..(count - 1).min(self.behind.len()));
        self.head.take().into_iter().chain(behind).collect()
    }

    /// Those of them that go again are in hand before all others.
    pub fn put_back(&mut self, left: Vec<HeadOfLine>) {
        for head in left.into_iter().rev() {
            self.behind.push_front(head);
        }
        self.head = self.behind.pop_front();
    }

    /// A packet that was in hand is given up.
    pub fn give_up<O: Observer>(&mut self, head: &HeadOfLine, cx: &mut Cx<'_, O>) {
        let HeadOfLine { number, attempts, packet, arrived, .. } = *head;
        self.counters.given_up += 1;
        if !arrived {
            self.counters.packets_dropped += 1;
        }
        cx.emit(self.hop, || LinkEvent::GivenUp { number, attempts, packet, arrived });
        self.rate.on_given_up();
        self.drops_in_a_row += 1;
    }

    /// At the far end: whether a frame that ends with byte `end` of packet `number` brings anything new.
    pub fn receive(&mut self, number: u64, end: u32) -> bool {
        let new = (number, end) >= self.expected;
        if new {
            self.expected = (number, end + 1);
        }
        new
    }
}
