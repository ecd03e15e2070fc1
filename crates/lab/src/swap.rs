//! Swaps two directories or files.

use std::fs;
use std::io;
use std::path::Path;

/// Swaps `one` and `other`, which must both exist. On Linux and macOS, with most file systems, the swap is one step, so
/// that neither is missing at any moment. Otherwise the swap consists of three renames over `aside`, which must not
/// exist.
pub(crate) fn swap_paths(one: &Path, other: &Path, aside: &Path) -> io::Result<()> {
    at_once(one, other).or_else(|_| by_renames(one, other, aside))
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn at_once(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn at_once(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn by_renames(one: &Path, other: &Path, aside: &Path) -> io::Result<()> {
    fs::rename(other, aside)?;
    if let Err(error) = fs::rename(one, other) {
        fs::rename(aside, other)?;
        return Err(error);
    }
    fs::rename(aside, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test covers both implementations. Neither leaves a file under the temporary name.
    #[test]
    fn directories_are_swapped() {
        for swap in [swap_paths, by_renames] {
            let dir = tempfile::tempdir().unwrap();
            let [one, other, aside] = ["one", "other", "aside"].map(|name| dir.path().join(name));
            for (folder, text) in [(&one, "1"), (&other, "2")] {
                fs::create_dir(folder).unwrap();
                fs::write(folder.join("text"), text).unwrap();
            }
            swap(&one, &other, &aside).unwrap();
            assert_eq!(fs::read_to_string(one.join("text")).unwrap(), "2");
            assert_eq!(fs::read_to_string(other.join("text")).unwrap(), "1");
            assert!(!aside.exists());
        }
    }

    #[test]
    fn failed_swap_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other, aside] = ["one", "other", "aside"].map(|name| dir.path().join(name));
        fs::create_dir(&other).unwrap();
        assert!(swap_paths(&one, &other, &aside).is_err());
        assert!(other.exists() && !one.exists() && !aside.exists());
    }
}
