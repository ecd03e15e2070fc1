//! One run, from reset to its end.

use std::sync::Arc;

use engine::{Span, Time};
use sim::{Network, NullSink, World};

use super::Setup;
use super::driver::{Driver, control};
use super::tap::Tap;

/// A run with flows that drivers drive.
pub struct Episode {
    world: World,
    /// For each driven flow: its number and its tap.
    taps: Vec<(usize, Arc<Tap>)>,
    period: Option<Span>,
    /// The number of the next period.
    periods: u64,
    names: Vec<String>,
}

/// How an episode ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It goes on.
    Running,
    /// The driven flows have delivered all their data.
    Completed,
    /// The duration has passed.
    Expired,
}

/// A flow's part of an episode.
pub struct FlowStats {
    pub name: String,
    pub goodput_bps: f64,
    pub completed: bool,
}

/// A driven flow's part of an episode.
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

impl Episode {
    /// Begins a run of `network` with this seed; `drivers` has one for each of `flows`.
    pub fn new(network: &Network, setup: &Setup, flows: &[usize], drivers: &[Driver], seed: u64) -> Self {
        let mut network = network.clone();
        network.seed = seed;
        let mut taps = Vec::new();
        for (flow, driver) in flows.iter().zip(drivers) {
            let tap = Tap::new(setup.reward);
            network.flows[*flow].tcp.control = control(&setup.rules, driver, &tap);
            taps.push((*flow, tap));
        }
        let names = network.flows.iter().map(|flow| flow.name.clone()).collect();
        let period = setup.period_s.map(|seconds| Span::from_nanos((seconds * 1e9) as u64));
        Episode { world: World::new(&network, false), taps, period, periods: 0, names }
    }

    pub fn tap(&self, learner: usize) -> &Tap {
        &self.taps[learner].1
    }

    /// Runs to the end of the next step of any driven flow, to the next period, or to the end of the episode.
    pub fn advance(&mut self) -> State {
        if let Some(period) = self.period {
            self.periods += 1;
            let at = Time::ZERO + period.times(self.periods);
            while self.world.advance_until(at, 20_000, &mut NullSink) {}
            return self.state();
        }
        loop {
            if !self.world.advance(1, &mut NullSink) {
                return self.state();
            }
            if self.taps.iter().any(|(_, tap)| tap.take_due()) {
                return State::Running;
            }
        }
    }

    /// Runs to the end.
    pub fn finish(&mut self) {
        self.world.run(&mut NullSink);
    }

    fn state(&self) -> State {
        let done = |flow: &(usize, Arc<Tap>)| self.world.flow(flow.0).is_some_and(|info| info.completed.is_some());
        match self.taps.iter().all(done) {
            true => State::Completed,
            false if self.world.is_over() => State::Expired,
            false => State::Running,
        }
    }

    /// The goodput of all flows so far.
    pub fn flows(&self) -> Vec<FlowStats> {
        let results = self.world.results();
        let flow = |(name, flow): (&String, &sim::FlowResult)| FlowStats {
            name: name.clone(),
            goodput_bps: 8.0 * flow.bytes_delivered as f64 / flow.elapsed.as_secs_f64().max(1e-9),
            completed: flow.completed.is_some(),
        };
        self.names.iter().zip(&results.flows).map(flow).collect()
    }

    /// The measurements of a driven flow so far.
    pub fn stats(&self, learner: usize) -> Stats {
        let (flow, tap) = &self.taps[learner];
        let seen = tap.seen();
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

    /// The smallest round trip, in seconds, that at least 95 % of a driven flow's do not exceed; 0 without any.
    pub fn p95_rtt_s(&self, learner: usize) -> f64 {
        let mut rtts = self.tap(learner).seen().rtts.clone();
        match (0.95 * rtts.len() as f64).ceil() as usize {
            0 => 0.0,
            place => f64::from(*rtts.select_nth_unstable_by(place - 1, f32::total_cmp).1),
        }
    }
}
