//! CUBIC (RFC 9438): above ssthresh cwnd is a cubic function of the time since the last reduction, with its plateau at
//! the cwnd of that reduction.
//!
//! In segments, t since congestion avoidance began (`rfc`):
//!
//! ```text
//! W(t) = C (t - K)^3 + W_max,   K = cbrt((W_max - cwnd at t = 0) / C)            C = 0.4
//! each segment acknowledged:  cwnd += (W(t + srtt) within [cwnd, 1.5 cwnd] - cwnd) / cwnd
//!                             W_est += alpha / cwnd,   alpha = 3 (1 - beta) / (1 + beta), 1 from the old cwnd on
//!                             where W(t) < W_est:  cwnd = W_est
//! a loss or a mark:           W_max = cwnd, or cwnd (1 + beta) / 2 if that was below W_max (fast convergence)
//!                             cwnd = ssthresh = beta x flight                    beta = 0.7
//! ```
//!
//! `arithmetic = "linux"` follows Linux's `tcp_cubic.c` in whole segments and milliseconds instead (`linux`). Slow
//! start ends by [`hystart`]: HyStart++ by default.
//!
//! Deviations: the increase is per acknowledged segment, as in Linux, where the RFC's formula is per acknowledgment:
//! equal unless acknowledgments are delayed. While the application or the receive window limits the sender, cwnd does
//! not grow and t does not advance [RFC9438 s5.8]; in Linux's arithmetic t stops only while nothing is in flight.

mod linux;
mod rfc;

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hystart::{self, Hystart, Kind, SlowStartVerdict};
use super::window::{Growth, RenoWindow};
use super::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};

/// Arithmetic of the curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// The RFC's equations in real numbers.
    #[default]
    Rfc9438,
    /// Linux's: whole segments, milliseconds, one more segment for every `cnt` acknowledged.
    Linux,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The steepness of the cubic, C, in segments per second cubed.
    #[serde(default = "two_fifths")]
    pub c: f64,
    /// The share of the window that remains after a reduction.
    #[serde(default = "seven_tenths")]
    pub beta: f64,
    /// Whether a flow reduced below its last maximum yields further bandwidth [RFC9438 s4.7].
    #[serde(default = "enable_rfc9438_rules")]
    pub fast_convergence: bool,
    /// Whether cwnd grows at least as in Reno [RFC9438 s4.3].
    #[serde(default = "enable_rfc9438_rules")]
    pub reno_friendly: bool,
    /// Arithmetic of the curve.
    #[serde(default)]
    pub arithmetic: Arithmetic,
    /// Algorithm that ends slow start before a loss.
    #[serde(default = "plus_plus")]
    pub hystart: Kind,
    /// Criteria with `hystart = "hystart"`: 1 for the train of acknowledgments, 2 for delay, 3 for both, which is the
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = hystart::linux::Parameters::default().detect))]
    pub hystart_detect: Option<u8>,
    /// Start of the count of rounds with `hystart = "hystart"`; `always` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = hystart::linux::Rounds::default()))]
    pub hystart_rounds: Option<hystart::linux::Rounds>,
    /// Whether segments are paced over the round trip, as under Linux's fq.
    #[serde(default)]
    pub pace: bool,
}

fn two_fifths() -> f64 {
    0.4
}

fn seven_tenths() -> f64 {
    0.7
}

fn enable_rfc9438_rules() -> bool {
    true
}

fn plus_plus() -> Kind {
    Kind::PlusPlus
}

