//! A sweep on all cores. What is run, and what comes out, is the same for any number of jobs.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use sim::Network;

use super::{Plan, precise};
use crate::output::summary::summary;
use crate::run::simulate;
use crate::scenario::sweep::Replications;
use crate::store::{Digest, Store, StoreError};

/// How often whoever watches is asked while nothing finishes.
const PATIENCE: Duration = Duration::from_millis(100);

/// A part of a sweep that one machine does: number `index` of `count`, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Shard {
    /// The whole.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    fn has(self, number: u64) -> bool {
        number % self.count == self.index - 1
    }
}

/// How far a sweep is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Runs that are wanted so far; with `until precise` it may grow.
    pub wanted: u64,
    /// Of these, finished before this sweep began.
    pub found: u64,
    /// Of these, finished now.
    pub done: u64,
}

/// Why a sweep did not come to its end. What had finished is kept.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store could not take a result.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Whoever watched said that it was enough.
    #[error("interrupted: {} of {} runs are finished and kept\n  hint: the same command goes on from there", .0.found + .0.done, .0.wanted)]
    Interrupted(Tally),
}

/// Is shown how far the sweep is, and says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(Tally) -> ControlFlow<()>;

/// Runs what `store` does not have yet.
pub fn run(plan: &Plan, store: &mut Store, jobs: usize, shard: Shard, watch: Watch<'_>) -> Result<Tally, SweepError> {
    store.note(plan)?;
    let (mut seen, mut found, mut done) = (HashSet::new(), 0, 0);
    let mut wanted: Vec<u64> = vec![plan.replications().0; plan.points.len()];
    loop {
        let tasks = tasks(plan, &wanted, shard);
        let mut missing = VecDeque::new();
        for task in &tasks {
            // What was wanted before is finished by now.
            if !seen.insert((task.digest, task.replication)) {
                continue;
            }
            if store.has(task.digest, task.replication)? {
                found += 1;
            } else {
                missing.push_back(*task);
            }
        }
        let tally = Tally { wanted: tasks.len() as u64, found, done };
        done += work(plan, store, jobs, missing, &mut |now| watch(Tally { done: done + now, ..tally }), tally)?;
        if !grow(plan, store, shard, &mut wanted)? {
            return Ok(Tally { done, ..tally });
        }
    }
}

/// One run.
#[derive(Clone, Copy, Debug)]
struct Task {
    point: usize,
    case: usize,
    replication: u64,
    digest: Digest,
}

/// Every run of this shard, the first replication of everything first. Runs that several cells share come once.
fn tasks(plan: &Plan, wanted: &[u64], shard: Shard) -> Vec<Task> {
    let mut seen = HashSet::new();
    let mut tasks = Vec::new();
    for replication in 0..wanted.iter().copied().max().unwrap_or(0) {
        for (point, at) in plan.points.iter().enumerate() {
            // A rule that stops when a point is precise must see all of its replications.
            let unit = match plan.replications {
                Replications::Fixed(_) => point as u64 + replication * plan.points.len() as u64,
                Replications::UntilPrecise(_) => point as u64,
            };
            if replication >= wanted[point] || !shard.has(unit) {
                continue;
            }
            for (case, cell) in at.cells.iter().enumerate() {
                if seen.insert((cell.digest, replication)) {
                    tasks.push(Task { point, case, replication, digest: cell.digest });
                }
            }
        }
    }
    tasks
}

/// Asks for more replications where the means are not known well enough. Whether it asked.
fn grow(plan: &Plan, store: &Store, shard: Shard, wanted: &mut [u64]) -> Result<bool, SweepError> {
    let Replications::UntilPrecise(rule) = &plan.replications else { return Ok(false) };
    let mut grown = false;
    for (point, at) in plan.points.iter().enumerate().filter(|(point, _)| shard.has(*point as u64)) {
        let mut more = 0;
        for cell in &at.cells {
            let runs = store.runs(cell.digest, wanted[point])?;
            more = more.max(precise::asked_for(&runs, plan.precise, rule));
        }
        let target = (wanted[point] + more).min(rule.max);
        grown |= target > wanted[point];
        wanted[point] = target;
    }
    Ok(grown)
}

/// Runs `missing` on `jobs` threads and keeps each result. Gives how many finished.
fn work(
    plan: &Plan,
    store: &Store,
    jobs: usize,
    missing: VecDeque<Task>,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    tally: Tally,
) -> Result<u64, SweepError> {
    let todo = Mutex::new(Todo { tasks: missing, from_back: false });
    let stop = AtomicBool::new(false);
    let mut done = 0;
    thread::scope(|scope| {
        let (send, results) = mpsc::channel();
        for _ in 0..jobs.max(1) {
            let (send, todo, stop, path) = (send.clone(), &todo, &stop, store.path().to_owned());
            scope.spawn(move || worker(plan, &path, todo, stop, &send));
        }
        drop(send);
        let outcome = loop {
            match results.recv_timeout(PATIENCE) {
                Ok(Ok((task, text))) => {
                    if let Err(error) = store.keep(task.digest, task.replication, &text) {
                        break Err(error.into());
                    }
                    done += 1;
                }
                Ok(Err(error)) => break Err(SweepError::Store(error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Ok(done),
            }
            if watch(done).is_break() {
                break Err(SweepError::Interrupted(Tally { done: tally.done + done, ..tally }));
            }
        };
        stop.store(true, Ordering::Relaxed);
        match outcome {
            // What the others had finished by then is kept too.
            Err(SweepError::Interrupted(_)) => {
                for (task, text) in results.iter().flatten() {
                    store.keep(task.digest, task.replication, &text)?;
                    done += 1;
                }
                Err(SweepError::Interrupted(Tally { done: tally.done + done, ..tally }))
            }
            outcome => outcome,
        }
    })
}

/// What is left to do.
struct Todo {
    tasks: VecDeque<Task>,
    from_back: bool,
}

impl Todo {
    fn next(&mut self) -> Option<Task> {
        if self.from_back { self.tasks.pop_back() } else { self.tasks.pop_front() }
    }
}

fn worker(
    plan: &Plan,
    path: &Path,
    todo: &Mutex<Todo>,
    stop: &AtomicBool,
    send: &Sender<Result<(Task, String), StoreError>>,
) {
    let next = || todo.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    let looked = Store::writable(path).and_then(|store| {
        while let Some(task) = next().filter(|_| !stop.load(Ordering::Relaxed)) {
            if store.has(task.digest, task.replication)? {
                // Another sweep writes the same store, and was here first: work from the other end.
                let mut todo = todo.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                todo.from_back = !todo.from_back;
                continue;
            }
            let cell = &plan.points[task.point].cells[task.case];
            let network = Network { replication: task.replication, ..cell.network.clone() };
            let mut watch =
                |_| if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            // Told to end; a run without outputs fails in no other way.
            let Ok(results) = simulate(&network, &mut watch) else { break };
            let text = summary("", &cell.scenario, &network, &results).to_string();
            // Nobody listens any more: the sweep was told to end.
            let _ = send.send(Ok((task, text)));
        }
        Ok(())
    });
    if let Err(error) = looked {
        let _ = send.send(Err(error));
    }
}
