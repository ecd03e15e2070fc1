//! The files of an export, replaced as a set: all files show the same state of the store, or all old files are kept.
//!
//! The files are written to `DIR.partial` first. If `DIR` does not exist or holds only files of an export, the two
//! directories are swapped in one step. Otherwise, for example if a user keeps other files there, the old files are
//! removed first and the new ones are moved one by one: a crash during this step leaves files missing, but never mixes
//! files of two states.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{ExportFormat, ExportTable, FORMATS, Writer, tables};
use crate::figures::MetricFigure;
use crate::swap::swap_paths;

/// The path of a failed operation and its error.
type Failed = (PathBuf, io::Error);

/// Writes every table, and the figures, in each of these formats into `dir`, which is created if it is missing, and
/// returns the files. Files of other formats are kept.
pub(super) fn write_export_set(
    tables: &[ExportTable],
    figures: &[MetricFigure<'_>],
    formats: &[&ExportFormat],
    dir: &Path,
) -> Result<Vec<PathBuf>, Failed> {
    let target = fs::canonicalize(dir).unwrap_or_else(|_| dir.components().collect());
    let staging = Staging::create(&target)?;
    let mut names = Vec::new();
    let mut file = |stem: &str, format: &ExportFormat, bytes: io::Result<Vec<u8>>| {
        let name = format!("{stem}.{}", format.extension);
        let written = bytes.and_then(|bytes| fs::write(staging.dir.join(&name), bytes));
        written.map_err(|error| (dir.join(&name), error))?;
        names.push(name);
        Ok(())
    };
    for table in tables {
        for format in formats {
            if let Writer::Table(write) = format.writer {
                file(table.name, format, write(table))?;
            }
        }
    }
    for format in formats {
        if let Writer::Figures(write) = format.writer {
            file("summary", format, Ok(write(figures).into_bytes()))?;
        }
    }
    install_exports(&staging.dir, &target, formats, &names).map_err(|error| (dir.to_owned(), error))?;
    Ok(names.into_iter().map(|name| dir.join(name)).collect())
}

/// The temporary directory of an export; removed on drop.
struct Staging {
    dir: PathBuf,
    /// Lock while the export runs, so that a second export is refused.
    _lock: Option<File>,
}

impl Staging {
    fn create(target: &Path) -> Result<Self, Failed> {
        if fs::metadata(target).is_ok_and(|there| !there.is_dir()) {
            return Err((target.to_owned(), io::ErrorKind::NotADirectory.into()));
        }
        let mut beside = target.as_os_str().to_owned();
        beside.push(".partial");
        // If no directory can be created next to `target`, the temporary directory is created inside it.
        Self::at(PathBuf::from(beside)).or_else(|failed| Self::at(target.join(".partial")).map_err(|_| failed))
    }

    fn at(dir: PathBuf) -> Result<Self, Failed> {
        let made = || -> io::Result<Option<File>> {
            if dir.exists() {
                // Left by a killed export, or in use by a running one.
                let lock = File::open(&dir)?;
                if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
                    let why = "another export is writing here";
                    return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
                }
                remove_export_directory(&dir)?;
            }
            fs::create_dir_all(dir.parent().unwrap_or(Path::new("")))?;
            fs::create_dir(&dir)?;
            // Some systems cannot open directories; there, two simultaneous exports are not detected.
            Ok(File::open(&dir).ok().filter(|lock| lock.try_lock().is_ok()))
        };
        match made() {
            Ok(lock) => Ok(Staging { dir, _lock: lock }),
            Err(error) => Err((dir, error)),
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Files from other sources are kept, and their directory is kept too.
        let _ = remove_export_directory(&self.dir);
    }
}

/// Removes a directory, unless it contains a file that no export wrote.
fn remove_export_directory(dir: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?.collect::<io::Result<Vec<_>>>()?,
    };
    if entries.iter().all(|entry| format_of(&entry.file_name().to_string_lossy()).is_some()) {
        entries.iter().try_for_each(|entry| fs::remove_file(entry.path()))?;
    }
    fs::remove_dir(dir)
}

/// The format of an exported file, from its name.
fn format_of(name: &str) -> Option<&'static ExportFormat> {
    let (stem, ending) = name.split_once('.')?;
    FORMATS.iter().find(|format| format.extension == ending && tables::NAMES.contains(&stem))
}

