//! Startup [draft-ietf-ccwg-bbr s5.3.1]: doubles the rate each round trip until the delivery rate stops growing or
//! losses are high.

use super::model::Model;
use super::{Bbr3, Bbr3State};
use crate::cc::{Feedback, RateSample};

/// Minimum growth of the rate in a round trip of Startup.
const GROWTH: f64 = 1.25;
/// Number of round trips without this growth after which the path counts as full.
const ROUNDS: u32 = 3;
/// Loss events in a round trip of recovery that end Startup.
const LOSS_EVENTS: u32 = 6;

/// Detects the rate at which the path is full; used in Startup and UP.
#[derive(Default)]
pub(super) struct FullPipe {
    bandwidth: f64,
    rounds: u32,
    /// BBR.full_bw_now: whether the bandwidth has stopped to grow since the last reset.
    pub now: bool,
    /// BBR.full_bw_reached: whether the path has ever been found full.
    pub reached: bool,
    /// Acknowledgments that showed losses in this round trip.
    loss_events: u32,
}

impl FullPipe {
    /// Restarts the detection from `bandwidth`.
    pub fn reset(&mut self, bandwidth: f64) {
        (self.bandwidth, self.rounds, self.now) = (bandwidth, 0, false);
    }

    pub fn check(&mut self, model: &Model, rate: &RateSample) {
        if self.now || !model.round_start || model.is_limited(rate) {
            return;
        }
        let sample = rate.bytes_per_second();
        if sample >= GROWTH * self.bandwidth {
            self.reset(sample);
            return;
        }
        self.rounds += 1;
        self.now = self.rounds >= ROUNDS;
        self.reached |= self.now;
    }
}

impl Bbr3 {
    pub(super) fn check_startup_done(&mut self, feedback: &Feedback, rate: &RateSample) {
        self.check_startup_loss(feedback, rate);
        if let Bbr3State::Startup = self.state
            && self.full.reached
        {
            self.state = Bbr3State::Drain;
        }
    }

    /// Ends Startup after losses [draft-ietf-ccwg-bbr s5.3.1.3]. One lost range is counted for each acknowledgment that
    /// shows losses, as in Linux.
    fn check_startup_loss(&mut self, feedback: &Feedback, rate: &RateSample) {
        if self.full.reached {
            return;
        }
        self.full.loss_events += u32::from(feedback.lost > 0);
        if !self.bounds.loss_round_start {
            return;
        }
        if feedback.recovering && self.full.loss_events >= LOSS_EVENTS && self.too_high(rate) {
            self.full.reached = true;
            self.bounds.inflight_longterm = self.bdp(self.bw(), 1.0).max(self.bounds.inflight_latest);
        }
        self.full.loss_events = 0;
    }
}
