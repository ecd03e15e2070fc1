//! BBR (Cardwell, Cheng, Gunn, Hassas Yeganeh, Jacobson, "BBR: Congestion-Based Congestion Control", 2016;
//! draft-cardwell-iccrg-bbr-congestion-control-00; Linux's `tcp_bbr.c`).
//!
//! It measures the delivery rate and the round trip time of the path, and sends at that rate with about one
//! bandwidth-delay product in flight:
//!
//! ```text
//! max bw  = maximum delivery rate of 10 round trips        min rtt = minimum round trip of 10 s
//! pacing  = 0.99 pacing gain x bw                           cwnd    = cwnd gain x bw x min rtt + aggregation + 3 quanta
//! ```
//!
//! Each phase has a file: `startup` until the rate has grown by less than a quarter for three round trips, `drain`
//! until at most the bandwidth-delay product is in flight, then `probe_bw`, and `probe_rtt` when the min RTT is ten
//! seconds old. Losses do not reduce the rate, except in the first round trip of a recovery and by a detected policer
//! (`policer`). There is no slow start threshold: ssthresh is infinite.
//!
//! Deviations from Linux: the flight is the sender's current estimate, not an estimate at the departure of the next
//! paced segment; times are in nanoseconds and windows in bytes; the maximum filter of the rate is exact; samples of
//! segments sent in `probe_rtt` are recognized by their `prior_delivered`, since the control cannot mark the
//! connection. A timeout leaves one segment. Limits: no ECN. Required of the sender: `Feedback::rate`, pacing,
//! `on_recovered`.

mod drain;
mod model;
mod policer;
mod probe_bw;
mod probe_rtt;
mod startup;

use engine::registry::{Fault, Settings};
use engine::{Draws, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};
use model::Model;
use probe_bw::ProbeBw;
use probe_rtt::ProbeRtt;
use startup::FullPipe;

/// 2 / ln 2, as in Linux: the minimum gain that doubles the rate each round trip.
const HIGH_GAIN: f64 = 2.885;
/// Paces one percent below the estimated rate.
const MARGIN: f64 = 0.99;
/// Minimum cwnd, in segments, that keeps acknowledgments arriving.
const MIN_PIPE_SEGMENTS: f64 = 4.0;

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// cwnd in the steady state, in bandwidth-delay products.
    #[serde(default = "default_cwnd_gain")]
    pub cwnd_gain: f64,
    /// Time for which a minimum round trip remains valid.
    #[serde(default = "ten_seconds")]
    pub min_rtt_window: Span,
    /// Duration of the small flight for measuring the minimum round trip again.
    #[serde(default = "fifth_of_a_second")]
    pub probe_rtt: Span,
    /// Whether cwnd grows by the measured aggregation of acknowledgments, as in Linux since 5.1.
    #[serde(default = "enable_linux_extensions")]
    pub aggregation: bool,
    /// Whether the rate is limited to a policer's when one is detected, as in Linux.
    #[serde(default = "enable_linux_extensions")]
    pub policer: bool,
}

fn default_cwnd_gain() -> f64 {
    2.0
}

fn ten_seconds() -> Span {
    Span::from_secs(10)
}

fn fifth_of_a_second() -> Span {
    Span::from_millis(200)
}

fn enable_linux_extensions() -> bool {
    true
}

impl Default for Config {
    fn default() -> Self {
        Config {
            cwnd_gain: default_cwnd_gain(),
            min_rtt_window: ten_seconds(),
            probe_rtt: fifth_of_a_second(),
            aggregation: true,
            policer: true,
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(self.cwnd_gain >= 1.0 && self.cwnd_gain <= 10.0) {
            faults.push(Fault::new("cwnd_gain", self.cwnd_gain, "1 to 10"));
        }
        if self.min_rtt_window <= self.probe_rtt {
            let expected = format!("longer than probe_rtt ({})", self.probe_rtt);
            faults.push(Fault::new("min_rtt_window", self.min_rtt_window, expected));
        }
        faults
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Bbr::new(self, start))
    }
}

/// The phase of the algorithm.
enum BbrState {
    Startup,
    Drain,
    ProbeBw(ProbeBw),
    ProbeRtt(ProbeRtt),
}

/// Whether losses are being recovered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recovery {
    Open,
    /// Fast recovery. In its first round trip packets are conserved: each delivered byte allows one byte to be sent.
    Fast {
        conserve: bool,
    },
    /// The recovery after a timeout, until all data sent before the timeout is acknowledged.
    Loss {
        until: Option<u64>,
    },
}

