//! Reno: slow start and congestion avoidance [RFC5681 s3.1].
//!
//! In slow start each acknowledgment adds a segment to cwnd, above ssthresh `segment^2 / cwnd`. `at_ssthresh` selects
//! which of them applies at cwnd = ssthresh. With `counted` growth, whole segments are added for acknowledged bytes
//! ([`window`](super::window)). `ssthresh_from` selects the quantity that is halved: by the RFC, by 4.3BSD, or by
//! Linux. Slow start may end early ([`hystart`]).

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hystart::{self, Hystart, Kind, SlowStartVerdict};
use super::window::{AtThreshold, Growth, RenoWindow};
use super::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};

/// Quantity halved at a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The flight: ssthresh = max(FlightSize / 2, 2 segments); ssthresh is unchanged when the same segment times out
    /// again [RFC5681 s3.1 equation 4].
    #[default]
    Flight,
    /// The window in use: half of the minimum of cwnd and the receiver's window, in whole segments and at least two, at
    /// every timeout (4.3BSD Reno, and the thesis [goel1997 2.3]).
    Window,
    /// cwnd, whether or not it is used: ssthresh is half of cwnd in whole segments, and at least two segments. ssthresh
    /// is unchanged when the same segment times out again (Linux, `tcp_reno_ssthresh` and `tcp_enter_loss`).
    Cwnd,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Quantity halved at a loss. Default: `flight`, unless the profile differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("profileDefaults" = { "exact": Basis::default(), "goel1997": GOEL1997 }))]
    pub ssthresh_from: Option<Basis>,
    /// The growth of cwnd; `per-ack` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Growth::default()))]
    pub growth: Option<Growth>,
    /// Growth per acknowledgment while cwnd equals ssthresh. Default: `slow-start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = AtThreshold::default()))]
    pub at_ssthresh: Option<AtThreshold>,
    /// Maximum growth of slow start for one acknowledgment, in segments (L) [RFC3465 s2.2], with `growth = "counted"`.
    /// Without a value slow start grows by all acknowledged segments, as in Linux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abc_limit: Option<u32>,
    /// Algorithm that ends slow start before a loss. Default: `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Kind::default()))]
    pub hystart: Option<Kind>,
    /// Whether segments are paced over the round trip, as under Linux's fq.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = bool::default()))]
    pub pace: bool,
}

struct Reno {
    basis: Basis,
    window: RenoWindow,
    /// Maximum growth of slow start for one acknowledgment, in bytes.
    limit: f64,
    hystart: Hystart,
    /// Whether the control needs every acknowledgment. Still true after the end of HyStart++, because the sender
    /// queries this only once.
    wants_feedback: bool,
    pace: bool,
    srtt: Span,
}

/// Quantity halved by the thesis's program.
const GOEL1997: Basis = Basis::Window;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(limit) = self.abc_limit {
            if limit == 0 {
                faults.push(Fault::new("abc_limit", limit, "at least 1 segment"));
            }
            if self.growth != Some(Growth::Counted) {
                faults.push(
                    Fault::new("abc_limit", limit, "no value, since growth per acknowledgment counts no bytes")
                        .hint("growth = \"counted\" counts bytes"),
                );
            }
        }
        if self.at_ssthresh == Some(AtThreshold::SlowStart) && self.growth == Some(Growth::Counted) {
            faults.push(Fault::new("at_ssthresh", "slow-start", "\"congestion-avoidance\", the rule of `counted`"));
        }
        faults
    }

    fn goel1997(&mut self) {
        self.ssthresh_from.get_or_insert(GOEL1997);
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let growth = self.growth.unwrap_or_default();
        let limit = match growth {
            Growth::PerAck => start.segment,
            Growth::Counted => self.abc_limit.map_or(f64::INFINITY, |limit| f64::from(limit) * start.segment),
        };
        let parameters = hystart::linux::Parameters { paces: self.pace, ..hystart::linux::Parameters::default() };
        let hystart = Hystart::new(self.hystart.unwrap_or_default(), parameters, &start);
        Box::new(Reno {
            basis: self.ssthresh_from.unwrap_or_default(),
            window: RenoWindow::new(&start, growth).at_ssthresh(self.at_ssthresh.unwrap_or_default()),
            limit,
            wants_feedback: self.pace || !matches!(hystart, Hystart::Off),
            hystart,
            pace: self.pace,
            srtt: Span::ZERO,
        })
    }
}

