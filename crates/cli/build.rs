//! Embeds the page that `cargo xtask web` has written to `bundle/`, so that `lasthop web` can serve it. A page built from
//! other sources is not embedded, and an installed program embeds no page that was built for tests. A program without a
//! page contains the path of its checkout, from which `lasthop web` builds the page. Every program contains the
//! fingerprint of the sources.

#[path = "src/commands/web/sources.rs"]
mod sources;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use sources::Sources;

fn main() -> io::Result<()> {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut out = io::stdout();
    writeln!(out, "cargo::rerun-if-changed=bundle")?;
    writeln!(out, "cargo::rerun-if-changed=build.rs")?;
    writeln!(out, "cargo::rerun-if-env-changed=LASTHOP_PORTABLE")?;
    if env::var_os("LASTHOP_PORTABLE").is_none() && is_runnable_with(PACKED_RELOCATIONS) {
        writeln!(out, "cargo::rustc-link-arg-bins={PACKED_RELOCATIONS}")?;
    }
    // A package from a registry has no checkout around it.
    let root = package.parent().and_then(Path::parent).unwrap_or(&package);
    let sources = Sources::list(root)?;
    let fingerprint = sources.as_ref().map(Sources::fingerprint).transpose()?;
    let bundle = package.join("bundle");
    let signature = fs::read_to_string(bundle.join("sources.txt")).unwrap_or_default();
    let is_debug = env::var("PROFILE").as_deref() == Ok("debug");
    let is_embedded = embed_files(&bundle, sources::is_embedded(&signature, fingerprint.as_deref(), is_debug))?;
    let Some(fingerprint) = fingerprint else { return Ok(()) };
    for place in sources::source_places() {
        writeln!(out, "cargo::rerun-if-changed={}", root.join(place).display())?;
    }
    writeln!(out, "cargo::rustc-env=LASTHOP_SOURCES={fingerprint}")?;
    if !is_embedded {
        writeln!(out, "cargo::rustc-env=LASTHOP_CHECKOUT={}", root.display())?;
    }
    Ok(())
}

/// Makes the linker pack the addresses that the loader relocates: 2 MB less to read at each start. The loader must know the
/// format, as glibc does since 2.36, so that releases for other machines set `LASTHOP_PORTABLE`.
const PACKED_RELOCATIONS: &str = "-Wl,-z,pack-relative-relocs";

/// Whether a program that is linked with this argument runs on this machine.
fn is_runnable_with(argument: &str) -> bool {
    let [host, target] = ["HOST", "TARGET"].map(env::var_os);
    if host != target || env::var("CARGO_CFG_TARGET_ENV").as_deref() != Ok("gnu") {
        return false;
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let (source, program) = (folder.join("probe.rs"), folder.join("probe"));
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={}", linker.display()));
    }
    rustc.args(["--edition", "2024", "-C"]).arg(format!("link-arg={argument}")).arg("-o").arg(&program).arg(&source);
    let is_linked = fs::write(&source, "fn main() {}").is_ok() && rustc.output().is_ok_and(|end| end.status.success());
    is_linked && Command::new(&program).output().is_ok_and(|end| end.status.success())
}

/// Writes a table of the compressed files of a folder, or an empty table. Returns whether the table has files.
fn embed_files(folder: &Path, wanted: bool) -> io::Result<bool> {
    let mut files = Vec::new();
    if wanted && folder.exists() {
        list_compressed_files(folder, &mut files)?;
    }
    files.sort();
    let mut code = String::from("const FILES: &[(&str, &[u8])] = &[\n");
    for file in &files {
        let name = file.strip_prefix(folder).unwrap_or(file).with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        // Writing to a text in memory does not fail.
        let _ = writeln!(code, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    code += "];\n";
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("bundle.rs");
    fs::write(target, code)?;
    Ok(!files.is_empty())
}

/// Adds the compressed files of a folder and of the folders in it.
fn list_compressed_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list_compressed_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "gz") {
            files.push(path);
        }
    }
    Ok(())
}
