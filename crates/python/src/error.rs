//! Errors as the exception `lasthop.LasthopError`.

use lab::run::{Interrupted, RunError, TraceError};
use lab::store::StoreError;
use lab::sweep::run::SweepError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use scenario::problem::Problem;

/// An exception with this text and problems.
fn create_exception(py: Python<'_>, text: &str, problems: &[Problem]) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let kind = py.import("lasthop._errors")?.getattr("LasthopError")?;
        let problems = problems.iter().map(|problem| problem_to_dict(py, problem)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyErr::from_value(kind.call1((text, problems))?))
    };
    make().unwrap_or_else(|error| error)
}

/// The fields of a problem, and its text.
pub fn problem_to_dict<'py>(py: Python<'py>, problem: &Problem) -> PyResult<Bound<'py, PyDict>> {
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

/// The reason why a function failed. Unlike an exception, it can be created without the interpreter's lock.
pub enum BindingFailure {
    /// The input is wrong.
    Problems(Vec<Problem>),
    /// Anything else.
    Text(String),
    /// An exception of a callback or a signal.
    Raised(PyErr),
}

impl BindingFailure {
    /// The exception.
    pub fn into_exception(self, py: Python<'_>) -> PyErr {
        match self {
            BindingFailure::Problems(problems) => {
                let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
                create_exception(py, &texts.join("\n"), &problems)
            }
            BindingFailure::Text(text) => create_exception(py, &text, &[]),
            BindingFailure::Raised(error) => error,
        }
    }
}

impl From<Vec<Problem>> for BindingFailure {
    fn from(problems: Vec<Problem>) -> Self {
        BindingFailure::Problems(problems)
    }
}

impl From<Problem> for BindingFailure {
    fn from(problem: Problem) -> Self {
        BindingFailure::Problems(vec![problem])
    }
}

impl From<PyErr> for BindingFailure {
    fn from(error: PyErr) -> Self {
        BindingFailure::Raised(error)
    }
}

impl From<RunError> for BindingFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => BindingFailure::Raised(PyKeyboardInterrupt::new_err(())),
            RunError::OneFile(problem) => BindingFailure::Problems(vec![*problem]),
            error => BindingFailure::Text(error.to_string()),
        }
    }
}

impl From<Interrupted> for BindingFailure {
    fn from(interrupted: Interrupted) -> Self {
        RunError::from(interrupted).into()
    }
}

impl From<TraceError> for BindingFailure {
    fn from(error: TraceError) -> Self {
        RunError::from(error).into()
    }
}

impl From<StoreError> for BindingFailure {
    fn from(error: StoreError) -> Self {
        BindingFailure::Text(error.to_string())
    }
}

impl From<SweepError> for BindingFailure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Interrupted(_) => BindingFailure::Raised(PyKeyboardInterrupt::new_err(error.to_string())),
            SweepError::Store(error) => error.into(),
        }
    }
}

impl From<std::io::Error> for BindingFailure {
    fn from(error: std::io::Error) -> Self {
        BindingFailure::Text(error.to_string())
    }
}
