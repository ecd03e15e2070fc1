//! Errors of runs into result directories.

use std::io;
use std::path::PathBuf;

use observe::run::{Interrupted, TraceError};
use scenario::problem::Problem;

/// The reason why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file or directory could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Unwritable {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file of a result could not be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The result cannot be reproduced from its scenario.
    #[error("{}: this program computes other results from its scenario\n  hint: the results are of another version, or a file was changed; run the scenario again", .0.display())]
    OtherProgram(PathBuf),
    /// The result is that of real hosts, which no simulation can repeat.
    #[error("{}: is a result of real hosts (`lasthop shell`), which cannot be repeated\n  hint: its captures, NODE.pcapng, have every packet", .0.display())]
    Emulated(PathBuf),
    /// Cancelled by the progress callback.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// Two traces would be written to one file.
    #[error("{0}")]
    OneFile(Box<Problem>),
    /// Another run is writing to the same directory.
    #[error("{}: another run is writing here\n  hint: wait for it, or choose another directory with --out", .0.display())]
    Busy(PathBuf),
    /// The directory to be replaced contains a file that no run wrote.
    #[error("{}: is not replaced: lasthop did not write {found}\n  hint: choose another directory with --out, or move that file", dir.display())]
    NotOurs {
        /// The directory.
        dir: PathBuf,
        /// A file not written by a run.
        found: String,
    },
}

impl From<Interrupted> for RunError {
    fn from(Interrupted: Interrupted) -> Self {
        RunError::Interrupted
    }
}

impl From<TraceError> for RunError {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Interrupted(interrupted) => interrupted.into(),
            TraceError::OneFile(problem) => RunError::OneFile(problem),
            TraceError::Unwritable { name, source } => RunError::Unwritable { path: PathBuf::from(name), source },
        }
    }
}
