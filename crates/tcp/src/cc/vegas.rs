//! Vegas (Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", 1995): keeps between
//! `alpha` and `beta` segments in the bottleneck's queue, which it estimates from the delay. Once per round trip:
//!
//! ```text
//! diff = cwnd (1 - base rtt / rtt)          in segments; rtt: the mean of the round, base rtt: the minimum of all
//! slow start:  diff > gamma   cwnd = min(cwnd, cwnd base rtt / rtt + 1), ssthresh = cwnd - 1: it ends
//! above:       diff > beta    cwnd -= 1
//!              diff < alpha   cwnd += 1
//! ```
//!
//! In slow start cwnd doubles every other round trip, and only rounds without growth are evaluated. The mean is
//! computed as in ns-2 (and in the BSD code from which it derives): the first segment of a burst finds no queue, so
//! with the min RTT, as in Linux, a sender would measure only the queues of other flows, not its own. A round with
//! fewer than three measurements is not evaluated: Reno's growth (Linux). Defaults are the paper's and ns-2's 1, 3, 1;
//! Linux has 2, 4, 1.
//!
//! Deviations: slow start ends with cwnd at the path's capacity (Linux), where ns-2 subtracts an eighth; a loss halves
//! the flight (Linux), where the paper subtracts a quarter after a fine-grained retransmission, which belongs to
//! recovery and is not implemented here. Limits: a permanent rise of the path's delay looks like a queue (rerouting;
//! the paper's section 6).

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
    /// Number of queued segments below which cwnd grows.
    #[serde(default = "one_segment")]
    pub alpha: f64,
    /// Number of queued segments above which cwnd shrinks.
    #[serde(default = "three_segments")]
    pub beta: f64,
    /// Number of queued segments above which slow start ends.
    #[serde(default = "one_segment")]
    pub gamma: f64,
}

fn one_segment() -> f64 {
    1.0
}

fn three_segments() -> f64 {
    3.0
}

impl Default for Config {
    fn default() -> Self {
        Config { alpha: one_segment(), beta: three_segments(), gamma: one_segment() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        // Negated, so that NaN is a fault too.
        if !(self.alpha > 0.0 && self.alpha <= 1000.0) {
            faults.push(Fault::new("alpha", self.alpha, "more than 0, at most 1000 segments"));
        }
        if !(self.beta >= self.alpha && self.beta <= 1000.0) {
            let expected = format!("at least alpha ({}), at most 1000 segments", self.alpha);
            faults.push(Fault::new("beta", self.beta, expected));
        }
        if !(self.gamma > 0.0 && self.gamma <= 1000.0) {
            faults.push(Fault::new("gamma", self.gamma, "more than 0, at most 1000 segments"));
        }
        faults
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Vegas {
            config: self.clone(),
            window: RenoWindow::new(&start, Growth::PerAck),
            base: None,
            sum: 0,
            samples: 0,
            end: 0,
            standing: false,
        })
    }
}

struct Vegas {
    config: Config,
    window: RenoWindow,
    /// Minimum round trip of the connection.
    base: Option<Span>,
    /// Sum of the round trips of this round, in nanoseconds.
    sum: u64,
    /// Number of the round trips of this round.
    samples: u64,
    /// Offset whose acknowledgment ends the round.
    end: u64,
    /// In slow start: whether cwnd does not grow in this round.
    standing: bool,
}

impl Vegas {
    fn slow_start(&self) -> bool {
        self.window.cwnd < self.window.ssthresh
    }

    /// Processes the end of a round trip.
    fn round(&mut self, bytes: f64) {
        let segment = self.window.segment;
        let stood = self.standing;
        self.standing = !stood;
        let (sum, samples) = self.take_samples();
        let Some(base) = self.base.filter(|_| samples >= 3) else { return self.reno(bytes) };
        // A round trip of zero has no queue.
        let ratio = base.as_nanos() as f64 * samples as f64 / (sum as f64).max(1.0);
        let expected = self.window.cwnd * ratio;
        let diff = (self.window.cwnd - expected) / segment;
        if self.slow_start() {
            // While the window grows, the send rate differs from the acknowledged rate (BP95 s3.4).
            if stood && diff > self.config.gamma {
                self.window.cwnd = self.window.cwnd.min(expected + segment).max(2.0 * segment);
                self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd - segment).max(2.0 * segment);
            } else {
                self.reno(bytes);
            }
        } else if diff > self.config.beta {
            self.window.cwnd = (self.window.cwnd - segment).max(2.0 * segment);
            // Below ssthresh slow start would begin again.
            self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd - segment).max(2.0 * segment);
        } else if diff < self.config.alpha {
            self.window.cwnd += segment;
        }
    }

    fn take_samples(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.sum), std::mem::take(&mut self.samples))
    }

    fn reno(&mut self, bytes: f64) {
        if self.slow_start() {
            if !self.standing {
                self.window.cwnd += bytes.min(self.window.segment);
            }
        } else {
            self.window.grow_by_one_every(self.window.cwnd, bytes);
        }
    }
}

