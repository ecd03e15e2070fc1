//! Files in memory: recordings that a scenario names, and traces that a run writes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use lab::disk::Disk;
use lab::trace_tables;
use observe::output::TraceFiles;
use observe::output::table::{EncodedColumn, TableEncoder};
use scenario::{Files, MemoryFiles};

/// Files that the caller passes, by name, and the files of the disk.
pub type GivenFiles = MemoryFiles<Disk>;

/// Files that keep a copy of the contents read, for another process.
pub struct KeptFiles {
    files: GivenFiles,
    read: RefCell<BTreeMap<PathBuf, Vec<u8>>>,
}

impl KeptFiles {
    pub fn new(files: GivenFiles) -> Self {
        KeptFiles { files, read: RefCell::default() }
    }

    /// Takes the contents of all files that were read.
    pub fn take(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.read.take()
    }
}

impl Files for KeptFiles {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = self.files.read(path, limit)?;
        let mut read = self.read.borrow_mut();
        // With a smaller limit a read returns the beginning of the same contents.
        let before = read.entry(path.to_owned()).or_default();
        if before.len() < bytes.len() {
            before.clone_from(&bytes);
        }
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.files.is_dir(path)
    }

    fn entries(&self, dir: &Path) -> Vec<PathBuf> {
        self.files.entries(dir)
    }
}

/// The traces of a run.
#[derive(Default)]
pub struct Traces(pub RefCell<BTreeMap<String, Vec<u8>>>);

impl TraceFiles for Traces {
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.0.borrow_mut().entry(name.to_owned()).or_default().extend_from_slice(bytes);
        Ok(())
    }

    fn table(&self, name: &str, columns: &[EncodedColumn]) -> io::Result<Box<dyn TableEncoder>> {
        trace_tables::parquet(name, columns)
    }
}
