//! Whether what a step reads has changed since the step last passed on this machine.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::workspace;

/// The state of a step's sources, and the file with the state in which it last passed.
pub struct Stamp {
    file: PathBuf,
    hash: String,
}

impl Stamp {
    /// Reads the sources of a step: all files in these folders of the repository.
    pub fn of(step: &str, folders: &[&str]) -> Result<Self, String> {
        let folders = folders.iter().map(|folder| workspace::root().join(folder));
        Self::in_folder(&workspace::target().join("stamps"), step, folders)
    }

    fn in_folder(kept: &Path, step: &str, folders: impl Iterator<Item = PathBuf>) -> Result<Self, String> {
        let mut hasher = DefaultHasher::new();
        for folder in folders {
            hash_folder(&folder, &mut hasher).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(Stamp { file: kept.join(step), hash: format!("{:016x}", hasher.finish()) })
    }

    /// Returns true if the step has passed here with other sources. A step that never ran here is left to the full lane.
    pub fn is_outdated(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|kept| kept != self.hash)
    }

    /// Records that the step has passed.
    pub fn keep(&self) -> Result<(), String> {
        let folder = self.file.parent().map_or(Ok(()), fs::create_dir_all);
        folder
            .and_then(|()| fs::write(&self.file, &self.hash))
            .map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) -> std::io::Result<()> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash_folder(&path, hasher)?;
        } else {
            path.hash(hasher);
            fs::read(&path)?.hash(hasher);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_is_due_after_a_change_of_its_sources() {
        let folder = tempfile::tempdir().unwrap();
        let sources = folder.path().join("sources");
        fs::create_dir_all(sources.join("inner")).unwrap();
        fs::write(sources.join("inner/a.rs"), "1").unwrap();
        let stamp = || Stamp::in_folder(&folder.path().join("kept"), "step", [sources.clone()].into_iter()).unwrap();
        assert!(!stamp().is_outdated(), "the step never ran here");
        stamp().keep().unwrap();
        assert!(!stamp().is_outdated());
        fs::write(sources.join("inner/a.rs"), "2").unwrap();
        assert!(stamp().is_outdated());
        stamp().keep().unwrap();
        assert!(!stamp().is_outdated());
    }
}
