//! Explicit loss notification at the sender (balakrishnan1998): a duplicate acknowledgment that is marked says that the
//! segment it asks for was lost in the air. The first one resends the segment and begins recovery with the window as it
//! is, one segment more a duplicate, until new data is acknowledged. Without a mark TCP follows its ordinary rules, and so it does
//! when the retransmission is lost as well.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::{Marked, NoticeResponse, Reaction};
use crate::recovery::Notified;

/// The response.
pub fn build() -> Box<dyn NoticeResponse> {
    Box::new(Eln::default())
}

#[derive(Default)]
struct Eln {
    /// Segments that were resent because of a mark.
    resent: Marked,
}

impl NoticeResponse for Eln {
    /// Messages are another scheme's.
    fn on_notice(&mut self, _: NoticeKind, _: u64) -> Reaction {
        Reaction::default()
    }

    /// Each segment is resent once: what further duplicates say was known.
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