impl CongestionControl for Vegas {
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
            self.sum = self.sum.saturating_add(rtt.as_nanos());
            self.samples += 1;
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        let bytes = acked.bytes as f64;
        if acked.una > self.end {
            self.end = acked.nxt;
            self.round(bytes);
        } else if self.slow_start() {
            self.reno(bytes);
        }
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        if self.window.reduce(event, flight.bytes / 2.0, flight.again) {
            self.take_samples();
        }
    }

    fn on_undo(&mut self) {
        self.window.undo();
    }

    /// Discards the measurements before a recovery, which do not apply to cwnd after it.
    fn on_recovered(&mut self, _: Time) {
        self.take_samples();
    }

    fn on_idle(&mut self, _: Time, _: Span, restart: Option<f64>) {
        self.window.restart(restart);
        // The base RTT is measured again, as in Linux: the path may have changed.
        self.base = None;
        self.take_samples();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{acked, feedback, flight};
    use engine::Stream;

    const BASE: f64 = 100.0;
    const SEGMENT: f64 = 1000.0;

    fn vegas(cwnd: f64, ssthresh: f64) -> Box<dyn CongestionControl> {
        let start =
            Start { segment: SEGMENT, cwnd: cwnd * SEGMENT, ssthresh: ssthresh * SEGMENT, stream: Stream::default() };
        Config::default().build(start)
    }

    /// Runs rounds over a path that holds `pipe` segments and a queue; returns cwnd after each, in segments.
    fn rounds(cc: &mut dyn CongestionControl, pipe: f64, rounds: usize) -> Vec<f64> {
        let (mut una, mut seen) = (0_u64, Vec::new());
        // The base RTT is measured before a queue exists.
        cc.on_feedback(&feedback(0, Some(Span::from_millis(BASE as u64))));
        for _ in 0..rounds {
            let window = cc.cwnd();
            let queue = (window / SEGMENT - pipe).max(0.0);
            let rtt = Span::from_nanos(((1.0 + queue / pipe) * BASE * 1e6) as u64);
            for _ in 0..(window / SEGMENT) as u64 {
                una += 1000;
                cc.on_feedback(&feedback(0, Some(rtt)));
                cc.on_ack(&acked(0, 1000, una, window as u64 - 1000));
            }
            seen.push(cc.cwnd() / SEGMENT);
        }
        seen
    }

    /// In this test diff = cwnd - pipe, because cwnd (1 - base / rtt) with rtt = base cwnd / pipe.
    #[test]
    fn queue_stays_between_alpha_and_beta() {
        for first in [12.0, 40.0] {
            let mut cc = vegas(first, 2.0);
            let seen = rounds(cc.as_mut(), 20.0, 60);
            let last = seen[seen.len() - 1];
            assert!((21.0..=23.0).contains(&last), "from {first}: {seen:?}");
            assert!(seen[40..].iter().all(|window| *window == last), "it stands still: {seen:?}");
        }
    }

    #[test]
    fn slow_start_doubles_every_other_round_and_ends_at_gamma() {
        let mut cc = vegas(4.0, f64::INFINITY);
        let seen = rounds(cc.as_mut(), 20.0, 12);
        let doubled = seen.windows(2).filter(|pair| pair[1] > 1.5 * pair[0]).count();
        assert!((1..=3).contains(&doubled), "{seen:?}");
        assert!(cc.ssthresh().is_finite(), "it has ended: {seen:?}");
        assert!(seen.iter().all(|window| *window < 40.0), "before a queue of the pipe's length: {seen:?}");
    }

    /// The first segment of a burst finds the queue empty, each further one waits behind all earlier ones: of 20
    /// segments at 1 ms each the mean wait is 9.5 ms, and diff = 20 (1 - 100 / 109.5) = 1.7 segments. Measured by the
    /// first segment alone there is no queue. Growing rounds are not evaluated.
    #[test]
    fn queue_of_own_burst_ends_slow_start_after_a_round_without_growth() {
        let mut cc = vegas(20.0, f64::INFINITY);
        cc.on_feedback(&feedback(0, Some(Span::from_millis(100))));
        let mut una = 0;
        let mut burst = |cc: &mut dyn CongestionControl, segments: u64| {
            for place in 0..segments {
                una += 1000;
                cc.on_feedback(&feedback(0, Some(Span::from_millis(100 + place))));
                cc.on_ack(&acked(0, 1000, una, 1000 * (segments - 1)));
            }
            cc.ssthresh().is_finite()
        };
        // The first acknowledgment begins a standing round, which the first acknowledgment of the second burst ends.
        // The window of segments sent in the meantime is not a separate round.
        assert!(!burst(cc.as_mut(), 20));
        assert!(burst(cc.as_mut(), 20), "judged by its own queue");
        assert!((cc.cwnd() / SEGMENT - (20.0 / 1.095 + 1.0)).abs() < 0.1, "{}", cc.cwnd());
    }

    /// cwnd continues to fall by a segment per round below the former ssthresh.
    #[test]
    fn shrinking_below_ssthresh_does_not_restart_slow_start() {
        let mut cc = vegas(40.0, 38.0);
        let seen = rounds(cc.as_mut(), 20.0, 10);
        // The first round has only one measurement.
        assert!(seen.windows(2).all(|pair| (pair[0] - pair[1] - 1.0).abs() < 1e-9), "{seen:?}");
    }

    #[test]
    fn loss_halves_cwnd() {
        let mut cc = vegas(20.0, 2.0);
        cc.on_congestion(Congestion::FastRetransmit, &flight(20_000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (10_000.0, 10_000.0));
        cc.on_undo();
        assert_eq!(cc.cwnd(), 20_000.0);
    }

    #[test]
    fn settings_without_a_valid_range_are_rejected() {
        let keys = |config: Config| config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
        assert_eq!(keys(Config { alpha: 4.0, ..Config::default() }), ["beta"]);
        assert_eq!(keys(Config { alpha: f64::NAN, ..Config::default() }), ["alpha", "beta"]);
        assert_eq!(keys(Config { gamma: 0.0, ..Config::default() }), ["gamma"]);
        assert_eq!(keys(Config::default()), [""; 0]);
    }
}
