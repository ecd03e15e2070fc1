//! A station's queue for one neighbour, and the state of the link layer toward it.

use std::collections::VecDeque;

use engine::{Span, Time};
use wire::Packet;

use crate::event::HopId;
use crate::hop_state::{HopState, LinkLayerState};
use crate::link::{Counters, Line};
use crate::mac::arq::StopAndWait;
use crate::queue::Limit;

/// One neighbour.
pub struct TxQueue {
    pub(super) hop: HopId,
    pub(super) line: Line,
    pub(super) arq: StopAndWait,
    /// How long a link acknowledgment takes to send.
    pub(super) ack_time: Span,
    limit: Limit,
    /// Beyond this a packet that says it understands marks is marked.
    threshold: Limit,
    /// The head is the packet being sent, or sent next.
    /// With each, whether it is expedited.
    queue: VecDeque<(Packet, bool)>,
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

impl TxQueue {
    /// A lane over the hop with the given line, link layer and queue limit.
    pub fn new(hop: HopId, mut line: Line, arq: StopAndWait, limit: Limit) -> Self {
        TxQueue {
            hop,
            ack_time: line.transmission_time(arq.ack_size),
            line,
            arq,
            limit,
            threshold: Limit::None,
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

    /// With marks once more than `threshold` waits when a packet comes.
    pub fn marking(mut self, threshold: Limit) -> Self {
        self.threshold = threshold;
        self
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

    /// What it holds.
    pub fn state(&self) -> HopState {
        let (waiting, waiting_bytes) = self.waiting(self.attempts > 0);
        let outstanding = self.queue.len() - waiting;
        let link_layer =
            LinkLayerState { attempts: self.attempts, next_number: self.next_number, expected: self.expected };
        HopState { waiting, waiting_bytes, outstanding, link_layer: Some(link_layer) }
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

    /// Packets and bytes that wait. A head that is being sent does not.
    fn waiting(&self, head_being_sent: bool) -> (usize, u64) {
        match self.queue.front().filter(|_| head_being_sent) {
            Some((head, _)) => (self.queue.len() - 1, self.queued_bytes - u64::from(head.size())),
            None => (self.queue.len(), self.queued_bytes),
        }
    }

    /// Whether a packet of `size` bytes may wait; one that is sent at once need not.
    pub(super) fn admits(&self, size: u32, head_being_sent: bool) -> bool {
        let (packets, bytes) = self.waiting(head_being_sent);
        self.limit.admits(packets, bytes, size)
    }

    /// Whether a packet that comes is to be marked: it says that it understands marks, and more than the threshold waits
    /// [RFC8257 s3.1].
    pub(super) fn marks(&self, packet: &Packet, head_being_sent: bool) -> bool {
        let (packets, bytes) = self.waiting(head_being_sent);
        packet.ecn.is_capable() && self.threshold.is_exceeded(packets, bytes)
    }

    /// Queues a packet: behind all others, or before those that are not expedited if it is `expedited`, but behind a head that has been
    /// sent before.
    pub(super) fn push(&mut self, packet: Packet, expedited: bool) {
        self.queued_bytes += u64::from(packet.size());
        if expedited {
            let begun = usize::from(self.attempts > 0).min(self.queue.len());
            let at = begun + self.queue.iter().skip(begun).take_while(|(_, expedited)| *expedited).count();
            self.queue.insert(at, (packet, true));
        } else {
            self.queue.push_back((packet, false));
        }
    }

    pub(super) fn head(&self) -> Option<Packet> {
        self.queue.front().map(|(packet, _)| *packet)
    }

    pub(super) fn pop(&mut self) -> Option<Packet> {
        let (packet, _) = self.queue.pop_front()?;
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
