//! A learned policy: a small neural network that sets cwnd, or the pacing rate, once per step from the sender's
//! measurements in that step.
//!
//! ```text
//! features of the step  ->  tanh layers  ->  a in [-1, 1]
//! cwnd-factor:    cwnd *= 2^(scale a)                            the default, scale 1
//! cwnd:           cwnd  = 64^(1 + a) segments                    1 to 4096
//! pacing-factor:  rate *= 2^(scale a), cwnd = 2 rate srtt        from cwnd / srtt
//! ```
//!
//! A step ends with the first acknowledgment that arrives an interval after the last step's end: the smoothed round
//! trip, none (every acknowledgment), or a fixed time. The action takes effect at the acknowledgment that follows, so
//! that a program outside of the simulation can compute it between two events: an external [`PolicyAgent`] and a
//! network in a file give results that are equal to the byte for the same actions.
//!
//! These rules are fixed. Losses and ECN marks leave cwnd to the policy. A timeout sets cwnd to one segment, ssthresh
//! to half of the flight, as in Tahoe, and until cwnd is ssthresh again slow start decides and actions have no effect
//! [RFC5681 s3.1]. No action raises cwnd while less than half of it is used [RFC7661 s4.3]. It is at most 2^20
//! segments.
//!
//! Deviation from [RFC5681 s3.2, RFC3168 s6.1.2]: a loss or a mark does not halve cwnd unless the policy does. It may
//! be unfair to other flows; measure it.

mod network;
mod observe;

use std::fmt::{self, Arguments};
use std::str::FromStr;

use engine::Span;
use engine::registry::{Fault, FileReader, FileSetting, Settings};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::window::{Growth, RenoWindow};
use super::{Acked, Congestion, CongestionControl, Feedback, Flight, Start};
pub use network::{Evaluator, Layer, Network};
use observe::Monitor;
pub use observe::{Feature, PolicyStep};

/// Largest cwnd, in segments.
const MOST_SEGMENTS: f64 = 1_048_576.0;

/// Settings of a policy: a file, or its contents.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// File relative to the scenario's folder: a network as TOML, with the keys of `network`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The network. Without `file` and `network` all actions are 0 and leave cwnd unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        match (&self.file, &self.network) {
            (Some(file), Some(_)) => vec![Fault::new("file", format!("\"{file}\""), "`file` or `network`, not both")],
            (_, Some(network)) => {
                let within = |fault: Fault| Fault { key: format!("network.{}", fault.key).into(), ..fault };
                network.check().into_iter().map(within).collect()
            }
            (_, None) => Vec::new(),
        }
    }

    fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F) {
        // Setting both is an error, which `check` reports.
        if self.network.is_none() {
            let (file, content) = (&mut self.file, &mut self.network);
            let setting = FileSetting { key: format_args!("{key}.file"), file, content };
            reader.read_toml(setting, "a network", Network::check);
        }
    }
}

impl Config {
    /// Creates the congestion control. The scenario loader has read `file` into `network`.
    pub fn build(&self, start: Start) -> Box<dyn CongestionControl> {
        let Network { rules, layers } = self.network.clone().unwrap_or_default();
        Box::new(Policy::new(&rules, Evaluator::new(layers), &start))
    }
}

/// Observations of an agent, and meaning of its actions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// The length of a step: "rtt" (the smoothed round trip), "ack" (each acknowledgment), or a time, as "20 ms".
    pub step: StepInterval,
    /// What an action changes.
    pub action: Action,
    /// Maximum change of a factor in one step, as a power of two: 1 allows cwnd to double and to halve.
    pub scale: Scale,
    /// Features available to the agent, in this order.
    pub observe: Vec<Feature>,
}

impl Rules {
    /// Returns the errors of the settings.
    pub fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(self.scale.0 > 0.0 && self.scale.0 <= 4.0) {
            faults.push(Fault::new("scale", self.scale.0, "more than 0, at most 4"));
        }
        if let StepInterval::Time(Span::ZERO) = self.step {
            faults.push(Fault::new("step", self.step, "\"rtt\", \"ack\" or a time above 0"));
        }
        faults
    }
}

