//! ProbeBW: a cycle of eight phases of a round trip each: 1.25 times the estimated rate to probe for bandwidth, 0.75
//! times to drain the queue, then six at the estimated rate. The first phase is drawn at random from all but the
//! second.

use engine::{Draws, Time};

use super::{Bbr, BbrState};
use crate::cc::Feedback;

const GAINS: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

pub(super) struct ProbeBw {
    phase: usize,
    since: Time,
}

impl ProbeBw {
    pub fn new(now: Time, draws: &mut Draws) -> Self {
        // 1 + 1 to 1 + 7, modulo 8.
        let chance = (draws.unit() * 7.0) as usize;
        ProbeBw { phase: (2 + chance) % GAINS.len(), since: now }
    }

    pub fn gain(&self) -> f64 {
        GAINS[self.phase]
    }

    /// Whether the phase sends faster than the estimated rate.
    pub fn probing(&self) -> bool {
        self.phase == 0
    }
}

impl Bbr {
    pub(super) fn update_cycle(&mut self, feedback: &Feedback) {
        let BbrState::ProbeBw(probe) = &self.state else { return };
        let Some(min_rtt) = self.model.min_rtt() else { return };
        let long = feedback.now.since(probe.since) > min_rtt;
        let gain = if self.model.policer.rate().is_some() { 1.0 } else { probe.gain() };
        let next = if gain > 1.0 {
            // The phase lasts until the target is in flight, or losses show that the path cannot hold it.
            long && (feedback.lost > 0 || feedback.flight_before >= self.inflight(gain))
        } else if gain < 1.0 {
            long || feedback.flight_before <= self.inflight(1.0)
        } else {
            long
        };
        if next && let BbrState::ProbeBw(probe) = &mut self.state {
            probe.phase = (probe.phase + 1) % GAINS.len();
            probe.since = feedback.now;
        }
    }
}
