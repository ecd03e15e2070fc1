//! Scalable TCP: the window grows by a share of each acknowledged segment, and a loss takes a share of it, so that the time
//! to recover does not depend on its size (Kelly, "Scalable TCP: improving performance in highspeed wide area networks",
//! CCR 33(2), 2003).
//!
//! Slow start as in Reno. Above ssthresh: `cwnd += increase * bytes acknowledged`; at a loss `cwnd -= decrease * cwnd`, to two
//! segments at least.

use engine::Member;
use engine::registry::Fault;
use schemars::JsonSchema;
use serde::Deserialize;
use tcp::cc::{Acked, Congestion, CongestionControl, ControlConfig, Flight, Start};

/// Settings.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Growth per acknowledged byte, in bytes; more than 0, at most 1.
    #[serde(default = "hundredth")]
    pub increase: f64,
    /// The share of the window that a loss takes; more than 0, less than 1.
    #[serde(default = "eighth")]
    pub decrease: f64,
}

fn hundredth() -> f64 {
    0.01
}

fn eighth() -> f64 {
    0.125
}

impl Member<ControlConfig> for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        // NaN is a fault too.
        if !(self.increase > 0.0 && self.increase <= 1.0) {
            faults.push(Fault::new("increase", self.increase, "more than 0, at most 1"));
        }
        if !(self.decrease > 0.0 && self.decrease < 1.0) {
            faults.push(Fault::new("decrease", self.decrease, "more than 0, less than 1"));
        }
        faults
    }

    fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Scalable { config: self.clone(), segment: start.segment, cwnd: start.cwnd, ssthresh: start.ssthresh })
    }
}

struct Scalable {
    config: Config,
    segment: f64,
    cwnd: f64,
    ssthresh: f64,
}

impl CongestionControl for Scalable {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, acked: &Acked) {
        let bytes = acked.bytes as f64;
        self.cwnd += if self.cwnd <= self.ssthresh { bytes.min(self.segment) } else { self.config.increase * bytes };
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        let reduced = (flight.bytes * (1.0 - self.config.decrease)).max(2.0 * self.segment);
        match event {
            Congestion::FastRetransmit | Congestion::Ecn => {
                (self.cwnd, self.ssthresh) = (self.cwnd.min(reduced), reduced)
            }
            Congestion::Restart | Congestion::Timeout { nth: 1 } => {
                (self.cwnd, self.ssthresh) = (self.segment, reduced)
            }
            Congestion::Timeout { .. } => self.cwnd = self.segment,
            Congestion::Notified => {}
        }
    }
}
