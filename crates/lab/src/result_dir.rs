//! A result directory in the making.
//!
//! Everything is written to `DIR.partial` first and becomes `DIR` only when it is whole, so whatever interrupts a run,
//! no half-written result can be taken for a whole one. A result that is replaced changes places with the new one in
//! one step, and is then removed under the name `DIR.partial`. Two runs never write to one `DIR.partial`: the first
//! locks it, the second is refused. A directory is replaced, and leftovers are removed, only if a run wrote everything
//! in it: `.lasthop` lists the files, and pictures may stand in `plots/`. That list is removed last, so that a
//! directory whose removal was interrupted is still recognized.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use crate::run_error::RunError;
use crate::swap::swap;
use observe::output;

/// The list of the files that a run wrote, and of what; in an unfinished directory, empty, and locked by the run.
const MANIFEST: &str = ".lasthop";
/// The files that every result has.
const EVERY_RESULT: [&str; 2] = ["scenario.toml", "summary.json"];
/// How often a run begins again whose beginning another one removed.
const BEGINNINGS: u32 = 100;
/// Where `lasthop plot` puts pictures.
const PLOTS: &str = "plots";
/// Begins the manifest's line about the scenario's file; no file of a result is called so.
const ORIGIN: &str = "# from ";

/// Dropped before it is complete, it leaves nothing behind.
pub(crate) struct Partial {
    /// Where to write until then.
    pub dir: PathBuf,
    target: PathBuf,
    complete: bool,
    /// Its own lock, and that of the directory it replaces: a reader of either manifest sees that a run is in progress.
    _locks: (File, Option<File>),
}

impl Partial {
    /// Begins a result that is to become `target`, or what `target` links to.
    pub fn create(target: &Path) -> Result<Self, RunError> {
        let target = followed(target);
        let dir = beside(&target, "partial");
        if replacing(&target) {
            return Err(RunError::Busy(target));
        }
        replaceable(&target, false)?;
        let leftover = clear(&dir)?;
        recover(&target, &dir)?;
        let unwritable = |source| RunError::Unwritable { path: dir.clone(), source };
        // It appears with its manifest locked: of two that begin at once, one finds the place taken.
        let unseen = beside(&dir, &std::process::id().to_string());
        for tries_left in (0..BEGINNINGS).rev() {
            let begun = fs::create_dir_all(&unseen).and_then(|()| File::create(unseen.join(MANIFEST)));
            let begun = begun.and_then(|lock| {
                // Where files cannot be locked, two runs at once are not noticed.
                let _ = lock.try_lock();
                fs::rename(&unseen, &dir)?;
                Ok(lock)
            });
            match begun {
                Ok(lock) => return Ok(Partial { dir, target, complete: false, _locks: (lock, leftover) }),
                // Another run took this one's beginning for a leftover.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries_left > 0 && !dir.exists() => {}
                Err(source) => {
                    let _ = remove(&unseen);
                    return Err(if dir.exists() { RunError::Busy(dir) } else { unwritable(source) });
                }
            }
        }
        Err(RunError::Busy(dir))
    }

    /// Writes a file; it is on disk when this returns.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.dir.join(name);
        let written = fs::File::create(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(|source| RunError::Unwritable { path, source })
    }

    /// Takes the place of whatever result was there, and says whether there was one. `files` were written beside those
    /// every result has; the scenario's file is `origin`.
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
            // Since the run began, something may have been put there.
            replaceable(target, false)?;
            // Held until the old result is gone: another run that finds it as `DIR.partial` is refused, as before.
            let old = File::open(target.join(MANIFEST)).ok();
            let _ = old.as_ref().map(File::lock);
            swap(&self.dir, target, &beside(&self.dir, "old")).map_err(unwritable)?;
            self.complete = true;
            remove(&self.dir).map_err(|source| RunError::Unwritable { path: self.dir.clone(), source })?;
        } else {
            fs::rename(&self.dir, target).map_err(unwritable)?;
            self.complete = true;
        }
        Ok(replaces)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.complete {
            let _ = remove(&self.dir);
        }
    }
}

/// Removes a directory, its manifest last.
fn remove(dir: &Path) -> io::Result<()> {
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

/// Whether a run has just put its result into `target` and still removes the one it replaced.
fn replacing(target: &Path) -> bool {
    File::open(target.join(MANIFEST)).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Mends what a run left that was killed, beside its `dir`, where the file system cannot swap two directories; and
/// removes the beginnings of runs that were killed before they had a `dir`.
fn recover(target: &Path, dir: &Path) -> Result<(), RunError> {
    let unwritable = |path: &Path, source| RunError::Unwritable { path: path.to_owned(), source };
    let old = beside(dir, "old");
    if old.exists() {
        if target.exists() {
            replaceable(&old, true)?;
            remove(&old).map_err(|source| unwritable(&old, source))?;
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
            // A run that has just begun holds its lock, or begins once more; what is not a run's is left alone.
            let _ = clear(&entry.path());
        }
    }
    Ok(())
}

/// Whether everything in `dir`, if it exists, was written by a run; of an `unfinished` one any file may be.
fn replaceable(dir: &Path, unfinished: bool) -> Result<(), RunError> {
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
    match names.iter().find(|name| !written(name) && name.as_str() != PLOTS) {
        Some(found) => return Err(foreign(found)),
        None if !names.iter().any(|name| name == PLOTS) => return Ok(()),
        None => {}
    }
    let picture = |name: &str| name.ends_with(".svg") || name.ends_with(".png");
    let plots =
        fs::read_dir(dir.join(PLOTS)).map_err(|source| RunError::Unwritable { path: dir.join(PLOTS), source })?;
    let mut plots = plots.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    plots.find(|name| !picture(name)).map_or(Ok(()), |name| Err(foreign(&format!("{PLOTS}/{name}"))))
}

/// Removes what a run left that was killed. Gives its lock; a run that goes on holds it.
fn clear(dir: &Path) -> Result<Option<File>, RunError> {
    let lock = File::open(dir.join(MANIFEST)).ok();
    if lock.as_ref().is_some_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock))) {
        return Err(RunError::Busy(dir.to_owned()));
    }
    replaceable(dir, true)?;
    let removed = match (&lock, fs::remove_dir(dir)) {
        // Without a manifest: left by an earlier version, unless by now another run has begun there.
        (None, Err(error)) if error.kind() == io::ErrorKind::DirectoryNotEmpty && dir.join(MANIFEST).exists() => {
            Err(error)
        }
        (_, Err(error)) if error.kind() == io::ErrorKind::DirectoryNotEmpty => remove(dir),
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

/// Of which scenario's file the result in `dir` was made, as [`origin`] has it.
pub(crate) fn origin_of(dir: &Path) -> Option<String> {
    let manifest = fs::read_to_string(dir.join(MANIFEST)).ok()?;
    Some(manifest.lines().next()?.strip_prefix(ORIGIN)?.to_owned())
}

/// How a result names the scenario's file: as seen from here, in one line.
pub(crate) fn origin(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let file = file.strip_prefix(here).unwrap_or(file);
    let plain: PathBuf = file.components().filter(|part| *part != Component::CurDir).collect();
    format!("{plain:?}")
}

/// Where `path` leads: a result is written through a symbolic link, not in its place.
fn followed(path: &Path) -> PathBuf {
    // Components know no trailing slash, behind which nothing could be appended.
    let mut path: PathBuf = path.components().collect();
    // As many as Linux follows; a longer chain fails where it is used.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link).components().collect();
    }
    path
}

fn beside(target: &Path, ending: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
