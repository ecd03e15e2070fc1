//! Westwood+ (Mascolo, Grieco, Ferorelli, Camarda, Piscitelli, "Performance evaluation of Westwood+ TCP congestion
//! control", Performance Evaluation 55, 2004): after a loss cwnd is the measured bandwidth-delay product.
//!
//! ```text
//! each round trip:  b = delivered / elapsed,   BWE = f BWE + (1 - f) b           f = 0.9; initially the first b
//! third duplicate:  ssthresh = BWE rtt_min,  cwnd = min(cwnd, ssthresh)
//! timeout:          ssthresh = BWE rtt_min,  cwnd = one segment
//! ```
//!
//! The first sample begins with the first acknowledgment. Growth is Reno's. Before the first measurement a loss halves
//! cwnd.
//!
//! Deviations: a sample lasts at least the SRTT (the paper: every round trip; Linux: at least 50 ms, and a second
//! filter of 7/8). Data counts when SACK reports it; duplicates without SACK count when they are acknowledged. Limits:
//! in slow start, where rates double each round trip, the filter is at 0.1 / (1 - 0.9 / 2) = 0.18 of the last rate, so
//! that the first loss may reduce cwnd further than Reno's, as in Linux; acknowledgments bunched over more than a round
//! trip inflate samples.

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
    /// Share of the old estimate in the new one.
    #[serde(default = "nine_tenths")]
    pub filter: f64,
    /// How the window grows.
    #[serde(default)]
    pub growth: Growth,
}

fn nine_tenths() -> f64 {
    0.9
}

impl Default for Config {
    fn default() -> Self {
        Config { filter: nine_tenths(), growth: Growth::default() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let wrong = !(0.0..1.0).contains(&self.filter);
        wrong.then(|| Fault::new("filter", self.filter, "a share, 0 to less than 1")).into_iter().collect()
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Westwood {
            filter: self.filter,
            limit: if self.growth == Growth::PerAck { start.segment } else { f64::INFINITY },
            window: RenoWindow::new(&start, self.growth),
            min_rtt: None,
            bandwidth: None,
            since: Time::NEVER,
            bytes: 0,
        })
    }
}

struct Westwood {
    filter: f64,
    window: RenoWindow,
    limit: f64,
    /// The min RTT.
    min_rtt: Option<Span>,
    /// Bytes per second.
    bandwidth: Option<f64>,
    /// Beginning of the current sample, not before the first acknowledgment.
    since: Time,
    /// Number of bytes delivered in the current sample.
    bytes: u64,
}

impl Westwood {
    fn sample(&mut self, feedback: &Feedback) {
        if feedback.srtt == Span::ZERO || self.since == Time::NEVER {
            // The round trip is unknown; the first sample begins with the first acknowledgment.
            (self.since, self.bytes) = (feedback.now, 0);
            return;
        }
        let elapsed = feedback.now.since(self.since);
        self.bytes += feedback.delivered;
        if elapsed >= feedback.srtt {
            let sample = self.bytes as f64 / elapsed.as_secs_f64();
            self.bandwidth =
                Some(self.bandwidth.map_or(sample, |old| self.filter * old + (1.0 - self.filter) * sample));
            (self.since, self.bytes) = (feedback.now, 0);
        }
    }
}

