//! Builds the packages for crates.io.

use crate::workspace;

/// Crates that are not published: tools of this repository.
const UNPUBLISHED: [&str; 8] = [
    "xtask",
    "bundle",
    "lasthop-kernel",
    "lasthop-skip",
    "lasthop-testkit",
    "lasthop-outside",
    "lasthop-python",
    "lasthop-web",
];

/// Creates the packages and, unless `quick`, builds each from its package alone.
pub fn run(quick: bool) -> Result<(), String> {
    let mut cargo = workspace::cargo();
    cargo.args(["package", "--workspace", "--allow-dirty"]);
    for name in UNPUBLISHED {
        cargo.args(["--exclude", name]);
    }
    if quick {
        cargo.arg("--no-verify");
    }
    workspace::run(&mut cargo)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else {
                found.push(path);
            }
        }
    }

    /// Returns the paths in `include_str!` and similar macros of a source file.
    fn included(text: &str) -> Vec<&str> {
        let macros = ["include_str!(\"", "include_bytes!(\"", "include!(\""];
        macros.iter().flat_map(|name| text.split(name).skip(1)).filter_map(|rest| rest.split('"').next()).collect()
    }

    /// Joins a path and resolves `..` textually, not on disk: symbolic links place files of the repository inside a
    /// package.
    fn joined(folder: &Path, path: &str) -> PathBuf {
        Path::new(path).components().fold(folder.to_owned(), |mut at, part| {
            match part {
                std::path::Component::ParentDir => drop(at.pop()),
                part => at.push(part),
            }
            at
        })
    }

    #[test]
    fn packages_include_no_file_from_outside() {
        let mut count = 0;
        for entry in fs::read_dir(workspace::root().join("crates")).unwrap() {
            let package = entry.unwrap().path();
            let mut sources = Vec::new();
            files(&package.join("src"), &mut sources);
            for source in sources.iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
                let text = fs::read_to_string(source).unwrap();
                for path in included(&text) {
                    let file = joined(source.parent().unwrap(), path);
                    assert!(file.starts_with(&package), "{}: {path} is not in the package", source.display());
                    assert!(file.exists(), "{}: {path} does not exist", source.display());
                    count += 1;
                }
            }
        }
        assert!(count > 20, "{count} includes");
    }

    #[test]
    fn every_package_has_the_licences_and_the_metadata() {
        for entry in fs::read_dir(workspace::root().join("crates")).unwrap() {
            let package = entry.unwrap().path();
            let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
            let unpublished = UNPUBLISHED.iter().any(|name| manifest.contains(&format!("name = \"{name}\"")));
            assert_eq!(unpublished, manifest.contains("publish = false"), "{}", package.display());
            if unpublished {
                continue;
            }
            for key in
                ["description = ", "license.workspace", "readme.workspace", "keywords.workspace", "exclude.workspace"]
            {
                assert!(manifest.contains(key), "{}: {key}", package.display());
            }
            for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
                let text = fs::read(package.join(licence)).unwrap();
                assert!(text == fs::read(workspace::root().join(licence)).unwrap(), "{}", package.display());
            }
        }
    }
}
