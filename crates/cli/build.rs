//! Embeds the page that `cargo xtask web` has left in `bundle/`, so that `lasthop web` can serve it. Without it the command
//! is built without a page.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("bundle");
    writeln!(io::stdout(), "cargo::rerun-if-changed=bundle")?;
    let mut files = Vec::new();
    if folder.exists() {
        list(&folder, &mut files)?;
    }
    files.sort();
    let mut code = String::from("const FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let name = file.strip_prefix(&folder).unwrap_or(&file).with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        // Writing to a text in memory does not fail.
        let _ = writeln!(code, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    code += "];\n";
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("bundle.rs");
    fs::write(target, code)
}

/// Adds the compressed files of a folder and of the folders in it.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "gz") {
            files.push(path);
        }
    }
    Ok(())
}
