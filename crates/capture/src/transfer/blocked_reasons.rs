//! Why a sender sends nothing, as far as its segments show.
//!
//! After each segment and acknowledgment the sender may send no more. If the next segment does not fit in the receive
//! window, that is the reason. If nothing follows, it had no data. Otherwise its next segment tells: if an
//! acknowledgment causes it, cwnd was the limit; if none does, the application wrote more, or the sender paces: data is
//! in flight, the previous segment was full, without PSH, and less than half of a round trip before.

use engine::{Span, Time};
use tcp::Blocked;

/// The reasons that are known, and times whose reason is not.
#[derive(Default)]
pub struct BlockedReasons {
    open: Vec<Time>,
    last: Option<Blocked>,
    /// Known reasons, in order of time.
    known: Vec<(Time, Blocked)>,
}

impl BlockedReasons {
    /// From now on the reason is this; `None` if the next segment tells. What held for less than `reaction` before was
    /// no reason: the sender was about to send.
    pub fn note(&mut self, at: Time, reason: Option<Blocked>, reaction: Span) {
        match reason {
            None if self.open.is_empty() => self.open.push(at),
            // Only the first moment counts: what follows has the same reason.
            None => {}
            Some(reason) => {
                // Nothing was sent in between.
                let before = if reason == Blocked::Data { Blocked::Data } else { Blocked::Cwnd };
                self.resolve(at, before, reaction);
                self.know(at, reason);
            }
        }
    }

    /// The reason of the times whose reason was not known.
    pub fn resolve(&mut self, now: Time, reason: Blocked, reaction: Span) {
        for at in std::mem::take(&mut self.open) {
            if at + reaction < now {
                self.know(at, reason);
            }
        }
    }

    fn know(&mut self, at: Time, reason: Blocked) {
        if self.last != Some(reason) {
            self.last = Some(reason);
            self.known.push((at, reason));
        }
    }

    /// The first time whose reason is not known.
    pub fn unknown_since(&self) -> Option<Time> {
        self.open.first().copied()
    }

    /// The reasons that have become known.
    pub fn take(&mut self) -> Vec<(Time, Blocked)> {
        std::mem::take(&mut self.known)
    }
}
