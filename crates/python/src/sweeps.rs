//! Sweeps on the threads of this process.

use std::path::PathBuf;

use lab::store::Store;
use lab::sweep::run::{Shard, run};
use lab::sweep::{Plan, analysis, precise};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Failure, as_dict};
use crate::spec::Spec;
use crate::watch::Watch;

/// The outcome of a sweep: the identity of the sweep in its store, the JSON of `lasthop sweep --json`, the numbers of runs
/// made now and of all, and warnings.
type Swept<'py> = (i64, String, u64, u64, Vec<Bound<'py, PyDict>>);

/// Runs everything that the store at `path` does not have yet. `progress` is called with the number of runs done and the
/// number wanted.
#[pyfunction]
pub fn sweep<'py>(
    py: Python<'py>,
    spec: Spec,
    path: PathBuf,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Swept<'py>> {
    let swept = py.detach(|| {
        let plan = Plan::of(&spec.source()?)?;
        let mut store = Store::create(&path)?;
        let mut watch = Watch::new(progress);
        let outcome = run(&plan, &mut store, jobs, Shard::WHOLE, &mut |tally| {
            watch.report(|| (tally.done, tally.wanted - tally.found))
        });
        let tally = outcome.map_err(|error| watch.failure(error))?;
        let id = plan.note(&mut store)?;
        let wanted = precise::replications(&plan, &store)?;
        let analysis = analysis::Analysis::of(&store, store.sweep(id)?, plan.replications().1)?.first(&wanted);
        Ok::<_, Failure>((id, format!("{:#}\n", analysis::to_json(&analysis)), tally, plan.warnings))
    });
    let (id, json, tally, warnings) = swept.map_err(|failure| failure.into_exception(py))?;
    let warnings = warnings.iter().map(|warning| as_dict(py, warning)).collect::<PyResult<Vec<_>>>()?;
    Ok((id, json, tally.done, tally.wanted, warnings))
}
