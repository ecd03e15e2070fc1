//! Files that are written completely or not at all.

use std::fs;
use std::io;
use std::path::Path;

/// Writes to a temporary file and renames it: an interrupted write leaves the old file unchanged. Creates missing
/// directories. On an error the temporary file is removed. Symbolic links are followed; a target that is not a regular
/// file, such as a pipe or a terminal, is written to directly.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::write(path, bytes);
    }
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir)?;
    }
    let partial = path.with_added_extension("partial");
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&partial);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &Path) -> Vec<String> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn missing_directories_are_created_and_old_files_are_replaced() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        let path = dir.join("new/page.html");
        for text in ["a long first page", "second"] {
            write_atomically(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(files(&dir.join("new")), ["page.html"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_followed_and_devices_are_not_replaced() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        fs::write(dir.join("target"), "old").unwrap();
        std::os::unix::fs::symlink("target", dir.join("link")).unwrap();
        write_atomically(&dir.join("link"), b"new").unwrap();
        assert_eq!(fs::read_to_string(dir.join("target")).unwrap(), "new");
        assert!(fs::symlink_metadata(dir.join("link")).unwrap().is_symlink());
        write_atomically(Path::new("/dev/null"), b"page").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    /// The target is a directory.
    #[test]
    fn failed_write_removes_its_temporary_file() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        fs::create_dir_all(dir.join("page.html/precious")).unwrap();
        assert!(write_atomically(&dir.join("page.html"), b"page").is_err());
        assert_eq!(files(dir), ["page.html"]);
        assert_eq!(files(&dir.join("page.html")), ["precious"]);
    }
}
