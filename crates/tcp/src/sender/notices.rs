//! Messages from the network about segments, and the response to them.

use engine::Time;
use wire::NoticeKind;

use super::Sender;
use crate::event::Reason;
use crate::recovery::Notified;
use crate::response::{NoticeResponse, Reaction, ResponseConfig};

/// The response; it has no state before the first message.
pub(super) struct Notices {
    response: Box<dyn NoticeResponse>,
    /// Whether any message was received.
    any: bool,
}

impl Notices {
    pub fn new(config: &ResponseConfig) -> Self {
        Notices { response: config.build(), any: false }
    }

    /// Handles a message about the outstanding segment at `seq`.
    pub fn on_notice(&mut self, kind: NoticeKind, seq: u64) -> Reaction {
        self.any = true;
        self.response.on_notice(kind, seq)
    }

    /// Handles a duplicate acknowledgment which reports that the segment at `una` was lost on the radio link (ELN).
    pub fn on_loss_in_air(&mut self, una: u64) -> Reaction {
        self.any = true;
        self.response.on_loss_in_air(una)
    }

    /// Returns the treatment of a duplicate acknowledgment; `None` for the standard rule.
    pub fn on_duplicate(&mut self, una: u64) -> Option<Notified> {
        self.response.on_duplicate(una)
    }

    /// Recovery has begun.
    pub fn on_recovery(&mut self, una: u64) {
        self.response.on_recovery(una);
    }

    /// Whether a timeout retransmits only the segment at `una`, without a reduction.
    pub fn explains_timeout(&mut self, una: u64) -> bool {
        self.response.on_timeout(una)
    }

    /// Handles the retransmission of the segment at `seq`.
    pub fn on_resent(&mut self, seq: u64) {
        self.response.on_resent(seq);
    }

    /// Handles the acknowledgment of all data before `una`.
    #[inline]
    pub fn on_advance(&mut self, una: u64) {
        if self.any {
            self.response.on_advance(una);
        }
    }
}

impl Sender {
    /// Handles a message about the segment that begins at `seq`.
    pub fn on_notice(&mut self, now: Time, kind: NoticeKind, seq: u64) {
        self.telemetry.on_notice(kind, seq);
        if seq < self.una() || seq >= self.nxt() {
            return;
        }
        let reaction = self.notices.on_notice(kind, seq);
        // The timer runs for the first unacknowledged segment.
        if reaction.postpone && seq == self.una() && self.timer.is_running() {
            self.timer.start(now);
        }
        if reaction.resend {
            self.resends.push(seq, Reason::Notice);
        }
        self.renew_inflation();
        self.emit_window();
    }

    /// Handles a duplicate acknowledgment which reports that the requested segment was lost on the radio link.
    pub(super) fn on_loss_in_air(&mut self) {
        let una = self.una();
        if self.notices.on_loss_in_air(una).resend {
            self.resends.push(una, Reason::Notice);
        }
    }
}
