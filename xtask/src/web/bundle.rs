//! The page's compressed files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};

use super::Module;
use super::sources::{self, Sources};
use crate::tree::{list_files, write_file};
use crate::workspace;

/// First bytes of each compressed file, which are those of gzip without a time or a name, with the best compression.
const GZIP: [u8; 9] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2];

/// The file with the kind of the page and the fingerprint of its sources. By this file the build of the command decides
/// whether to embed the page.
const SIGNATURE: &str = "sources.txt";

/// Limit of the compressed size in bytes of files whose names have this ending.
pub type Limit = (&'static str, u64);

/// Files loaded by a visitor before the first picture.
pub const MODULE: Limit = ("wasm", 1_200_000);
pub const SCRIPTS: Limit = ("js", 120_000);

/// The folder that the build of the command embeds.
pub fn bundle_folder() -> PathBuf {
    workspace::root_folder().join("crates/cli/bundle")
}

/// Compresses each file of a folder into another folder, which then contains nothing else.
pub fn compress_folder(from: &Path, to: &Path) -> Result<(), String> {
    let fault = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut names = Vec::new();
    for path in list_files(from)? {
        let name = path.strip_prefix(from).unwrap_or(&path).to_owned();
        // The compressed file contains neither a time nor a name: equal pages give equal bytes.
        let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
        let content = fs::read(&path).map_err(|error| fault(&path, error))?;
        let bytes = packed.write_all(&content).and_then(|()| packed.finish()).map_err(|error| fault(&path, error))?;
        let target = to.join(format!("{}.gz", name.display()));
        write_file(&target, &bytes)?;
        names.push(target);
    }
    for path in list_files(to)? {
        if path.extension().is_some_and(|extension| extension == "gz") && !names.contains(&path) {
            fs::remove_file(&path).map_err(|error| fault(&path, error))?;
        }
    }
    Ok(())
}

/// Writes the kind of the page and the fingerprint of its sources into its folder.
pub fn write_signature(module: Module) -> Result<(), String> {
    let sources =
        Sources::list(&workspace::root_folder()).and_then(|sources| sources.map(|it| it.fingerprint()).transpose());
    let fingerprint = sources.map_err(|error| format!("the sources of the page: {error}"))?;
    let kind = if matches!(module, Module::Tested) { sources::TESTED } else { sources::RELEASED };
    let signature = format!("{kind} {}", fingerprint.unwrap_or_default());
    write_file(&bundle_folder().join(SIGNATURE), signature.as_bytes())
}

/// Fails unless a program contains each compressed file of a folder.
pub fn check_embedded(folder: &Path, program: &Path) -> Result<(), String> {
    let fault = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let bytes = fs::read(program).map_err(|error| fault(program, error))?;
    let starts: Vec<usize> =
        bytes.windows(GZIP.len()).enumerate().filter(|(_, window)| **window == GZIP).map(|(at, _)| at).collect();
    let files: Vec<_> = list_files(folder)?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "gz"))
        .collect();
    if files.is_empty() {
        return Err(format!("{}: found no page; `cargo xtask web` builds it", folder.display()));
    }
    for path in files {
        let file = fs::read(&path).map_err(|error| fault(&path, error))?;
        if !starts.iter().any(|start| bytes[*start..].starts_with(&file)) {
            return Err(format!("{} does not contain the page: {} is missing", program.display(), path.display()));
        }
    }
    Ok(())
}

/// Lists all files below a folder, with their sizes in bytes.
pub fn list_sizes(folder: &Path) -> Result<Vec<(PathBuf, u64)>, String> {
    let size = |path: PathBuf| match fs::metadata(&path) {
        Ok(data) => Ok((path, data.len())),
        Err(error) => Err(format!("{}: {error}", path.display())),
    };
    list_files(folder)?.into_iter().map(size).collect()
}

/// Prints the sizes of the files of a folder by kind. Returns an error if a size is above its limit.
pub fn check_sizes(folder: &Path, limits: &[Limit]) -> Result<(), String> {
    let mut kinds: Vec<(String, u64)> = Vec::new();
    for (path, bytes) in list_sizes(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".gz") else { continue };
        let in_examples = path.components().any(|part| part.as_os_str() == "examples");
        let kind = match name {
            _ if in_examples => "examples",
            // The page does not load this file. `lasthop report` embeds it.
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
        workspace::print_text(&format!("{kind}: {:.0}{most} kB, compressed\n", bytes as f64 / 1e3))?;
        if limit.is_some_and(|limit| bytes > limit) {
            above.push(kind);
        }
    }
    if above.is_empty() { Ok(()) } else { Err(format!("the page is too large: {}", above.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_without_a_file_of_the_page_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let [page, packed] = ["page", "packed"].map(|name| scratch.path().join(name));
        for name in ["index.html", "assets/a.js"] {
            write_file(&page.join(name), format!("the text of {name}").as_bytes()).unwrap();
        }
        compress_folder(&page, &packed).unwrap();
        let read = |name: &str| fs::read(packed.join(name)).unwrap();
        let program = scratch.path().join("program");
        fs::write(&program, [b"code".as_slice(), &read("assets/a.js.gz"), b"code", &read("index.html.gz")].concat())
            .unwrap();
        assert_eq!(check_embedded(&packed, &program), Ok(()));
        fs::write(&program, [b"code".as_slice(), &read("index.html.gz")].concat()).unwrap();
        let problem = check_embedded(&packed, &program).unwrap_err();
        assert!(
            problem.contains("does not contain the page: ") && problem.ends_with("a.js.gz is missing"),
            "{problem}"
        );
        let empty = scratch.path().join("empty");
        fs::create_dir(&empty).unwrap();
        assert!(check_embedded(&empty, &program).unwrap_err().contains("found no page"));
    }
}
