//! The Refined ICMP scheme at the sender [goel1997 5.5.2].
//!
//! ICMP-DEFER for the segment that the timer runs for restarts the timer and is not stored. ICMP-RETRANSMIT resends the
//! segment and marks it; the first duplicate acknowledgment for it begins fast recovery without a reduction, with one
//! additional segment per duplicate, until new data is acknowledged.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::{Marked, NoticeResponse, Reaction};
use crate::recovery::Notified;

/// Creates the response.
pub fn build() -> Box<dyn NoticeResponse> {
    Box::new(RefinedIcmp::default())
}

#[derive(Default)]
struct RefinedIcmp {
    resent: Marked,
}

impl NoticeResponse for RefinedIcmp {
    fn on_notice(&mut self, kind: NoticeKind, seq: u64) -> Reaction {
        match kind {
            NoticeKind::Defer => Reaction { postpone: true, resend: false },
            NoticeKind::Retransmit => {
                self.resent.insert(seq);
                Reaction { postpone: false, resend: true }
            }
        }
    }

    fn on_duplicate(&mut self, una: u64) -> Option<Notified> {
        self.resent.contains(una).then_some(Notified::AlreadyResent)
    }

    fn on_recovery(&mut self, una: u64) {
        self.resent.remove(una);
    }

    /// Steps 4 and 5 of the scheme: without duplicates for a marked segment TCP follows its standard rules.
    fn on_timeout(&mut self, _: u64) -> bool {
        false
    }

    /// Does nothing: the mark means that the segment *was* resent, so another transmission does not clear it.
    fn on_resent(&mut self, _: u64) {}

    fn on_advance(&mut self, una: u64) {
        self.resent.forget_before(una);
    }
}
