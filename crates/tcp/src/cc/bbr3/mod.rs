//! BBR version 3 [draft-ietf-ccwg-bbr, version 04]: BBR that also limits the flight after losses.
//!
//! ```text
//! bw           = min(max bw, bw_shortterm)              max bw: maximum rate of this probing cycle and the last
//! pacing       = 0.99 pacing gain x bw
//! max inflight = max(cwnd gain x bw x min rtt + extra acked, 3 quanta, 4 segments)
//! cwnd        <= max inflight, inflight_shortterm, inflight_longterm (in CRUISE and ProbeRTT 0.85 of it)
//! ```
//!
//! | state | pacing gain | cwnd gain | ends |
//! |---|---|---|---|
//! | `startup` | 2.77 | 2 | no growth by a quarter for 3 round trips, or losses of 2 % |
//! | `drain` | 0.35 | 2 | a bandwidth-delay product in flight |
//! | `probe_bw` DOWN | 0.9 | 2 | a bandwidth-delay product less headroom in flight |
//! | CRUISE | 1 | 2 | 2 to 3 s, or the number of round trips that Reno would take |
//! | REFILL | 1 | 2 | a round trip |
//! | UP | 1.25 | 2.25 | no growth for 3 round trips, or losses of 2 % |
//! | `probe_rtt` | 1 | 0.5 | 200 ms and a round trip |
//!
//! Losses of 2 % while probing set `inflight_longterm`; losses at other times reduce the short-term bounds to the
//! delivered rate and flight, to 0.7 per round trip at least (`congestion`). There is no slow start threshold: ssthresh
//! is infinite.
//!
//! Deviations: losses are processed when an acknowledgment shows them, with the rate sample of the segment that it
//! acknowledges, not segment by segment; cwnd counts as the limit if less than a segment would have fitted when the
//! acknowledgment arrived; a timeout leaves one segment. Limits: no ECN, as in the draft. Required of the sender:
//! `Feedback::rate` with `lost` and `flight_at_send`, pacing, `on_recovered`.

mod congestion;
mod drain;
mod model;
mod probe_bw;
mod probe_rtt;
mod startup;

use engine::registry::{Fault, Settings};
use engine::{Draws, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};
use congestion::Bounds;
use model::Model;
use probe_bw::{ProbeBw, ProbePhase};
use probe_rtt::ProbeRtt;
use startup::FullPipe;

/// [draft-ietf-ccwg-bbr s2.4]: 4 ln 2.
const STARTUP_GAIN: f64 = 2.77;
const DRAIN_GAIN: f64 = 0.35;
const CWND_GAIN: f64 = 2.0;
const UP_CWND_GAIN: f64 = 2.25;
const PROBE_RTT_GAIN: f64 = 0.5;
const MARGIN: f64 = 0.99;
const MIN_PIPE_SEGMENTS: f64 = 4.0;
const HEADROOM: f64 = 0.15;

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The share of a round trip's bytes that may be lost before the flight counts as too high.
    #[serde(default = "two_percent", deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub loss_threshold: f64,
    /// The minimum share of a bound that remains after a round trip with losses.
    #[serde(default = "seven_tenths")]
    pub beta: f64,
    /// Interval between measurements of the minimum round trip.
    #[serde(default = "five_seconds")]
    pub probe_rtt_interval: Span,
    /// Duration of the small flight for this measurement.
    #[serde(default = "fifth_of_a_second")]
    pub probe_rtt: Span,
}

fn two_percent() -> f64 {
    0.02
}

fn seven_tenths() -> f64 {
    0.7
}

fn five_seconds() -> Span {
    Span::from_secs(5)
}

fn fifth_of_a_second() -> Span {
    Span::from_millis(200)
}

