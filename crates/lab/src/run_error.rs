//! Why a run comes to nothing.

use std::io;
use std::path::PathBuf;

use scenario::problem::Problem;

/// Why a run came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file or directory could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of a result could not be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A result does not come out again.
    #[error("{}: this program gets other results from the scenario beside it\n  hint: another version made them, or a file was changed; run the scenario again", .0.display())]
    OtherProgram(PathBuf),
    /// Whoever watched said that it was enough.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// Two traces would be written to one file.
    #[error("{0}")]
    OneFile(Box<Problem>),
    /// Two runs at once into one directory.
    #[error("{}: another run is writing here\n  hint: wait for it, or choose another directory with --out", .0.display())]
    Busy(PathBuf),
    /// A directory that would be replaced holds something that no run wrote.
    #[error("{}: is not replaced: lasthop did not write {found}\n  hint: choose another directory with --out, or move that file", dir.display())]
    NotOurs {
        /// The directory.
        dir: PathBuf,
        /// What no run wrote.
        found: String,
    },
}
