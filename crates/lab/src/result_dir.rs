//! A result directory in the making.
//!
//! Everything is written to `DIR.partial` first and becomes `DIR` only when it is whole, so whatever interrupts a run,
//! no half-written result can be taken for a whole one. A directory is replaced, and leftovers are removed, only if a
//! run wrote everything in it: `.lasthop` lists the files, and pictures may stand in `plots/`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::run::RunError;

/// The list of the files that a run wrote; in an unfinished directory, empty.
const MANIFEST: &str = ".lasthop";
/// Where `lasthop plot` puts pictures.
const PLOTS: &str = "plots";

/// Dropped before it is complete, it leaves nothing behind.
pub(crate) struct Partial {
    /// Where to write until then.
    pub dir: PathBuf,
    complete: bool,
}

impl Partial {
    /// Begins a result that is to become `target`.
    pub fn create(target: &Path) -> Result<Self, RunError> {
        let dir = beside(target, "partial");
        replaceable(target, false)?;
        // What an earlier run left when it was killed.
        replaceable(&dir, true)?;
        let unwritable = |source| RunError::Unwritable { path: dir.clone(), source };
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(unwritable)?;
        }
        fs::create_dir_all(&dir).map_err(unwritable)?;
        let partial = Partial { dir, complete: false };
        partial.write(MANIFEST, b"")?;
        Ok(partial)
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

    /// Takes the place of whatever result was there. `files` were written beside those every result has.
    pub fn complete(mut self, target: &Path, files: &[String]) -> Result<(), RunError> {
        let manifest: String = files
            .iter()
            .map(String::as_str)
            .chain(["scenario.toml", "summary.json"])
            .fold(String::new(), |all, name| all + name + "\n");
        self.write(MANIFEST, manifest.as_bytes())?;
        let unwritable = |source| RunError::Unwritable { path: target.to_owned(), source };
        if target.exists() {
            let old = beside(target, "old");
            replaceable(&old, false)?;
            if old.exists() {
                fs::remove_dir_all(&old).map_err(unwritable)?;
            }
            fs::rename(target, &old).map_err(unwritable)?;
            fs::rename(&self.dir, target).map_err(unwritable)?;
            fs::remove_dir_all(&old).map_err(unwritable)?;
        } else {
            fs::rename(&self.dir, target).map_err(unwritable)?;
        }
        self.complete = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.complete {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
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
    let manifest = fs::read_to_string(dir.join(MANIFEST)).map_err(|_| foreign(first))?;
    if unfinished && manifest.is_empty() {
        return Ok(());
    }
    let written = |name: &&String| name.as_str() == MANIFEST || manifest.lines().any(|line| line == name.as_str());
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

fn beside(target: &Path, ending: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
