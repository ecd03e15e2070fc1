//! The repository's files, and copies of these files for tasks that change them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace;

/// Copies the files that git tracks, and removes all others. Unchanged files keep their times, so that cargo compiles
/// only changed ones.
pub fn copy_tracked(tree: &Path) -> Result<(), String> {
    let mut kept = BTreeSet::new();
    for name in list_tracked(&[])? {
        let (from, to) = (workspace::root_folder().join(&name), tree.join(&name));
        // A file that was deleted and not committed yet.
        let Ok(content) = fs::read(&from) else { continue };
        write_file(&to, &content)?;
        kept.insert(to);
    }
    remove_others(tree, &kept)
}

/// Lists the files that git tracks, or would track, in these files and folders of the repository, or in the whole
/// repository. The list is sorted.
pub fn list_tracked(places: &[&str]) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]).args(places);
    let names = workspace::read_output(git.current_dir(workspace::root_folder()))?;
    Ok(names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect())
}

/// Lists all files below a folder, sorted.
pub fn list_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            found.extend(list_files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Removes the files below `folder` that are not `kept`, such as a dummy of an earlier census.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
            // A folder without files could still be a member of the workspace.
            if fs::read_dir(&path).map_err(failed)?.next().is_none() {
                fs::remove_dir(&path).map_err(failed)?;
            }
        } else if !kept.contains(&path) {
            fs::remove_file(&path).map_err(failed)?;
        }
    }
    Ok(())
}

/// Writes a file and its folders, unless the file already has this content.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", path.display());
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failed)?;
    fs::write(path, content).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_removes_files_that_are_not_in_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, stale] = ["a/kept", "a/b/stale"].map(|name| folder.path().join(name));
        [&kept, &stale].into_iter().for_each(|path| write_file(path, b"text").unwrap());
        remove_others(folder.path(), &BTreeSet::from([kept.clone()])).unwrap();
        assert_eq!((kept.exists(), folder.path().join("a/b").exists()), (true, false));
    }
}
