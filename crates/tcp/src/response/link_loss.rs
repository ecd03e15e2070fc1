//! `link_loss` at the sender (disconnections2012, approach B, figure 5): one flag. The link layer of the sender's own
//! host sets it when it gives up a segment in flight. While it is set, the recovery begun by three duplicate
//! acknowledgments follows the standard rules except that cwnd and ssthresh are unchanged; this resets the flag.
//!
//! The flag is reset in two more cases, inferred from the paper's text (`docs/models/link-loss.md`): by a timeout,
//! which follows the standard rules, and when the last segment that was given up has been acknowledged, which ends the
//! window it refers to.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::{NoticeResponse, Reaction};
use crate::recovery::Notified;

/// Creates the response.
pub fn build() -> Box<dyn NoticeResponse> {
    Box::new(LinkLoss::default())
}

#[derive(Default)]
struct LinkLoss {
    /// While the flag is set: the last segment that was given up.
    last: Option<u64>,
}

impl NoticeResponse for LinkLoss {
    fn on_notice(&mut self, kind: NoticeKind, seq: u64) -> Reaction {
        if kind == NoticeKind::Retransmit {
            self.last = self.last.max(Some(seq));
        }
        Reaction::default()
    }

    fn on_duplicate(&mut self, _: u64) -> Option<Notified> {
        self.last.map(|_| Notified::Uncut)
    }

    fn on_recovery(&mut self, _: u64) {
        self.last = None;
    }

    fn on_timeout(&mut self, _: u64) -> bool {
        self.last = None;
        false
    }

    /// A retransmission is in the same window, and the flag refers to windows.
    fn on_resent(&mut self, _: u64) {}

    fn on_advance(&mut self, una: u64) {
        self.last = self.last.filter(|last| *last >= una);
    }
}
