//! Startup: doubles the rate each round trip until the delivery rate stops growing.

use super::model::Model;
use crate::cc::Feedback;

/// Minimum growth of the rate per round trip.
const GROWTH: f64 = 1.25;
/// Number of round trips without this growth after which the path counts as full.
const ROUNDS: u32 = 3;

/// Detects that the pipe is full, because the measured bandwidth has stopped growing; this ends STARTUP.
#[derive(Default)]
pub(super) struct FullPipe {
    bandwidth: f64,
    rounds: u32,
    /// Whether the path is full.
    pub reached: bool,
}

impl FullPipe {
    pub fn check(&mut self, model: &Model, feedback: &Feedback) {
        if self.reached || !model.round_start || model.is_limited(feedback) {
            return;
        }
        if model.max_bw() >= GROWTH * self.bandwidth {
            (self.bandwidth, self.rounds) = (model.max_bw(), 0);
            return;
        }
        self.rounds += 1;
        self.reached = self.rounds >= ROUNDS;
    }

    /// Discards the earlier rate after a timeout, so that it is not used for comparison.
    pub fn forget_rate(&mut self) {
        self.bandwidth = 0.0;
    }

    /// Restarts the detection after a spurious reduction.
    pub fn forget(&mut self) {
        (self.bandwidth, self.rounds) = (0.0, 0);
    }
}
