//! Tahoe: fast retransmit without fast recovery [Jacobson 1988].
//!
//! The third duplicate acknowledgment is treated as a timeout: slow start from one segment, with retransmission of
//! everything from the first unacknowledged byte on. This happens at most once until the data sent before it is
//! acknowledged, since duplicates in between are caused by the retransmissions (ns-2's `bugFix_`; 4.3BSD-Tahoe lacked
//! it) [Fall and Floyd 1996].

pub use engine::registry::NoSettings as Config;

use super::{AckEffects, LossRecovery, RecoveryVerdict, SenderView, UndoEvidence, classic_trigger};
use crate::scoreboard::Scoreboard;

/// Creates the recovery.
pub fn build() -> Box<dyn LossRecovery> {
    Box::new(Tahoe { until: None, explained: None })
}

struct Tahoe {
    /// First unsent byte at the last loss. Until that byte is acknowledged, duplicates do not indicate a loss.
    until: Option<u64>,
    /// Window inflation while a loss reported by the network is recovered without a reduction.
    explained: Option<f64>,
}

impl LossRecovery for Tahoe {
    fn on_ack(&mut self, ack: &AckEffects, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        if ack.acked > 0 {
            return if self.explained.take().is_some() {
                RecoveryVerdict::Recovered
            } else {
                RecoveryVerdict::Ordinary
            };
        }
        if let Some(inflation) = &mut self.explained {
            *inflation += if ack.duplicates > 0 { view.segment } else { 0.0 };
            return RecoveryVerdict::Recovering;
        }
        let new = self.until.is_none_or(|until| board.una() > until);
        match (classic_trigger(ack, view), ack.notified) {
            (Some((resend, inflation)), Some(notified)) if new || notified.at_once() => {
                self.explained = Some(inflation);
                RecoveryVerdict::Begin { resend }
            }
            (Some(_), None) if new => {
                self.until = Some(board.nxt());
                RecoveryVerdict::Restart
            }
            _ => RecoveryVerdict::Ordinary,
        }
    }

    fn on_timeout(&mut self, board: &Scoreboard) {
        self.until = Some(board.nxt());
        self.explained = None;
    }

    fn recovering(&self) -> bool {
        self.explained.is_some()
    }

    fn has_fast_recovery(&self) -> bool {
        false
    }

    fn on_undo(&mut self, _: &Scoreboard, _: UndoEvidence) {
        self.explained = None;
    }

    fn inflation(&self) -> f64 {
        self.explained.unwrap_or(0.0)
    }
}
