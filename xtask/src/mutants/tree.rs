//! A copy of the workspace in which mutants are tried, so that the workspace itself stays as it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::hash::hash;
use crate::workspace;

/// The copy, and where it is built.
pub struct Tree {
    /// The copy's root.
    pub root: PathBuf,
    /// What cargo builds of it.
    pub build: PathBuf,
    /// The files in it, from its root.
    files: Vec<String>,
}

impl Tree {
    /// The copy, with what differs from the workspace copied again. Other files keep their times, so they are not compiled again.
    pub fn synchronized() -> Result<Self, String> {
        let folder = workspace::target().join("mutants");
        let (root, build) = (folder.join("tree"), folder.join("build"));
        let files = files()?;
        for file in &files {
            let (from, to) = (workspace::root().join(file), root.join(file));
            let wanted = fs::read(&from).map_err(|error| format!("cannot read {}: {error}", from.display()))?;
            if fs::read(&to).is_ok_and(|known| known == wanted) {
                continue;
            }
            let parent = to.parent().unwrap_or(&root);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&to, wanted));
            written.map_err(|error| format!("cannot write {}: {error}", to.display()))?;
        }
        let tree = Tree { root, build, files };
        tree.remove_others(&tree.root.join("crates"))?;
        Ok(tree)
    }

    /// Removes what the workspace no longer has: a test that is gone must not be run.
    fn remove_others(&self, folder: &Path) -> Result<(), String> {
        let known: BTreeSet<PathBuf> = self.files.iter().map(|file| self.root.join(file)).collect();
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

    pub fn read(&self, file: &str) -> Result<String, String> {
        fs::read_to_string(self.root.join(file)).map_err(|error| format!("cannot read {file}: {error}"))
    }

    pub fn write(&self, file: &str, text: &str) -> Result<(), String> {
        fs::write(self.root.join(file), text).map_err(|error| format!("cannot write {file}: {error}"))
    }

    /// The text of a file, or of all files of a folder, as a number.
    pub fn digest(&self, within: &str) -> u64 {
        let files = self.files.iter().filter(|file| file.starts_with(within));
        // Of the workspace's own files: those of the copy may be mutants.
        let texts = files.map(|file| (file, fs::read(workspace::root().join(file)).unwrap_or_default()));
        texts.fold(0, |digest, (file, text)| hash(hash(digest, file), &String::from_utf8_lossy(&text)))
    }
}

/// The files of the workspace that are kept, or would be.
fn files() -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.current_dir(workspace::root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().map_err(|error| format!("cannot run git: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{}` failed", workspace::spelled(&git)));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    let names = names.split('\0').filter(|name| !name.is_empty() && workspace::root().join(name).is_file());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    Ok(names)
}
