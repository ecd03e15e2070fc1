//! Veno (Fu and Liew, "TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks", IEEE JSAC 21(2),
//! 2003): Reno that considers a loss wireless if the queue is short. With Vegas's estimate of the queue
//!
//! ```text
//! N = cwnd (1 - base rtt / rtt)        in segments; rtt: the last one measured, base rtt: the minimum
//! third duplicate:       N < beta   ssthresh = 4/5 of the flight, else 1/2;  cwnd = ssthresh
//! congestion avoidance:  N < beta   Reno's growth, else with every other acknowledgment
//! ```
//!
//! Slow start and timeouts are Reno's. beta is 3.
//!
//! Deviations: the reduction is from the flight, as in RFC 5681, not from cwnd. Until a round trip has been measured N
//! counts as large. Limits: the base RTT is kept for the connection's life, except after idle time, as in Vegas.

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::{Growth, RenoWindow};
use super::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Queue length in segments from which on a loss counts as congestion.
    #[serde(default = "three_segments")]
    pub beta: f64,
}

fn three_segments() -> f64 {
    3.0
}

impl Default for Config {
    fn default() -> Self {
        Config { beta: three_segments() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let wrong = !(self.beta > 0.0 && self.beta <= 1000.0);
        wrong.then(|| Fault::new("beta", self.beta, "more than 0, at most 1000 segments")).into_iter().collect()
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Veno {
            beta: self.beta,
            window: RenoWindow::new(&start, Growth::PerAck),
            base: None,
            last: None,
            skip: false,
        })
    }
}

struct Veno {
    beta: f64,
    window: RenoWindow,
    /// Minimum round trip of the connection.
    base: Option<Span>,
    /// Last round trip of the connection.
    last: Option<Span>,
    /// With a long queue: whether cwnd does not grow at the next acknowledgment.
    skip: bool,
}

impl Veno {
    /// Whether the queue is long: N >= beta.
    fn congestive(&self) -> bool {
        let (Some(base), Some(last)) = (self.base, self.last) else { return true };
        let ratio = base.as_secs_f64() / last.as_secs_f64().max(1e-9);
        self.window.cwnd / self.window.segment * (1.0 - ratio) >= self.beta
    }
}

impl CongestionControl for Veno {
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, feedback: &Feedback) {
        if let Some(rtt) = feedback.rtt {
            self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
            self.last = Some(rtt);
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        if self.window.slow_start() || !self.congestive() {
            self.window.grow(acked.bytes as f64, self.window.segment);
            return;
        }
        self.skip = !self.skip;
        if !self.skip {
            self.window.grow(acked.bytes as f64, self.window.segment);
        }
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        let fast = matches!(event, Congestion::FastRetransmit);
        let share = if fast && !self.congestive() { 0.8 } else { 0.5 };
        self.window.reduce(event, flight.bytes * share, flight.again);
    }

    fn on_undo(&mut self) {
        self.window.undo();
    }

    fn on_idle(&mut self, _: Time, _: Span, restart: Option<f64>) {
        self.window.restart(restart);
        // The base and the last round trip are measured again, as in Linux: the path may have changed.
        (self.base, self.last) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{acked, feedback, flight};
    use engine::Stream;

    /// Returns a control with 20 segments, a base RTT of 85 ms and a last RTT of `last` ms: N = 20 (1 - 85 / last).
    fn veno(last: u64) -> Box<dyn CongestionControl> {
        let start = Start { segment: 1000.0, cwnd: 20_000.0, ssthresh: 10_000.0, stream: Stream::default() };
        let mut cc = Config::default().build(start);
        cc.on_feedback(&feedback(0, Some(Span::from_millis(85))));
        cc.on_feedback(&feedback(10, Some(Span::from_millis(last))));
        cc
    }

    #[test]
    fn loss_reduces_by_a_fifth_with_a_short_queue_and_by_half_with_a_long_one() {
        // N = 2.83 and 3.0.
        for (last, left) in [(99, 16_000.0), (100, 10_000.0)] {
            let mut cc = veno(last);
            cc.on_congestion(Congestion::FastRetransmit, &flight(20_000.0));
            assert_eq!((cc.cwnd(), cc.ssthresh()), (left, left), "last round trip {last} ms");
        }
    }

    #[test]
    fn timeout_halves_ssthresh_with_any_queue() {
        let mut cc = veno(86);
        cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(20_000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 10_000.0));
    }

    #[test]
    fn every_other_acknowledgment_grows_cwnd_with_a_long_queue() {
        let mut cc = veno(120);
        let grown: Vec<bool> = (0..6)
            .map(|number| {
                let before = cc.cwnd();
                cc.on_ack(&acked(20, 1000, number * 1000, 20_000));
                cc.cwnd() > before
            })
            .collect();
        assert_eq!(grown, [false, true, false, true, false, true]);
        let mut cc = veno(86);
        cc.on_ack(&acked(20, 1000, 1000, 20_000));
        assert_eq!(cc.cwnd(), 20_050.0);
    }
}
