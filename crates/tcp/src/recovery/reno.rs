//! Reno: fast retransmit and fast recovery [RFC5681 s3.2].
//!
//! The third duplicate acknowledgment shows a loss. Until new data is acknowledged each further duplicate lets one
//! more segment fly. Deviation: like 4.3BSD Reno, a sender that went back after a timeout may take duplicates of
//! that for a new loss; NewReno mends this [RFC6582 s4.1].

pub use engine::registry::NoSettings as Config;

use super::{Advance, Duplicate, LossRecovery, Notified, View};

/// The recovery.
pub fn build() -> Box<dyn LossRecovery> {
    Box::new(Reno { allowance: None })
}

struct Reno {
    /// While recovering: bytes to add to cwnd.
    allowance: Option<f64>,
}

impl LossRecovery for Reno {
    fn on_duplicate(&mut self, count: u32, notified: Option<Notified>, view: &View) -> Duplicate {
        if let Some(allowance) = &mut self.allowance {
            // [RFC5681 s3.2 step 4]
            *allowance += view.segment;
            return Duplicate::Counted;
        }
        match notified {
            Some(Notified::AlreadyResent) => {
                self.allowance = Some(view.segment);
                Duplicate::Lost { resend: false }
            }
            Some(Notified::Resend) if count == 3 => {
                // Before the first cut there is no threshold to fly.
                let threshold = if view.ssthresh.is_finite() { view.ssthresh } else { view.cwnd };
                self.allowance = Some(threshold + 3.0 * view.segment - view.cwnd);
                Duplicate::Lost { resend: true }
            }
            None if count == 3 => {
                // [RFC5681 s3.2 step 3]: three segments have left the network.
                self.allowance = Some(3.0 * view.segment);
                Duplicate::Lost { resend: true }
            }
            _ => Duplicate::Counted,
        }
    }

    fn on_advance(&mut self, _: &View) -> Advance {
        // [RFC5681 s3.2 step 6]: what was added goes, cwnd stands at ssthresh.
        match self.allowance.take() {
            Some(_) => Advance::Recovered,
            None => Advance::Ordinary,
        }
    }

    fn on_timeout(&mut self) {
        self.allowance = None;
    }

    fn recovering(&self) -> bool {
        self.allowance.is_some()
    }

    fn allowance(&self) -> f64 {
        self.allowance.unwrap_or(0.0)
    }
}
