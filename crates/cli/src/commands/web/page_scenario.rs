//! The scenario that the page opens, with its text, the files that it names, and the changes of the command line.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use lab::disk::Disk;
use lab::load::Source;
use scenario::Files;
use scenario::problem::Problem;
use serde_json::{Value, json};

use super::super::ScenarioArgs;

/// The local file system; keeps the contents of all files that are read.
#[derive(Default)]
struct RecordingFiles {
    read: RefCell<BTreeMap<PathBuf, Vec<u8>>>,
}

impl Files for RecordingFiles {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = Disk.read(path, limit)?;
        self.read.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        Disk.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        Disk.is_dir(path)
    }

    fn entries(&self, dir: &Path) -> Vec<PathBuf> {
        Disk.entries(dir)
    }
}

/// Reads and checks a scenario; returns the object that the page opens: `name`, `text`, `files` by the names that the
/// scenario uses (base64), `changes` and `scheme`.
pub fn describe_scenario(arguments: &ScenarioArgs) -> Result<Value, Vec<Problem>> {
    let files = Rc::new(RecordingFiles::default());
    let source = Source::open(Rc::<RecordingFiles>::clone(&files), &arguments.file, &arguments.overrides())?;
    let loaded = source.resolve(&source.document)?;
    let mut read = files.read.take();
    // A result directory contains its scenario in a file.
    let place =
        [loaded.path.clone(), loaded.path.join("scenario.toml")].into_iter().find(|path| read.contains_key(path));
    let place = place.unwrap_or_default();
    let text = read.remove(&place).unwrap_or_default();
    let folder = place.parent().unwrap_or(Path::new(""));
    let named = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let files: serde_json::Map<String, Value> =
        read.iter().map(|(path, bytes)| (named(path), BASE64_STANDARD.encode(bytes).into())).collect();
    Ok(json!({
        "name": place.file_name().map_or_else(|| "scenario.toml".into(), |name| name.to_string_lossy()),
        "text": String::from_utf8_lossy(&text),
        "files": files,
        "changes": arguments.set,
        "scheme": arguments.scheme,
    }))
}