/// Moves the files in `new` into `target`, in place of its files of the given formats.
fn install_exports(new: &Path, target: &Path, formats: &[&ExportFormat], names: &[String]) -> io::Result<()> {
    let old = match fs::read_dir(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return fs::rename(new, target),
        entries => entries?.collect::<io::Result<Vec<_>>>()?,
    };
    let replaced = |name: &str| format_of(name).is_some_and(|of| formats.iter().any(|format| format.name == of.name));
    let old: Vec<(PathBuf, String)> =
        old.iter().map(|entry| (entry.path(), entry.file_name().to_string_lossy().into_owned())).collect();
    let plain = |path: &Path| fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    let only_ours = old.iter().all(|(path, name)| format_of(name).is_some() && plain(path));
    let here = std::env::current_dir().and_then(fs::canonicalize).is_ok_and(|here| here == target);
    if only_ours && !here && !new.starts_with(target) {
        // Both directories contain the files of other formats for a moment.
        let mut kept = old.iter().filter(|(_, name)| !replaced(name));
        let together = kept.all(|(path, name)| fs::hard_link(path, new.join(name)).is_ok());
        let mut aside = new.as_os_str().to_owned();
        aside.push(".old");
        if together && swap_paths(new, target, Path::new(&aside)).is_ok() {
            return Ok(());
        }
    }
    for (path, _) in old.iter().filter(|(_, name)| replaced(name)) {
        fs::remove_file(path)?;
    }
    names.iter().try_for_each(|name| fs::rename(new.join(name), target.join(name)))
}

#[cfg(test)]
mod tests {
    use super::super::{ColumnData, ExportColumn};
    use super::*;

    fn tables(value: i64) -> Vec<ExportTable> {
        let column = || ExportColumn {
            name: "n".into(),
            unit: String::new(),
            definition: String::new(),
            data: ColumnData::Integers(vec![value]),
        };
        ["flows", "links", "summary"].map(|name| ExportTable { name, columns: vec![column()] }).into()
    }

    fn formats(names: &[&str]) -> Vec<&'static ExportFormat> {
        FORMATS.iter().filter(|format| names.contains(&format.name)).collect()
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn export_replaces_the_previous_files_of_its_format() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("new/out");
        write_export_set(&tables(1), &[], &formats(&["csv", "json"]), &out).unwrap();
        // A table that the store no longer contains.
        fs::write(out.join("media.csv"), "n\n1\n").unwrap();
        let paths = write_export_set(&tables(2), &[], &formats(&["csv"]), &out).unwrap();
        assert_eq!(paths, ["flows.csv", "links.csv", "summary.csv"].map(|name| out.join(name)));
        assert_eq!(names(&out), ["flows.csv", "flows.json", "links.csv", "links.json", "summary.csv", "summary.json"]);
        assert!(paths.iter().all(|path| fs::read_to_string(path).unwrap() == "n\n2\n"));
        assert_eq!(names(&scratch.path().join("new")), ["out"]);
    }

    #[test]
    fn files_of_other_origin_are_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("out");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("thesis.tex"), "years of work").unwrap();
        fs::write(out.join("media.csv"), "n\n1\n").unwrap();
        write_export_set(&tables(1), &[], &formats(&["csv"]), &out).unwrap();
        assert_eq!(names(&out), ["flows.csv", "links.csv", "summary.csv", "thesis.tex"]);
        assert_eq!(names(scratch.path()), ["out"]);
    }

    /// A table that cannot be written leaves the old files unchanged.
    #[test]
    fn failed_export_changes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("out");
        write_export_set(&tables(1), &[], &formats(&["csv"]), &out).unwrap();
        let fails = ExportFormat {
            name: "json",
            summary: "",
            extension: "json",
            writer: Writer::Table(|_| Err(io::ErrorKind::StorageFull.into())),
        };
        let mut both = formats(&["csv"]);
        both.push(&fails);
        let (path, _) = write_export_set(&tables(2), &[], &both, &out).unwrap_err();
        assert_eq!(path, out.join("flows.json"));
        assert_eq!(names(&out), ["flows.csv", "links.csv", "summary.csv"]);
        assert_eq!(fs::read_to_string(out.join("flows.csv")).unwrap(), "n\n1\n");
        assert_eq!(names(scratch.path()), ["out"]);
    }

    /// Files left by a killed export are removed. Other files are kept.
    #[test]
    fn files_of_a_killed_export_are_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let [out, left] = ["out", "out.partial"].map(|name| scratch.path().join(name));
        fs::create_dir(&left).unwrap();
        fs::write(left.join("flows.csv"), "half").unwrap();
        write_export_set(&tables(1), &[], &formats(&["csv"]), &out).unwrap();
        assert_eq!(names(scratch.path()), ["out"]);
        fs::create_dir(&left).unwrap();
        fs::write(left.join("thesis.tex"), "years of work").unwrap();
        write_export_set(&tables(2), &[], &formats(&["csv"]), &out).unwrap();
        assert_eq!(names(&left), ["thesis.tex"]);
        assert_eq!(names(&out), ["flows.csv", "links.csv", "summary.csv"]);
        assert_eq!(fs::read_to_string(out.join("flows.csv")).unwrap(), "n\n2\n");
    }
}
