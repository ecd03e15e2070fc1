//! Several environments, each with a separate run. They execute steps on threads.

use engine::{Members, Span};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sim::{Network, Transport};

use super::driver::{Driver, DriverArgument};
use super::episode::{EpisodeState, LearningEpisode, Measurements};
use super::threads::{Busy, GoOn, apply_to_each};
use super::{Setup, from_toml, refuse_faults};
use crate::error::BindingFailure;
use crate::schemes::catch_exception;
use crate::spec::Spec;

/// Numbers of several environments, as bytes of the machine's 64-bit floating point numbers.
type Numbers = Py<PyBytes>;

/// Environments with the same scenarios.
#[pyclass(frozen, module = "lasthop._lasthop")]
pub struct Environments {
    setup: Setup,
    scenarios: Vec<EnvironmentScenario>,
    learners: usize,
    threads: usize,
    slots: Busy<Vec<EnvironmentSlot>>,
}

/// A scenario.
struct EnvironmentScenario {
    network: Network,
    /// The driven flows.
    flows: Vec<usize>,
    /// Classes of members that the scenario may name.
    members: Members,
}

/// One environment.
#[derive(Default)]
struct EnvironmentSlot {
    episode: Option<LearningEpisode>,
    state: u8,
}

/// An episode that begins.
struct BegunEpisode {
    environment: usize,
    scenario: usize,
    seed: u64,
    slot: EnvironmentSlot,
}

/// An episode that takes a step.
struct SteppedEpisode<'a> {
    environment: usize,
    episode: LearningEpisode,
    state: u8,
    /// Rewards of the episode's learners in this step.
    rewards: &'a mut [f64],
}

/// An episode that is run as a whole.
struct PlayedEpisode<'a> {
    air: &'a EnvironmentScenario,
    driver: Driver,
    seed: u64,
    measured: Vec<Measurements>,
}

fn encode_state(state: EpisodeState) -> u8 {
    match state {
        EpisodeState::Running => 0,
        EpisodeState::Completed => 1,
        EpisodeState::Expired => 2,
    }
}

impl Environments {
    fn scenario(&self, number: usize) -> Result<&EnvironmentScenario, BindingFailure> {
        let known = self.scenarios.len();
        self.scenarios
            .get(number)
            .ok_or_else(|| BindingFailure::Text(format!("found scenario {number}, expected a number below {known}")))
    }

    /// Begins an episode, and runs to its first step.
    fn begin_episode(&self, air: &EnvironmentScenario, seed: u64, go_on: &mut GoOn<'_>) -> Option<EnvironmentSlot> {
        let drivers = vec![Driver::Outside; air.flows.len()];
        let mut episode = LearningEpisode::new(&air.network, &self.setup, &air.flows, &drivers, seed);
        let state = encode_state(episode.advance(go_on)?);
        Some(EnvironmentSlot { episode: Some(episode), state })
    }
}

/// The numbers of flows over TCP by name; by default the first.
fn select_driven_flows(network: &Network, names: &[String]) -> Result<Vec<usize>, BindingFailure> {
    let over_tcp = |(_, flow): &(usize, &sim::FlowSpec)| flow.transport == Transport::Tcp;
    let known: Vec<_> = network.flows.iter().enumerate().filter(over_tcp).collect();
    let one = |name: &String| {
        let found = known.iter().find(|(_, flow)| flow.name == *name);
        found.map(|(number, _)| *number).ok_or_else(|| {
            let known: Vec<&str> = known.iter().map(|(_, flow)| flow.name.as_str()).collect();
            BindingFailure::Text(format!("found flow \"{name}\", expected a flow over TCP: {}", known.join(", ")))
        })
    };
    match (names, known.first()) {
        ([], Some((first, _))) => Ok(vec![*first]),
        ([], None) => Err(BindingFailure::Text("the scenario has no flow over TCP".into())),
        (names, _) => names.iter().map(one).collect(),
    }
}

fn pack_numbers(py: Python<'_>, numbers: &[f64]) -> Numbers {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes).unbind()
}

#[pymethods]
impl Environments {
    /// Creates `count` environments without episodes. `setup` is TOML, and `flow_names` are the names of the driven
    /// flows.
    #[new]
    #[pyo3(signature = (specs: "Sequence[Spec]", flow_names, setup, period, count, threads))]
    fn new(
        py: Python<'_>,
        specs: Vec<Spec>,
        flow_names: Vec<String>,
        setup: &str,
        period: Option<&str>,
        count: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let open = || -> Result<Self, BindingFailure> {
            let period = period.map(parse_period).transpose()?;
            let setup = Setup { period, ..from_toml(setup, "environment")? };
            refuse_faults("environment", setup.rules.check())?;
            let mut scenarios = Vec::new();
            for spec in &specs {
                let (network, members) = (spec.load()?.network, spec.members()?);
                let flows = select_driven_flows(&network, &flow_names)?;
                scenarios.push(EnvironmentScenario { network, flows, members });
            }
            let slots = Busy::new((0..count).map(|_| EnvironmentSlot::default()).collect());
            let learners = flow_names.len().max(1);
            Ok(Environments { setup, scenarios, learners, threads, slots })
        };
        py.detach(|| catch_exception(open)).map_err(|failure| failure.into_exception(py))
    }

