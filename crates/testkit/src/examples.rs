//! The scenarios in the folder `examples` of the repository.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use scenario::problem::Problem;
use scenario::{Files, Loaded, Overrides, Source};

/// The files of the repository.
struct RepositoryFiles;

impl Files for RepositoryFiles {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn entries(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// Returns the path of a file in `examples`.
pub fn example_path(name: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Lists the paths of all TOML scenarios directly in `examples`, sorted.
///
/// # Panics
/// The folder cannot be read.
pub fn example_paths() -> Vec<PathBuf> {
    let entries = fs::read_dir(example_path("")).expect("the folder of the examples can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths
}

/// Opens an example, by its path or its name in `examples`.
///
/// # Errors
/// Faults of its text or of an assignment.
pub fn open_example(name: impl AsRef<Path>, overrides: &Overrides) -> Result<Source, Vec<Problem>> {
    Source::open(Rc::new(RepositoryFiles), &example_path(name), overrides)
}

/// Loads an example like [`open_example`], and builds its network.
///
/// # Panics
/// The example has a problem.
pub fn load_example(name: impl AsRef<Path>, overrides: &Overrides) -> Loaded {
    let source = open_example(&name, overrides);
    let loaded = source.and_then(|source| source.resolve(&source.document));
    loaded.unwrap_or_else(|problems| panic!("{}: {problems:?}", name.as_ref().display()))
}
