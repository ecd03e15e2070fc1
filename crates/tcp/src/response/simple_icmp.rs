//! The Simple ICMP scheme at the sender [goel1997 5.4.1].
//!
//! ICMP-DEFER for the segment that the timer runs for restarts the timer; for any segment it records that its loss is
//! not congestion. A marked segment is resent without a reduction: alone after a timeout; after the third duplicate
//! with ssthresh plus three segments in flight until new data is acknowledged.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::{Marked, NoticeResponse, Reaction};
use crate::recovery::Notified;

/// Creates the response.
pub fn build() -> Box<dyn NoticeResponse> {
    Box::new(SimpleIcmp::default())
}

#[derive(Default)]
struct SimpleIcmp {
    deferred: Marked,
}

impl NoticeResponse for SimpleIcmp {
    fn on_notice(&mut self, kind: NoticeKind, seq: u64) -> Reaction {
        match kind {
            NoticeKind::Defer => {
                self.deferred.insert(seq);
                Reaction { postpone: true, resend: false }
            }
            NoticeKind::Retransmit => Reaction::default(),
        }
    }

    fn on_duplicate(&mut self, una: u64) -> Option<Notified> {
        self.deferred.contains(una).then_some(Notified::Resend)
    }

    fn on_recovery(&mut self, _: u64) {}

    fn on_timeout(&mut self, una: u64) -> bool {
        self.deferred.contains(una)
    }

    fn on_resent(&mut self, seq: u64) {
        self.deferred.remove(seq);
    }

    fn on_advance(&mut self, una: u64) {
        self.deferred.forget_before(una);
    }
}