impl Reno {
    fn half(&self, flight: &Flight) -> f64 {
        let segment = self.window.segment;
        match self.basis {
            Basis::Flight => (flight.bytes / 2.0).max(2.0 * segment),
            Basis::Window => whole_half(flight.window, segment),
            Basis::Cwnd => whole_half(self.window.cwnd, segment),
        }
    }
}

/// Returns half of `window` in whole segments, at least two.
fn whole_half(window: f64, segment: f64) -> f64 {
    ((window / 2.0 / segment).floor() * segment).max(2.0 * segment)
}

impl CongestionControl for Reno {
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn on_ack(&mut self, acked: &Acked) {
        let bytes = acked.bytes as f64;
        let limit = match self.hystart {
            Hystart::Off => self.limit,
            _ => self.hystart.growth(bytes, self.window.segment, self.limit),
        };
        self.window.grow(bytes, limit);
    }

    fn wants_feedback(&self) -> bool {
        self.wants_feedback
    }

    fn on_feedback(&mut self, feedback: &Feedback) {
        self.srtt = feedback.srtt;
        if feedback.recovering || !self.window.slow_start() {
            return;
        }
        if self.hystart.on_feedback(feedback, self.window.cwnd / self.window.segment) == SlowStartVerdict::Exit {
            self.window.ssthresh = self.window.cwnd;
            self.hystart.on_exit(false);
        }
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        let half = self.half(flight);
        if self.basis == Basis::Window && matches!(event, Congestion::Timeout { nth: 2.. }) {
            self.window.ssthresh = half;
        }
        if self.window.reduce(event, half, flight.again) {
            self.hystart.on_exit(matches!(event, Congestion::Timeout { .. }));
        }
    }

    fn on_undo(&mut self) {
        self.window.undo();
    }

    fn on_idle(&mut self, _: Time, _: Span, restart: Option<f64>) {
        self.window.restart(restart);
    }

    fn paces(&self) -> bool {
        self.pace
    }

