//! Files in memory: recordings that a scenario names, and traces that a run writes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use lab::disk::Disk;
use observe::output::TraceFiles;
use scenario::Files;

/// Files given by the caller, by name, and those of the disk.
pub struct GivenFiles {
    given: BTreeMap<PathBuf, Vec<u8>>,
    /// What was read.
    read: RefCell<BTreeMap<PathBuf, Vec<u8>>>,
}

impl GivenFiles {
    pub fn new(given: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        GivenFiles { given, read: RefCell::default() }
    }

    /// The contents of all files that were read.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.read.borrow().clone()
    }
}

impl Files for GivenFiles {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let bytes = match self.given.get(path) {
            Some(bytes) => bytes[..bytes.len().min(most)].to_vec(),
            None => Disk.read(path, limit)?,
        };
        let mut read = self.read.borrow_mut();
        let before = read.entry(path.to_owned()).or_default();
        if before.len() < bytes.len() {
            before.clone_from(&bytes);
        }
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        self.given.contains_key(path) || Disk.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        !self.given.contains_key(path) && Disk.is_dir(path)
    }

    fn entries(&self, dir: &Path) -> Vec<PathBuf> {
        Disk.entries(dir)
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
}
