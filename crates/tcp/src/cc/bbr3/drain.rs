//! Drain [draft-ietf-ccwg-bbr s5.3.2]: paces below the bottleneck rate so that the queue built in Startup empties in
//! about a round trip.

use super::{Bbr3, Bbr3State};
use crate::cc::Feedback;

impl Bbr3 {
    pub(super) fn check_drain_done(&mut self, feedback: &Feedback) {
        if let Bbr3State::Drain = self.state
            && feedback.flight <= self.inflight(self.bw(), 1.0)
        {
            self.start_down(feedback.now);
        }
    }
}
