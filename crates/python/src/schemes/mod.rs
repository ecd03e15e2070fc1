//! Members written in Python: congestion controls and agents as classes, which the simulator calls at decisions.
//!
//! An exception in a class ends the run, and becomes the error of the run, by unwinding to its start.

mod agent;
mod contracts;
mod control;
mod packet;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use engine::Members;
use engine::registry::Fault;
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

use crate::error::BindingFailure;
pub use agent::{Delivered, Failed, Link, Node};
pub use contracts::check_member;
pub use control::{Acked, Congested, Feedback, Start};
pub use packet::PyPacket;

/// An exception of a class, in transit to the start of the run.
struct ThrownException(PyErr);

/// Ends the run with an exception.
fn throw_exception(error: PyErr) -> ! {
    resume_unwind(Box::new(ThrownException(error)))
}

/// Runs a closure that may call classes. An exception of a class becomes the failure. A panic becomes a failure, too,
/// so that `except Exception` catches it, unlike pyo3's exception for panics.
pub fn catch_exception<T>(run: impl FnOnce() -> Result<T, BindingFailure>) -> Result<T, BindingFailure> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| match panic.downcast::<ThrownException>() {
        Ok(thrown) => Err(BindingFailure::Raised(thrown.0)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
            let hint = "this is a defect of lasthop: please report it with the scenario";
            Err(BindingFailure::Text(format!("the simulator panicked: {text}\n  hint: {hint}")))
        }
    })
}

/// Returns the fault in the settings of a class whose object could not be created. Signals and exits are no faults.
fn collect_faults<T>(name: &str, made: PyResult<T>) -> Vec<Fault> {
    let Err(error) = made else { return Vec::new() };
    if !Python::attach(|py| error.is_instance_of::<PyException>(py)) {
        throw_exception(error);
    }
    let expected = format!("settings that the class accepts; it raised {error}");
    vec![Fault::new("kind", name, expected)]
}

/// The value of an attribute.
fn read_attribute<'py, T>(object: &Bound<'py, PyAny>, name: &str, expected: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let value = object.getattr(name)?;
    value.extract().map_err(|_| {
        PyTypeError::new_err(format!("{name}: found {}, expected {expected}", render_python_value(&value)))
    })
}

/// Formats a value for a message. `Display` of the value panics if Python cannot write the value, such as a number with
/// too many digits.
fn render_python_value(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "a value without a text".to_owned(), |text| text.to_string_lossy().into_owned())
}

/// Registry of the class.
#[derive(Clone, Copy)]
enum MemberKind {
    Control,
    Agent,
}

impl FromPyObject<'_, '_> for MemberKind {
    type Error = PyErr;

    fn extract(name: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match name.extract::<String>()?.as_str() {
            "control" => Ok(MemberKind::Control),
            "agent" => Ok(MemberKind::Agent),
            other => Err(PyValueError::new_err(format!("found \"{other}\", expected control or agent"))),
        }
    }
}

/// A class of a member, described by its attributes.
#[derive(FromPyObject)]
pub struct Class {
    kind: MemberKind,
    /// The name in scenarios.
    name: String,
    /// Version given by the author. No store accepts the results of a class without a version.
    version: Option<String>,
    #[pyo3(attribute("cls"))]
    class: Py<PyAny>,
}

impl Clone for Class {
    fn clone(&self) -> Self {
        let class = Python::attach(|py| self.class.clone_ref(py));
        Class { kind: self.kind, name: self.name.clone(), version: self.version.clone(), class }
    }
}

/// The table of these classes.
pub fn collect_members(classes: &[Class]) -> Result<Members, BindingFailure> {
    let mut members = Members::default();
    for class in classes {
        let added = match class.kind {
            MemberKind::Control => members.add(control::Controls(class.clone())),
            MemberKind::Agent => {
                let agents = agent::Agents(class.clone());
                agents.traits().map_err(|error| wrong_class(&class.name, error))?;
                let part = agent::SenderPart::of(class).map_err(|error| wrong_class(&class.name, error))?;
                if let Some(part) = part {
                    members.add(part).map_err(|error| BindingFailure::Text(error.to_string()))?;
                }
                members.add(agents)
            }
        };
        added.map_err(|error| BindingFailure::Text(error.to_string()))?;
    }
    Ok(members)
}

/// Describes an error in the attributes of a class. Signals, exits and exceptions of the class's properties are not
/// changed.
fn wrong_class(name: &str, error: PyErr) -> BindingFailure {
    Python::attach(|py| {
        let ours = error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py);
        if ours { BindingFailure::Text(format!("{name}: {}", error.value(py))) } else { BindingFailure::Raised(error) }
    })
}

/// Renders the traceback of an exception that ended a run. `None` if `panic` is not such an exception.
pub fn render_traceback(panic: &(dyn std::any::Any + Send)) -> Option<String> {
    let ThrownException(error) = panic.downcast_ref()?;
    Some(Python::attach(|py| {
        let lines = error.traceback(py).and_then(|traceback| traceback.format().ok()).unwrap_or_default();
        format!("{lines}{error}")
    }))
}

/// Settings of a scenario as keyword arguments.
fn parse_keyword_arguments<'py>(py: Python<'py>, settings: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
    let text = Value::Object(settings.clone()).to_string();
    Ok(py.import("json")?.getattr("loads")?.call1((text,))?.cast_into::<PyDict>()?)
}
