//! Sweeps: on the threads of this process, or as batches of text for executors.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lab::disk::Disk;
use lab::store::Store;
use lab::sweep::batch::{Batch, BatchError, Worker};
use lab::sweep::run::{Shard, Tally, complete_session};
use lab::sweep::{CellId, Plan, SweepSession as Rounds, Task, analysis, precise};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{BindingFailure, problem_to_dict};
use crate::memory::{GivenFiles, KeptFiles};
use crate::schemes::{Class, catch_exception, collect_members, render_traceback};
use crate::spec::Spec;
use crate::watch::Watch;

/// A run, by the numbers of its point, case and replication.
type Run = (usize, usize, u64);
/// The files that a scenario names, by path.
type Contents = BTreeMap<PathBuf, Vec<u8>>;
/// Summary of a run, or the reason of its failure.
type Outcome = (Option<String>, Option<String>);

/// A sweep with its store.
#[pyclass(frozen, module = "lasthop._lasthop")]
pub struct Session(Mutex<OpenSweep>);

struct OpenSweep {
    plan: Plan,
    store: Store,
    rounds: Rounds,
    files: Contents,
}

impl OpenSweep {
    fn task(&self, (point, case, replication): Run) -> Result<Task, BindingFailure> {
        let cell = CellId { point, case };
        let known = self.plan.points.get(point).and_then(|point| point.cells.get(case));
        let known = known.ok_or_else(|| BindingFailure::Text(format!("there is no point {point} with case {case}")))?;
        Ok(Task { cell, digest: known.digest, replication })
    }
}

impl Session {
    fn open(&self) -> MutexGuard<'_, OpenSweep> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut OpenSweep) -> Result<T, BindingFailure> + Send,
    ) -> PyResult<T> {
        py.detach(|| catch_exception(|| act(&mut self.open()))).map_err(|failure| failure.into_exception(py))
    }
}

