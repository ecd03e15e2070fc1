//! Creation and replacement of result directories.
//!
//! All files are written to `DIR.partial` first, which becomes `DIR` when it is complete: an interrupted run never
//! leaves a partial result that could be mistaken for a complete one. An old result is swapped with the new one in one
//! step and is then removed under the name `DIR.partial`. Two runs never write to one `DIR.partial`: the first one
//! locks it, the second is refused. A directory is replaced, and files of killed runs are removed, only if a run wrote
//! everything in it: the manifest `.lasthop` lists the files, and plots may be in `plots/`; of a capture `NAME.pcapng`
//! in the list also in `NAME.plots/`, and its page `NAME.html`. The manifest is removed last, so that a directory whose
//! removal was interrupted is still recognized.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::run_error::RunError;
use crate::swap::swap_paths;
use observe::output;

/// The manifest: the scenario's file, and the list of files that the run wrote. In an unfinished directory the manifest
/// is empty, and locked by the run.
const MANIFEST: &str = ".lasthop";
/// Files in every result.
const EVERY_RESULT: [&str; 2] = ["scenario.toml", "summary.json"];
/// Number of restarts of a run after another run has removed its new directory.
const BEGINNINGS: u32 = 100;
/// The directory of plots made by `lasthop plot`.
const PLOTS: &str = "plots";
/// File name ending of a capture.
const CAPTURE_ENDING: &str = ".pcapng";
/// Name ending of the directory of plots made from a capture.
const PLOTS_ENDING: &str = ".plots";
/// File name ending of the page made from a capture.
const PAGE_ENDING: &str = ".html";
/// Prefix of the manifest's line with the scenario's file. No file of a result has such a name.
const ORIGIN: &str = "# from ";

/// The file that identifies the result of an emulation with real hosts, which no simulation can repeat.
pub const EMULATION: &str = "emulation.json";

/// The file that identifies the directory of a comparison with real hosts, which has a result for each run.
pub const COMPARISON: &str = "comparison.json";

/// A result directory in progress. Removed if it is dropped before it is complete.
pub struct PartialResult {
    pub(crate) dir: PathBuf,
    target: PathBuf,
    complete: bool,
    /// Locks on the manifests of the new and of the replaced directory: readers of either see that a run is in
    /// progress.
    _locks: (File, Option<File>),
}

impl PartialResult {
    /// The directory to write to until the result is complete.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Starts a result for `target`, or for the target of the symbolic link.
    ///
    /// # Errors
    /// Another run writes there, the directory cannot be created, or an existing directory has files not written by a
    /// run.
    pub fn create(target: &Path) -> Result<Self, RunError> {
        let target = follow_links(target);
        let dir = sibling_path(&target, "partial");
        if is_being_replaced(&target) {
            return Err(RunError::Busy(target));
        }
        check_replaceable(&target, false)?;
        let leftover = clear_unfinished(&dir)?;
        recover_result(&target, &dir)?;
        let unwritable = |source| RunError::Unwritable { path: dir.clone(), source };
        // The directory appears with its manifest locked. Of two simultaneous runs, one finds the directory in use.
        let unseen = sibling_path(&dir, &std::process::id().to_string());
        for tries_left in (0..BEGINNINGS).rev() {
            let begun = fs::create_dir_all(&unseen).and_then(|()| File::create(unseen.join(MANIFEST)));
            let begun = begun.and_then(|lock| {
                // On a file system without locks, two simultaneous runs are not detected.
                let _ = lock.try_lock();
                fs::rename(&unseen, &dir)?;
                Ok(lock)
            });
            match begun {
                Ok(lock) => return Ok(PartialResult { dir, target, complete: false, _locks: (lock, leftover) }),
                // Another run mistook this directory for one of a killed run.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries_left > 0 && !dir.exists() => {}
                Err(source) => {
                    let _ = remove_result(&unseen);
                    return Err(if dir.exists() { RunError::Busy(dir) } else { unwritable(source) });
                }
            }
        }
        Err(RunError::Busy(dir))
    }

