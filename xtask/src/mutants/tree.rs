//! A copy of the workspace in which mutants are tested. The workspace itself is not changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::hash::hash_text;
use crate::tree::list_tracked;
use crate::workspace;

/// Returns the folder of all files of this command.
pub fn mutants_folder() -> PathBuf {
    workspace::target_folder().join("mutants")
}

/// The files of the workspace at the start of the command.
pub struct Sources(BTreeMap<String, Vec<u8>>);

impl Sources {
    pub fn read() -> Result<Self, String> {
        let read = |name: String| {
            let text = fs::read(workspace::root_folder().join(&name))
                .map_err(|error| format!("cannot read {name}: {error}"))?;
            Ok((name, text))
        };
        list_tracked(&[])?
            .into_iter()
            .filter(|name| workspace::root_folder().join(name).is_file())
            .map(read)
            .collect::<Result<_, _>>()
            .map(Sources)
    }

    /// Returns a digest of a file, or of all files of a folder.
    pub fn digest(&self, within: &str) -> u64 {
        let files = self.0.iter().filter(|(file, _)| file.starts_with(within));
        files.fold(0, |digest, (file, text)| hash_text(hash_text(digest, file), &String::from_utf8_lossy(text)))
    }

    fn text(&self, file: &str) -> Result<&str, String> {
        let text = self.0.get(file).ok_or_else(|| format!("found no file {file} in the workspace"))?;
        str::from_utf8(text).map_err(|error| format!("{file}: {error}"))
    }
}

/// The copy and its build folder, locked against other processes while this value exists.
pub struct Tree<'a> {
    /// Root of the copy.
    pub root: PathBuf,
    /// Build folder of cargo for the copy.
    pub build: PathBuf,
    sources: &'a Sources,
    _lock: File,
}

impl<'a> Tree<'a> {
    /// Updates the copy from the workspace. Unchanged files keep their modification times, so that cargo does not
    /// rebuild them.
    pub fn synchronize(sources: &'a Sources) -> Result<Self, String> {
        let (root, build) = (mutants_folder().join("tree"), mutants_folder().join("build"));
        let tree = Tree { root, build, sources, _lock: lock_folder(&mutants_folder())? };
        for (file, wanted) in &sources.0 {
            let to = tree.root.join(file);
            if fs::read(&to).is_ok_and(|known| known == *wanted) {
                continue;
            }
            let parent = to.parent().unwrap_or(&tree.root);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&to, wanted));
            written.map_err(|error| format!("cannot write {}: {error}", to.display()))?;
        }
        tree.remove_others(&tree.root.join("crates"))?;
        Ok(tree)
    }

    /// Removes files that the workspace no longer has: a deleted test must not be run.
    fn remove_others(&self, folder: &Path) -> Result<(), String> {
        let known: BTreeSet<PathBuf> = self.sources.0.keys().map(|file| self.root.join(file)).collect();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries =
                fs::read_dir(&folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if !known.contains(&path) {
                    fs::remove_file(&path).map_err(|error| format!("cannot remove {}: {error}", path.display()))?;
                }
            }
        }
        Ok(())
    }

    /// Returns the text of a file in the workspace.
    pub fn original(&self, file: &str) -> Result<&'a str, String> {
        self.sources.text(file)
    }

    /// Writes a file of the copy if its text differs: cargo rebuilds by modification time.
    pub fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.root.join(file);
        if fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
            return Ok(());
        }
        fs::write(path, text).map_err(|error| format!("cannot write {file}: {error}"))
    }

    /// Restores a file of the copy to the workspace's text.
    pub fn restore(&self, file: &str) -> Result<(), String> {
        self.write(file, self.original(file)?)
    }
}

/// Locks a folder until the returned file is closed.
fn lock_folder(folder: &Path) -> Result<File, String> {
    let path = folder.join("lock");
    let opened = fs::create_dir_all(folder).and_then(|()| File::create(&path));
    let file = opened.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(format!("another `cargo xtask mutants` runs in {}: wait until it has ended", folder.display()))
        }
        Err(TryLockError::Error(error)) => Err(format!("cannot lock {}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_lock_is_exclusive_until_released() {
        let folder = tempfile::tempdir().unwrap();
        let first = lock_folder(folder.path()).unwrap();
        assert!(lock_folder(folder.path()).unwrap_err().contains("another `cargo xtask mutants` runs in"));
        drop(first);
        lock_folder(folder.path()).unwrap();
    }
}
