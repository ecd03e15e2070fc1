//! Errors as the exception `lasthop.LasthopError`.

use lab::run::{Interrupted, RunError, TraceError};
use lab::store::StoreError;
use lab::sweep::run::SweepError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use scenario::problem::Problem;

/// An exception with this text and problems.
fn raised(py: Python<'_>, text: &str, problems: &[Problem]) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let kind = py.import("lasthop._errors")?.getattr("LasthopError")?;
        let problems = problems.iter().map(|problem| as_dict(py, problem)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyErr::from_value(kind.call1((text, problems))?))
    };
    make().unwrap_or_else(|error| error)
}

/// The fields of a problem, and its text.
pub fn as_dict<'py>(py: Python<'py>, problem: &Problem) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (line, column) = problem.place.unzip();
    dict.set_item("file", &problem.file)?;
    dict.set_item("line", line)?;
    dict.set_item("column", column)?;
    dict.set_item("key", &problem.key)?;
    dict.set_item("found", &problem.found)?;
    dict.set_item("expected", &problem.expected)?;
    dict.set_item("hint", &problem.hint)?;
    dict.set_item("lint", problem.lint)?;
    dict.set_item("text", problem.to_string())?;
    Ok(dict)
}

/// The reason why a function failed. It can be created without the interpreter's lock, unlike an exception.
pub enum Failure {
    /// The input is wrong.
    Problems(Vec<Problem>),
    /// Anything else.
    Text(String),
    /// An exception of a callback or a signal.
    Raised(PyErr),
}

impl Failure {
    /// The exception.
    pub fn into_exception(self, py: Python<'_>) -> PyErr {
        match self {
            Failure::Problems(problems) => {
                let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
                raised(py, &texts.join("\n"), &problems)
            }
            Failure::Text(text) => raised(py, &text, &[]),
            Failure::Raised(error) => error,
        }
    }
}

impl From<Vec<Problem>> for Failure {
    fn from(problems: Vec<Problem>) -> Self {
        Failure::Problems(problems)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Failure::Problems(vec![problem])
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Raised(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Failure::Raised(PyKeyboardInterrupt::new_err(())),
            RunError::OneFile(problem) => Failure::Problems(vec![*problem]),
            error => Failure::Text(error.to_string()),
        }
    }
}

impl From<Interrupted> for Failure {
    fn from(interrupted: Interrupted) -> Self {
        RunError::from(interrupted).into()
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        RunError::from(error).into()
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Text(error.to_string())
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Interrupted(_) => Failure::Raised(PyKeyboardInterrupt::new_err(error.to_string())),
            SweepError::Store(error) => error.into(),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::Text(error.to_string())
    }
}