    /// Begins episodes: for each episode the environment, the number of the scenario, and the seed. After an exception
    /// these environments have no episode.
    fn reset(&self, py: Python<'_>, begun: Vec<(usize, usize, u64)>) -> PyResult<()> {
        let reset = || -> Result<(), BindingFailure> {
            let mut slots = self.slots.open()?;
            let count = slots.len();
            let mut episodes = Vec::new();
            for (environment, scenario, seed) in begun {
                self.scenario(scenario)?;
                let slot = slots.get_mut(environment);
                *slot.ok_or_else(|| BindingFailure::Text(format!("found an environment above {count}")))? =
                    EnvironmentSlot::default();
                episodes.push(BegunEpisode { environment, scenario, seed, slot: EnvironmentSlot::default() });
            }
            apply_to_each(self.threads, &mut episodes, |begun, go_on| {
                let air = &self.scenarios[begun.scenario];
                begun.slot = self.slots.work(|| self.begin_episode(air, begun.seed, go_on))?;
                Some(())
            })?;
            for BegunEpisode { environment, slot, .. } in episodes {
                slots[environment] = slot;
            }
            Ok(())
        };
        py.detach(|| catch_exception(reset)).map_err(|failure| failure.into_exception(py))
    }

    /// Takes the actions of all environments, and runs those with `live` to the end of the next step. Returns rewards,
    /// and for each environment 0 while it runs, 1 if its flows are completed, 2 if the duration has passed. After an
    /// exception no environment with `live` has an episode, because some were interrupted and some are a step ahead.
    fn step(&self, py: Python<'_>, actions: &[u8], live: &[u8]) -> PyResult<(Numbers, Py<PyBytes>)> {
        let learners = self.learners;
        let step = || -> Result<_, BindingFailure> {
            let mut slots = self.slots.open()?;
            let count = slots.len();
            if actions.len() != 8 * learners * count || live.len() != count {
                return Err(BindingFailure::Text(format!("expected {} actions of 64 bits", learners * count)));
            }
            let actions: Vec<f64> = actions.as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect();
            let mut rewards = vec![0.0; learners * count];
            let mut stepped = Vec::new();
            let live = |(environment, _): &(usize, &mut [f64])| live[*environment] != 0;
            for (environment, rewards) in rewards.chunks_mut(learners).enumerate().filter(live) {
                let EnvironmentSlot { episode: Some(episode), state } = std::mem::take(&mut slots[environment]) else {
                    let text =
                        format!("environment {environment} has no episode, or an exception has ended it: call reset()");
                    return Err(BindingFailure::Text(text));
                };
                stepped.push(SteppedEpisode { environment, episode, state, rewards });
            }
            apply_to_each(
                self.threads,
                &mut stepped,
                |SteppedEpisode { environment, episode, state, rewards }, go_on| {
                    for (learner, action) in actions[*environment * learners..][..learners].iter().enumerate() {
                        let mut seen = episode.tap(learner).lock_measurements();
                        (seen.action, seen.reward) = (*action, 0.0);
                    }
                    *state = encode_state(self.slots.work(|| episode.advance(go_on))?);
                    for (learner, reward) in rewards.iter_mut().enumerate() {
                        *reward = episode.tap(learner).lock_measurements().reward;
                    }
                    Some(())
                },
            )?;
            for SteppedEpisode { environment, episode, state, .. } in stepped {
                slots[environment] = EnvironmentSlot { episode: Some(episode), state };
            }
            Ok((rewards, slots.iter().map(|slot| slot.state).collect::<Vec<u8>>()))
        };
        let (rewards, states) = py.detach(|| catch_exception(step)).map_err(|failure| failure.into_exception(py))?;
        Ok((pack_numbers(py, &rewards), PyBytes::new(py, &states).unbind()))
    }

    /// The features of all environments, by environment, flow and feature.
    fn observations(&self, py: Python<'_>) -> PyResult<Numbers> {
        let observe = || -> Result<_, BindingFailure> {
            let slots = self.slots.open()?;
            let width = self.setup.rules.observe.len();
            let mut all = vec![0.0; slots.len() * self.learners * width];
            for (place, slot) in slots.iter().enumerate() {
                for learner in 0..self.learners {
                    let Some(episode) = &slot.episode else { continue };
                    let from = (place * self.learners + learner) * width;
                    let seen = episode.tap(learner).lock_measurements();
                    // There are no features before the first step.
                    let known = seen.features.len();
                    all[from..from + known].copy_from_slice(&seen.features);
                }
            }
            Ok(all)
        };
        py.detach(|| catch_exception(observe))
            .map(|all| pack_numbers(py, &all))
            .map_err(|failure| failure.into_exception(py))
    }

