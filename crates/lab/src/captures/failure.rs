//! The reason why captures cannot be explained.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use capture::CaptureError;
use capture::joined::JoinError;

use super::UnexplainedFrames;

/// The reason why a capture cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum CaptureFailure {
    /// The file cannot be opened.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The contents cannot be read.
    #[error("{}: {error}", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// The error in the contents.
        error: CaptureError,
    },
    /// The capture has no TCP connection.
    #[error("{}: found {frames} frames without a TCP segment{others}, expected a TCP connection", path.display())]
    NoConnection {
        /// The file.
        path: PathBuf,
        /// The number of frames.
        frames: u64,
        /// The frames by kind.
        others: UnexplainedFrames,
    },
    /// The capture lacks the connection of another capture.
    #[error(
        "{}: found no connection between {} and {}, expected the connection of the other capture",
        path.display(), ends[0], ends[1]
    )]
    NotInBoth {
        /// The file.
        path: PathBuf,
        /// The ends of the connection.
        ends: [SocketAddr; 2],
    },
    /// Two captures cannot be joined.
    #[error("{} and {}: {error}", paths[0].display(), paths[1].display())]
    NotJoined {
        /// The files.
        paths: [PathBuf; 2],
        /// The reason.
        error: JoinError,
    },
    /// The capture has no connection with this number.
    #[error("{}: found no connection {number}, expected 0 to {}: `lasthop report` lists them", path.display(), count - 1)]
    UnknownStream {
        /// The file.
        path: PathBuf,
        /// The number.
        number: u32,
        /// The number of connections.
        count: usize,
    },
}

impl CaptureFailure {
    /// Replaces the path of each file by its name in messages.
    #[must_use]
    pub fn name_files(mut self, name: impl Fn(&Path) -> &Path) -> Self {
        let paths = match &mut self {
            CaptureFailure::Unreadable { path, .. }
            | CaptureFailure::Contents { path, .. }
            | CaptureFailure::NoConnection { path, .. }
            | CaptureFailure::NotInBoth { path, .. }
            | CaptureFailure::UnknownStream { path, .. } => std::slice::from_mut(path),
            CaptureFailure::NotJoined { paths, .. } => paths,
        };
        paths.iter_mut().for_each(|path| *path = name(path).to_owned());
        self
    }
}
