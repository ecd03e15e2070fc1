//! Environments side by side, each with a run of its own; they step on threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sim::{Network, Transport};
use tcp::cc::ControlConfig;

use super::driver::Driver;
use super::episode::{Episode, State};
use super::{Setup, checked, faultless, from_toml};
use crate::error::Failure;
use crate::schemes::catch;
use crate::spec::Spec;

/// Numbers of several environments, as bytes of the machine's 64-bit floating point numbers.
type Numbers = Py<PyBytes>;

/// Environments of the same scenarios.
#[pyclass(frozen, module = "lasthop._lasthop")]
pub struct Environments {
    setup: Setup,
    scenarios: Vec<(Network, Vec<usize>)>,
    learners: usize,
    threads: usize,
    slots: Mutex<Vec<Slot>>,
}

/// One environment.
#[derive(Default)]
struct Slot {
    episode: Option<Episode>,
    state: u8,
}

fn code(state: State) -> u8 {
    match state {
        State::Running => 0,
        State::Completed => 1,
        State::Expired => 2,
    }
}

impl Environments {
    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies `act` to each item, on as many threads as are useful.
    fn each<T: Send>(&self, items: &mut [T], act: impl Fn(&mut T) + Sync) {
        let threads = self.threads.min(items.len()).max(1);
        if threads == 1 {
            return items.iter_mut().for_each(act);
        }
        let part = items.len().div_ceil(threads);
        thread::scope(|scope| {
            let act = &act;
            let parts = items.chunks_mut(part);
            let running: Vec<_> = parts.map(|part| scope.spawn(move || part.iter_mut().for_each(act))).collect();
            for thread in running {
                if let Err(panic) = thread.join() {
                    resume_unwind(panic);
                }
            }
        });
    }

    fn scenario(&self, number: usize) -> Result<&(Network, Vec<usize>), Failure> {
        let known = self.scenarios.len();
        self.scenarios.get(number).ok_or_else(|| Failure::Text(format!("found scenario {number}, there are {known}")))
    }
}

/// The numbers of flows over TCP by name; by default the first.
fn flows(network: &Network, names: &[String]) -> Result<Vec<usize>, Failure> {
    let over_tcp = |(_, flow): &(usize, &sim::FlowSpec)| flow.transport == Transport::Tcp;
    let known: Vec<_> = network.flows.iter().enumerate().filter(over_tcp).collect();
    let one = |name: &String| {
        let found = known.iter().find(|(_, flow)| flow.name == *name);
        found.map(|(number, _)| *number).ok_or_else(|| {
            let known: Vec<&str> = known.iter().map(|(_, flow)| flow.name.as_str()).collect();
            Failure::Text(format!("found flow \"{name}\", expected a flow over TCP: {}", known.join(", ")))
        })
    };
    match (names, known.first()) {
        ([], Some((first, _))) => Ok(vec![*first]),
        ([], None) => Err(Failure::Text("the scenario has no flow over TCP".into())),
        (names, _) => names.iter().map(one).collect(),
    }
}

/// A driver from the text of a policy's file or of a control's settings.
fn driver(kind: &str, text: &str) -> Result<Driver, Failure> {
    if kind == "policy" {
        let network = checked(text)?;
        return Ok(Driver::Network(network.rules, network.layers));
    }
    let control: ControlConfig = from_toml(text, "control")?;
    faultless("control", control.check())?;
    Ok(Driver::Control(Box::new(control)))
}

fn bytes(py: Python<'_>, numbers: &[f64]) -> Numbers {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes).unbind()
}

#[pymethods]
impl Environments {
    /// `count` environments, none of them begun. `setup` is TOML; `flows` are the names of the driven flows.
    #[new]
    fn new(
        py: Python<'_>,
        specs: Vec<Spec>,
        flow_names: Vec<String>,
        setup: &str,
        count: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let open = || -> Result<Self, Failure> {
            let setup: Setup = from_toml(setup, "environment")?;
            faultless("environment", setup.rules.check())?;
            let mut scenarios = Vec::new();
            for spec in &specs {
                let network = spec.load()?.network;
                let driven = flows(&network, &flow_names)?;
                scenarios.push((network, driven));
            }
            let slots = Mutex::new((0..count).map(|_| Slot::default()).collect());
            let learners = flow_names.len().max(1);
            Ok(Environments { setup, scenarios, learners, threads, slots })
        };
        py.detach(|| catch(open)).map_err(|failure| failure.into_exception(py))
    }

    /// Begins episodes: for each of them the environment, the number of the scenario, and the seed.
    fn reset(&self, py: Python<'_>, begun: Vec<(usize, usize, u64)>) -> PyResult<()> {
        let reset = || -> Result<(), Failure> {
            let mut slots = self.slots();
            for (slot, scenario, seed) in begun {
                let (network, flows) = self.scenario(scenario)?;
                let drivers = vec![Driver::Outside; flows.len()];
                let mut episode = Episode::new(network, &self.setup, flows, &drivers, seed);
                let state = code(episode.advance());
                let count = slots.len();
                let found = slots.get_mut(slot);
                *found.ok_or_else(|| Failure::Text(format!("found environment {slot}, there are {count}")))? =
                    Slot { episode: Some(episode), state };
            }
            Ok(())
        };
        py.detach(|| catch(reset)).map_err(|failure| failure.into_exception(py))
    }