impl Default for Config {
    fn default() -> Self {
        Config {
            loss_threshold: two_percent(),
            beta: seven_tenths(),
            probe_rtt_interval: five_seconds(),
            probe_rtt: fifth_of_a_second(),
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(self.loss_threshold > 0.0 && self.loss_threshold < 1.0) {
            faults.push(Fault::new("loss_threshold", self.loss_threshold, "more than 0, less than 1"));
        }
        if !(self.beta > 0.0 && self.beta < 1.0) {
            faults.push(Fault::new("beta", self.beta, "more than 0, less than 1"));
        }
        if self.probe_rtt_interval <= self.probe_rtt {
            let expected = format!("longer than probe_rtt ({})", self.probe_rtt);
            faults.push(Fault::new("probe_rtt_interval", self.probe_rtt_interval, expected));
        }
        faults
    }
}

impl Config {
    /// Creates the congestion control.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        Box::new(Bbr3::new(self, start))
    }
}

/// The phase of the algorithm [draft-ietf-ccwg-bbr s5.3].
enum Bbr3State {
    Startup,
    Drain,
    ProbeBw(ProbeBw),
    ProbeRtt(ProbeRtt),
}

/// Whether losses are being recovered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recovery {
    Open,
    Fast,
    /// The recovery after a timeout, until all data sent before the timeout is acknowledged.
    Loss {
        until: Option<u64>,
    },
}

struct Bbr3 {
    config: Config,
    segment: f64,
    initial_cwnd: f64,
    cwnd: f64,
    prior_cwnd: f64,
    /// Pacing rate, bytes per second.
    pacing: f64,
    seen_rtt: bool,
    state: Bbr3State,
    recovery: Recovery,
    model: Model,
    bounds: Bounds,
    full: FullPipe,
    /// Set for a round trip after the end of a probe, while its last samples arrive.
    stopping: bool,
    /// Whether cwnd limited the sender in this round trip.
    limited_now: bool,
    /// Whether cwnd limited the sender in the previous round trip [draft-ietf-ccwg-bbr s2.1].
    limited_before: bool,
    idle_restart: bool,
    /// Time of the last acknowledgment, and cwnd before it.
    last: (Time, f64),
    draws: Draws,
}

impl Bbr3 {
    fn new(config: &Config, start: Start) -> Self {
        let cwnd = start.cwnd.max(start.segment);
        Bbr3 {
            config: config.clone(),
            segment: start.segment,
            initial_cwnd: cwnd,
            cwnd,
            prior_cwnd: 0.0,
            // [draft-ietf-ccwg-bbr s5.6.2]: before the first measurement a round trip of 1 ms is assumed.
            pacing: STARTUP_GAIN * cwnd / 1e-3,
            seen_rtt: false,
            state: Bbr3State::Startup,
            recovery: Recovery::Open,
            model: Model::new(config),
            bounds: Bounds::default(),
            full: FullPipe::default(),
            stopping: false,
            limited_now: false,
            limited_before: false,
            idle_restart: false,
            last: (Time::ZERO, cwnd),
            draws: start.stream.sub("bbr").draws(),
        }
    }

    /// Returns the pacing gain and the cwnd gain [draft-ietf-ccwg-bbr s5.6.1].
    fn gains(&self) -> (f64, f64) {
        match &self.state {
            Bbr3State::Startup => (STARTUP_GAIN, CWND_GAIN),
            Bbr3State::Drain => (DRAIN_GAIN, CWND_GAIN),
            Bbr3State::ProbeBw(probe) => match probe.phase {
                ProbePhase::Down => (0.9, CWND_GAIN),
                ProbePhase::Cruise | ProbePhase::Refill => (1.0, CWND_GAIN),
                ProbePhase::Up { .. } => (1.25, UP_CWND_GAIN),
            },
            Bbr3State::ProbeRtt(_) => (1.0, PROBE_RTT_GAIN),
        }
    }

    /// The estimated rate, limited by its bound, in bytes per second.
    fn bw(&self) -> f64 {
        self.model.max_bw().min(self.bounds.bw_shortterm)
    }

