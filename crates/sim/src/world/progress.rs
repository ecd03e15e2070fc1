//! How a receiver gets on: when it last got something new, and how long it has waited for that.

use engine::{Span, Time};

/// The progress of one end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Bytes that it has got in order.
    bytes: u64,
    /// Since when it has waited for the next.
    since: Time,
    /// The longest that it has waited for some.
    longest: Span,
}

impl Progress {
    /// Of an end that waits from `start` on.
    pub fn from(start: Time) -> Self {
        Progress { bytes: 0, since: start, longest: Span::ZERO }
    }

    /// It has got so many bytes now. For every packet: one comparison where nothing is new.
    #[inline]
    pub fn has(&mut self, bytes: u64, now: Time) {
        if bytes != self.bytes {
            self.longest = self.longest.max(now.since(self.since));
            (self.bytes, self.since) = (bytes, now);
        }
    }

    /// The longest wait until now. Who has all of `wanted` waits no more; without an end there is always more to wait for.
    pub fn longest_pause(&self, wanted: Option<u64>, now: Time) -> Span {
        match wanted {
            Some(wanted) if self.bytes >= wanted => self.longest,
            _ => self.longest.max(now.since(self.since)),
        }
    }
}