/// Maximum power of two by which one action may change a value; more than 0, at most 4.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Scale(pub f64);

impl Default for Scale {
    fn default() -> Self {
        Scale(1.0)
    }
}

/// What an action changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// cwnd, by a factor.
    #[default]
    CwndFactor,
    /// cwnd, to a value from 1 segment (-1) to 4096 segments (1).
    Cwnd,
    /// The pacing rate, by a factor.
    PacingFactor,
}

/// The length of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StepInterval {
    /// The smoothed round-trip time.
    #[default]
    Rtt,
    /// Each acknowledgment.
    Ack,
    /// A fixed time.
    Time(Span),
}

impl FromStr for StepInterval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "rtt" => Ok(StepInterval::Rtt),
            "ack" => Ok(StepInterval::Ack),
            _ => {
                text.parse().map(StepInterval::Time).map_err(|_| "\"rtt\", \"ack\" or a time, as \"20 ms\"".to_owned())
            }
        }
    }
}

impl fmt::Display for StepInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepInterval::Rtt => f.write_str("rtt"),
            StepInterval::Ack => f.write_str("ack"),
            StepInterval::Time(span) => write!(f, "{span}"),
        }
    }
}

impl Serialize for StepInterval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StepInterval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for StepInterval {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StepInterval".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "\"rtt\", \"ack\", or a time such as \"20 ms\"" })
    }
}

/// Decides the actions of a [`Policy`].
pub trait PolicyAgent: Send {
    /// Observes the end of a step. `features` are the values of [`Rules::observe`].
    fn observe(&mut self, step: &PolicyStep, features: &[f64]);
    /// The action for the most recently observed step, from -1 to 1. Called once for each observed step.
    fn action(&mut self) -> f64;
    /// Called for each measured round trip.
    fn on_rtt(&mut self, _: Span) {}
}

/// The congestion control driven by an agent.
pub struct Policy<A> {
    rules: Rules,
    agent: A,
    window: RenoWindow,
    monitor: Monitor,
    features: Vec<f64>,
    /// Whether the action of the last step has not yet taken effect.
    due: bool,
    /// Whether slow start decides, after a timeout.
    slow_start: bool,
    /// Pacing rate in bytes per second.
    rate: Option<f64>,
}

impl<A: PolicyAgent> Policy<A> {
    /// Creates the control with the rules of the agent.
    pub fn new(rules: &Rules, agent: A, start: &Start) -> Self {
        Policy {
            rules: rules.clone(),
            agent,
            window: RenoWindow::new(start, Growth::PerAck),
            monitor: Monitor::new(rules.step),
            features: Vec::with_capacity(rules.observe.len()),
            due: false,
            slow_start: false,
            rate: None,
        }
    }

    fn apply(&mut self, action: f64, feedback: &Feedback) {
        let action = if action.is_finite() { action.clamp(-1.0, 1.0) } else { 0.0 };
        self.monitor.note_action(action);
        if self.slow_start {
            return;
        }
        let segment = self.window.segment;
        let factor = libm::exp2(self.rules.scale.0 * action);
        let limited = 2.0 * feedback.flight_before >= self.window.cwnd;
        match self.rules.action {
            Action::CwndFactor if factor > 1.0 && !limited => {}
            Action::CwndFactor => self.window.cwnd *= factor,
            Action::Cwnd => {
                let cwnd = segment * libm::exp2(6.0 + 6.0 * action);
                self.window.cwnd = if limited { cwnd } else { self.window.cwnd.min(cwnd) };
            }
            Action::PacingFactor => {
                let srtt = feedback.srtt.as_secs_f64().max(1e-6);
                let rate = self.rate.unwrap_or(self.window.cwnd / srtt);
                let rate = if factor > 1.0 && !limited { rate } else { rate * factor };
                let rate = rate.clamp(segment / srtt, MOST_SEGMENTS / 2.0 * segment / srtt);
                self.rate = Some(rate);
                self.window.cwnd = 2.0 * rate * srtt;
            }
        }
        self.window.cwnd = self.window.cwnd.clamp(segment, MOST_SEGMENTS * segment);
    }
}

