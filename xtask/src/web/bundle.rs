//! The page's compressed files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};

use crate::workspace;

/// Limit of the compressed size in bytes of files whose names have this ending.
pub type Limit = (&'static str, u64);

/// What a visitor loads before the first picture.
pub const MODULE: Limit = ("wasm", 1_200_000);
pub const SCRIPTS: Limit = ("js", 120_000);

/// The folder that the build of the command embeds.
pub fn folder() -> PathBuf {
    workspace::root().join("crates/cli/bundle")
}

/// Compresses each file of a folder into another one, which then holds nothing else.
pub fn compress(from: &Path, to: &Path) -> Result<(), String> {
    let fault = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut names = Vec::new();
    for (path, _) in files(from)? {
        let name = path.strip_prefix(from).unwrap_or(&path).to_owned();
        // Neither a time nor a name: the same page gives the same bytes.
        let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
        let content = fs::read(&path).map_err(|error| fault(&path, error))?;
        let bytes = packed.write_all(&content).and_then(|()| packed.finish()).map_err(|error| fault(&path, error))?;
        let target = to.join(format!("{}.gz", name.display()));
        super::write(&target, &bytes)?;
        names.push(target);
    }
    for (path, _) in files(to)? {
        if path.extension().is_some_and(|extension| extension == "gz") && !names.contains(&path) {
            fs::remove_file(&path).map_err(|error| fault(&path, error))?;
        }
    }
    Ok(())
}

/// All files below a folder, with their sizes.
pub fn files(folder: &Path) -> Result<Vec<(PathBuf, u64)>, String> {
    let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let data = entry.metadata().map_err(fault)?;
        if data.is_dir() {
            found.extend(files(&entry.path())?);
        } else {
            found.push((entry.path(), data.len()));
        }
    }
    found.sort();
    Ok(found)
}

/// Prints the sizes by kind of file; an error if one is above its limit.
pub fn sizes(limits: &[Limit]) -> Result<(), String> {
    let mut kinds: Vec<(String, u64)> = Vec::new();
    for (path, bytes) in files(&folder())? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".gz") else { continue };
        let in_examples = path.components().any(|part| part.as_os_str() == "examples");
        let kind = match name {
            _ if in_examples => "examples",
            // The page does not load it: `lasthop report` embeds it.
            "report.js" => "script of reports",
            _ => name.rsplit('.').next().unwrap_or_default(),
        };
        match kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, sum)) => *sum += bytes,
            None => kinds.push((kind.to_owned(), bytes)),
        }
    }
    let mut above = Vec::new();
    for (kind, bytes) in kinds {
        let limit = limits.iter().find(|(known, _)| *known == kind).map(|(_, limit)| *limit);
        let most = limit.map_or(String::new(), |limit| format!(" of at most {:.0}", limit as f64 / 1e3));
        workspace::print(&format!("{kind}: {:.0}{most} kB, compressed\n", bytes as f64 / 1e3))?;
        if limit.is_some_and(|limit| bytes > limit) {
            above.push(kind);
        }
    }
    if above.is_empty() { Ok(()) } else { Err(format!("the page is too large: {}", above.join(", "))) }
}
