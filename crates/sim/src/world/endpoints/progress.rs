//! The progress of a receiver: the time at which it last received new data, and its longest wait.

use engine::{Span, Time};

/// The progress of one end.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceiverProgress {
    /// Bytes received in order.
    bytes: u64,
    /// Start of the current wait for the next byte.
    since: Time,
    /// The longest wait so far.
    longest: Span,
}

impl ReceiverProgress {
    /// Creates the progress of an end that waits from `start` on.
    pub fn from(start: Time) -> Self {
        ReceiverProgress { bytes: 0, since: start, longest: Span::ZERO }
    }

    /// Updates the number of bytes received. The function is called for every packet, and costs one comparison if
    /// nothing is new.
    #[inline]
    pub fn has(&mut self, bytes: u64, now: Time) {
        if bytes != self.bytes {
            self.longest = self.longest.max(now.since(self.since));
            (self.bytes, self.since) = (bytes, now);
        }
    }

    /// Returns the longest wait so far. An end that has received all of `wanted` no longer waits. The end of an endless
    /// flow always waits.
    pub fn longest_pause(&self, wanted: Option<u64>, now: Time) -> Span {
        match wanted {
            Some(wanted) if self.bytes >= wanted => self.longest,
            _ => self.longest.max(now.since(self.since)),
        }
    }
}
