//! Installs the command from the packages alone, as cargo does from a registry.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::packed_file;
use crate::bench::build::Build;
use crate::workspace;

/// An installed command, and the CPU time of its build.
pub struct Installed {
    /// Path of the command.
    pub program: PathBuf,
    /// CPU time of cargo and of all programs started by it.
    pub cpu_seconds: f64,
}

/// Unpacks packages into an empty `folder`, as a workspace without profiles. The packages depend on each other there,
/// and on other crates in the versions of the repository's lock file.
pub fn unpack_packages(names: &[String], folder: &Path) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    for name in names {
        workspace::read_output(Command::new("tar").arg("-C").arg(folder).arg("-xzf").arg(packed_file(name)))?;
    }
    fs::write(folder.join("Cargo.toml"), workspace_manifest(names)).map_err(failed)?;
    fs::copy(workspace::root_folder().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(failed)?;
    // Removes entries from the lock file that packages do not need, so that an install can be `--locked`.
    let mut cargo = workspace::cargo_command();
    cargo.args(["metadata", "--format-version", "1"]).current_dir(folder);
    workspace::read_output(&mut cargo).map(drop)
}

/// Returns the folder of an unpacked package, relative to the workspace of the packages.
fn unpacked_folder(name: &str) -> String {
    format!("{name}-{}", env!("CARGO_PKG_VERSION"))
}

/// Returns the manifest of a workspace whose packages replace the registry's crates with the same names.
fn workspace_manifest(names: &[String]) -> String {
    let mut text = String::from("[workspace]\nresolver = \"3\"\nmembers = [\n");
    names.iter().for_each(|name| text += &format!("    \"{}\",\n", unpacked_folder(name)));
    text += "]\n\n[patch.crates-io]\n";
    names.iter().for_each(|name| text += &format!("{name} = {{ path = \"{}\" }}\n", unpacked_folder(name)));
    text
}

/// Installs the command from the packages in `folder`, from an empty cache, with these options of `cargo install`.
pub fn install_command(folder: &Path, options: &[String]) -> Result<Installed, String> {
    let target = folder.join("target");
    let remove_target = || match fs::remove_dir_all(&target) {
        Err(error) if target.exists() => Err(format!("{}: {error}", target.display())),
        _ => Ok(()),
    };
    remove_target()?;
    let package = folder.join(unpacked_folder("lasthop"));
    let build = Build { tree: &package, target: target.clone(), units: folder.join("units.txt") };
    let root = folder.join("installed");
    let root_text = root.to_string_lossy();
    let mut arguments = vec!["install", "--path", ".", "--force", "--root", &root_text];
    arguments.extend(options.iter().map(String::as_str));
    let cpu_seconds = build.cpu_seconds(&arguments)?;
    remove_target()?;
    Ok(Installed { program: root.join("bin").join(format!("lasthop{}", std::env::consts::EXE_SUFFIX)), cpu_seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspace_manifest_patches_all_packages_and_sets_no_profile() {
        let names = ["lasthop", "lasthop-sim"].map(str::to_owned);
        let manifest: toml::Table = workspace_manifest(&names).parse().unwrap();
        assert_eq!(manifest.keys().collect::<Vec<_>>(), ["workspace", "patch"]);
        assert_eq!(manifest["workspace"]["members"].as_array().unwrap().len(), 2);
        for name in &names {
            assert_eq!(manifest["patch"]["crates-io"][name]["path"].as_str().unwrap(), unpacked_folder(name));
        }
    }

    /// Cargo also reads this file for the packages, which are in a folder below the repository.
    #[test]
    fn configuration_of_cargo_has_no_profile() {
        let text = fs::read_to_string(workspace::root_folder().join(".cargo/config.toml")).unwrap();
        let config: toml::Table = text.parse().unwrap();
        assert!(config.keys().all(|key| ["env", "alias"].contains(&key.as_str())), "{config:?}");
    }
}