impl<A: PolicyAgent> CongestionControl for Policy<A> {
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
        if std::mem::take(&mut self.due) {
            let action = self.agent.action();
            self.apply(action, feedback);
        }
        if let Some(rtt) = feedback.rtt {
            self.agent.on_rtt(rtt);
        }
        self.monitor.add(feedback);
        if let Some(step) = self.monitor.end(feedback, self.window.cwnd, self.window.segment) {
            self.features.clear();
            self.features.extend(self.rules.observe.iter().map(|feature| feature.of(&step)));
            self.agent.observe(&step, &self.features);
            self.due = true;
        }
    }

    fn on_ack(&mut self, acked: &Acked) {
        if self.slow_start {
            self.window.grow_slow_start((acked.bytes as f64).min(self.window.segment));
            self.slow_start = self.window.cwnd < self.window.ssthresh;
        }
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        match event {
            Congestion::Timeout { .. } | Congestion::Restart => {
                self.window.reduce(event, flight.bytes / 2.0, flight.again);
                self.slow_start = true;
                if let Congestion::Timeout { .. } = event {
                    self.monitor.timeout();
                }
            }
            _ => {
                let cwnd = self.window.cwnd;
                self.window.reduce(event, cwnd, flight.again);
            }
        }
    }

    fn on_undo(&mut self) {
        self.window.undo();
        self.slow_start = self.slow_start && self.window.cwnd < self.window.ssthresh;
    }

    fn on_idle(&mut self, _: engine::Time, _: Span, restart: Option<f64>) {
        self.window.restart(restart);
    }

    fn paces(&self) -> bool {
        self.rules.action == Action::PacingFactor
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.rate
    }
}

/// The measurements of a [`Policy`] over a control of another kind, for comparisons: the control decides.
pub struct ObservedControl<A> {
    control: Box<dyn CongestionControl>,
    rules: Rules,
    agent: A,
    monitor: Monitor,
    features: Vec<f64>,
    segment: f64,
}

impl<A: PolicyAgent> ObservedControl<A> {
    /// Creates the control; `agent` observes the steps of `rules`, and its actions are ignored.
    pub fn new(rules: &Rules, agent: A, control: Box<dyn CongestionControl>, start: &Start) -> Self {
        let (rules, monitor) = (rules.clone(), Monitor::new(rules.step));
        ObservedControl { control, rules, agent, monitor, features: Vec::new(), segment: start.segment }
    }
}

impl<A: PolicyAgent> CongestionControl for ObservedControl<A> {
    fn cwnd(&self) -> f64 {
        self.control.cwnd()
    }

    fn ssthresh(&self) -> f64 {
        self.control.ssthresh()
    }

    fn on_ack(&mut self, acked: &Acked) {
        self.control.on_ack(acked);
    }

    fn on_congestion(&mut self, event: Congestion, flight: &Flight) {
        if let Congestion::Timeout { .. } = event {
            self.monitor.timeout();
        }
        self.control.on_congestion(event, flight);
    }

    fn on_feedback(&mut self, feedback: &Feedback) {
        if let Some(rtt) = feedback.rtt {
            self.agent.on_rtt(rtt);
        }
        self.monitor.add(feedback);
        if let Some(step) = self.monitor.end(feedback, self.control.cwnd(), self.segment) {
            self.features.clear();
            self.features.extend(self.rules.observe.iter().map(|feature| feature.of(&step)));
            self.agent.observe(&step, &self.features);
        }
        if self.control.wants_feedback() {
            self.control.on_feedback(feedback);
        }
    }

    fn wants_feedback(&self) -> bool {
        true
    }

    fn on_undo(&mut self) {
        self.control.on_undo();
    }

    fn on_recovered(&mut self, now: engine::Time) {
        self.control.on_recovered(now);
    }

    fn on_idle(&mut self, now: engine::Time, idle: Span, restart: Option<f64>) {
        self.control.on_idle(now, idle, restart);
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.control.pacing_rate()
    }

    fn paces(&self) -> bool {
        self.control.paces()
    }

    fn regulates_recovery(&self) -> bool {
        self.control.regulates_recovery()
    }

    fn precise_ecn(&self) -> bool {
        self.control.precise_ecn()
    }
}

#[cfg(test)]
mod tests;
