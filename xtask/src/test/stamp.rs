//! Detects changes of a step's sources since its last pass on this machine.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::tree::list_tracked;
use crate::workspace;

/// The state of a step's sources, and the file with the state in which it last passed.
pub struct Stamp {
    file: PathBuf,
    hash: String,
}

impl Stamp {
    /// Reads the sources of a step: what git tracks of these files and folders of the repository.
    pub fn of(step: &str, places: &[&str]) -> Result<Self, String> {
        let names = list_tracked(places)?;
        let sources = names.iter().map(|name| workspace::root_folder().join(name)).filter(|path| path.is_file());
        Self::in_folder(&workspace::target_folder().join("stamps"), step, sources)
    }

    fn in_folder(kept: &Path, step: &str, sources: impl Iterator<Item = PathBuf>) -> Result<Self, String> {
        let mut hasher = DefaultHasher::new();
        for path in sources {
            path.hash(&mut hasher);
            fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?.hash(&mut hasher);
        }
        Ok(Stamp { file: kept.join(step), hash: format!("{:016x}", hasher.finish()) })
    }

    /// Returns true if the step has passed here with other sources. A step that never ran here is run only by the full
    /// lane.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_is_due_after_a_change_of_its_sources() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.rs");
        fs::write(&source, "1").unwrap();
        let stamp = || Stamp::in_folder(&folder.path().join("kept"), "step", [source.clone()].into_iter()).unwrap();
        assert!(!stamp().is_outdated(), "the step never ran here");
        stamp().keep().unwrap();
        assert!(!stamp().is_outdated());
        fs::write(&source, "2").unwrap();
        assert!(stamp().is_outdated());
        stamp().keep().unwrap();
        assert!(!stamp().is_outdated());
    }

    /// The page that a test lane builds into the command's folder does not count as a source.
    #[test]
    fn files_written_by_a_build_are_not_sources() {
        let names = list_tracked(&["crates/cli"]).unwrap();
        assert!(names.contains(&"crates/cli/build.rs".to_owned()));
        assert!(
            names.iter().all(|name| !name.starts_with("crates/cli/bundle/") || !name.ends_with(".gz")),
            "{names:?}"
        );
    }
}