/// The results of processing an acknowledgment, in bytes.
struct AckRecord {
    at: Time,
    /// cwnd before the acknowledgment.
    cwnd: f64,
    /// Bytes that the acknowledgment delivered.
    delivered: f64,
    /// Bytes in flight after the acknowledgment.
    flight: f64,
}

struct Bbr {
    config: Config,
    segment: f64,
    initial_cwnd: f64,
    cwnd: f64,
    /// cwnd to restore after a recovery or ProbeRTT.
    prior_cwnd: f64,
    /// Pacing rate, bytes per second.
    pacing: f64,
    seen_rtt: bool,
    state: BbrState,
    recovery: Recovery,
    model: Model,
    full: FullPipe,
    /// Set after idle time until data is delivered.
    idle_restart: bool,
    last_ack: AckRecord,
    draws: Draws,
}

impl Bbr {
    fn new(config: &Config, start: Start) -> Self {
        let cwnd = start.cwnd.max(start.segment);
        Bbr {
            config: config.clone(),
            segment: start.segment,
            initial_cwnd: cwnd,
            cwnd,
            prior_cwnd: 0.0,
            // Before the first measurement a round trip of 1 ms is assumed.
            pacing: MARGIN * HIGH_GAIN * cwnd / 1e-3,
            seen_rtt: false,
            state: BbrState::Startup,
            recovery: Recovery::Open,
            model: Model::new(start.segment, config.policer),
            full: FullPipe::default(),
            idle_restart: false,
            last_ack: AckRecord { at: Time::ZERO, cwnd, delivered: 0.0, flight: 0.0 },
            draws: start.stream.sub("bbr").draws(),
        }
    }

    fn gains(&self) -> (f64, f64) {
        match &self.state {
            BbrState::Startup => (HIGH_GAIN, HIGH_GAIN),
            BbrState::Drain => (1.0 / HIGH_GAIN, HIGH_GAIN),
            BbrState::ProbeBw(probe) => {
                let pacing = if self.model.policer.rate().is_some() { 1.0 } else { probe.gain() };
                (pacing, self.config.cwnd_gain)
            }
            BbrState::ProbeRtt(_) => (1.0, 1.0),
        }
    }

    fn min_pipe_cwnd(&self) -> f64 {
        MIN_PIPE_SEGMENTS * self.segment
    }

    /// Returns `gain` bandwidth-delay products, in whole segments.
    fn bdp(&self, bandwidth: f64, gain: f64) -> f64 {
        match self.model.min_rtt() {
            Some(rtt) => (gain * bandwidth * rtt.as_secs_f64() / self.segment).ceil() * self.segment,
            None => self.initial_cwnd,
        }
    }

    /// Adds three quanta for offloading at the ends, rounds up to pairs of segments, and adds two segments while
    /// probing.
    fn add_quantization(&self, bytes: f64) -> f64 {
        // Linux: a millisecond's worth, at least two segments from 1.2 Mbps on, at most 64 KiB.
        let fewest = if self.pacing < 150_000.0 { 1.0 } else { 2.0 };
        let quantum = (self.pacing.min(65_536_000.0) / 1024.0 / self.segment).floor().max(fewest) * self.segment;
        let pair = 2.0 * self.segment;
        let bytes = ((bytes + 3.0 * quantum) / pair).ceil() * pair;
        match &self.state {
            BbrState::ProbeBw(probe) if probe.probing() => bytes + pair,
            _ => bytes,
        }
    }

    fn inflight(&self, gain: f64) -> f64 {
        self.add_quantization(self.bdp(self.model.max_bw(), gain))
    }

    /// Enters the steady state if the path is full, otherwise Startup.
    fn resume(&mut self, now: Time) {
        self.state =
            if self.full.reached { BbrState::ProbeBw(ProbeBw::new(now, &mut self.draws)) } else { BbrState::Startup };
    }

