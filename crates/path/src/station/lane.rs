//! A station's queue for one neighbour, and the state of the link layer toward it.

use std::collections::VecDeque;

use engine::{Order, Span, Time};
use wire::Packet;

use crate::event::HopId;
use crate::link::{Counters, Line};
use crate::mac::arq::StopAndWait;
use crate::queue::Limit;

/// A packet that waits, and since when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub packet: Packet,
    pub since: Order,
}

/// One neighbour.
pub struct Lane {
    pub(super) hop: HopId,
    pub(super) line: Line,
    pub(super) arq: StopAndWait,
    /// How long a link acknowledgment takes to send.
    pub(super) ack_time: Span,
    limit: Limit,
    /// The head is the packet being sent, or sent next.
    queue: VecDeque<Waiting>,
    queued_bytes: u64,
    /// How often the head has been sent.
    pub(super) attempts: u32,
    /// Whether the head is known at the far end, though perhaps not here.
    pub(super) arrived: bool,
    /// The head's frame number, once it has been sent.
    pub(super) number: u64,
    pub(super) next_number: u64,
    /// At the far end: the next frame number that is not a repetition.
    expected: u64,
    pub(super) counters: Counters,
    /// When the last frame has left.
    pub(super) sent_until: Time,
}

impl Lane {
    /// A lane over the hop with the given line, link layer and queue limit.
    pub fn new(hop: HopId, mut line: Line, arq: StopAndWait, limit: Limit) -> Self {
        Lane {
            hop,
            ack_time: line.transmission_time(arq.ack_size),
            line,
            arq,
            limit,
            queue: VecDeque::new(),
            queued_bytes: 0,
            attempts: 0,
            arrived: false,
            number: 0,
            next_number: 0,
            expected: 0,
            counters: Counters::default(),
            sent_until: Time::ZERO,
        }
    }

    /// The hop it sends over.
    pub fn hop(&self) -> HopId {
        self.hop
    }

    /// What has been counted until `now`: of a frame that is being sent, the part that has been.
    pub fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.sent_until.since(now);
        counters
    }

    /// Packets waiting or being sent.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether nothing waits or is being sent.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How long after the end of a frame its acknowledgment is overdue.
    pub(super) fn ack_wait(&self) -> Span {
        self.line.delay.times(2) + self.ack_time + self.arq.margin
    }

    /// Whether a packet of `size` bytes may wait; one that is sent at once need not. A head that is being sent does not
    /// count as waiting.
    pub(super) fn admits(&self, size: u32, head_being_sent: bool) -> bool {
        let (mut packets, mut bytes) = (self.queue.len(), self.queued_bytes);
        if head_being_sent && let Some(head) = self.queue.front() {
            packets -= 1;
            bytes -= u64::from(head.packet.size());
        }
        self.limit.admits(packets, bytes, size)
    }

    pub(super) fn push(&mut self, waiting: Waiting) {
        self.queued_bytes += u64::from(waiting.packet.size());
        self.queue.push_back(waiting);
    }

    pub(super) fn head(&self) -> Option<Packet> {
        self.queue.front().map(|waiting| waiting.packet)
    }

    /// Since when the head waits.
    pub(super) fn head_since(&self) -> Option<Order> {
        self.queue.front().map(|waiting| waiting.since)
    }

    pub(super) fn pop(&mut self) -> Option<Packet> {
        let packet = self.queue.pop_front()?.packet;
        self.queued_bytes -= u64::from(packet.size());
        self.attempts = 0;
        self.arrived = false;
        Some(packet)
    }

    /// At the far end: whether frame `number` is new. Frames arrive in order, so only a repetition is below what
    /// is expected.
    pub(super) fn receive(&mut self, number: u64) -> bool {
        let new = number >= self.expected;
        self.expected = self.expected.max(number + 1);
        new
    }
}