impl Default for Config {
    fn default() -> Self {
        Config {
            c: two_fifths(),
            beta: seven_tenths(),
            fast_convergence: true,
            reno_friendly: true,
            arithmetic: Arithmetic::default(),
            hystart: plus_plus(),
            hystart_detect: None,
            hystart_rounds: None,
            pace: false,
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        // Negated, so that NaN is rejected too.
        if !(self.c >= 0.01 && self.c <= 100.0) {
            faults.push(Fault::new("c", self.c, "0.01 to 100 segments per second cubed"));
        }
        if !(self.beta >= 0.1 && self.beta <= 0.99) {
            faults.push(Fault::new("beta", self.beta, "0.1 to 0.99"));
        }
        if let Some(bits) = self.hystart_detect {
            faults.extend(hystart::unless_detects("hystart_detect", bits));
        }
        if self.hystart != Kind::Linux {
            let given = [
                ("hystart_detect", self.hystart_detect.map(|bits| bits.to_string())),
                ("hystart_rounds", self.hystart_rounds.map(|rounds| format!("{rounds:?}"))),
            ];
            for (key, found) in given {
                let Some(found) = found else { continue };
                faults.push(
                    Fault::new(key, found, "no value, since this is a setting of Linux's HyStart")
                        .hint("hystart = \"hystart\" is Linux's"),
                );
            }
        }
        faults
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let (growth, limit, curve) = match self.arithmetic {
            Arithmetic::Rfc9438 => (Growth::PerAck, start.segment, Curve::Rfc(rfc::Rfc::new(self))),
            Arithmetic::Linux => (Growth::Counted, f64::INFINITY, Curve::Linux(linux::Linux::new(self))),
        };
        let parameters = hystart::linux::Parameters {
            detect: self.hystart_detect.unwrap_or(hystart::linux::Parameters::default().detect),
            rounds: self.hystart_rounds.unwrap_or_default(),
            paces: self.pace,
        };
        let hystart = Hystart::new(self.hystart, parameters, &start);
        Box::new(Cubic {
            beta: self.beta,
            window: RenoWindow::new(&start, growth),
            limit,
            wants_feedback: self.pace || matches!(curve, Curve::Linux(_)) || !matches!(hystart, Hystart::Off),
            hystart,
            curve,
            before: None,
            pace: self.pace,
            srtt: Span::ZERO,
        })
    }
}

enum Curve {
    Rfc(rfc::Rfc),
    Linux(linux::Linux),
}

struct Cubic {
    beta: f64,
    window: RenoWindow,
    /// Maximum growth of slow start per acknowledgment, in bytes.
    limit: f64,
    hystart: Hystart,
    /// Whether the control needs every acknowledgment. Still true after the end of HyStart++, because the sender
    /// queries this only once.
    wants_feedback: bool,
    curve: Curve,
    /// The RFC's curve before the last reduction, to undo it.
    before: Option<rfc::Rfc>,
    pace: bool,
    srtt: Span,
}

impl CongestionControl for Cubic {
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn wants_feedback(&self) -> bool {
        self.wants_feedback
    }

    fn on_feedback(&mut self, feedback: &Feedback) {
        self.srtt = feedback.srtt;
        if let (Curve::Linux(curve), Some(rtt)) = (&mut self.curve, feedback.rtt)
            && !curve.measure(feedback.now, rtt)
        {
            return;
        }
        if !feedback.recovering
            && self.window.slow_start()
            && self.hystart.on_feedback(feedback, self.window.cwnd / self.window.segment) == SlowStartVerdict::Exit
        {
            self.window.ssthresh = self.window.cwnd;
            self.hystart.on_exit(false);
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        let mut bytes = acked.bytes as f64;
        let segment = self.window.segment;
        if self.window.slow_start() {
            let used = self.hystart.growth(bytes, segment, self.limit);
            bytes = self.window.grow_slow_start(used);
            if bytes <= 0.0 {
                return;
            }
        }
        match &mut self.curve {
            Curve::Rfc(curve) => {
                let cwnd = curve.grow(acked.now, acked.srtt, self.window.cwnd / segment, bytes / segment);
                self.window.cwnd = cwnd * segment;
            }
            Curve::Linux(curve) => {
                let every =
                    curve.count(acked.now, (self.window.cwnd / segment) as u64, (bytes / segment).ceil() as u64);
                self.window.grow_by_one_every(every as f64 * segment, bytes);
            }
        }
    }

    fn on_limited(&mut self, now: Time) {
        if let Curve::Rfc(curve) = &mut self.curve {
            curve.skip(now);
        }
    }

    fn grows_only_if_limited(&self) -> bool {
        true
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        // [RFC9438 s4.8]: the curve restarts after a timeout.
        let restart = matches!(event, Congestion::Timeout { .. } | Congestion::Restart);
        if event == Congestion::Notified {
            return;
        }
        let again = matches!(event, Congestion::Timeout { nth: 2.. });
        let (cwnd, segment) = (self.window.cwnd, self.window.segment);
        let threshold = match &mut self.curve {
            Curve::Rfc(curve) => {
                if !again {
                    if !flight.again || self.before.is_none() {
                        self.before = Some(curve.clone());
                    }
                    curve.cut(cwnd / segment, restart);
                }
                // [RFC9438 s4.6]
                flight.bytes * self.beta
            }
            Curve::Linux(curve) => curve.cut((cwnd / segment) as u64, restart) as f64 * segment,
        };
        self.window.reduce(event, threshold, flight.again);
        self.hystart.on_exit(restart);
    }

    /// Undoes a reduction [RFC9438 s4.9]. The RFC's curve is also restored; Linux's curve is not.
    fn on_undo(&mut self) {
        self.window.undo();
        if let Some(before) = self.before.take() {
            self.curve = Curve::Rfc(before);
        }
    }

    fn on_idle(&mut self, now: Time, idle: Span, restart: Option<f64>) {
        self.window.restart(restart);
        match &mut self.curve {
            Curve::Rfc(curve) => curve.pause(now, idle),
            Curve::Linux(curve) => curve.pause(now, idle),
        }
    }

    fn paces(&self) -> bool {
        self.pace
    }

    fn pacing_rate(&self) -> Option<f64> {
        if self.pace { self.window.pacing_rate(self.srtt) } else { None }
    }
}

#[cfg(test)]
mod tests;
