//! A station's queue for one neighbour, and the state of the link layer toward it.

use engine::{Span, Time};
use wire::Packet;

use crate::hop_state::{HopState, LinkLayerState};
use crate::ids::HopId;
use crate::link::{HopCounters, TransmissionLine};
use crate::mac::arq::StopAndWait;
use crate::queue::Backlog;

/// One neighbour.
pub struct TxQueue {
    pub(super) hop: HopId,
    pub(super) line: TransmissionLine,
    pub(super) arq: StopAndWait,
    /// Transmission time of a link acknowledgment.
    pub(super) ack_time: Span,
    /// The packets that have not been sent.
    pub(super) backlog: Backlog,
    /// The head-of-line packet: sent, but neither acknowledged nor given up.
    pub(super) head: Option<Packet>,
    /// Time at which the head-of-line packet was queued.
    pub(super) queued: Time,
    /// True if acknowledged packets are reported to the node.
    pub(super) reports_deliveries: bool,
    /// Number of transmissions of the head-of-line packet.
    pub(super) attempts: u32,
    /// True if the far end has received the head-of-line packet, possibly unknown to the sender.
    pub(super) arrived: bool,
    /// Frame number of the head-of-line packet, once it has been sent.
    pub(super) number: u64,
    pub(super) next_number: u64,
    /// At the far end, the lowest frame number that is not a duplicate.
    expected: u64,
    pub(super) counters: HopCounters,
    /// Departure of the last frame.
    pub(super) sent_until: Time,
}

impl TxQueue {
    /// Creates a queue for the hop with the given line, link layer and queue limit.
    pub fn new(hop: HopId, mut line: TransmissionLine, arq: StopAndWait, queue: impl Into<Backlog>) -> Self {
        TxQueue {
            hop,
            ack_time: line.transmission_time(arq.ack_size),
            line,
            arq,
            backlog: queue.into(),
            head: None,
            queued: Time::ZERO,
            reports_deliveries: false,
            attempts: 0,
            arrived: false,
            number: 0,
            next_number: 0,
            expected: 0,
            counters: HopCounters::default(),
            sent_until: Time::ZERO,
        }
    }

    /// Sets whether acknowledged packets are reported to the node.
    pub fn reporting_deliveries(self, reports_deliveries: bool) -> Self {
        TxQueue { reports_deliveries, ..self }
    }

    /// Returns the hop.
    pub fn hop(&self) -> HopId {
        self.hop
    }

    /// Returns the counters at `now`, with the elapsed part of a frame in transmission.
    pub fn counters(&self, now: Time) -> HopCounters {
        let mut counters = self.counters;
        counters.busy = counters.busy - self.sent_until.since(now);
        counters.backlog.end(now);
        counters
    }

    /// Returns the packets at this end.
    pub fn state(&self) -> HopState {
        let (waiting, waiting_bytes) = (self.backlog.len(), self.backlog.bytes());
        let outstanding = usize::from(self.head.is_some());
        let link_layer =
            LinkLayerState { attempts: self.attempts, next_number: self.next_number, expected: self.expected };
        HopState { waiting, waiting_bytes, outstanding, link_layer: Some(link_layer) }
    }

    /// Returns the number of packets waiting or in transmission.
    pub fn len(&self) -> usize {
        self.backlog.len() + usize::from(self.head.is_some())
    }

    /// Returns true if no packet waits or is in transmission.
    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.backlog.is_empty()
    }

    /// Returns the time after the end of a frame at which its acknowledgment is overdue.
    pub(super) fn ack_wait(&self) -> Span {
        self.line.delay.times(2) + self.ack_time + self.arq.margin
    }

    /// Returns true if the transmitter has a packet to send at `now`, after an attempt: the head-of-line packet, or else
    /// the next one.
    pub(super) fn has_more(&mut self, now: Time) -> bool {
        self.head.is_some() || self.backlog.has_more(now)
    }

    /// Removes the head-of-line packet; returns its size in bytes.
    pub(super) fn take_head(&mut self) -> u32 {
        self.attempts = 0;
        self.arrived = false;
        let size = self.head.as_ref().map_or(0, Packet::size);
        self.head = None;
        size
    }

    /// Returns true if frame `number` is new at the far end. Frames arrive in order, so that only a duplicate has a
    /// number below the expected one.
    pub(super) fn receive(&mut self, number: u64) -> bool {
        let new = number >= self.expected;
        self.expected = self.expected.max(number + 1);
        new
    }
}
