//! Additive increase and multiplicative decrease with adjustable parameters (Yang and Lam, "General AIMD Congestion
//! Control", ICNP 2000). 1 and 0.5 are Reno's.
//!
//! Slow start as in Reno; above ssthresh each acknowledgment adds `increase * segment^2 / cwnd`. At a loss ssthresh is
//! `keep` times the flight, at least two segments.

use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Acked, Congestion, CongestionControl, Flight, Start};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Segments added each round trip above ssthresh.
    #[serde(default = "one")]
    pub increase: f64,
    /// The share of the window that is kept after a loss.
    #[serde(default = "half")]
    pub keep: f64,
}

fn one() -> f64 {
    1.0
}

fn half() -> f64 {
    0.5
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        // Negated, so that NaN is a fault too.
        if !(self.increase > 0.0 && self.increase <= 100.0) {
            faults.push(Fault::new("increase", self.increase, "more than 0, at most 100"));
        }
        if !(self.keep > 0.0 && self.keep < 1.0) {
            faults.push(Fault::new("keep", self.keep, "more than 0, less than 1"));
        }
        faults
    }
}

impl Config {
    /// The congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let Start { segment, cwnd, ssthresh, .. } = start;
        Box::new(Aimd { increase: self.increase, keep: self.keep, segment, cwnd, ssthresh })
    }
}

struct Aimd {
    increase: f64,
    keep: f64,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
}

impl CongestionControl for Aimd {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.cwnd += if self.cwnd <= self.ssthresh {
            self.segment.min(acked.bytes as f64)
        } else {
            self.increase * self.segment * self.segment / self.cwnd
        };
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        let rest = (flight.bytes * self.keep).max(2.0 * self.segment);
        match event {
            Congestion::FastRetransmit | Congestion::Ecn => (self.cwnd, self.ssthresh) = (self.cwnd.min(rest), rest),
            Congestion::Restart | Congestion::Timeout { nth: 1 } => (self.cwnd, self.ssthresh) = (self.segment, rest),
            Congestion::Timeout { .. } => self.cwnd = self.segment,
            Congestion::Notified => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Span, Stream, Time};

    #[test]
    fn increase_and_share_follow_the_settings() {
        let start = Start { segment: 1000.0, cwnd: 8000.0, ssthresh: 4000.0, stream: Stream::default() };
        let mut cc = Config { increase: 2.0, keep: 0.75 }.build(start);
        cc.on_ack(&Acked { now: Time::ZERO, bytes: 1000, una: 1000, nxt: 9000, rtt: None, srtt: Span::ZERO });
        assert_eq!(cc.cwnd(), 8250.0);
        cc.on_congestion(
            Congestion::FastRetransmit,
            &Flight { now: Time::ZERO, bytes: 8000.0, window: 8250.0, again: false },
        );
        assert_eq!((cc.cwnd(), cc.ssthresh()), (6000.0, 6000.0));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        assert_eq!(Config { increase: 1.0, keep: 1.0 }.check()[0].key, "keep");
        assert_eq!(Config { increase: f64::NAN, keep: 0.5 }.check()[0].key, "increase");
    }
}
