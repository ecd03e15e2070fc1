//! Progress callbacks and signals during long work.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::error::BindingFailure;

/// The interval of checks for signals and of calls of the progress callback.
pub const INTERVAL: Duration = Duration::from_millis(50);

/// Calls a Python function with the progress of long work, and notices signals.
pub struct Watch {
    callback: Option<Py<PyAny>>,
    last: Instant,
    raised: Option<PyErr>,
}

impl Watch {
    /// Reports to `callback`, if any.
    #[allow(clippy::disallowed_methods, reason = "the interval of progress reports, not simulated time")]
    pub fn new(callback: Option<Py<PyAny>>) -> Self {
        Watch { callback, last: Instant::now(), raised: None }
    }

    /// Reports progress; stops the work after a signal, or if the callback raised an exception.
    #[allow(clippy::disallowed_methods, reason = "the interval of progress reports, not simulated time")]
    pub fn report<T>(&mut self, progress: impl FnOnce() -> T) -> ControlFlow<()>
    where
        T: for<'py> pyo3::call::PyCallArgs<'py>,
    {
        if self.last.elapsed() < INTERVAL {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        let called = Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = &self.callback {
                callback.call1(py, progress())?;
            }
            Ok(())
        });
        match called {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Returns the failure of work that was stopped: the exception of the callback or the signal, instead of `other`.
    pub fn failure(&mut self, other: impl Into<BindingFailure>) -> BindingFailure {
        self.raised.take().map_or_else(|| other.into(), BindingFailure::Raised)
    }
}
