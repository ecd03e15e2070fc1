//! The counters of a link.

use engine::{Span, Time};

/// Counters of one direction of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HopCounters {
    /// Number of frames whose transmission began; on a link without a link layer, packets.
    pub frames_sent: u64,
    /// Number of frames corrupted by the channel.
    pub frames_corrupted: u64,
    /// Number of frames lost to collisions in a shared medium.
    pub frames_collided: u64,
    /// Number of packets lost: dropped by the queue, given up by the link layer, or corrupted without a link layer.
    pub packets_dropped: u64,
    /// Number of these packets that were dropped because the queue was full.
    pub queue_full: u64,
    /// Number of packets marked (ECN).
    pub marked: u64,
    /// Number of packets given up by the link layer.
    pub given_up: u64,
    /// Number of frames that arrived a second time.
    pub duplicates: u64,
    /// Number of frames that arrived and delivered no packet: out of sequence with go-back-N, or parity.
    pub discarded: u64,
    /// Number of packets restored from parity after the loss of their frames.
    pub recovered: u64,
    /// Number of packets that arrived.
    pub packets_delivered: u64,
    /// Time spent transmitting; for a frame in transmission, the elapsed part.
    pub busy: Span,
    /// The number of waiting packets over time.
    pub backlog: BacklogCount,
}

/// The number of packets that wait in a queue over time. A packet that is sent at once does not wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BacklogCount {
    waiting: u64,
    /// Time of the last change of `waiting`.
    since: Time,
    /// Sum of the waits of all packets up to that time.
    waited: Span,
    most: u64,
}

impl BacklogCount {
    /// Adds a packet.
    #[inline]
    pub(crate) fn add(&mut self, now: Time) {
        self.advance(now);
        self.waiting += 1;
    }

    /// Removes a packet.
    #[inline]
    pub(crate) fn remove(&mut self, now: Time) {
        self.advance(now);
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// Adds a packet whose whole wait is known.
    #[inline]
    pub(crate) fn add_wait(&mut self, wait: Span) {
        self.waited = self.waited + wait;
    }

    /// Removes the part of a known wait that is still to come.
    pub(crate) fn remove_wait(&mut self, wait: Span) {
        self.waited = self.waited - wait;
    }

    /// Records that this number of packets wait.
    #[inline]
    pub(crate) fn record(&mut self, waiting: u64) {
        self.most = self.most.max(waiting);
    }

    /// Ends the count at `now`, so that links which know waits in advance and others give equal counts.
    pub(crate) fn end(&mut self, now: Time) {
        self.advance(now);
        self.waiting = 0;
    }

    /// Counts the waits up to `now`.
    #[inline]
    fn advance(&mut self, now: Time) {
        if self.waiting > 0 {
            self.waited = self.waited + now.since(self.since).times(self.waiting);
        }
        self.since = now;
    }

    /// Returns the sum of the waits of all packets, whether they were sent or dropped or still wait: the mean backlog
    /// times the duration.
    pub fn waited(&self) -> Span {
        self.waited
    }

    /// Returns the maximum number of waiting packets.
    pub fn most(&self) -> u64 {
        self.most
    }
}
