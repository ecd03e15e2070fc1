//! Segments sent with priority, even beyond cwnd: segments queued by recovery, timeouts and messages, and the tail loss
//! probe.

use std::collections::VecDeque;

use crate::event::Reason;

/// Segments by first byte, in the order of requests. All are outstanding, or were acknowledged by the current
/// acknowledgment.
#[derive(Debug, Default)]
pub(super) struct ResendQueue {
    segments: VecDeque<(u64, Reason)>,
    probe: bool,
}

impl ResendQueue {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && !self.probe
    }

    pub fn push(&mut self, seq: u64, reason: Reason) {
        self.segments.push_back((seq, reason));
    }

    /// The next segment, and the reason of its retransmission.
    pub fn pop(&mut self) -> Option<(u64, Reason)> {
        self.segments.pop_front()
    }

    /// Whether the segment at `seq` is queued.
    pub fn contains(&self, seq: u64) -> bool {
        self.segments.iter().any(|(waiting, _)| *waiting == seq)
    }

    /// Removes the segments before `una`, which are acknowledged.
    #[inline]
    pub fn on_advance(&mut self, una: u64) {
        if !self.segments.is_empty() {
            self.segments.retain(|(seq, _)| *seq >= una);
        }
    }

    /// Empties the queue.
    pub fn clear(&mut self) {
        self.segments.clear();
    }

    /// Requests a tail loss probe [RFC8985 s7.3].
    pub fn ask_probe(&mut self) {
        self.probe = true;
    }

    pub fn cancel_probe(&mut self) {
        self.probe = false;
    }

    /// Whether the probe is due; clears the request.
    pub fn take_probe(&mut self) -> bool {
        std::mem::take(&mut self.probe)
    }
}
