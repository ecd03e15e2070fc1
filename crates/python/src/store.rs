//! Stores: their sweeps, tables, exports and reports.

use std::path::PathBuf;

use lab::export;
use lab::store;
use lab::sweep::analysis::{Analysis, analysis_to_json};
use observe::metric::{self, Metric};
use pyo3::prelude::*;
use scenario::problem::Problem;
use serde_json::Value;

use crate::error::BindingFailure;
use crate::schemes::catch_exception;
use crate::table::Table;

/// A file with the results of sweeps.
#[pyclass(frozen, module = "lasthop._lasthop")]
pub struct Store {
    path: PathBuf,
    /// The only sweep to read; all sweeps if `None`.
    sweep: Option<i64>,
}

/// The metrics with these names.
pub fn find_metrics(names: &[String]) -> Result<Vec<&'static Metric>, BindingFailure> {
    let metric = |name: &String| {
        metric::find_metric(name).ok_or_else(|| {
            let problem = Problem::new("a metric (see `lasthop list metrics`)").in_file("metrics");
            problem.found(format!("\"{name}\"")).nearest(name, metric::list_metric_names()).into()
        })
    };
    names.iter().map(metric).collect()
}

impl Store {
    fn sweeps(&self) -> Result<Vec<Analysis>, BindingFailure> {
        let store = store::Store::open(&self.path)?;
        let sweeps = store.sweeps()?;
        let sweeps = sweeps.into_iter().filter(|sweep| self.sweep.is_none_or(|only| only == sweep.id));
        sweeps.map(|sweep| Ok(Analysis::of(&store, sweep, u64::MAX)?)).collect()
    }

    fn with_sweeps<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&[Analysis]) -> Result<T, BindingFailure> + Send,
    ) -> PyResult<T> {
        py.detach(|| catch_exception(|| act(&self.sweeps()?))).map_err(|failure| failure.into_exception(py))
    }
}

#[pymethods]
impl Store {
    /// Opens a store that the command or a sweep has written, for all sweeps or for one.
    #[new]
    #[pyo3(signature = (path, sweep = None))]
    fn new(py: Python<'_>, path: PathBuf, sweep: Option<i64>) -> PyResult<Self> {
        let opened = py.detach(|| catch_exception(|| Ok(store::Store::open(&path)?)));
        opened.map_err(|failure| failure.into_exception(py))?;
        Ok(Store { path, sweep })
    }

    /// The sweeps as JSON, as `lasthop sweep --json` prints one.
    fn summaries(&self, py: Python<'_>) -> PyResult<String> {
        self.with_sweeps(py, |sweeps| {
            Ok(format!("{:#}\n", Value::from(sweeps.iter().map(analysis_to_json).collect::<Vec<_>>())))
        })
    }

    /// The names and identities of the sweeps, the oldest first.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<(i64, String)>> {
        let names = || {
            let sweeps = store::Store::open(&self.path)?.sweeps()?;
            Ok::<_, BindingFailure>(sweeps.into_iter().map(|sweep| (sweep.id, sweep.name)).collect())
        };
        py.detach(names).map_err(|failure| failure.into_exception(py))
    }

    /// All tables.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<Table>> {
        self.with_sweeps(py, |sweeps| Ok(export::build_tables(sweeps).into_iter().map(Table::from).collect()))
    }

    /// Writes files of these formats into a directory; returns their paths.
    fn export(
        &self,
        py: Python<'_>,
        dir: PathBuf,
        formats: Vec<String>,
        metrics: Vec<String>,
    ) -> PyResult<Vec<PathBuf>> {
        self.with_sweeps(py, |sweeps| {
            let metrics = self::find_metrics(&metrics)?;
            let format = |name: &String| {
                let known = || export::FORMATS.iter().map(|format| format.name);
                let found = export::FORMATS.iter().find(|format| format.name == name);
                let problem = || Problem::new("a file format").in_file("formats").found(format!("\"{name}\""));
                found.ok_or_else(|| BindingFailure::from(problem().nearest(name, known())))
            };
            let formats = formats.iter().map(format).collect::<Result<Vec<_>, _>>()?;
            let written = export::write_exports(sweeps, &metrics, &formats, &dir);
            written.map_err(|(path, error)| BindingFailure::Text(format!("{}: {error}", path.display())))
        })
    }

    /// The report as HTML.
    fn report(&self, py: Python<'_>, name: String, metrics: Vec<String>) -> PyResult<String> {
        self.with_sweeps(py, |sweeps| {
            let metrics = self::find_metrics(&metrics)?;
            Ok(report::render_html_page(&report::store::render_store_page(&name, sweeps, &metrics, &[])))
        })
    }
}
