//! Reno: slow start and congestion avoidance [RFC5681 s3.1].
//!
//! While cwnd is at most ssthresh each acknowledgment adds a segment, above it `segment^2 / cwnd`.
//! `ssthresh_from` chooses between the RFC's basis for halving and 4.3BSD's.

use engine::registry::Settings;
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Acked, Congestion, CongestionControl, Flight, Start};

/// What is halved at a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// What is in flight: max(FlightSize / 2, 2 segments); kept when the same segment times out again
    /// [RFC5681 s3.1 equation 4].
    #[default]
    Flight,
    /// The window in use: half of the least of cwnd and the receiver's window, in whole segments and at least
    /// two, at every timeout (4.3BSD Reno, and the thesis [goel1997 2.3]).
    Window,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What is halved at a loss; `flight` unless the profile says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssthresh_from: Option<Basis>,
}

struct Reno {
    basis: Basis,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
    /// Window and threshold before the last reduction.
    before: (f64, f64),
}

impl Settings for Config {
    fn goel1997(&mut self) {
        self.ssthresh_from.get_or_insert(Basis::Window);
    }
}

impl Config {
    /// The congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Reno {
            basis: self.ssthresh_from.unwrap_or_default(),
            segment: start.segment,
            cwnd: start.cwnd,
            ssthresh: start.ssthresh,
            before: (start.cwnd, start.ssthresh),
        })
    }
}

impl Reno {
    fn half(&self, flight: &Flight) -> f64 {
        let two = 2.0 * self.segment;
        match self.basis {
            Basis::Flight => (flight.bytes / 2.0).max(two),
            Basis::Window => ((flight.window / 2.0 / self.segment).floor() * self.segment).max(two),
        }
    }
}

impl CongestionControl for Reno {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.cwnd += if self.cwnd <= self.ssthresh {
            // [RFC5681 s3.1 equation 2]
            self.segment.min(acked.bytes as f64)
        } else {
            // [RFC5681 s3.1 equation 3]
            self.segment * self.segment / self.cwnd
        };
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        if event != Congestion::Notified && !matches!(event, Congestion::Timeout { nth: 2.. }) {
            self.before = (self.cwnd, self.ssthresh);
        }
        match event {
            // [RFC5681 s3.2 step 2]; the three segments of step 3 belong to recovery. [RFC3168 s6.1.2]
            Congestion::FastRetransmit | Congestion::Ecn => {
                self.ssthresh = self.half(flight);
                self.cwnd = self.ssthresh;
            }
            Congestion::Restart => {
                self.ssthresh = self.half(flight);
                self.cwnd = self.segment;
            }
            Congestion::Timeout { nth } => {
                if nth == 1 || self.basis == Basis::Window {
                    self.ssthresh = self.half(flight);
                }
                self.cwnd = self.segment;
            }
            Congestion::Notified => {}
        }
    }

    /// Not to what the window was, if it has grown beyond that since.
    fn on_undo(&mut self) {
        self.cwnd = self.cwnd.max(self.before.0);
        self.ssthresh = self.ssthresh.max(self.before.1);
    }

    fn on_idle(&mut self, _: Time, _: Span, restart: Option<f64>) {
        // [RFC5681 s4.1]
        if let Some(restart) = restart {
            self.cwnd = self.cwnd.min(restart);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Stream;

    fn reno(basis: Basis) -> Box<dyn CongestionControl> {
        let start = Start { segment: 1000.0, cwnd: 1000.0, ssthresh: 4000.0, stream: Stream::named(0, 0, "") };
        Config { ssthresh_from: Some(basis) }.build(start)
    }

    fn flight(bytes: f64, window: f64) -> Flight {
        Flight { now: Time::ZERO, bytes, window }
    }

    // covers [RFC5681 s3.1 equations 2, 3]
    #[test]
    fn doubles_then_adds() {
        let mut cc = reno(Basis::Flight);
        let acked = Acked { now: Time::ZERO, bytes: 1000, una: 0, nxt: 0, rtt: None, srtt: Span::ZERO };
        let mut seen = Vec::new();
        for _ in 0..6 {
            cc.on_ack(&acked);
            seen.push(cc.cwnd().floor());
        }
        assert_eq!(seen, [2000.0, 3000.0, 4000.0, 5000.0, 5200.0, 5392.0]);
    }

    // covers [RFC5681 s3.1 equation 4]
    #[test]
    fn halves_what_is_in_flight_once_per_segment() {
        let mut cc = reno(Basis::Flight);
        cc.on_congestion(Congestion::FastRetransmit, &flight(9000.0, 20_000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (4500.0, 4500.0));
        cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(8000.0, 4500.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 4000.0));
        cc.on_congestion(Congestion::Timeout { nth: 2 }, &flight(1000.0, 1000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 4000.0));
    }

    #[test]
    fn halves_the_window_in_whole_segments_like_bsd() {
        let mut cc = reno(Basis::Window);
        cc.on_congestion(Congestion::FastRetransmit, &flight(2000.0, 9500.0));
        assert_eq!(cc.ssthresh(), 4000.0);
        cc.on_congestion(Congestion::Timeout { nth: 2 }, &flight(1000.0, 1000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 2000.0));
    }

    #[test]
    fn a_notified_loss_changes_nothing() {
        let mut cc = reno(Basis::Flight);
        cc.on_congestion(Congestion::Notified, &flight(9000.0, 9000.0));
        assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 4000.0));
    }
}