    /// Writes a file, which is on disk when the function returns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.dir.join(name);
        let written = fs::File::create(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(|source| RunError::Unwritable { path, source })
    }

    /// Replaces any previous result, and returns whether there was one. `files` were written in addition to the files
    /// that every result has; the scenario's file is `origin`.
    ///
    /// # Errors
    /// Files appeared in the old result that no run wrote, or the directories cannot be exchanged.
    pub fn complete(mut self, files: &[String], origin: &str) -> Result<bool, RunError> {
        let manifest: String = files
            .iter()
            .map(String::as_str)
            .chain(EVERY_RESULT)
            .fold(format!("{ORIGIN}{origin}\n"), |all, name| all + name + "\n");
        self.write(MANIFEST, manifest.as_bytes())?;
        let target = &self.target;
        let unwritable = |source| RunError::Unwritable { path: target.clone(), source };
        let replaces = target.join(MANIFEST).exists();
        if target.exists() {
            // Files may have been added since the run began.
            check_replaceable(target, false)?;
            // The lock is held until the old result is removed. Another run that finds the old result as `DIR.partial`
            // is refused.
            let old = File::open(target.join(MANIFEST)).ok();
            let _ = old.as_ref().map(File::lock);
            swap_paths(&self.dir, target, &sibling_path(&self.dir, "old")).map_err(unwritable)?;
            self.complete = true;
            remove_result(&self.dir).map_err(|source| RunError::Unwritable { path: self.dir.clone(), source })?;
        } else {
            fs::rename(&self.dir, target).map_err(unwritable)?;
            self.complete = true;
        }
        Ok(replaces)
    }
}

impl Drop for PartialResult {
    fn drop(&mut self) {
        if !self.complete {
            let _ = remove_result(&self.dir);
        }
    }
}

/// Removes a directory, its manifest last.
fn remove_result(dir: &Path) -> io::Result<()> {
    // A file that another program has just removed counts as removed.
    let gone = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name() != MANIFEST {
            let is_dir = entry.file_type()?.is_dir();
            gone(if is_dir { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) })?;
        }
    }
    gone(fs::remove_file(dir.join(MANIFEST)))?;
    gone(fs::remove_dir(dir))
}

/// Whether another run has just put its result into `target` and is still removing the old one.
fn is_being_replaced(target: &Path) -> bool {
    File::open(target.join(MANIFEST)).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Restores the result in `dir` after a run was killed on a file system that cannot swap two directories, and removes
/// the unfinished directories of killed runs.
fn recover_result(target: &Path, dir: &Path) -> Result<(), RunError> {
    let unwritable = |path: &Path, source| RunError::Unwritable { path: path.to_owned(), source };
    let old = sibling_path(dir, "old");
    if old.exists() {
        if target.exists() {
            check_replaceable(&old, true)?;
            remove_result(&old).map_err(|source| unwritable(&old, source))?;
        } else {
            fs::rename(&old, target).map_err(|source| unwritable(target, source))?;
        }
    }
    let Some(name) = dir.file_name().map(|name| name.to_string_lossy().into_owned() + ".") else { return Ok(()) };
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let entry_name = entry.file_name();
        let number = entry_name.to_str().and_then(|entry| entry.strip_prefix(name.as_str()));
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            // A run that has just started holds the lock, or the run restarts; directories not written by a run are
            // kept.
            let _ = clear_unfinished(&entry.path());
        }
    }
    Ok(())
}

