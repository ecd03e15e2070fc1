//! Reno: fast retransmit and fast recovery [RFC5681 s3.2].
//!
//! The third duplicate acknowledgment shows a loss. Until new data is acknowledged each further duplicate inflates cwnd
//! by one segment. Deviation: as in 4.3BSD Reno, duplicates caused by go-back-N after a timeout may be mistaken for a
//! new loss; NewReno corrects this [RFC6582 s4.1].

pub use engine::registry::NoSettings as Config;

use super::{AckEffects, LossRecovery, RecoveryVerdict, SenderView, UndoEvidence, classic_trigger};
use crate::scoreboard::Scoreboard;

/// Creates the recovery.
pub fn build() -> Box<dyn LossRecovery> {
    Box::new(Reno { inflation: None })
}

struct Reno {
    /// During recovery: bytes to add to cwnd.
    inflation: Option<f64>,
}

impl LossRecovery for Reno {
    fn on_ack(&mut self, ack: &AckEffects, _: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        if ack.acked > 0 {
            // [RFC5681 s3.2 step 6]: the inflation ends, cwnd is ssthresh.
            return match self.inflation.take() {
                Some(_) => RecoveryVerdict::Recovered,
                None => RecoveryVerdict::Ordinary,
            };
        }
        if let Some(inflation) = &mut self.inflation {
            // [RFC5681 s3.2 step 4]
            *inflation += if ack.duplicates > 0 { view.segment } else { 0.0 };
            return RecoveryVerdict::Recovering;
        }
        match classic_trigger(ack, view) {
            Some((resend, inflation)) => {
                self.inflation = Some(inflation);
                RecoveryVerdict::Begin { resend }
            }
            None => RecoveryVerdict::Ordinary,
        }
    }

    fn on_timeout(&mut self, _: &Scoreboard) {
        self.inflation = None;
    }

    fn recovering(&self) -> bool {
        self.inflation.is_some()
    }

    fn on_undo(&mut self, _: &Scoreboard, _: UndoEvidence) {
        self.inflation = None;
    }

    fn inflation(&self) -> f64 {
        self.inflation.unwrap_or(0.0)
    }
}
