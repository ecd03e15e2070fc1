//! Reads scenarios from the local file system.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use scenario::problem::Problem;

pub use scenario::load::{Loaded, Overrides, Source, to_toml};

use crate::disk::Disk;

/// Reads and checks a TOML scenario, a `datafile.dat` of the thesis, or the scenario of a result directory.
///
/// # Errors
/// All problems of the scenario.
pub fn load_from_disk(path: &Path, overrides: &Overrides) -> Result<Loaded, Vec<Problem>> {
    scenario::load::load_scenario(Rc::new(Disk), path, overrides)
}

/// Reads a scenario like [`load_from_disk`], but does not check it.
///
/// # Errors
/// The errors in the text.
pub fn open_from_disk(path: &Path, overrides: &Overrides) -> Result<Source, Vec<Problem>> {
    Source::open(Rc::new(Disk), path, overrides)
}

/// Parses the scenario in `text` as if it had been read from `file`; recordings are relative to `file`.
///
/// # Errors
/// The errors in the text.
pub fn of_text(stem: String, file: PathBuf, text: &[u8], overrides: &Overrides) -> Result<Source, Vec<Problem>> {
    Source::of_text(Rc::new(Disk), stem, file, text, overrides)
}