/// Whether a run wrote everything in `dir`, if it exists; an `unfinished` directory may contain any files.
fn check_replaceable(dir: &Path, unfinished: bool) -> Result<(), RunError> {
    let foreign = |found: &str| RunError::NotOurs { dir: dir.to_owned(), found: found.to_owned() };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(RunError::Unwritable { path: dir.to_owned(), source }),
    };
    let names: Vec<String> = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let Some(first) = names.first() else { return Ok(()) };
    let manifest = match fs::read_to_string(dir.join(MANIFEST)) {
        Ok(manifest) if unfinished && manifest.is_empty() => return Ok(()),
        Ok(manifest) => Some(manifest),
        // Earlier versions did not remove the manifest last.
        Err(_) if unfinished => None,
        Err(_) => return Err(foreign(first)),
    };
    let written = |name: &&String| match &manifest {
        Some(manifest) => name.as_str() == MANIFEST || manifest.lines().any(|line| line == name.as_str()),
        None => EVERY_RESULT.contains(&name.as_str()) || output::is_file_name(name),
    };
    // The output of `plot` and `report` for a capture.
    let of_capture = |name: &str, ending: &str| {
        let capture = name.strip_suffix(ending).map(|stem| format!("{stem}{CAPTURE_ENDING}"));
        capture.is_some_and(|capture| written(&&capture))
    };
    let is_plots = |name: &&String| name.as_str() == PLOTS || of_capture(name, PLOTS_ENDING);
    let is_page = |name: &str| of_capture(name, PAGE_ENDING) && is_report(&dir.join(name));
    if let Some(found) = names.iter().find(|name| !written(name) && !is_plots(name) && !is_page(name)) {
        return Err(foreign(found));
    }
    names.iter().filter(is_plots).try_for_each(|plots| match no_picture(&dir.join(plots))? {
        Some(name) => Err(foreign(&format!("{plots}/{name}"))),
        None => Ok(()),
    })
}

/// Whether a page names a report as its generator.
fn is_report(path: &Path) -> bool {
    let mut head = String::new();
    let read = File::open(path).and_then(|file| file.take(REPORT_HEAD).read_to_string(&mut head));
    read.is_ok() && head.contains("name=\"generator\" content=\"lasthop ")
}

/// Number of bytes at the start of a page in which its generator is named.
const REPORT_HEAD: u64 = 1024;

/// A file in a directory of plots that is not a picture, if any.
fn no_picture(dir: &Path) -> Result<Option<String>, RunError> {
    let picture = |name: &str| name.ends_with(".svg") || name.ends_with(".png");
    let plots = fs::read_dir(dir).map_err(|source| RunError::Unwritable { path: dir.to_owned(), source })?;
    let mut plots = plots.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(plots.find(|name| !picture(name)))
}

/// Removes the directory of a killed run and returns its lock; a run in progress holds the lock.
fn clear_unfinished(dir: &Path) -> Result<Option<File>, RunError> {
    let lock = File::open(dir.join(MANIFEST)).ok();
    if lock.as_ref().is_some_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock))) {
        return Err(RunError::Busy(dir.to_owned()));
    }
    check_replaceable(dir, true)?;
    let removed = match (&lock, fs::remove_dir(dir)) {
        // The directory has no manifest. An earlier version left it, unless another run has started there in the
        // meantime.
        (None, Err(error)) if error.kind() == io::ErrorKind::DirectoryNotEmpty && dir.join(MANIFEST).exists() => {
            Err(error)
        }
        (_, Err(error)) if error.kind() == io::ErrorKind::DirectoryNotEmpty => remove_result(dir),
        (_, removed) => removed,
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Err(RunError::Busy(dir.to_owned())),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(RunError::Unwritable { path: dir.to_owned(), source: error })
        }
        _ => Ok(lock),
    }
}

/// The scenario's file from which the result in `dir` was made, in the form of [`format_origin`].
pub(crate) fn origin_of(dir: &Path) -> Option<String> {
    let manifest = fs::read_to_string(dir.join(MANIFEST)).ok()?;
    Some(manifest.lines().next()?.strip_prefix(ORIGIN)?.to_owned())
}

/// Formats the scenario's file as the manifest names it: relative to the working directory, on one line.
pub fn format_origin(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let file = file.strip_prefix(here).unwrap_or(file);
    let plain: PathBuf = file.components().filter(|part| *part != Component::CurDir).collect();
    format!("{plain:?}")
}

/// The target of the symbolic link `path`: a result replaces the target, not the link.
fn follow_links(path: &Path) -> PathBuf {
    // Components have no trailing slash, which would prevent appending.
    let mut path: PathBuf = path.components().collect();
    // Limit of Linux; a longer chain fails on use.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link).components().collect();
    }
    path
}

fn sibling_path(target: &Path, ending: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
