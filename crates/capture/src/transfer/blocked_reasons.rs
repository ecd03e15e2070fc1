//! The reason why a sender sends nothing, as far as its segments show.
//!
//! After each segment and acknowledgment the sender may send no more. If the next segment does not fit in the receive
//! window, the receive window is the reason. If nothing follows, the sender had no data. Otherwise the next segment
//! decides. If an acknowledgment causes it, cwnd was the limit. If none does, the application wrote more, or the sender
//! paces. It paces if data is in flight, and the previous segment was full, had no PSH, and was sent less than half a
//! round trip time before.

use engine::{Span, Time};
use observation::{Evidence, Rule};
use tcp::Blocked;

/// Known reasons, and times whose reason is still open.
#[derive(Default)]
pub struct BlockedReasons {
    open: Vec<Time>,
    last: Option<Evidence<Blocked>>,
    /// Known reasons, in order of time.
    known: Vec<(Time, Evidence<Blocked>)>,
}

impl BlockedReasons {
    /// Sets the reason from `at` on; `None` if the next segment determines it. A state that lasted less than `reaction`
    /// is discarded: the sender was about to send.
    pub fn set_reason(&mut self, at: Time, reason: Option<Evidence<Blocked>>, reaction: Span) {
        match reason {
            None if self.open.is_empty() => self.open.push(at),
            // Later times have the same reason as the first.
            None => {}
            Some(reason) => {
                // Nothing was sent in between.
                let before = match reason.value() {
                    Some(Blocked::Data) => reason,
                    _ => infer_reason(Blocked::Cwnd),
                };
                self.resolve(at, before, reaction);
                self.add_known(at, reason);
            }
        }
    }

    /// Sets the reason of all open times.
    pub fn resolve(&mut self, now: Time, reason: Evidence<Blocked>, reaction: Span) {
        for at in std::mem::take(&mut self.open) {
            if at + reaction < now {
                self.add_known(at, reason);
            }
        }
    }

    fn add_known(&mut self, at: Time, reason: Evidence<Blocked>) {
        if self.last != Some(reason) {
            self.last = Some(reason);
            self.known.push((at, reason));
        }
    }

    /// The first open time.
    pub fn unknown_since(&self) -> Option<Time> {
        self.open.first().copied()
    }

    /// Removes and returns the known reasons.
    pub fn take_known(&mut self) -> Vec<(Time, Evidence<Blocked>)> {
        std::mem::take(&mut self.known)
    }
}

/// A reason that the next segment shows. A sender that paces may send it when an acknowledgment arrives.
pub(super) fn infer_reason(reason: Blocked) -> Evidence<Blocked> {
    let high = if reason == Blocked::Cwnd { Blocked::Pacing } else { reason };
    Evidence::Inferred { value: reason, low: reason, high, rule: Rule::NextSegment }
}
