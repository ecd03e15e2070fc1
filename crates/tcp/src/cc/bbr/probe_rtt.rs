//! ProbeRTT: four segments in flight for 200 ms and a round trip, so that the queue drains and the min RTT can be
//! measured.

use engine::{Span, Time};

use super::{Bbr, BbrState};
use crate::cc::Feedback;

#[derive(Default)]
pub(super) struct ProbeRtt {
    /// Once the flight is small: the earliest end, and whether a round trip has passed.
    until: Option<(Time, bool)>,
}

impl Bbr {
    /// Processes the round trip sample; enters, continues or leaves ProbeRTT.
    pub(super) fn update_min_rtt(&mut self, feedback: &Feedback) {
        let expired = self.model.update_min_rtt(feedback.now, feedback.rtt, self.config.min_rtt_window);
        if expired
            && !self.idle_restart
            && self.config.probe_rtt > Span::ZERO
            && !matches!(self.state, BbrState::ProbeRtt(_))
        {
            self.save(self.cwnd);
            self.state = BbrState::ProbeRtt(ProbeRtt::default());
        }
        let (min_pipe, round_start) = (self.min_pipe_cwnd(), self.model.round_start);
        if let BbrState::ProbeRtt(probe) = &mut self.state {
            self.model.limit(feedback.flight);
            match &mut probe.until {
                None if feedback.flight <= min_pipe => {
                    probe.until = Some((feedback.now + self.config.probe_rtt, false));
                    self.model.start_round();
                }
                None => {}
                Some((_, round)) => {
                    *round |= round_start;
                    if *round {
                        self.check_probe_rtt_done(feedback.now);
                    }
                }
            }
        }
        if feedback.delivered > 0 {
            self.idle_restart = false;
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self, now: Time) {
        let BbrState::ProbeRtt(ProbeRtt { until: Some((until, _)) }) = &self.state else { return };
        if now > *until {
            self.model.refresh_min_rtt(now);
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.resume(now);
        }
    }
}
