//! Single runs: summary, traces, explanation.

use std::collections::BTreeMap;
use std::rc::Rc;

use lab::run::{run_into_sink, run_with_traces};
use observe::explain::{Explain, report_to_json};
use observe::output::Printers;
use pyo3::prelude::*;
use scenario::{flows, traces};
use serde_json::Value;

use crate::error::BindingFailure;
use crate::memory::Traces;
use crate::schemes::catch_exception;
use crate::spec::Spec;
use crate::watch::Watch;

/// The summary as JSON, and the traces by file name.
type Ran = (String, BTreeMap<String, Vec<u8>>);

/// Runs a scenario in memory. `traces` are names from `lasthop list traces`; `progress` is called with the share done.
#[pyfunction]
#[pyo3(signature = (spec: "Spec", traces, delays, progress: "Callable[[float], object] | None"))]
pub fn run(
    py: Python<'_>,
    spec: Spec,
    traces: Vec<String>,
    delays: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    py.detach(|| catch_exception(|| run_in_memory(&spec, &traces, delays, progress)))
        .map_err(|failure| failure.into_exception(py))
}

fn run_in_memory(
    spec: &Spec,
    names: &[String],
    delays: bool,
    progress: Option<Py<PyAny>>,
) -> Result<Ran, BindingFailure> {
    let mut loaded = spec.load()?;
    loaded.scenario.sweep = None;
    loaded.scenario.output.traces = names.to_vec();
    let selected = traces::parse_trace_names(names).map_err(|problem| problem.in_file("traces"))?;
    let (mut watch, files) = (Watch::new(progress), Rc::new(Traces::default()));
    let to = Rc::<Traces>::clone(&files);
    let summary =
        run_with_traces(&loaded, &selected, to, Printers::default(), delays, &mut |share| watch.report(|| (share,)));
    let summary = summary.map_err(|error| watch.failure(error))?;
    Ok((format!("{summary:#}\n"), files.0.take()))
}

/// Explains the flows of a run: the JSON of `lasthop explain --json`.
#[pyfunction]
#[pyo3(signature = (spec: "Spec", flow, top, progress: "Callable[[float], object] | None"))]
pub fn explained(
    py: Python<'_>,
    spec: Spec,
    flow: Option<String>,
    top: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let explain = || -> Result<String, BindingFailure> {
        let loaded = spec.load()?;
        let mut watch = Watch::new(progress);
        let mut explain = Explain::new(&loaded.network);
        let results = run_into_sink(&loaded.network, &mut explain, |_| false, &mut |share| watch.report(|| (share,)));
        let results = results.map_err(|error| watch.failure(error))?;
        let reports = explain.finish(results.ended);
        let chosen = match flow {
            Some(name) => vec![flows::tcp_flow(&loaded.network, &name).map_err(|problem| problem.in_file("flow"))?],
            None => flows::over_tcp(&loaded.network),
        };
        let reports =
            chosen.into_iter().map(|flow| report_to_json(&loaded.network.flows[flow].name, &reports[flow], top));
        Ok(format!("{:#}\n", Value::from(reports.collect::<Vec<_>>())))
    };
    py.detach(|| catch_exception(explain)).map_err(|failure| failure.into_exception(py))
}
