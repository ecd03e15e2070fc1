//! The native part of the Python package `lasthop`: functions on plain values. The interface for users is written in
//! Python, in `python/lasthop`.
//!
//! Each function releases the interpreter's lock while it computes. Runs, sweeps and environments check for signals
//! between parts of a run, so that Ctrl-C raises `KeyboardInterrupt`; `check_member` checks only after each seed, and
//! functions without a run, such as reading a scenario, do not check.

mod compare;
mod error;
mod memory;
mod pictures;
mod rl;
mod runs;
mod schemes;
mod session;
mod spec;
mod store;
mod table;
mod traces;
mod watch;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
mod _lasthop {
    use super::{OsString, PyResult, pyfunction};

    #[pymodule_export]
    use super::compare::{compared, paper_names, reproduced};
    #[pymodule_export]
    use super::pictures::{pictures, topology};
    #[pymodule_export]
    use super::rl::{Environments, Policy, features};
    #[pymodule_export]
    use super::runs::{explained, run};
    #[pymodule_export]
    use super::schemes::{Acked, Congested, Delivered, Failed, Feedback, Link, Node, PyPacket, Start, check_member};
    #[pymodule_export]
    use super::session::{Session, run_batch};
    #[pymodule_export]
    use super::spec::{check, schema, toml};
    #[pymodule_export]
    use super::store::Store;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::traces::trace_table;

    /// Runs the command with these arguments, the first of which is the name of the command. Returns the exit code.
    #[pyfunction]
    fn main(py: super::Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| cli::main(arguments))
    }

    /// The version of the package, and the version of the model.
    #[pyfunction]
    fn versions() -> PyResult<(&'static str, u32)> {
        Ok((env!("CARGO_PKG_VERSION"), sim::MODEL_VERSION))
    }
}

use std::ffi::OsString;
