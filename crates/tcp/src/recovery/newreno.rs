//! NewReno: Reno that stays in recovery until all data sent before recovery is acknowledged (RFC 6582).
//!
//! A partial acknowledgment shows the next hole, which is retransmitted at once: one per round trip. Without SACK the
//! other recoveries fall back to this one.

use engine::registry::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AckEffects, LossRecovery, Notified, RecoveryVerdict, SenderView, UndoEvidence, classic_trigger};
use crate::scoreboard::Scoreboard;

/// Partial acknowledgments that restart the retransmission timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The first: with many holes the timer expires, and slow start is faster [RFC6582 s4].
    #[default]
    Impatient,
    /// Each partial acknowledgment: one hole per round trip, whatever their number [RFC6582 s4].
    SlowButSteady,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Partial acknowledgments that restart the retransmission timer. Default: `impatient`.
    #[serde(default)]
    pub variant: Variant,
}

impl Settings for Config {}

impl Config {
    /// Creates the recovery.
    pub fn build(&self) -> Box<dyn LossRecovery> {
        Box::new(NewReno::new(self.variant))
    }
}

pub(super) struct NewReno {
    variant: Variant,
    /// First unsent byte when the last recovery began or the timer expired (recover) [RFC6582 s3.1].
    recover: Option<u64>,
    /// During recovery: bytes to add to cwnd.
    inflation: Option<f64>,
    /// Partial acknowledgments in the current recovery.
    partial: u32,
}

impl NewReno {
    pub fn new(variant: Variant) -> Self {
        NewReno { variant, recover: None, inflation: None, partial: 0 }
    }

    fn advance(&mut self, ack: &AckEffects, board: &Scoreboard, view: &SenderView) -> RecoveryVerdict {
        let Some(inflation) = &mut self.inflation else { return RecoveryVerdict::Ordinary };
        if self.recover.is_none_or(|recover| board.una() >= recover) {
            // [RFC6582 s3.2 step 3, full acknowledgment]: cwnd stays at ssthresh.
            self.inflation = None;
            return RecoveryVerdict::Recovered;
        }
        // [RFC6582 s3.2 step 3, partial acknowledgment]
        let acked = ack.acked as f64;
        *inflation -= acked;
        if acked >= view.segment {
            *inflation += view.segment;
        }
        self.partial += 1;
        RecoveryVerdict::Resend { restart: self.partial == 1 || self.variant == Variant::SlowButSteady }
    }
}

impl LossRecovery for NewReno {
    fn on_ack(&mut self, ack: &AckEffects, board: &mut Scoreboard, view: &SenderView) -> RecoveryVerdict {
        if ack.acked > 0 {
            return self.advance(ack, board, view);
        }
        if let Some(inflation) = &mut self.inflation {
            *inflation += if ack.duplicates > 0 { view.segment } else { 0.0 };
            return RecoveryVerdict::Recovering;
        }
        let Some((resend, inflation)) = classic_trigger(ack, view) else { return RecoveryVerdict::Ordinary };
        // [RFC6582 s3.2 step 2]: duplicates caused by retransmissions show no new loss.
        let covered = self.recover.is_none_or(|recover| board.una() > recover);
        if !covered && !ack.notified.is_some_and(Notified::at_once) {
            return RecoveryVerdict::Ordinary;
        }
        self.recover = Some(board.nxt());
        self.inflation = Some(inflation);
        self.partial = 0;
        RecoveryVerdict::Begin { resend }
    }

    fn on_timeout(&mut self, board: &Scoreboard) {
        // [RFC6582 s3.2 step 4]
        self.recover = Some(board.nxt());
        self.inflation = None;
    }

    fn recovering(&self) -> bool {
        self.inflation.is_some()
    }

    fn on_undo(&mut self, _: &Scoreboard, _: UndoEvidence) {
        self.inflation = None;
        self.recover = None;
    }

    fn inflation(&self) -> f64 {
        self.inflation.unwrap_or(0.0)
    }
}
