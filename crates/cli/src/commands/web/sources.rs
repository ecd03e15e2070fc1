//! The sources of the page, and their fingerprint. `build.rs` includes this file, so that the program knows the
//! fingerprint of the sources from which it was built, and can compare a checkout with it.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// The crates in the page's module. A test compares them with the dependencies of `crates/web`.
pub const CRATES: [&str; 12] =
    ["engine", "figure", "observation", "observe", "path", "plot", "scenario", "sim", "stats", "tcp", "web", "wire"];

/// Files and folders that the page is built from, in addition to these crates.
pub const OTHERS: [&str; 12] = [
    "Cargo.lock",
    "Cargo.toml",
    "examples",
    "web/index.html",
    "web/package-lock.json",
    "web/package.json",
    "web/public",
    "web/src",
    "web/tsconfig.json",
    "web/vite.config.ts",
    "xtask/bundle",
    "xtask/src/web",
];

/// Folders below these that the build of the page writes, or that contain no sources.
const EXCLUDED: [&str; 6] = [
    "examples/cluster",
    "examples/notebooks",
    "examples/outside",
    "examples/rl",
    "web/public/examples",
    "web/src/wasm",
];

/// The kind of a page that was built to be visited.
#[allow(dead_code, reason = "the build of the page writes it")]
pub const RELEASED: &str = "released";

/// The kind of a page that was built to be tested: compiled quickly, and not small.
pub const TESTED: &str = "tested";

/// Returns true if a program embeds the page with this signature, `KIND FINGERPRINT`. The signature's fingerprint must
/// equal `fingerprint`, which is `None` in a package from a registry, as it has no sources of the page. A release build
/// embeds no page built for tests.
#[allow(dead_code, reason = "the build of the command decides by it")]
pub fn is_embedded(signature: &str, fingerprint: Option<&str>, is_debug: bool) -> bool {
    let (kind, of_page) = signature.split_once(' ').unwrap_or_default();
    fingerprint.is_none_or(|fingerprint| of_page == fingerprint) && (is_debug || kind != TESTED)
}

/// The sources of the page in a checkout.
pub struct Sources {
    root: PathBuf,
    /// Relative paths, sorted.
    files: Vec<PathBuf>,
}

impl Sources {
    /// Lists the sources below `root`; `None` if `root` is no checkout of lasthop.
    pub fn list(root: &Path) -> io::Result<Option<Self>> {
        if !root.join("crates/web/Cargo.toml").is_file() || !root.join("web/package.json").is_file() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for start in source_places() {
            add_files(root, Path::new(&start), &mut files)?;
        }
        files.sort();
        Ok(Some(Sources { root: root.to_owned(), files }))
    }

    /// A hash of the names and contents of all files, as 16 hexadecimal digits. Programs built by the same compiler
    /// compute equal hashes.
    pub fn fingerprint(&self) -> io::Result<String> {
        let mut hasher = DefaultHasher::new();
        for file in &self.files {
            let bytes = fs::read(self.root.join(file)).map_err(|error| add_path(file, &error))?;
            for part in [file.to_string_lossy().replace('\\', "/").as_bytes(), &bytes] {
                hasher.write(&(part.len() as u64).to_le_bytes());
                hasher.write(part);
            }
        }
        Ok(format!("{:016x}", hasher.finish()))
    }
}

/// The files and folders that hold the sources, relative to the checkout.
pub fn source_places() -> impl Iterator<Item = String> {
    let of_crate = |name: &str| ["Cargo.toml", "src"].map(|part| format!("crates/{name}/{part}"));
    CRATES.into_iter().flat_map(of_crate).chain(OTHERS.map(str::to_owned))
}

/// Adds a file, or all files below a folder. Names that begin with a dot belong to editors and are skipped.
fn add_files(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
    if hidden || EXCLUDED.iter().any(|excluded| path == Path::new(excluded)) {
        return Ok(());
    }
    let whole = root.join(path);
    if !whole.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(&whole).map_err(|error| add_path(path, &error))? {
        add_files(root, &path.join(entry?.file_name()), files)?;
    }
    Ok(())
}

fn add_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
