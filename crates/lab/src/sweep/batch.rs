//! Runs as values, for processes that have neither the plan nor the store.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;

use engine::Members;
use scenario::Files;
use serde::{Deserialize, Serialize};

use super::run::run_replication;
use super::{Plan, SweepCell, Task};
use crate::load::{Overrides, Source, to_toml};
use crate::run::{RunError, Watch};
use crate::store::{Digest, FORM};

/// Some runs of a sweep, with all their inputs except the files named by their scenarios.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// The version of the program that made the batch.
    lasthop: String,
    /// The version of the model, and of the form of keys.
    model: (u32, u32),
    /// Whether to measure delays.
    delays: bool,
    parts: Vec<BatchPart>,
}

/// Replications of one cell.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct BatchPart {
    scenario: String,
    digest: String,
    replications: Vec<u64>,
}

/// Environment of a process that runs batches.
pub struct Worker<'a> {
    /// The path of the scenario.
    pub path: &'a Path,
    /// The files to which the scenario refers, relative to it.
    pub files: Rc<dyn Files>,
    /// Members of registries that the scenario may name.
    pub members: Members,
    /// Reason of a failed run: the panic of a member.
    pub failure: fn(&(dyn Any + Send)) -> Option<String>,
}

/// The reason why a batch was not run.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// Another version of the program would give other results, or other keys.
    #[error("the batch is of {theirs}, this process has {ours}\n  hint: install the same version everywhere")]
    Version {
        /// Version that created the batch.
        theirs: String,
        /// This version.
        ours: String,
    },
    /// The text is no batch.
    #[error("this is no batch of runs: {0}")]
    Unreadable(String),
    /// The batch's scenario differs from the scenario in this process.
    #[error("a scenario of the batch cannot be run here: {0}")]
    Scenario(String),
    /// Cancelled by the progress callback.
    #[error("interrupted")]
    Interrupted,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
const MODEL: (u32, u32) = (sim::MODEL_VERSION, FORM);

impl Batch {
    /// The batch of these tasks of `plan`. Consecutive tasks of a cell share one copy of the scenario.
    pub fn of(plan: &Plan, tasks: &[Task], delays: bool) -> Self {
        let part = |tasks: &[Task]| BatchPart {
            scenario: to_toml(&plan.cell(tasks[0].cell).scenario),
            digest: tasks[0].digest.to_string(),
            replications: tasks.iter().map(|task| task.replication).collect(),
        };
        let parts = tasks.chunk_by(|one, next| one.digest == next.digest).map(part).collect();
        Batch { lasthop: VERSION.to_owned(), model: MODEL, delays, parts }
    }

