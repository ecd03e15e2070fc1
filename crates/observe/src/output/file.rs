//! Trace files, written in large blocks.

use std::io::{self, Write};
use std::rc::Rc;

use engine::Time;

use super::table::{EncodedColumn, TableEncoder};

/// The buffer is flushed when it exceeds this size, in bytes.
const FULL: usize = 64 * 1024;

/// Storage for trace files.
pub trait TraceFiles {
    /// Appends `bytes` to the file called `name`. The file is created if it does not exist, even if `bytes` is empty.
    /// Files need not stay open, because a run with a thousand flows has more traces than a process may have open
    /// files.
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// Begins the encoding of the table in the file called `name`, with these columns.
    fn table(&self, _name: &str, _columns: &[EncodedColumn]) -> io::Result<Box<dyn TableEncoder>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "tables cannot be written here"))
    }
}

/// A trace file with a buffer. The buffer is appended to the file when it is full.
pub(super) struct TraceFile {
    named: NamedFile,
    buffer: Vec<u8>,
    files: Rc<dyn TraceFiles>,
}

impl TraceFile {
    /// A file in `files`, written at the first flush.
    pub fn new(named: NamedFile, files: Rc<dyn TraceFiles>) -> Self {
        TraceFile { named, buffer: Vec::new(), files }
    }

    pub fn named_file(&self) -> NamedFile {
        self.named.clone()
    }

    /// An error with the file's name.
    pub fn error(&self, source: io::Error) -> io::Error {
        io::Error::new(source.kind(), FileError { name: self.named.name.clone(), source })
    }
}

impl Write for TraceFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= FULL { self.flush() } else { Ok(()) }
    }

    /// Creates the file even if nothing was written to it. Errors contain the file's name.
    fn flush(&mut self) -> io::Result<()> {
        self.files.append(&self.named.name, &self.buffer).map_err(|source| self.error(source))?;
        self.buffer.clear();
        Ok(())
    }
}

/// A file that a trace writes, and its subject, such as `node "server"`.
#[derive(Clone)]
pub(super) struct NamedFile {
    pub name: String,
    pub about: String,
}

/// Adds the file's name to an error.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {source}")]
pub(super) struct FileError {
    pub name: String,
    pub source: io::Error,
}

/// Milliseconds, exact, with the fewest decimals: `1233.5`.
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