    /// Takes the actions of all environments, and runs those with `live` to the end of the next step. Returns rewards, and
    /// for each environment 0 while it runs, 1 if its flows are completed, 2 if the duration has passed.
    fn step(&self, py: Python<'_>, actions: &[u8], live: &[u8]) -> PyResult<(Numbers, Py<PyBytes>)> {
        let learners = self.learners;
        let step = || -> Result<_, Failure> {
            let mut slots = self.slots();
            let count = slots.len();
            if actions.len() != 8 * learners * count || live.len() != count {
                return Err(Failure::Text(format!("expected {} actions of 64 bits", learners * count)));
            }
            let actions: Vec<f64> = actions.as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect();
            let mut rewards = vec![0.0; learners * count];
            let parts = slots.iter_mut().zip(actions.chunks(learners)).zip(rewards.chunks_mut(learners));
            let parts = parts.zip(live).filter(|(_, live)| **live != 0);
            let mut parts: Vec<_> = parts.map(|(((slot, actions), rewards), _)| (slot, actions, rewards)).collect();
            self.each(&mut parts, |(slot, actions, rewards)| {
                let Some(episode) = &mut slot.episode else { return };
                for (learner, action) in actions.iter().enumerate() {
                    let mut seen = episode.tap(learner).seen();
                    (seen.action, seen.reward) = (*action, 0.0);
                }
                slot.state = code(episode.advance());
                for (learner, reward) in rewards.iter_mut().enumerate() {
                    *reward = episode.tap(learner).seen().reward;
                }
            });
            drop(parts);
            Ok((rewards, slots.iter().map(|slot| slot.state).collect::<Vec<u8>>()))
        };
        let (rewards, states) = py.detach(|| catch(step)).map_err(|failure| failure.into_exception(py))?;
        Ok((bytes(py, &rewards), PyBytes::new(py, &states).unbind()))
    }

    /// The features of all environments, by environment, flow and feature.
    fn observations(&self, py: Python<'_>) -> Numbers {
        let slots = self.slots();
        let width = self.setup.rules.observe.len();
        let mut all = vec![0.0; slots.len() * self.learners * width];
        for (place, slot) in slots.iter().enumerate() {
            for learner in 0..self.learners {
                let Some(episode) = &slot.episode else { continue };
                let from = (place * self.learners + learner) * width;
                let seen = episode.tap(learner).seen();
                // Before the first step there are none.
                let known = seen.features.len();
                all[from..from + known].copy_from_slice(&seen.features);
            }
        }
        bytes(py, &all)
    }

    /// What an environment has measured so far; if `complete` with what takes time to calculate.
    fn stats<'py>(&self, py: Python<'py>, slot: usize, complete: bool) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let slots = self.slots();
        match slots.get(slot).and_then(|slot| slot.episode.as_ref()) {
            Some(episode) => (0..self.learners).map(|learner| as_dict(py, episode, learner, complete)).collect(),
            None => Ok(Vec::new()),
        }
    }

    /// Runs whole episodes by a policy or a control, without stops: for each the number of its driver, of its scenario,
    /// and its seed. `drivers` are pairs: "policy" and the text of its file, or "control" and its settings as TOML.
    fn play<'py>(
        &self,
        py: Python<'py>,
        drivers: Vec<(String, String)>,
        episodes: Vec<(usize, usize, u64)>,
    ) -> PyResult<Vec<Vec<Bound<'py, PyDict>>>> {
        let play = || -> Result<_, Failure> {
            let drivers = drivers.iter().map(|(kind, text)| driver(kind, text)).collect::<Result<Vec<_>, _>>()?;
            for (number, scenario, _) in &episodes {
                self.scenario(*scenario)?;
                if *number >= drivers.len() {
                    return Err(Failure::Text(format!("found driver {number}, there are {}", drivers.len())));
                }
            }
            let mut played: Vec<_> = episodes.into_iter().map(|episode| (episode, None)).collect();
            self.each(&mut played, |((number, scenario, seed), ended)| {
                let (network, flows) = &self.scenarios[*scenario];
                let drivers = vec![drivers[*number].clone(); flows.len()];
                let mut episode = Episode::new(network, &self.setup, flows, &drivers, *seed);
                episode.finish();
                *ended = Some(episode);
            });
            Ok(played.into_iter().filter_map(|(_, ended)| ended).collect::<Vec<_>>())
        };
        let ended = py.detach(|| catch(play)).map_err(|failure| failure.into_exception(py))?;
        ended.iter().map(|episode| (0..self.learners).map(|flow| as_dict(py, episode, flow, true)).collect()).collect()
    }
}

fn as_dict<'py>(py: Python<'py>, episode: &Episode, learner: usize, complete: bool) -> PyResult<Bound<'py, PyDict>> {
    let (stats, dict, goodputs) = (episode.stats(learner), PyDict::new(py), PyDict::new(py));
    let flows = episode.flows();
    for flow in &flows {
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
    if complete {
        dict.set_item("p95_rtt_s", episode.p95_rtt_s(learner))?;
    }
    dict.set_item("min_rtt_s", stats.min_rtt_s)?;
    dict.set_item("loss", stats.loss)?;
    dict.set_item("timeouts", stats.timeouts)?;
    dict.set_item("goodputs_bps", goodputs)?;
    Ok(dict)
}
