//! What scenarios are read from: a file system, or something like one.

use std::io;
use std::path::{Path, PathBuf};

/// A file system, as far as reading a scenario needs one.
pub trait Files {
    /// The file's first bytes, `limit` of them at most. A file that is not regular may not know its size, or never end.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;
    /// Whether there is something at `path`; true also if that cannot be found out.
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
