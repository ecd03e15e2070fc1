//! A station's queue for one neighbour, and the state of the link layer toward it.

use engine::{Span, Time};
use wire::Packet;

use crate::event::HopId;
use crate::hop_state::{HopState, LinkLayerState};
use crate::link::{Counters, Line};
use crate::mac::arq::StopAndWait;
use crate::queue::Backlog;

/// One neighbour.
pub struct TxQueue {
    pub(super) hop: HopId,
    pub(super) line: Line,
    pub(super) arq: StopAndWait,
    /// How long a link acknowledgment takes to send.
    pub(super) ack_time: Span,
    /// The packets that have not been sent.
    pub(super) backlog: Backlog,
    /// The packet that has been sent and is neither acknowledged nor given up.
    pub(super) head: Option<Packet>,
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
    pub fn new(hop: HopId, mut line: Line, arq: StopAndWait, queue: impl Into<Backlog>) -> Self {
        TxQueue {
            hop,
            ack_time: line.transmission_time(arq.ack_size),
            line,
            arq,
            backlog: queue.into(),
            head: None,
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

    /// What it holds.
    pub fn state(&self) -> HopState {
        let (waiting, waiting_bytes) = (self.backlog.len(), self.backlog.bytes());
        let outstanding = usize::from(self.head.is_some());
        let link_layer =
            LinkLayerState { attempts: self.attempts, next_number: self.next_number, expected: self.expected };
        HopState { waiting, waiting_bytes, outstanding, link_layer: Some(link_layer) }
    }

    /// Packets waiting or being sent.
    pub fn len(&self) -> usize {
        self.backlog.len() + usize::from(self.head.is_some())
    }

    /// Whether nothing waits or is being sent.
    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.backlog.is_empty()
    }

    /// How long after the end of a frame its acknowledgment is overdue.
    pub(super) fn ack_wait(&self) -> Span {
        self.line.delay.times(2) + self.ack_time + self.arq.margin
    }

    /// The head leaves. The number of its bytes.
    pub(super) fn take_head(&mut self) -> u32 {
        self.attempts = 0;
        self.arrived = false;
        let size = self.head.as_ref().map_or(0, Packet::size);
        self.head = None;
        size
    }

    /// At the far end: whether frame `number` is new. Frames arrive in order, so only a repetition is below what
    /// is expected.
    pub(super) fn receive(&mut self, number: u64) -> bool {
        let new = number >= self.expected;
        self.expected = self.expected.max(number + 1);
        new
    }
}
