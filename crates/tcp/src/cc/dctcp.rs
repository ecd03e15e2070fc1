//! DCTCP (RFC 8257): Reno that reduces cwnd in proportion to the share of marked bytes.
//!
//! ```text
//! each window:                  M = bytes acknowledged with ECN-Echo / bytes acknowledged
//!                               alpha = (1 - g) alpha + g M              g = 1/16, at first alpha = 1
//! the first mark of a window:   cwnd = ssthresh = cwnd (1 - alpha / 2)
//! a loss:                       halves as Reno does
//! ```
//!
//! After a reduction cwnd equals ssthresh and congestion avoidance follows immediately, as in Linux: a segment of slow
//! start after the reduction of each window would double the growth.
//!
//! DCTCP needs receivers that echo each mark separately, and routers that mark at a low queue threshold.
//!
//! Deviation: cwnd and its reduction are in bytes; Linux reduces by whole segments and its alpha is a multiple of
//! 1/1024. Limits: the sender decides which packets are ECN-capable [RFC8257 s3.6].

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::window::{AtThreshold, Growth, RenoWindow};
use super::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Weight of a window's marked share in alpha (g).
    #[serde(default = "one_sixteenth")]
    pub gain: f64,
    /// Alpha before the first window.
    #[serde(default = "default_initial_alpha", deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub initial_alpha: f64,
    /// How the window grows.
    #[serde(default)]
    pub growth: Growth,
}

fn one_sixteenth() -> f64 {
    1.0 / 16.0
}

fn default_initial_alpha() -> f64 {
    1.0
}

impl Default for Config {
    fn default() -> Self {
        Config { gain: one_sixteenth(), initial_alpha: default_initial_alpha(), growth: Growth::default() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(self.gain > 0.0 && self.gain <= 1.0) {
            faults.push(Fault::new("gain", self.gain, "more than 0, at most 1"));
        }
        faults.extend(Fault::unless_probability("initial_alpha", self.initial_alpha));
        faults
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Dctcp {
            gain: self.gain,
            limit: if self.growth == Growth::PerAck { start.segment } else { f64::INFINITY },
            window: RenoWindow::new(&start, self.growth).at_ssthresh(AtThreshold::CongestionAvoidance),
            alpha: self.initial_alpha,
            acked: 0,
            marked: 0,
            end: 0,
            cut_until: 0,
        })
    }
}

struct Dctcp {
    gain: f64,
    limit: f64,
    window: RenoWindow,
    alpha: f64,
    /// Bytes acknowledged in this window.
    acked: u64,
    /// Acknowledged bytes with ECN-Echo in this window.
    marked: u64,
    /// Offset whose acknowledgment ends the observed window.
    end: u64,
    /// Offset until whose acknowledgment no further reduction occurs.
    cut_until: u64,
}

impl CongestionControl for Dctcp {
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
        // [RFC8257 s3.3 steps 1 to 3]: SACK does not count.
        self.acked += feedback.acked;
        if feedback.ecn_echo {
            self.marked += feedback.acked;
        }
        // [RFC8257 s3.3 steps 4 to 8]
        if feedback.una > self.end {
            let fraction = self.marked as f64 / self.acked.max(1) as f64;
            self.alpha += self.gain * (fraction - self.alpha);
            (self.acked, self.marked, self.end) = (0, 0, feedback.nxt);
        }
        // [RFC8257 s3.3 step 9]: once per window of data, and not in addition to a loss [RFC8257 s3.5].
        if feedback.ecn_echo && !feedback.recovering && feedback.una > self.cut_until {
            self.cut_until = feedback.nxt;
            self.window.reduce(Congestion::Ecn, self.window.cwnd * (1.0 - self.alpha / 2.0), false);
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.window.grow(acked.bytes as f64, self.limit);
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        // [RFC8257 s3.5]
        self.window.reduce(event, flight.bytes / 2.0, flight.again);
    }

    fn on_undo(&mut self) {
        self.window.undo();
    }

    fn on_idle(&mut self, _: Time, _: Span, restart: Option<f64>) {
        self.window.restart(restart);
    }