impl CongestionControl for Westwood {
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
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min_rtt| min_rtt.min(rtt)));
        }
        self.sample(feedback);
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.window.grow(acked.bytes as f64, self.limit);
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        let threshold = match (self.bandwidth, self.min_rtt) {
            (Some(bandwidth), Some(min_rtt)) => bandwidth * min_rtt.as_secs_f64(),
            _ => flight.bytes / 2.0,
        };
        let cwnd = self.window.cwnd;
        if self.window.reduce(event, threshold, flight.again) {
            // The path's capacity may exceed the flight; slow start finds it.
            self.window.cwnd = self.window.cwnd.min(cwnd);
        }
    }

    fn on_undo(&mut self) {
        self.window.undo();
    }

    /// Handles idle time, which is not a sample.
    fn on_idle(&mut self, now: Time, _: Span, restart: Option<f64>) {
        self.window.restart(restart);
        (self.since, self.bytes) = (now, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{feedback, flight};
    use engine::Stream;

    /// Delivers `rounds` round trips of 100 ms with 10 acknowledgments of `bytes` each, from `at` ms on.
    fn deliver(cc: &mut dyn CongestionControl, at: u64, rounds: u64, bytes: u64) -> u64 {
        let end = at + rounds * 100;
        for millis in (at + 10..=end).step_by(10) {
            let mut feedback = feedback(millis, Some(Span::from_millis(100)));
            feedback.delivered = bytes;
            cc.on_feedback(&feedback);
        }
        end
    }

    /// Returns a control before the first acknowledgment.
    fn fresh() -> Box<dyn CongestionControl> {
        let start = Start { segment: 1000.0, cwnd: 30_000.0, ssthresh: f64::INFINITY, stream: Stream::default() };
        Config::default().build(start)
    }

    /// Returns a control after the first acknowledgment, at time 0.
    fn westwood() -> Box<dyn CongestionControl> {
        let mut cc = fresh();
        cc.on_feedback(&feedback(0, Some(Span::from_millis(100))));
        cc
    }

    /// The rate is 1000 bytes per 10 ms, or 100,000 bytes a second. Times 100 ms that is 10,000 bytes.
    #[test]
    fn loss_reduces_cwnd_to_the_rate_times_min_rtt() {
        let mut cc = westwood();
        deliver(cc.as_mut(), 0, 5, 1000);
        cc.on_congestion(Congestion::FastRetransmit, &flight(30_000.0));
        assert!((cc.ssthresh() - 10_000.0).abs() < 1e-6, "{}", cc.ssthresh());
        assert_eq!(cc.cwnd(), cc.ssthresh());
        cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(5000.0));
        assert!((cc.ssthresh() - 10_000.0).abs() < 1e-6);
        assert_eq!(cc.cwnd(), 1000.0);
    }

    /// After three rounds at twice the rate the estimate is 10,000 (2 - 0.9^3) bytes.
    #[test]
    fn filter_keeps_nine_tenths_of_the_estimate_per_round_trip() {
        let mut cc = westwood();
        let at = deliver(cc.as_mut(), 0, 5, 1000);
        deliver(cc.as_mut(), at, 3, 2000);
        cc.on_congestion(Congestion::FastRetransmit, &flight(30_000.0));
        assert!((cc.ssthresh() - 10_000.0 * (2.0 - 0.9 * 0.9 * 0.9)).abs() < 1e-6, "{}", cc.ssthresh());
    }

    /// The first sample is 10 acknowledgments of 1000 bytes in 100 ms, however late the transfer begins.
    #[test]
    fn first_sample_begins_with_the_first_acknowledgment() {
        for start in [0, 60_000] {
            let mut cc = fresh();
            deliver(cc.as_mut(), start, 2, 1000);
            cc.on_congestion(Congestion::FastRetransmit, &flight(30_000.0));
            assert!((cc.ssthresh() - 10_000.0).abs() < 1e-6, "from {start} ms: {}", cc.ssthresh());
        }
    }

    /// With rates of 1, 2, 4, ... BWE_k / b_k = 0.9 / 2 BWE_(k-1) / b_(k-1) + 0.1, which tends to 0.1 / (1 - 0.45).
    #[test]
    fn estimate_lags_behind_the_rate_in_slow_start() {
        let mut cc = westwood();
        let mut at = deliver(cc.as_mut(), 0, 1, 1000);
        for doubling in 0..12 {
            at = deliver(cc.as_mut(), at, 1, 1000 << doubling);
        }
        let last = 10_000.0 * f64::from(1 << 11);
        cc.on_congestion(Congestion::FastRetransmit, &flight(last));
        assert!((cc.ssthresh() / last - 0.1 / 0.55).abs() < 0.001, "{}", cc.ssthresh() / last);
    }

    #[test]
    fn cwnd_below_the_bandwidth_delay_product_is_kept() {
        let mut cc = westwood();
        deliver(cc.as_mut(), 0, 5, 4000);
        cc.on_congestion(Congestion::FastRetransmit, &flight(30_000.0));
        assert!((cc.ssthresh() - 40_000.0).abs() < 1e-6);
        assert_eq!(cc.cwnd(), 30_000.0);
    }

    #[test]
    fn loss_without_a_measurement_halves_cwnd() {
        let mut cc = westwood();
        cc.on_congestion(Congestion::FastRetransmit, &flight(30_000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (15_000.0, 15_000.0));
    }
}
