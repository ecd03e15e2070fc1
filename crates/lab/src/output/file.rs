//! Files that are appended to in large pieces.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use engine::Time;

/// Flushed when it holds this much.
const FULL: usize = 64 * 1024;

/// A file that is open only while a piece is written: a run with a thousand flows has more traces than a process may
/// have open files.
pub(super) struct TraceFile {
    path: PathBuf,
    about: String,
    buffer: Vec<u8>,
}

impl TraceFile {
    /// A file to be; `about` says what it is about, such as `node "server"`.
    pub fn new(path: PathBuf, about: String) -> Self {
        Self::of(NamedFile { path, about })
    }

    pub fn of(NamedFile { path, about }: NamedFile) -> Self {
        TraceFile { path, about, buffer: Vec::new() }
    }

    pub fn named(&self) -> NamedFile {
        NamedFile { path: self.path.clone(), about: self.about.clone() }
    }
}

impl Write for TraceFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= FULL {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    /// Makes the file even if nothing was written to it. An error knows which file it is about.
    fn flush(&mut self) -> io::Result<()> {
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(&self.buffer)).map_err(|source| {
            let kind = source.kind();
            io::Error::new(kind, FileError { path: self.path.clone(), source })
        })?;
        self.buffer.clear();
        Ok(())
    }
}

/// A file that a trace writes, and what it is about.
#[derive(Clone)]
pub(super) struct NamedFile {
    pub path: PathBuf,
    pub about: String,
}

/// What went wrong with which file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub(super) struct FileError {
    pub path: PathBuf,
    pub source: io::Error,
}

/// Milliseconds, exact, with no more decimals than needed: `1233.5`.
#[derive(Clone, Copy)]
pub(super) struct Millis(pub Time);

impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nanos = self.0.as_nanos();
        let (whole, rest) = (nanos / 1_000_000, nanos % 1_000_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:06}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}
