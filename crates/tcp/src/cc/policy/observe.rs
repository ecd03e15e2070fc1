//! The input of a policy: measurements over a step, and the features computed from them.

use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::Feedback;
use super::StepInterval;

/// Number of steps for which the largest delivery rate is kept.
const RATES: usize = 10;

/// A number about a step, without a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// log2 of the mean round trip over the minimum round trip of the connection; 0 to 4.
    Delay,
    /// Change of the mean round trip since the last step, over the minimum round trip; -1 to 1.
    Gradient,
    /// Bytes delivered per minimum round trip, over cwnd; 0 to 2. Noisy in steps much shorter than a round trip.
    Delivery,
    /// Delivery rate over the largest one of the last ten steps; 0 to 1.
    Rate,
    /// Share of lost bytes; 0 to 1, and 1 after a timeout.
    Loss,
    /// log2 of cwnd in segments, over 8; 0 to 3.
    Window,
    /// Share of acknowledged bytes with ECN-Echo; 0 to 1.
    Marks,
    /// The last action; -1 to 1.
    Action,
}

impl Feature {
    /// All features with their ranges.
    pub const ALL: [(Feature, &'static str, f64, f64); 8] = [
        (Feature::Delay, "delay", 0.0, 4.0),
        (Feature::Gradient, "gradient", -1.0, 1.0),
        (Feature::Delivery, "delivery", 0.0, 2.0),
        (Feature::Rate, "rate", 0.0, 1.0),
        (Feature::Loss, "loss", 0.0, 1.0),
        (Feature::Window, "window", 0.0, 3.0),
        (Feature::Marks, "marks", 0.0, 1.0),
        (Feature::Action, "action", -1.0, 1.0),
    ];

    /// Value of the feature, within its range.
    pub fn of(self, step: &PolicyStep) -> f64 {
        let min_rtt = step.min_rtt.as_secs_f64().max(1e-9);
        let (_, _, least, most) = Feature::ALL[self as usize];
        let value = match self {
            Feature::Delay => libm::log2(step.mean_rtt / min_rtt),
            Feature::Gradient => (step.mean_rtt - step.last_mean_rtt) / min_rtt,
            Feature::Delivery => step.rate() * min_rtt / step.cwnd,
            Feature::Rate => step.rate() / step.most_rate.max(f64::MIN_POSITIVE),
            Feature::Loss if step.timeouts > 0 => 1.0,
            Feature::Loss => compute_share(step.lost, step.lost + step.delivered),
            Feature::Window => libm::log2(step.cwnd / step.segment) / 8.0,
            Feature::Marks => compute_share(step.marked, step.acked),
            Feature::Action => step.action,
        };
        value.clamp(least, most)
    }
}

fn compute_share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// The measurements of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PolicyStep {
    /// End of the step.
    pub now: Time,
    /// Length of the step.
    pub elapsed: Span,
    /// Bytes delivered in the step.
    pub delivered: u64,
    /// Bytes acknowledged in order.
    pub acked: u64,
    /// Bytes acknowledged with ECN-Echo.
    pub marked: u64,
    /// Bytes marked lost.
    pub lost: u64,
    /// Timeouts.
    pub timeouts: u32,
    /// Mean of the round trips measured in the step, in seconds; without round trips, the mean of the last step with
    /// round trips.
    pub mean_rtt: f64,
    /// `mean_rtt` of the previous step.
    pub last_mean_rtt: f64,
    /// Minimum round trip of the connection.
    pub min_rtt: Span,
    /// Largest delivery rate of the last ten steps, in bytes per second.
    pub most_rate: f64,
    /// Congestion window at the end of the step, in bytes.
    pub cwnd: f64,
    /// Bytes in a full segment.
    pub segment: f64,
    /// Action that took effect in the step.
    pub action: f64,
}

impl PolicyStep {
    /// Delivery rate in bytes per second.
    pub fn rate(&self) -> f64 {
        self.delivered as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Measures steps.
pub(super) struct Monitor {
    interval: StepInterval,
    /// End of the last step; `None` before the first measured round trip.
    began: Option<Time>,
    min_rtt: Span,
    mean_rtt: f64,
    /// Sum of the round trips of this step, in nanoseconds.
    sum: u64,
    /// Number of the round trips of this step.
    samples: u64,
    delivered: u64,
    acked: u64,
    marked: u64,
    lost: u64,
    timeouts: u32,
    rates: [f64; RATES],
    steps: usize,
    action: f64,
}

impl Monitor {
    pub fn new(interval: StepInterval) -> Self {
        Monitor {
            interval,
            began: None,
            min_rtt: Span::ZERO,
            mean_rtt: 0.0,
            sum: 0,
            samples: 0,
            delivered: 0,
            acked: 0,
            marked: 0,
            lost: 0,
            timeouts: 0,
            rates: [0.0; RATES],
            steps: 0,
            action: 0.0,
        }
    }

    pub fn timeout(&mut self) {
        self.timeouts += 1;
    }

    pub fn note_action(&mut self, action: f64) {
        self.action = action;
    }

    pub fn add(&mut self, feedback: &Feedback) {
        if let Some(rtt) = feedback.rtt {
            self.min_rtt = if self.began.is_none() && self.samples == 0 { rtt } else { self.min_rtt.min(rtt) };
            self.sum = self.sum.saturating_add(rtt.as_nanos());
            self.samples += 1;
        }
        self.delivered = self.delivered.saturating_add(feedback.delivered);
        self.acked = self.acked.saturating_add(feedback.acked);
        self.lost = self.lost.saturating_add(feedback.lost);
        if feedback.ecn_echo {
            self.marked = self.marked.saturating_add(feedback.acked);
        }
    }

    /// Returns the step that this acknowledgment ends, if any.
    pub fn end(&mut self, feedback: &Feedback, cwnd: f64, segment: f64) -> Option<PolicyStep> {
        let interval = match self.interval {
            StepInterval::Ack => Span::ZERO,
            StepInterval::Rtt => feedback.srtt,
            StepInterval::Time(span) => span,
        };
        let Some(began) = self.began else {
            // The first step begins with the first round trip.
            self.began = (self.samples > 0).then_some(feedback.now);
            return None;
        };
        let elapsed = feedback.now.since(began);
        if elapsed < interval {
            return None;
        }
        let last_mean_rtt = self.mean_rtt;
        if self.samples > 0 {
            self.mean_rtt = self.sum as f64 / self.samples as f64 / 1e9;
        }
        let mut step = PolicyStep {
            now: feedback.now,
            elapsed,
            delivered: self.delivered,
            acked: self.acked,
            marked: self.marked,
            lost: self.lost,
            timeouts: self.timeouts,
            mean_rtt: self.mean_rtt,
            last_mean_rtt: if self.steps == 0 { self.mean_rtt } else { last_mean_rtt },
            min_rtt: self.min_rtt,
            most_rate: 0.0,
            cwnd,
            segment,
            action: self.action,
        };
        self.rates[self.steps % RATES] = step.rate();
        step.most_rate = self.rates.iter().copied().fold(0.0, f64::max);
        self.steps += 1;
        self.began = Some(feedback.now);
        (self.sum, self.samples, self.delivered, self.acked) = (0, 0, 0, 0);
        (self.marked, self.lost, self.timeouts) = (0, 0, 0);
        Some(step)
    }
}
