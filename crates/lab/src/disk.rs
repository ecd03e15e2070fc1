//! The local file system, from which scenarios are read and to which traces are written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use observe::output::TraceFiles;
use observe::output::table::{EncodedColumn, TableEncoder};
use scenario::Files;

use crate::trace_tables;

/// The local file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        // A path that cannot be examined may exist, but a path below a file does not.
        path.try_exists().unwrap_or_else(|error| error.kind() != io::ErrorKind::NotADirectory)
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn entries(&self, dir: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        entries
    }
}

/// A directory for trace files.
#[derive(Clone, Debug, Default)]
pub struct Directory(pub PathBuf);

impl TraceFiles for Directory {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new().create(true).append(true).open(self.0.join(name))?.write_all(bytes)
    }

    fn table(&self, name: &str, columns: &[EncodedColumn]) -> io::Result<Box<dyn TableEncoder>> {
        trace_tables::parquet(name, columns)
    }
}