    fn precise_ecn(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{feedback, flight};
    use engine::Stream;

    const SEGMENT: u64 = 1000;

    struct Run {
        cc: Dctcp,
        una: u64,
    }

    impl Run {
        fn new(initial_alpha: f64) -> Self {
            let start = Start { segment: 1000.0, cwnd: 16_000.0, ssthresh: 8000.0, stream: Stream::default() };
            let config = Config { initial_alpha, ..Config::default() };
            let Config { gain, growth, .. } = config;
            let at_ssthresh = AtThreshold::CongestionAvoidance;
            let cc = Dctcp {
                gain,
                limit: 1000.0,
                window: RenoWindow::new(&start, growth).at_ssthresh(at_ssthresh),
                alpha: initial_alpha,
                acked: 0,
                marked: 0,
                end: 0,
                cut_until: 0,
            };
            Run { cc, una: 0 }
        }

        /// Feeds a window of 16 acknowledgments, the last `marked` of them with a mark.
        fn window(&mut self, marked: u64) {
            for number in 0..16 {
                self.una += SEGMENT;
                let mut feedback = feedback(0, None);
                (feedback.una, feedback.nxt) = (self.una, self.una + 15 * SEGMENT);
                (feedback.acked, feedback.ecn_echo) = (SEGMENT, number >= 16 - marked);
                self.cc.on_feedback(&feedback);
            }
        }
    }

    // covers [RFC8257 s3.3]: the distance to the marked share shrinks by 15/16 per window.
    #[test]
    fn alpha_converges_to_the_marked_share() {
        let mut run = Run::new(1.0);
        // The first acknowledgment is a separate window, unmarked: alpha = 15/16.
        run.window(4);
        assert!((run.cc.alpha - 15.0 / 16.0).abs() < 1e-12);
        for number in 1..=40 {
            run.window(4);
            let distance = (15.0 / 16.0 - 0.25) * libm::pow(15.0 / 16.0, f64::from(number));
            // An observation window ends with the first acknowledgment of the next round; 4 of its 16 segments were
            // marked.
            assert!((run.cc.alpha - 0.25 - distance).abs() < 1e-12, "after {number}: {}", run.cc.alpha);
        }
        for _ in 0..200 {
            run.window(16);
        }
        assert!(run.cc.alpha > 0.99999, "{}", run.cc.alpha);
    }

    /// With a share p of evenly marked segments cwnd gains one segment per round trip and loses W p / 2. The
    /// equilibrium is W = 2 / p [RFC9332 appendix C], and slightly more because each reduction waits for the next mark.
    /// Of 20 segments one is marked.
    #[test]
    fn window_is_two_divided_by_the_marked_share() {
        let mut run = Run::new(0.05);
        run.cc.window.ssthresh = 0.0;
        let (mut sum, counted) = (0.0, 2000..6000);
        for number in 1..counted.end {
            run.una += SEGMENT;
            let mut feedback = feedback(0, None);
            (feedback.una, feedback.nxt) = (run.una, run.una + run.cc.cwnd() as u64);
            (feedback.acked, feedback.ecn_echo) = (SEGMENT, number % 20 == 0);
            run.cc.on_feedback(&feedback);
            let (una, nxt, srtt) = (feedback.una, feedback.nxt, Span::ZERO);
            run.cc.on_ack(&Acked { now: Time::ZERO, bytes: SEGMENT, una, nxt, rtt: None, srtt });
            sum += if counted.contains(&number) { run.cc.cwnd() / 1000.0 } else { 0.0 };
        }
        let mean = sum / counted.len() as f64;
        assert!((40.0..44.0).contains(&mean), "{mean}");
    }

    // covers [RFC8257 s3.3 step 9]
    #[test]
    fn cwnd_is_reduced_once_per_window_in_proportion_to_alpha() {
        let mut run = Run::new(0.5);
        run.window(8);
        // A window with one unmarked acknowledgment gives alpha = 0.5 x 15/16. The 8 marks cause one reduction, by
        // alpha / 2.
        let alpha = 0.5 * 15.0 / 16.0;
        assert!((run.cc.cwnd() - 16_000.0 * (1.0 - alpha / 2.0)).abs() < 1e-9, "{}", run.cc.cwnd());
        assert_eq!(run.cc.ssthresh(), run.cc.cwnd());
    }

    // covers [RFC8257 s3.5]
    #[test]
    fn loss_halves_cwnd() {
        let mut run = Run::new(0.0);
        run.cc.on_congestion(Congestion::FastRetransmit, &flight(16_000.0));
        assert_eq!(run.cc.cwnd(), 8000.0);
        assert!(run.cc.precise_ecn());
    }
}
