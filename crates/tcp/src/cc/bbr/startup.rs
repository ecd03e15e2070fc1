//! Startup: the rate doubles each round trip until it no longer does.

use super::model::Model;
use crate::cc::Feedback;

/// Growth that counts.
const GROWTH: f64 = 1.25;
/// Round trips without it.
const ROUNDS: u32 = 3;

/// Looks for the rate at which the path is full.
#[derive(Default)]
pub(super) struct FullPipe {
    bandwidth: f64,
    rounds: u32,
    /// Whether it has been found.
    pub reached: bool,
}

impl FullPipe {
    pub fn check(&mut self, model: &Model, feedback: &Feedback) {
        if self.reached || !model.round_start || model.limited(feedback) {
            return;
        }
        if model.max_bw() >= GROWTH * self.bandwidth {
            (self.bandwidth, self.rounds) = (model.max_bw(), 0);
            return;
        }
        self.rounds += 1;
        self.reached = self.rounds >= ROUNDS;
    }

    /// A timeout: the rate before it is no measure.
    pub fn forget_rate(&mut self) {
        self.bandwidth = 0.0;
    }

    /// A slow-down was spurious.
    pub fn forget(&mut self) {
        (self.bandwidth, self.rounds) = (0.0, 0);
    }
}
