//! The interface through which scenarios are read: a file system or a substitute.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The operations of a file system that reading a scenario needs.
pub trait Files {
    /// The first bytes of the file, at most `limit`. A file that is not regular may have no known size, or no end.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;
    /// Whether `path` exists; true also if that cannot be determined.
    fn exists(&self, path: &Path) -> bool;
    /// Whether `path` is a directory.
    fn is_dir(&self, path: &Path) -> bool;
    /// The entries of a directory, by path; empty when it cannot be read.
    fn entries(&self, dir: &Path) -> Vec<PathBuf>;
}

/// A file system without any file, for scenarios that refer to none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }

    fn is_dir(&self, _: &Path) -> bool {
        false
    }

    fn entries(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// Files in memory, and those of another file system.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles<Rest = NoFiles> {
    /// Contents by path.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// The file system for all other paths.
    pub rest: Rest,
}

impl<Rest: Files> Files for MemoryFiles<Rest> {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let Some(bytes) = self.files.get(path) else { return self.rest.read(path, limit) };
        Ok(bytes.iter().copied().take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.contains_key(path) || self.rest.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        !self.files.contains_key(path) && self.rest.is_dir(path)
    }

    fn entries(&self, dir: &Path) -> Vec<PathBuf> {
        self.rest.entries(dir)
    }
}