    fn pacing_rate(&self) -> Option<f64> {
        if self.pace { self.window.pacing_rate(self.srtt) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stream;

    fn reno(basis: Basis) -> Box<dyn CongestionControl> {
        let start = Start { segment: 1000.0, cwnd: 1000.0, ssthresh: 4000.0, stream: Stream::named(0, 0, "") };
        Config { ssthresh_from: Some(basis), ..Config::default() }.build(start)
    }

    fn flight(bytes: f64, window: f64) -> Flight {
        Flight { now: Time::ZERO, bytes, window, again: false }
    }

    // covers [RFC5681 s3.1 equations 2, 3]
    #[test]
    fn cwnd_doubles_in_slow_start_and_then_grows_linearly() {
        let mut cc = reno(Basis::Flight);
        let acked = Acked { now: Time::ZERO, bytes: 1000, una: 0, nxt: 0, rtt: None, srtt: Span::ZERO };
        let mut seen = Vec::new();
        for _ in 0..6 {
            cc.on_ack(&acked);
            seen.push(cc.cwnd().floor());
        }
        assert_eq!(seen, [2000.0, 3000.0, 4000.0, 5000.0, 5200.0, 5392.0]);
    }

    // covers [RFC5681 s3.1]: if cwnd equals ssthresh, the sender may grow by either rule. By hand: growth by 1000 /
    // 4000 of a segment, then by 1000 / 4250.
    #[test]
    fn growth_at_ssthresh_follows_the_setting() {
        let grown = |at_ssthresh| {
            let config = Config { at_ssthresh, ..Config::default() };
            let start = Start { segment: 1000.0, cwnd: 3000.0, ssthresh: 4000.0, stream: engine::Stream::default() };
            let mut cc = config.build(start);
            let acked = Acked { now: Time::ZERO, bytes: 1000, una: 0, nxt: 0, rtt: None, srtt: Span::ZERO };
            [(); 3].map(|()| {
                cc.on_ack(&acked);
                cc.cwnd().floor()
            })
        };
        assert_eq!(grown(Some(AtThreshold::CongestionAvoidance)), [4000.0, 4250.0, 4485.0]);
        assert_eq!(grown(Some(AtThreshold::SlowStart)), [4000.0, 5000.0, 5200.0]);
        assert_eq!(grown(None), grown(Some(AtThreshold::SlowStart)));
    }

    // covers [RFC5681 s3.1 equation 4]
    #[test]
    fn ssthresh_is_half_the_flight_once_per_segment() {
        let mut cc = reno(Basis::Flight);
        cc.on_congestion(Congestion::FastRetransmit, &flight(9000.0, 20_000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (4500.0, 4500.0));
        cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(8000.0, 4500.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 4000.0));
        cc.on_congestion(Congestion::Timeout { nth: 2 }, &flight(1000.0, 1000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 4000.0));
    }

    #[test]
    fn ssthresh_is_half_the_window_in_whole_segments_like_bsd() {
        let mut cc = reno(Basis::Window);
        cc.on_congestion(Congestion::FastRetransmit, &flight(2000.0, 9500.0));
        assert_eq!(cc.ssthresh(), 4000.0);
        cc.on_congestion(Congestion::Timeout { nth: 2 }, &flight(1000.0, 1000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 2000.0));
    }

    /// The flight and the receive window do not matter.
    #[test]
    fn ssthresh_is_half_of_cwnd_in_whole_segments_like_linux() {
        let start = Start { segment: 1000.0, cwnd: 11_000.0, ssthresh: f64::INFINITY, stream: Stream::default() };
        let mut cc = Config { ssthresh_from: Some(Basis::Cwnd), ..Config::default() }.build(start);
        cc.on_congestion(Congestion::FastRetransmit, &flight(2000.0, 4000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (5000.0, 5000.0));
        cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(2000.0, 4000.0));
        cc.on_congestion(Congestion::Timeout { nth: 2 }, &flight(2000.0, 1000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 2000.0));
    }

    #[test]
    fn reported_loss_does_not_change_cwnd() {
        let mut cc = reno(Basis::Flight);
        cc.on_congestion(Congestion::Notified, &flight(9000.0, 9000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 4000.0));
    }

    /// Linux's Reno grows in whole segments. An acknowledgment of 8 segments crosses the ssthresh of 10. The 2 segments
    /// that slow start did not use count towards the 10 of the next growth.
    #[test]
    fn counted_growth_is_in_whole_segments_like_linux() {
        let start = Start { segment: 1000.0, cwnd: 4000.0, ssthresh: 10_000.0, stream: Stream::default() };
        let mut cc = Config { growth: Some(Growth::Counted), ..Config::default() }.build(start);
        let mut seen = Vec::new();
        for segments in [8, 2, 2, 2, 1, 1, 11] {
            let bytes = segments * 1000;
            cc.on_ack(&Acked { now: Time::ZERO, bytes, una: 0, nxt: 0, rtt: None, srtt: Span::ZERO });
            seen.push(cc.cwnd());
        }
        assert_eq!(seen, [10_000.0, 10_000.0, 10_000.0, 10_000.0, 10_000.0, 11_000.0, 12_000.0]);
    }

    // covers [RFC9406 s4.2]: Reno may leave slow start at a rise of the round trip.
    #[test]
    fn hystart_ends_slow_start() {
        let start = Start { segment: 1000.0, cwnd: 10_000.0, ssthresh: f64::INFINITY, stream: Stream::default() };
        let mut cc = Config { hystart: Some(Kind::PlusPlus), ..Config::default() }.build(start);
        for number in 1..=120_u64 {
            // The RTT rises from 100 to 150 ms after 20 acknowledgments, which are two rounds.
            let rtt = if number <= 20 { 100 } else { 150 };
            let mut feedback = super::super::tests::feedback(number, Some(Span::from_millis(rtt)));
            (feedback.una, feedback.nxt) = (number * 1000, number * 1000 + 9000);
            cc.on_feedback(&feedback);
        }
        assert_eq!(cc.ssthresh(), 10_000.0);
    }

    #[test]
    fn pacing_begins_once_a_round_trip_is_known() {
        for (pace, expected) in [(false, None), (true, Some(2.0 * 10_000.0 / 0.1))] {
            let start = Start { segment: 1000.0, cwnd: 10_000.0, ssthresh: f64::INFINITY, stream: Stream::default() };
            let mut cc = Config { pace, ..Config::default() }.build(start);
            assert_eq!(cc.pacing_rate(), None);
            cc.on_feedback(&super::super::tests::feedback(100, Some(Span::from_millis(100))));
            assert_eq!(cc.pacing_rate(), expected);
        }
    }

    #[test]
    fn contradictory_settings_are_rejected() {
        let faults = Config { abc_limit: Some(0), ..Config::default() }.check();
        assert_eq!(faults.into_iter().map(|fault| fault.key).collect::<Vec<_>>(), ["abc_limit", "abc_limit"]);
        let two = Config { abc_limit: Some(2), growth: Some(Growth::Counted), ..Config::default() };
        assert_eq!(two.check(), []);
    }
}
