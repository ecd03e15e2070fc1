//! Licences of the crates linked into the command, most of which must be distributed with every copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::workspace;

/// Returns the licence texts of all crates that `package` is linked with on `host`: each text once, with the names of
/// its crates.
pub fn collect_notices(package: &str, host: &str) -> Result<String, String> {
    let mut cargo = workspace::cargo_command();
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&workspace::read_output(&mut cargo)?)
        .map_err(|error| format!("cargo metadata printed no JSON: {error}"))?;
    let packages = list_linked_packages(&metadata, package);
    let mut list = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let label = format!("{} {}", text("name"), text("version"));
        list += &format!("{label}: {}\n", text("license"));
        let folder = Path::new(package["manifest_path"].as_str().unwrap_or_default()).parent().unwrap_or(Path::new(""));
        for text in read_licences(folder, 1) {
            texts.entry(text).or_default().push(label.clone());
        }
    }
    let texts =
        texts.iter().map(|(text, labels)| format!("{RULE}\nFor {}:\n\n{}\n", labels.join(", "), text.trim_end()));
    Ok(format!("Crates that are linked into this program, and their licences.\n\n{list}{}", texts.collect::<String>()))
}

const RULE: &str = "--------------------------------------------------------------------------------";

/// Returns the third-party packages that `root` is linked with, sorted by name, without dependencies of tests and build
/// scripts.
fn list_linked_packages<'a>(metadata: &'a Value, root: &str) -> Vec<&'a Value> {
    let array = |value: &'a Value| value.as_array().map_or(&[][..], Vec::as_slice);
    let by_id: BTreeMap<&str, &Value> =
        array(&metadata["packages"]).iter().filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let dependencies: BTreeMap<&str, &Value> = array(&metadata["resolve"]["nodes"])
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, &node["deps"])))
        .collect();
    let is_macro = |package: &Value| {
        package["targets"].as_array().is_some_and(|targets| targets.iter().any(|it| it["kind"][0] == "proc-macro"))
    };
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> = by_id.iter().filter(|(_, package)| package["name"] == root).map(|(id, _)| *id).collect();
    while let Some(id) = open.pop() {
        if !known.insert(id) {
            continue;
        }
        for dependency in dependencies.get(id).map_or(&[][..], |deps| array(deps)) {
            let is_linked = array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let package =
                dependency["pkg"].as_str().filter(|id| is_linked && by_id.get(id).is_some_and(|it| !is_macro(it)));
            open.extend(package);
        }
    }
    let mut packages: Vec<&Value> =
        known.iter().filter_map(|id| by_id.get(id).copied()).filter(|package| !package["source"].is_null()).collect();
    packages.sort_by_key(|package| (package["name"].as_str(), package["version"].as_str()));
    packages
}

/// Returns the licence texts in a folder and its subfolders up to `depth` levels.
fn read_licences(folder: &Path, depth: usize) -> Vec<String> {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let mut texts = Vec::new();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_dir() {
            if depth > 0 {
                texts.extend(read_licences(&path, depth - 1));
            }
        } else if ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|it| name.starts_with(it))
        {
            texts.extend(fs::read_to_string(&path).ok());
        }
    }
    texts
}
