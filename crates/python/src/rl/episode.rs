//! The course of one run, from reset to its end.

use std::sync::Arc;

use engine::{Span, Time};
use sim::{Network, NullSink, World};

use super::Setup;
use super::driver::{Driver, build_driven_control};
use super::tap::Tap;
use super::threads::GoOn;

/// Number of wake-ups between checks whether to stop: with classes in Python they take milliseconds at most.
const SLICE: u64 = 64;

/// A run with flows controlled by drivers.
pub struct LearningEpisode {
    world: World,
    /// For each driven flow: the number of the flow, and its tap.
    taps: Vec<(usize, Arc<Tap>)>,
    period: Option<Span>,
    /// Number of periods begun so far.
    periods: u64,
    names: Vec<String>,
}

/// The state of an episode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EpisodeState {
    /// It has not ended.
    Running,
    /// The driven flows have delivered all their data, and are closed if they close at all.
    Completed,
    /// The duration has passed.
    Expired,
}

/// The measurements of a driven flow in an episode.
pub struct Measurements {
    pub stats: Stats,
    /// `None` unless requested.
    pub p95_rtt_s: Option<f64>,
    /// All flows of the scenario.
    pub flows: Vec<FlowStats>,
}

/// State of a flow in an episode.
pub struct FlowStats {
    pub name: String,
    pub goodput_bps: f64,
    pub completed: bool,
}

/// State of a driven flow in an episode.
pub struct Stats {
    pub flow: usize,
    pub seconds: f64,
    pub reward: f64,
    pub steps: u64,
    pub mean_rtt_s: f64,
    pub min_rtt_s: f64,
    pub loss: f64,
    pub timeouts: u64,
}

impl LearningEpisode {
    /// Begins a run of `network` with this seed; `drivers` has a driver for each of `flows`.
    pub fn new(network: &Network, setup: &Setup, flows: &[usize], drivers: &[Driver], seed: u64) -> Self {
        let mut network = network.clone();
        network.seed = seed;
        let mut taps = Vec::new();
        for (flow, driver) in flows.iter().zip(drivers) {
            let (tap, [sender, _]) = (Tap::new(setup.reward), network.end_streams(*flow));
            network.flows[*flow].tcp.control = build_driven_control(&setup.rules, driver, &tap, sender);
            taps.push((*flow, tap));
        }
        let names = network.flows.iter().map(|flow| flow.name.clone()).collect();
        let mut world = World::new(&network, false);
        world.await_only(flows);
        LearningEpisode { world, taps, period: setup.period, periods: 0, names }
    }

    pub fn tap(&self, learner: usize) -> &Tap {
        &self.taps[learner].1
    }

    /// Runs to the end of the next step of any driven flow, to the next period, or to the end of the episode; `None` if it
    /// was stopped before.
    pub fn advance(&mut self, go_on: &mut GoOn<'_>) -> Option<EpisodeState> {
        if let Some(period) = self.period {
            self.periods += 1;
            let at = Time::ZERO + period.times(self.periods);
            while self.world.advance_until(at, SLICE, &mut NullSink) {
                go_on().then_some(())?;
            }
            return Some(self.state());
        }
        loop {
            for _ in 0..SLICE {
                if !self.world.advance(1, &mut NullSink) || self.taps.iter().any(|(_, tap)| tap.take_due()) {
                    return Some(self.state());
                }
            }
            go_on().then_some(())?;
        }
    }

    /// Runs to the end; `None` if it was stopped before.
    pub fn finish(&mut self, go_on: &mut GoOn<'_>) -> Option<()> {
        while self.world.advance(SLICE, &mut NullSink) {
            go_on().then_some(())?;
        }
        Some(())
    }

    fn state(&self) -> EpisodeState {
        let done = |flow: &(usize, Arc<Tap>)| self.world.flow(flow.0).is_some_and(|info| info.completed.is_some());
        if !self.world.is_over() {
            EpisodeState::Running
        } else if self.taps.iter().all(done) {
            EpisodeState::Completed
        } else {
            EpisodeState::Expired
        }
    }

    /// Returns the measurements of a driven flow so far. With `complete` these include the ones that are slow to
    /// calculate.
    pub fn measurements(&self, learner: usize, complete: bool) -> Measurements {
        let p95_rtt_s = complete.then(|| self.p95_rtt_s(learner));
        Measurements { stats: self.stats(learner), p95_rtt_s, flows: self.flows() }
    }

    /// The goodput of all flows so far.
    fn flows(&self) -> Vec<FlowStats> {
        let results = self.world.results();
        let flow = |(name, flow): (&String, &sim::FlowResult)| FlowStats {
            name: name.clone(),
            goodput_bps: 8.0 * flow.bytes_delivered as f64 / flow.elapsed.as_secs_f64().max(1e-9),
            completed: flow.completed.is_some(),
        };
        self.names.iter().zip(&results.flows).map(flow).collect()
    }

    /// Measurements of a driven flow only.
    fn stats(&self, learner: usize) -> Stats {
        let (flow, tap) = &self.taps[learner];
        let seen = tap.lock_measurements();
        let sent = seen.lost + seen.delivered;
        Stats {
            flow: *flow,
            seconds: self.world.now().as_secs_f64(),
            reward: seen.total,
            steps: seen.steps,
            mean_rtt_s: seen.rtt_sum / seen.rtts.len().max(1) as f64,
            min_rtt_s: seen.last.map_or(0.0, |step| step.min_rtt.as_secs_f64()),
            loss: if sent == 0 { 0.0 } else { seen.lost as f64 / sent as f64 },
            timeouts: seen.timeouts,
        }
    }

    /// The smallest round trip, in seconds, that at least 95 % of a driven flow's round trips do not exceed; 0 without
    /// round trips.
    fn p95_rtt_s(&self, learner: usize) -> f64 {
        let mut rtts = self.tap(learner).lock_measurements().rtts.clone();
        match (0.95 * rtts.len() as f64).ceil() as usize {
            0 => 0.0,
            place => f64::from(*rtts.select_nth_unstable_by(place - 1, f32::total_cmp).1),
        }
    }
}