    /// Saves the value of `cwnd` before losses or ProbeRTT reduce it.
    fn save(&mut self, cwnd: f64) {
        let temporary = self.recovery != Recovery::Open || matches!(self.state, BbrState::ProbeRtt(_));
        self.prior_cwnd = if temporary { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    fn restore(&mut self) {
        self.recovery = Recovery::Open;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.full.reached {
            self.cwnd = self.cwnd.min(self.target()).max(self.min_pipe_cwnd());
        }
        if let BbrState::ProbeRtt(_) = self.state {
            self.cwnd = self.cwnd.min(self.min_pipe_cwnd());
        }
    }

    fn target(&self) -> f64 {
        let (_, cwnd_gain) = self.gains();
        let mut target = self.bdp(self.model.bw(), cwnd_gain);
        if self.config.aggregation && self.full.reached {
            target += self.model.aggregation();
        }
        self.add_quantization(target)
    }

    fn set_pacing(&mut self, gain: f64, srtt: Span) {
        if !self.seen_rtt && srtt > Span::ZERO {
            self.seen_rtt = true;
            self.pacing = MARGIN * HIGH_GAIN * self.cwnd / srtt.as_secs_f64();
        }
        let rate = MARGIN * gain * self.model.bw();
        if rate > 0.0 && (self.full.reached || rate > self.pacing) {
            self.pacing = rate;
        }
    }

    fn set_cwnd(&mut self, feedback: &Feedback) {
        let delivered = feedback.delivered as f64;
        if let Recovery::Loss { until } = &mut self.recovery
            && feedback.una >= *until.get_or_insert(feedback.nxt)
        {
            self.recovery = Recovery::Open;
            self.cwnd = self.cwnd.max(self.prior_cwnd);
        }
        if delivered > 0.0 {
            // Lost bytes are subtracted only once.
            self.cwnd = (self.cwnd - feedback.lost as f64).max(self.segment);
            if self.recovery == (Recovery::Fast { conserve: true }) {
                self.cwnd = self.cwnd.max(feedback.flight + delivered);
            } else {
                let target = self.target();
                if self.full.reached {
                    self.cwnd = (self.cwnd + delivered).min(target);
                } else if self.cwnd < target || (self.model.delivered_bytes() as f64) < self.initial_cwnd {
                    self.cwnd += delivered;
                }
                self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
            }
        }
        if let BbrState::ProbeRtt(_) = self.state {
            self.cwnd = self.cwnd.min(self.min_pipe_cwnd());
        }
    }
}

impl CongestionControl for Bbr {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    /// Does nothing: `on_feedback` processes acknowledgments.
    fn on_ack(&mut self, _: &Acked) {}

    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, feedback: &Feedback) {
        let delivered = feedback.delivered as f64;
        self.last_ack = AckRecord { at: feedback.now, cwnd: self.cwnd, delivered, flight: feedback.flight };
        let probing_bw = matches!(self.state, BbrState::ProbeBw(_));
        let policer_gave_up = self.model.update(feedback, self.cwnd, probing_bw);
        if policer_gave_up {
            self.resume(feedback.now);
        }
        if self.model.round_start
            && let Recovery::Fast { conserve } = &mut self.recovery
        {
            *conserve = false;
        }
        self.update_cycle(feedback);
        self.full.check(&self.model, feedback);
        self.check_drain(feedback);
        self.update_min_rtt(feedback);
        self.set_pacing(self.gains().0, feedback.srtt);
        self.set_cwnd(feedback);
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        match event {
            // A recovery continues the previous one if the acknowledgment that ends the previous one begins it (Linux:
            // `prev_ca_state`).
            Congestion::FastRetransmit if matches!(self.recovery, Recovery::Fast { .. }) => self.save(self.cwnd),
            Congestion::FastRetransmit => {
                let AckRecord { at, cwnd, delivered, flight: in_flight } = self.last_ack;
                let this = at == flight.now;
                self.save(if this { cwnd } else { self.cwnd });
                self.recovery = Recovery::Fast { conserve: true };
                self.model.start_round();
                let conserved = if this { in_flight + delivered } else { flight.bytes };
                self.cwnd = conserved.max(self.segment);
            }
            Congestion::Timeout { .. } | Congestion::Restart => {
                self.save(self.cwnd);
                self.recovery = Recovery::Loss { until: None };
                self.full.forget_rate();
                self.cwnd = self.segment;
            }
            Congestion::Ecn | Congestion::Notified => {}
        }
    }

    fn on_undo(&mut self) {
        self.full.forget();
        self.model.policer.reset();
        self.restore();
    }

    fn on_recovered(&mut self, _: Time) {
        if self.recovery != Recovery::Open {
            self.restore();
        }
    }

    fn on_idle(&mut self, now: Time, _: Span, _: Option<f64>) {
        self.idle_restart = true;
        self.model.restart_aggregation(now);
        match self.state {
            BbrState::ProbeBw(_) => self.set_pacing(1.0, Span::ZERO),
            BbrState::ProbeRtt(_) => self.check_probe_rtt_done(now),
            BbrState::Startup | BbrState::Drain => {}
        }
    }

    fn send_buffer_windows(&self) -> u32 {
        3
    }

    fn paces(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing)
    }

    fn regulates_recovery(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
