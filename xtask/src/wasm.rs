//! Checks that the crates without access to files, threads and clocks compile for a browser.

use std::path::Path;
use std::process::Command;

use crate::workspace;

/// The target of browsers.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The crates that a web page needs.
const PURE: [&str; 12] =
    ["engine", "wire", "tcp", "path", "sim", "stats", "scenario", "observation", "observe", "plot", "capture", "fit"];

/// Checks the crates for WebAssembly; adds the missing target with rustup.
pub fn check_wasm() -> Result<(), String> {
    install_target()?;
    let packages = PURE.iter().flat_map(|name| ["--package".to_owned(), format!("lasthop-{name}")]);
    workspace::run_command(workspace::cargo_command().args(["check", "--target", TARGET]).args(packages))
}

/// Remedy for systems without rustup's target.
pub const REMEDY: &str = "needs Rust's WebAssembly target: `apt-get install libstd-rust-dev-wasm32` for Debian's compiler, or https://rustup.rs";

/// Returns true if the target is installed, or rustup can add it.
pub fn can_install() -> bool {
    has_target() || workspace::on_path("rustup")
}

/// Adds the target with rustup, unless it is installed.
pub fn install_target() -> Result<(), String> {
    if !has_target() {
        let mut rustup = Command::new("rustup");
        workspace::run_command(rustup.args(["target", "add", TARGET]))
            .map_err(|problem| format!("{problem}: {REMEDY}"))?;
    }
    Ok(())
}

/// Returns true if the standard library for the target is installed.
fn has_target() -> bool {
    let output = workspace::rustc_command().args(["--print", "target-libdir", "--target", TARGET]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::list_files;

    /// Modules that compile for a browser but fail at run time.
    const NATIVE: [&str; 7] =
        ["std::fs", "std::thread", "std::net::Tcp", "std::net::Udp", "std::process", "std::env", "std::time::Instant"];

    #[test]
    fn pure_crates_do_not_use_the_operating_system() {
        let sources = |name| list_files(&workspace::root_folder().join("crates").join(name).join("src")).unwrap();
        let files: Vec<_> =
            PURE.into_iter().flat_map(sources).filter(|path| path.extension() == Some("rs".as_ref())).collect();
        assert!(files.len() > 200, "{} files", files.len());
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            // Tests may read files of the repository.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let native: Vec<_> = NATIVE.iter().filter(|name| code.contains(*name)).collect();
            assert!(native.is_empty(), "{}: {native:?}", file.display());
        }
    }
}
