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

/// Files in memory on top of another file system.
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

/// Returns the path of the existing file that is most similar to `path`, which does not exist. Each part may be
/// misspelt, and the ending may be missing or differ.
pub fn nearest_path(files: &dyn Files, path: &Path) -> Option<PathBuf> {
    if files.exists(path) {
        return None;
    }
    let mut found = PathBuf::new();
    for part in path.components() {
        let exact = found.join(part);
        found = if files.exists(&exact) { exact } else { nearest_entry(files, &found, Path::new(&part))? };
    }
    files.exists(&found).then_some(found)
}

/// The entry of a directory whose name is similar.
fn nearest_entry(files: &dyn Files, dir: &Path, name: &Path) -> Option<PathBuf> {
    let listed = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let names: Vec<PathBuf> =
        files.entries(listed).iter().filter_map(|entry| entry.file_name().map(PathBuf::from)).collect();
    let stem = |name: &Path| name.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let wanted = stem(name);
    // The extension does not count for the similarity of names.
    let alike = || names.iter().filter(|other| other.extension() == name.extension());
    let stems: Vec<String> = alike().map(|other| stem(other)).collect();
    let near = engine::near::nearest_name(&wanted, stems.iter().map(String::as_str));
    let near = near.and_then(|near| alike().find(|other| stem(other) == near));
    let near = near.or_else(|| names.iter().find(|other| stem(other) == wanted))?;
    Some(dir.join(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two directories.
    struct Tree;

    impl Files for Tree {
        fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn exists(&self, path: &Path) -> bool {
            let known = ["examples", "examples/snoop.toml", "examples/walk.csv", "notes.v1.toml"];
            known.iter().any(|known| Path::new(known) == path)
        }

        fn is_dir(&self, path: &Path) -> bool {
            path == Path::new("examples")
        }

        fn entries(&self, dir: &Path) -> Vec<PathBuf> {
            let names: &[&str] = match dir.to_str() {
                Some(".") => &["./examples", "./notes.v1.toml"],
                Some("examples") => &["examples/snoop.toml", "examples/walk.csv"],
                _ => &[],
            };
            names.iter().map(PathBuf::from).collect()
        }
    }

    #[test]
    fn misspelt_path_suggests_the_nearest_file() {
        for (path, near) in [
            ("examples/snop.toml", Some("examples/snoop.toml")),
            ("exmples/snoop.toml", Some("examples/snoop.toml")),
            ("exmaples/snopo.toml", Some("examples/snoop.toml")),
            ("examples/snoop", Some("examples/snoop.toml")),
            ("examples/walk.toml", Some("examples/walk.csv")),
            ("notes.v2.toml", Some("notes.v1.toml")),
            ("examples/other.toml", None),
            ("examples/snoop.toml", None),
            ("elsewhere/snoop.toml", None),
            ("examples/snoop.toml/x", None),
        ] {
            assert_eq!(nearest_path(&Tree, Path::new(path)), near.map(PathBuf::from), "{path}");
        }
    }
}
