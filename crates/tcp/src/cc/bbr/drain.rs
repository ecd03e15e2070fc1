//! Drain: paces below the bottleneck rate so that the queue built in Startup empties in about a round trip.

use super::{Bbr, BbrState};
use crate::cc::Feedback;

impl Bbr {
    /// Leaves Startup once the path is full, and Drain once at most one bandwidth-delay product is in flight.
    pub(super) fn check_drain(&mut self, feedback: &Feedback) {
        if let BbrState::Startup = self.state
            && self.full.reached
        {
            self.state = BbrState::Drain;
        }
        if let BbrState::Drain = self.state
            && feedback.flight <= self.inflight(1.0)
        {
            self.resume(feedback.now);
        }
    }
}
