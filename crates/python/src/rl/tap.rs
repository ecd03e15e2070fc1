//! The interface between a congestion control and its environment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::Span;
use tcp::cc::policy::{Evaluator, PolicyAgent, PolicyStep};

use super::Weights;

/// Measurements of a control, and its next action.
pub struct Tap {
    /// Whether a step has ended since the last call of [`take_due`](Self::take_due).
    due: AtomicBool,
    seen: Mutex<TapMeasurements>,
    weights: Weights,
}

/// The measurements of an episode.
#[derive(Default)]
pub struct TapMeasurements {
    /// The features of the last step.
    pub features: Vec<f64>,
    /// The action for the next one.
    pub action: f64,
    /// Reward since the last reading.
    pub reward: f64,
    /// The reward of the episode.
    pub total: f64,
    /// Steps of the episode.
    pub steps: u64,
    /// All round trips in seconds.
    pub rtts: Vec<f32>,
    /// Sum of all round trips in seconds.
    pub rtt_sum: f64,
    /// The last step.
    pub last: Option<PolicyStep>,
    /// Number of lost bytes.
    pub lost: u64,
    /// Number of delivered bytes.
    pub delivered: u64,
    /// Number of timeouts.
    pub timeouts: u64,
}

impl Tap {
    pub fn new(weights: Weights) -> Arc<Self> {
        Arc::new(Tap { due: AtomicBool::new(false), seen: Mutex::default(), weights })
    }

    pub fn lock_measurements(&self) -> MutexGuard<'_, TapMeasurements> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a step has ended since the last call.
    pub fn take_due(&self) -> bool {
        self.due.load(Ordering::Relaxed) && self.due.swap(false, Ordering::Relaxed)
    }

    fn step(&self, step: &PolicyStep, features: &[f64]) {
        let mut seen = self.lock_measurements();
        let reward = compute_reward(step, self.weights);
        seen.features.clear();
        seen.features.extend(features);
        seen.reward += reward;
        seen.total += reward;
        seen.steps += 1;
        seen.lost += step.lost;
        seen.delivered += step.delivered;
        seen.timeouts += u64::from(step.timeouts);
        seen.last = Some(*step);
        drop(seen);
        self.due.store(true, Ordering::Relaxed);
    }

    fn rtt(&self, rtt: Span) {
        let mut seen = self.lock_measurements();
        seen.rtts.push(rtt.as_secs_f64() as f32);
        seen.rtt_sum += rtt.as_secs_f64();
    }
}

/// Computes the reward of a step, in seconds. Therefore longer steps count more.
fn compute_reward(step: &PolicyStep, weights: Weights) -> f64 {
    let min_rtt = step.min_rtt.as_secs_f64().max(1e-9);
    let segments = step.rate() * min_rtt / step.segment;
    let sent = step.lost + step.delivered;
    let loss = if sent == 0 { 0.0 } else { step.lost as f64 / sent as f64 };
    let delay = libm::log2((step.mean_rtt / min_rtt).max(1.0));
    step.elapsed.as_secs_f64() * (libm::log2(1.0 + segments) - weights.delay * delay - weights.loss * loss)
}

/// An agent with externally supplied actions.
pub struct Outside(pub Arc<Tap>);

impl PolicyAgent for Outside {
    fn observe(&mut self, step: &PolicyStep, features: &[f64]) {
        self.0.step(step, features);
    }

    fn action(&mut self) -> f64 {
        self.0.lock_measurements().action
    }

    fn on_rtt(&mut self, rtt: Span) {
        self.0.rtt(rtt);
    }
}

/// A network together with measurements of its steps.
pub struct MeasuredPolicy {
    pub network: Evaluator,
    pub tap: Arc<Tap>,
}

impl PolicyAgent for MeasuredPolicy {
    fn observe(&mut self, step: &PolicyStep, features: &[f64]) {
        self.tap.step(step, features);
        self.network.observe(step, features);
    }

    fn action(&mut self) -> f64 {
        self.network.action()
    }

    fn on_rtt(&mut self, rtt: Span) {
        self.tap.rtt(rtt);
    }
}