    /// Encodes the batch as text, for another process.
    pub fn to_text(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Reads the text of a batch that [`to_text`](Self::to_text) wrote.
    ///
    /// # Errors
    /// The text is not a batch, or is of another version of the program.
    pub fn from_text(text: &str) -> Result<Self, BatchError> {
        let batch: Batch = serde_json::from_str(text).map_err(|error| BatchError::Unreadable(error.to_string()))?;
        if batch.lasthop != VERSION || batch.model != MODEL {
            let named = |lasthop: &str, (model, keys)| format!("lasthop {lasthop} (model {model}, keys {keys})");
            let (theirs, ours) = (named(&batch.lasthop, batch.model), named(VERSION, MODEL));
            return Err(BatchError::Version { theirs, ours });
        }
        Ok(batch)
    }

    /// Executes the runs of the batch, in order. The outcome of each run is its summary or the reason of its failure. A
    /// panic fails only the run concerned.
    ///
    /// # Errors
    /// A scenario has another key here, or the callback cancels.
    pub fn run_all(&self, worker: &Worker<'_>, watch: Watch<'_>) -> Result<Vec<Result<String, String>>, BatchError> {
        let mut outcomes = Vec::new();
        for part in &self.parts {
            let cell = part.cell(worker)?;
            for replication in &part.replications {
                let run = AssertUnwindSafe(|| run_replication(&cell, *replication, self.delays, watch));
                outcomes.push(match catch_unwind(run) {
                    Ok(Ok(summary)) => Ok(summary),
                    Ok(Err(RunError::Interrupted)) => return Err(BatchError::Interrupted),
                    Ok(Err(error)) => Err(error.to_string()),
                    Err(panic) => Err((worker.failure)(panic.as_ref()).unwrap_or_else(|| panic_text(panic.as_ref()))),
                });
            }
        }
        Ok(outcomes)
    }
}

impl BatchPart {
    fn cell(&self, worker: &Worker<'_>) -> Result<SweepCell, BatchError> {
        let (files, path) = (Rc::clone(&worker.files), worker.path.with_extension("toml"));
        let source = Source::of_text(files, "batch".to_owned(), path, self.scenario.as_bytes(), &Overrides::default());
        let source = source.map(|source| source.with_members(&worker.members));
        let loaded = source.and_then(|source| source.resolve(&source.document)).map_err(|problems| {
            BatchError::Scenario(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        })?;
        let digest = Digest::of(&loaded.network).map_err(BatchError::Scenario)?;
        if digest.to_string() != self.digest {
            let text =
                format!("its key is {digest} here, {} where the batch was made: do its files differ?", self.digest);
            return Err(BatchError::Scenario(text));
        }
        Ok(SweepCell { digest, scenario: loaded.scenario, network: loaded.network })
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the run panicked: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::disk::Disk;
    use crate::store::Store;
    use crate::sweep::SweepSession;
    use crate::sweep::run::{Shard, run_sweep};

    fn plan() -> Plan {
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/goel-refined.toml"));
        let set = ["sweep.replications=3", "sweep.compare.scheme=[\"unmodified\", \"snoop\"]"];
        let overrides = Overrides { set: set.map(str::to_owned).to_vec(), ..Overrides::default() };
        Plan::load(file, &overrides).unwrap()
    }

    #[test]
    fn batched_and_threaded_runs_give_equal_summaries() {
        let plan = plan();
        let (_a, mut by_threads) = Store::scratch();
        run_sweep(&plan, &mut by_threads, 2, Shard::WHOLE, &mut |_| ControlFlow::Continue(())).unwrap();
        let (_b, mut store) = Store::scratch();
        let mut session =
            SweepSession::open(&plan, &mut store, Shard::WHOLE, &mut |_| ControlFlow::Continue(())).unwrap();
        let tasks = session.take(&store, 100).unwrap();
        assert_eq!(tasks.len(), 6);
        for some in tasks.chunks(4) {
            let text = Batch::of(&plan, some, false).to_text();
            let (path, files) = (Path::new("s.toml"), Rc::new(Disk));
            let worker = Worker { path, files, members: Members::default(), failure: |_| None };
            let batch = Batch::from_text(&text).unwrap();
            let outcomes = batch.run_all(&worker, &mut |_| ControlFlow::Continue(())).unwrap();
            assert_eq!(outcomes.len(), some.len());
            let done: Vec<_> = some.iter().zip(outcomes).map(|(task, outcome)| (*task, outcome.unwrap())).collect();
            session.keep_all(&store, &done).unwrap();
        }
        assert!(!session.next_round(&plan, &store, &mut |_| ControlFlow::Continue(())).unwrap());
        for task in tasks {
            assert_eq!(store.runs(task.digest, 9).unwrap(), by_threads.runs(task.digest, 9).unwrap());
        }
    }

    #[test]
    fn batch_of_another_version_is_refused_with_that_version() {
        let batch = Batch { lasthop: "9.9.9".into(), model: (99, 1), delays: false, parts: Vec::new() };
        let error = Batch::from_text(&batch.to_text()).unwrap_err().to_string();
        assert!(error.contains("lasthop 9.9.9 (model 99, keys 1)"), "{error}");
        assert!(matches!(Batch::from_text("{"), Err(BatchError::Unreadable(_))));
    }
}