#[pymethods]
impl Session {
    /// Begins or continues the sweep of a scenario in the store at `path`. `progress` is called, here and in `run`, with
    /// the number of runs done and the number wanted; it must not call the session.
    #[new]
    #[pyo3(signature = (spec: "Spec", path, progress: "Callable[[int, int], object] | None"))]
    fn new(py: Python<'_>, spec: Spec, path: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        let open = || -> Result<OpenSweep, BindingFailure> {
            let files = Rc::new(KeptFiles::new(spec.files()));
            let plan = Plan::of(&spec.source(Rc::<KeptFiles>::clone(&files))?)?;
            let mut store = Store::create(&path)?;
            let mut watch = Watch::new(progress);
            let rounds = Rounds::open(&plan, &mut store, Shard::WHOLE, &mut |tally| watch.report(|| count_runs(tally)));
            let rounds = rounds.map_err(|error| watch.failure(error))?;
            Ok(OpenSweep { plan, store, rounds, files: files.take() })
        };
        let open = py.detach(|| catch_exception(open)).map_err(|failure| failure.into_exception(py))?;
        Ok(Session(Mutex::new(open)))
    }

    /// Executes all missing runs on threads.
    #[pyo3(signature = (jobs, progress: "Callable[[int, int], object] | None"))]
    fn run(&self, py: Python<'_>, jobs: usize, progress: Option<Py<PyAny>>) -> PyResult<()> {
        self.with(py, |OpenSweep { plan, store, rounds, .. }| {
            let mut watch = Watch::new(progress);
            let done = complete_session(rounds, plan, store, jobs, &mut |tally| watch.report(|| count_runs(tally)));
            done.map(drop).map_err(|error| watch.failure(error))
        })
    }

    /// Files named by the scenario, which [`run_batch`] needs in addition to a batch.
    fn files(&self, py: Python<'_>) -> PyResult<Contents> {
        self.with(py, |open| Ok(open.files.clone()))
    }

    /// Numbers of finished runs, and of all runs as far as known.
    fn progress(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        self.with(py, |open| Ok(count_runs(open.rounds.tally())))
    }

    /// Returns up to `most` missing runs of this round that no earlier call returned.
    fn take(&self, py: Python<'_>, most: usize) -> PyResult<Vec<Run>> {
        self.with(py, |open| {
            let tasks = open.rounds.take(&open.store, most)?;
            Ok(tasks.into_iter().map(|task| (task.cell.point, task.cell.case, task.replication)).collect())
        })
    }

    /// Encodes these runs as text for [`run_batch`].
    fn batch(&self, py: Python<'_>, runs: Vec<Run>) -> PyResult<String> {
        self.with(py, |open| {
            let tasks = runs.into_iter().map(|run| open.task(run)).collect::<Result<Vec<_>, _>>()?;
            Ok(Batch::of(&open.plan, &tasks, open.store.measures_delays()).to_text())
        })
    }

    /// Stores the summaries of finished runs, either all or none.
    fn keep(&self, py: Python<'_>, runs: Vec<(Run, String)>) -> PyResult<()> {
        self.with(py, |open| {
            let task = |(run, summary): (Run, String)| Ok((open.task(run)?, summary));
            let runs = runs.into_iter().map(task).collect::<Result<Vec<_>, BindingFailure>>()?;
            Ok(open.rounds.keep_all(&open.store, &runs)?)
        })
    }

    /// The changes of a run's point, its case, and its replication, in words.
    fn describe(&self, py: Python<'_>, run: Run) -> PyResult<String> {
        self.with(py, |open| {
            let task = open.task(run)?;
            let changes =
                open.plan.points[task.cell.point].changes.iter().map(|(key, value)| format!("{key} = {value}"));
            let case = &open.plan.cases[task.cell.case].name;
            let case = (!case.is_empty()).then(|| format!("case {case}"));
            let parts = changes.chain(case).chain([format!("replication {}", task.replication)]);
            Ok(parts.collect::<Vec<_>>().join(", "))
        })
    }

    /// Begins the next round after the current one. Returns false if the sweep is complete.
    fn next_round(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |open| {
            let mut watch = Watch::new(None);
            let more = open.rounds.next_round(&open.plan, &open.store, &mut |_| watch.report(|| ()));
            more.map_err(|error| watch.failure(error))
        })
    }

    /// The JSON of `lasthop sweep --json`, the numbers of new and of all runs, and the sweep's number in the store.
    fn result(&self, py: Python<'_>) -> PyResult<(String, u64, u64, i64)> {
        self.with(py, |open| {
            let wanted = precise::requested_replications(&open.plan, &open.store)?;
            let most = open.plan.replications().1;
            let analysis =
                analysis::Analysis::of(&open.store, open.store.sweep(open.rounds.id())?, most)?.first(&wanted);
            let tally = open.rounds.tally();
            Ok((format!("{:#}\n", analysis::analysis_to_json(&analysis)), tally.done, tally.wanted, open.rounds.id()))
        })
    }

    /// The warnings of the scenario.
    #[pyo3(signature = () -> "list[dict[str, Any]]")]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let warnings = self.with(py, |open| Ok(open.plan.warnings.clone()))?;
        warnings.iter().map(|warning| problem_to_dict(py, warning)).collect()
    }
}

/// Numbers of finished runs and of all runs.
fn count_runs(tally: Tally) -> (u64, u64) {
    (tally.done, tally.wanted - tally.found)
}

/// Executes the runs of a batch, in any process with the same version of the package. The outcome of each run is its
/// summary, or the reason of its failure.
#[pyfunction]
#[pyo3(signature = (batch, path, files: "dict[Path, bytes]", classes: "Sequence[Class]"))]
pub fn run_batch(
    py: Python<'_>,
    batch: &str,
    path: PathBuf,
    files: Contents,
    classes: Vec<Class>,
) -> PyResult<Vec<Outcome>> {
    let run = || -> Result<Vec<Outcome>, BindingFailure> {
        let files = Rc::new(GivenFiles { files, rest: Disk });
        let worker = Worker { path: &path, files, members: collect_members(&classes)?, failure: render_traceback };
        let mut watch = Watch::new(None);
        let batch = Batch::from_text(batch)?;
        let outcomes = batch.run_all(&worker, &mut |_| watch.report(|| ())).map_err(|error| watch.failure(error))?;
        Ok(outcomes.into_iter().map(|outcome| (outcome.as_ref().ok().cloned(), outcome.err())).collect())
    };
    py.detach(|| catch_exception(run)).map_err(|failure| failure.into_exception(py))
}

impl From<BatchError> for BindingFailure {
    fn from(error: BatchError) -> Self {
        BindingFailure::Text(error.to_string())
    }
}
