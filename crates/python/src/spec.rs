//! A scenario on the Python side: text, changes, files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::Members;
use lab::disk::Disk;
use lab::load::{Loaded, Overrides, Source, to_toml};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use scenario::Files;

use crate::error::{BindingFailure, problem_to_dict};
use crate::memory::GivenFiles;
use crate::schemes::{Class, catch_exception, collect_members};

/// A scenario, by the attributes of `lasthop.Scenario`.
#[derive(FromPyObject, Clone)]
pub struct Spec {
    /// The path in messages. Names of files in the scenario are relative to the directory of this path.
    path: PathBuf,
    /// The text of the scenario; `None` to read it from `path`.
    text: Option<Vec<u8>>,
    /// Contents of files that the scenario names, by their names in it.
    files: BTreeMap<String, Vec<u8>>,
    /// Changes, as KEY=VALUE.
    changes: Vec<String>,
    scheme: Option<String>,
    seed: Option<u64>,
    /// Schemes that the scenario may name.
    classes: Vec<Class>,
}

impl Spec {
    /// Name of the scenario in results: its path.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The scenario with one scheme for all nodes.
    pub fn with_scheme(&self, scheme: &str) -> Spec {
        Spec { scheme: Some(scheme.to_owned()), ..self.clone() }
    }

    /// Files given to the scenario, by path.
    pub fn files(&self) -> GivenFiles {
        let beside = self.path.parent().unwrap_or(Path::new(""));
        let given = self.files.iter().map(|(name, bytes)| (beside.join(name), bytes.clone()));
        GivenFiles { files: given.collect(), rest: Disk }
    }

    /// Returns the scenario with its changes, not yet checked. Files that the scenario names are read from `files`.
    pub fn source(&self, files: Rc<dyn Files>) -> Result<Source, BindingFailure> {
        let overrides = Overrides { set: self.changes.clone(), scheme: self.scheme.clone(), seed: self.seed };
        let source = match &self.text {
            None => Source::open(files, &self.path, &overrides),
            Some(text) => {
                let stem = self.path.file_stem().map_or_else(|| "scenario".into(), |stem| stem.to_string_lossy());
                Source::of_text(files, stem.into_owned(), self.path.clone(), text, &overrides)
            }
        };
        Ok(source?.with_members(&self.members()?))
    }

    /// Classes that the scenario may name.
    pub fn members(&self) -> Result<Members, BindingFailure> {
        collect_members(&self.classes)
    }

    /// The checked scenario.
    pub fn load(&self) -> Result<Loaded, BindingFailure> {
        catch_exception(|| {
            let source = self.source(Rc::new(self.files()))?;
            Ok(source.resolve(&source.document)?)
        })
    }
}

/// The warnings of a scenario, as dictionaries. Errors are raised.
#[pyfunction]
#[pyo3(signature = (spec: "Spec") -> "list[dict[str, Any]]")]
pub fn check<'py>(py: Python<'py>, spec: Spec) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let warnings = py.detach(|| spec.load().map(|loaded| loaded.warnings));
    let warnings = warnings.map_err(|failure| failure.into_exception(py))?;
    warnings.iter().map(|warning| problem_to_dict(py, warning)).collect()
}

/// The scenario as TOML with all changes, from which every run can be repeated.
#[pyfunction]
#[pyo3(signature = (spec: "Spec"))]
pub fn toml(py: Python<'_>, spec: Spec) -> PyResult<String> {
    py.detach(|| spec.load().map(|loaded| to_toml(&loaded.scenario))).map_err(|failure| failure.into_exception(py))
}

/// The JSON Schema of scenarios.
#[pyfunction]
pub fn schema() -> String {
    scenario::schema().to_string()
}