    /// Returns the measurements of an environment so far. With `complete` these include the ones that are slow to
    /// calculate.
    #[pyo3(signature = (slot, complete) -> "list[dict[str, Any]]")]
    fn stats<'py>(&self, py: Python<'py>, slot: usize, complete: bool) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let measure = || -> Result<Vec<Measurements>, BindingFailure> {
            let slots = self.slots.open()?;
            let episode = slots.get(slot).and_then(|slot| slot.episode.as_ref());
            let episode =
                episode.ok_or_else(|| BindingFailure::Text("the episode has not begun: call reset()".into()))?;
            Ok((0..self.learners).map(|learner| episode.measurements(learner, complete)).collect())
        };
        let measured = py.detach(|| catch_exception(measure)).map_err(|failure| failure.into_exception(py))?;
        measured.iter().map(|flow| measurements_to_dict(py, flow)).collect()
    }

    /// Runs whole episodes by policies or controls, without stops. Each episode has the numbers of its driver and
    /// scenario, and its seed. A control is a built-in one or a class of the scenario.
    #[pyo3(signature = (drivers, episodes) -> "list[list[dict[str, Any]]]")]
    fn play<'py>(
        &self,
        py: Python<'py>,
        drivers: Vec<DriverArgument>,
        episodes: Vec<(usize, usize, u64)>,
    ) -> PyResult<Vec<Vec<Bound<'py, PyDict>>>> {
        let play = || -> Result<_, BindingFailure> {
            let drivers = drivers.iter().map(Driver::of).collect::<Result<Vec<_>, _>>()?;
            let mut played = Vec::new();
            for (number, scenario, seed) in episodes {
                let (air, known) = (self.scenario(scenario)?, drivers.len());
                let driver = drivers.get(number);
                let driver = driver.ok_or_else(|| {
                    BindingFailure::Text(format!("found driver {number}, expected a number below {known}"))
                })?;
                let driver = driver.within(&air.members)?;
                played.push(PlayedEpisode { air, driver, seed, measured: Vec::new() });
            }
            apply_to_each(self.threads, &mut played, |PlayedEpisode { air, driver, seed, measured }, go_on| {
                let drivers = vec![driver.clone(); air.flows.len()];
                let mut episode = LearningEpisode::new(&air.network, &self.setup, &air.flows, &drivers, *seed);
                episode.finish(go_on)?;
                measured.extend((0..self.learners).map(|learner| episode.measurements(learner, true)));
                Some(())
            })?;
            Ok(played.into_iter().map(|episode| episode.measured).collect::<Vec<Vec<Measurements>>>())
        };
        let played = py.detach(|| catch_exception(play)).map_err(|failure| failure.into_exception(py))?;
        played.iter().map(|episode| episode.iter().map(|flow| measurements_to_dict(py, flow)).collect()).collect()
    }
}

/// The time between the decisions of all flows.
fn parse_period(text: &str) -> Result<Span, BindingFailure> {
    let refused = |hint: Option<String>| {
        let hint = hint.map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
        BindingFailure::Text(format!("period: found \"{text}\", expected a time above 0, such as \"20 ms\"{hint}"))
    };
    match text.parse::<Span>() {
        Ok(Span::ZERO) => Err(refused(None)),
        Ok(period) => Ok(period),
        Err(error) => Err(refused(error.hint)),
    }
}

fn measurements_to_dict<'py>(py: Python<'py>, measured: &Measurements) -> PyResult<Bound<'py, PyDict>> {
    let (Measurements { stats, p95_rtt_s, flows }, dict, goodputs) = (measured, PyDict::new(py), PyDict::new(py));
    for flow in flows {
        goodputs.set_item(&flow.name, flow.goodput_bps)?;
    }
    let own = &flows[stats.flow];
    dict.set_item("flow", &own.name)?;
    dict.set_item("time_s", stats.seconds)?;
    dict.set_item("reward", stats.reward)?;
    dict.set_item("steps", stats.steps)?;
    dict.set_item("completed", own.completed)?;
    dict.set_item("goodput_bps", own.goodput_bps)?;
    dict.set_item("mean_rtt_s", stats.mean_rtt_s)?;
    if let Some(p95_rtt_s) = p95_rtt_s {
        dict.set_item("p95_rtt_s", p95_rtt_s)?;
    }
    dict.set_item("min_rtt_s", stats.min_rtt_s)?;
    dict.set_item("loss", stats.loss)?;
    dict.set_item("timeouts", stats.timeouts)?;
    dict.set_item("goodputs_bps", goodputs)?;
    Ok(dict)
}
