//! `link_loss` at the sender (disconnections2012, approach B, figure 5): one flag. The link layer of the sender's own host sets it
//! when it gives up a segment of what is in flight. While it is set, the recovery that three duplicate acknowledgments begin
//! is the ordinary one, but for cwnd and ssthresh, which stay as they are; with that the flag is reset.
//!
//! The paper resets it in two more places, both read from the text (`docs/models/link-loss.md`): a timeout is answered as ever and resets
//! it, and it ends with the window that it was about: when the last segment that was given up has been acknowledged.

pub use engine::registry::NoSettings as Config;
use wire::NoticeKind;

use super::{NoticeResponse, Reaction};
use crate::recovery::Notified;

/// The response.
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

    /// What is sent again is in the same window, and the flag is about windows.
    fn on_resent(&mut self, _: u64) {}

    fn on_advance(&mut self, una: u64) {
        self.last = self.last.filter(|last| *last >= una);
    }
}
