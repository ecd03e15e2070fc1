//! The programs that a build of the page needs.

use std::env;
use std::path::Path;
use std::process::Command;

use super::node_version::explain_old_version;

/// The target of browsers.
const TARGET: &str = "wasm32-unknown-unknown";

/// A sentence with the remedy for each program that is missing or too old for a build in `checkout`.
pub fn missing_programs(checkout: &Path) -> Vec<String> {
    [check_rust(checkout), check_node()].into_iter().flatten().collect()
}

/// Returns the remedy if a part of Rust is missing.
fn check_rust(checkout: &Path) -> Option<String> {
    if !on_path("cargo") {
        return Some("cargo is missing, which compiles the simulator: https://rustup.rs installs it".to_owned());
    }
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--print", "target-libdir", "--target", TARGET]).current_dir(checkout);
    let output = rustc.output();
    if output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir()) {
        return None;
    }
    let remedy = if on_path("rustup") {
        format!("`rustup target add {TARGET}`")
    } else {
        "`apt-get install libstd-rust-dev-wasm32` for Debian's compiler, or Rust from https://rustup.rs".to_owned()
    };
    Some(format!("Rust's WebAssembly target is missing: {remedy}"))
}

/// Returns the remedy if npm or Node is missing or too old.
fn check_node() -> Option<String> {
    if !on_path("npm") {
        return Some("npm is missing, which builds the page: `apt-get install npm`".to_owned());
    }
    let Ok(output) = Command::new("node").arg("--version").output() else {
        return Some("node is missing, on which npm runs: `apt-get install nodejs`".to_owned());
    };
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    explain_old_version(&version)
}

/// Whether the shell would find a program.
fn on_path(program: &str) -> bool {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(&name).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `engines` of vite in the page's lock file.
    #[test]
    fn node_versions_equal_the_versions_required_by_vite() {
        for version in ["v20.19.0", "v20.20.2", "v22.12.0", "v24.0.0", "v23.0.0"] {
            assert_eq!(explain_old_version(version), None);
        }
        for version in ["v18.20.4", "v20.18.9", "v21.9.0", "v22.11.0", "", "v", "node"] {
            assert!(explain_old_version(version).is_some(), "{version}");
        }
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/package-lock.json");
        let lock: serde_json::Value = serde_json::from_slice(&std::fs::read(lock).unwrap()).unwrap();
        assert_eq!(lock["packages"]["node_modules/vite"]["engines"]["node"], "^20.19.0 || >=22.12.0");
    }
}
