//! ProbeRTT [draft-ietf-ccwg-bbr s5.3.4]: half a bandwidth-delay product in flight for 200 ms and a round trip, so that
//! the queue drains and the min RTT can be measured.

use engine::Time;

use super::{Bbr3, Bbr3State};
use crate::cc::Feedback;

#[derive(Default)]
pub(super) struct ProbeRtt {
    /// Once the flight is small: the earliest end, and whether a round trip has passed.
    until: Option<(Time, bool)>,
}

impl Bbr3 {
    pub(super) fn update_min_rtt(&mut self, feedback: &Feedback) {
        self.model.update_min_rtt(feedback.now, feedback.rtt);
        if self.model.probe_rtt_expired && !self.idle_restart && !matches!(self.state, Bbr3State::ProbeRtt(_)) {
            self.save(self.cwnd);
            self.state = Bbr3State::ProbeRtt(ProbeRtt::default());
            self.stopping = true;
            self.model.start_round();
        }
        let (little, round_start) = (self.probe_rtt_cwnd(), self.model.round_start);
        if let Bbr3State::ProbeRtt(probe) = &mut self.state {
            self.model.limit(feedback.flight);
            match &mut probe.until {
                None if feedback.flight <= little => {
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

    /// Ends ProbeRTT when its time has passed [draft-ietf-ccwg-bbr s5.3.4.4].
    pub(super) fn check_probe_rtt_done(&mut self, now: Time) {
        let Bbr3State::ProbeRtt(ProbeRtt { until: Some((until, _)) }) = &self.state else { return };
        if now <= *until {
            return;
        }
        self.model.refresh_probe_rtt(now);
        self.restore();
        self.bounds.reset_shortterm();
        if self.full.reached {
            self.start_down(now);
            self.start_cruise();
        } else {
            self.state = Bbr3State::Startup;
        }
    }
}
