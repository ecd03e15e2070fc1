//! Drain: paces so slowly that the queue which Startup built empties in about a round trip.

use super::{Bbr, State};
use crate::cc::Feedback;

impl Bbr {
    /// Ends Startup when the path is full, and Drain when no more than its worth is in flight.
    pub(super) fn check_drain(&mut self, feedback: &Feedback) {
        if let State::Startup = self.state
            && self.full.reached
        {
            self.state = State::Drain;
        }
        if let State::Drain = self.state
            && feedback.flight <= self.inflight(1.0)
        {
            self.resume(feedback.now);
        }
    }
}
