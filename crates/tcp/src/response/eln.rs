//! Explicit loss notification at the sender (balakrishnan1998): a marked duplicate acknowledgment means that its
//! segment was lost on the radio link. The first one resends the segment and begins recovery without a reduction; each
//! duplicate allows one segment more, until new data is acknowledged. Without a mark TCP follows its standard rules,
//! also if the retransmission is lost.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::{Marked, NoticeResponse, Reaction};
use crate::recovery::Notified;

/// Creates the response.
pub fn build() -> Box<dyn NoticeResponse> {
    Box::new(Eln::default())
}

#[derive(Default)]
struct Eln {
    /// Segments retransmitted because of a mark.
    resent: Marked,
}

impl NoticeResponse for Eln {
    /// Messages are for other schemes.
    fn on_notice(&mut self, _: NoticeKind, _: u64) -> Reaction {
        Reaction::default()
    }

    /// Each segment is retransmitted once; further duplicates add no information.
    fn on_loss_in_air(&mut self, una: u64) -> Reaction {
        let resend = !self.resent.contains(una);
        self.resent.insert(una);
        Reaction { postpone: false, resend }
    }

    fn on_duplicate(&mut self, una: u64) -> Option<Notified> {
        self.resent.contains(una).then_some(Notified::AlreadyResent)
    }

    fn on_recovery(&mut self, _: u64) {}

    fn on_timeout(&mut self, _: u64) -> bool {
        false
    }

    fn on_resent(&mut self, _: u64) {}

    fn on_advance(&mut self, una: u64) {
        self.resent.forget_before(una);
    }
}