    fn min_pipe_cwnd(&self) -> f64 {
        MIN_PIPE_SEGMENTS * self.segment
    }

    fn up(&self) -> bool {
        matches!(&self.state, Bbr3State::ProbeBw(ProbeBw { phase: ProbePhase::Up { .. }, .. }))
    }

    /// Returns `gain` bandwidth-delay products at `rate` [draft-ietf-ccwg-bbr s5.6.4.2].
    fn bdp(&self, rate: f64, gain: f64) -> f64 {
        match self.model.min_rtt() {
            Some(rtt) => gain * rate * rtt.as_secs_f64(),
            None => self.initial_cwnd,
        }
    }

    /// Adds the allowance for bursts [draft-ietf-ccwg-bbr s5.5.8, s5.6.3, s5.6.4.2].
    fn add_quantization(&self, bytes: f64) -> f64 {
        let quantum = (self.pacing * 1e-3).min(64_000.0).max(2.0 * self.segment);
        let bytes = bytes.max(3.0 * quantum).max(self.min_pipe_cwnd());
        if self.up() { bytes + 2.0 * self.segment } else { bytes }
    }

    fn inflight(&self, rate: f64, gain: f64) -> f64 {
        self.add_quantization(self.bdp(rate, gain))
    }

    fn max_inflight(&self) -> f64 {
        self.add_quantization(self.bdp(self.bw(), self.gains().1) + self.model.extra_acked())
    }

    fn cwnd_limited(&self) -> bool {
        self.limited_now || self.limited_before
    }

    /// Returns `inflight_longterm` less the headroom for other flows.
    fn inflight_with_headroom(&self) -> f64 {
        let bound = self.bounds.inflight_longterm;
        if bound.is_infinite() {
            return bound;
        }
        (bound - (HEADROOM * bound).max(self.segment)).max(self.min_pipe_cwnd())
    }

    /// Returns the target flight: the bandwidth-delay product, unless congestion has reduced cwnd.
    fn target_inflight(&self) -> f64 {
        self.bdp(self.bw(), 1.0).min(self.cwnd)
    }

    fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp(self.bw(), PROBE_RTT_GAIN).max(self.min_pipe_cwnd())
    }

    /// Saves cwnd [draft-ietf-ccwg-bbr s5.6.4.4]; `cwnd` is the current value, or the value before this acknowledgment.
    fn save(&mut self, cwnd: f64) {
        let temporary = self.recovery != Recovery::Open || matches!(self.state, Bbr3State::ProbeRtt(_));
        self.prior_cwnd = if temporary { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    fn restore(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// Sets the pacing rate [draft-ietf-ccwg-bbr s5.6.2].
    fn set_pacing(&mut self, gain: f64) {
        let rate = MARGIN * gain * self.bw();
        if rate > 0.0 && (self.full.reached || rate > self.pacing) {
            self.pacing = rate;
        }
    }

    /// Sets cwnd [draft-ietf-ccwg-bbr s5.6.4.6].
    fn set_cwnd(&mut self, delivered: f64) {
        let max = self.max_inflight();
        if self.full.reached {
            self.cwnd = (self.cwnd + delivered).min(max);
        } else if self.cwnd < max || (self.model.delivered_bytes() as f64) < self.initial_cwnd {
            self.cwnd += delivered;
        }
        self.cwnd = self.cwnd.max(self.min_pipe_cwnd());
        self.bound_cwnd();
    }

    /// Limits cwnd by the bounds of the flight [draft-ietf-ccwg-bbr s5.6.4.5, s5.6.4.7].
    fn bound_cwnd(&mut self) {
        let cap = match &self.state {
            Bbr3State::ProbeRtt(_) => self.inflight_with_headroom().min(self.probe_rtt_cwnd()),
            Bbr3State::ProbeBw(ProbeBw { phase: ProbePhase::Cruise, .. }) => self.inflight_with_headroom(),
            Bbr3State::ProbeBw(_) => self.bounds.inflight_longterm,
            Bbr3State::Startup | Bbr3State::Drain => f64::INFINITY,
        };
        let cap = cap.min(self.bounds.inflight_shortterm).max(self.min_pipe_cwnd());
        self.cwnd = self.cwnd.min(cap);
    }

    fn update_recovery(&mut self, feedback: &Feedback) {
        if let Recovery::Loss { until } = &mut self.recovery
            && feedback.una >= *until.get_or_insert(feedback.nxt)
        {
            self.recovery = Recovery::Open;
            self.restore();
        }
    }
}

impl CongestionControl for Bbr3 {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    /// Does nothing: `on_feedback` processes acknowledgments.
    fn on_ack(&mut self, _: &Acked) {}

    /// Returns true: the control needs every acknowledgment [draft-ietf-ccwg-bbr s5.2.3, s5.2.4].
    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_feedback(&mut self, feedback: &Feedback) {
        self.last = (feedback.now, self.cwnd);
        self.limited_now |= feedback.flight_before + self.segment > self.cwnd;
        if !self.seen_rtt && feedback.srtt > Span::ZERO {
            self.seen_rtt = true;
            self.pacing = STARTUP_GAIN * self.initial_cwnd / feedback.srtt.as_secs_f64();
        }
        let sample = feedback.rate.filter(|rate| rate.interval > Span::ZERO);
        if feedback.lost > 0 {
            self.note_loss(sample.as_ref(), feedback.now);
        }
        self.model.begin(feedback, sample.as_ref());
        if self.model.round_start {
            self.limited_before = std::mem::take(&mut self.limited_now);
        }
        if let Some(rate) = &sample {
            self.update_latest(rate);
            self.model.update_max_bw(rate);
            self.adapt_lower_bounds();
            let (bw, full, cwnd) = (self.bw(), self.full.reached, self.cwnd);
            self.model.update_aggregation(feedback, bw, full, cwnd);
            self.full.check(&self.model, rate);
            self.check_startup_done(feedback, rate);
            self.check_drain_done(feedback);
            self.update_probe_bw(feedback, rate);
        }
        self.update_min_rtt(feedback);
        if let Some(rate) = &sample {
            self.bounds.advance(rate);
        }
        self.set_pacing(self.gains().0);
        self.update_recovery(feedback);
        self.set_cwnd(feedback.delivered as f64);
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        if !matches!(event, Congestion::Ecn | Congestion::Notified) && self.recovery == Recovery::Open {
            self.bounds.save();
        }
        match event {
            Congestion::FastRetransmit => {
                let (at, before) = self.last;
                self.save(if at == flight.now { before } else { self.cwnd });
                self.recovery = Recovery::Fast;
            }
            Congestion::Timeout { .. } | Congestion::Restart => {
                self.save(self.cwnd);
                self.recovery = Recovery::Loss { until: None };
                self.cwnd = self.segment;
            }
            Congestion::Ecn | Congestion::Notified => {}
        }
    }

    fn on_undo(&mut self) {
        self.bounds.undo();
        self.full.reset(0.0);
        self.recovery = Recovery::Open;
        self.restore();
        self.bound_cwnd();
    }

    fn on_recovered(&mut self, _: Time) {
        if self.recovery != Recovery::Open {
            self.recovery = Recovery::Open;
            self.restore();
            self.bound_cwnd();
        }
    }

    /// Handles the restart from idle [draft-ietf-ccwg-bbr s5.4.1].
    fn on_idle(&mut self, now: Time, _: Span, _: Option<f64>) {
        self.idle_restart = true;
        self.model.restart_aggregation(now);
        match self.state {
            Bbr3State::ProbeBw(_) => self.set_pacing(1.0),
            Bbr3State::ProbeRtt(_) => self.check_probe_rtt_done(now),
            Bbr3State::Startup | Bbr3State::Drain => {}
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
