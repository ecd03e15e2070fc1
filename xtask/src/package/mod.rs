//! Builds the packages for crates.io, and checks their size. Also checks the costs and properties of the command that
//! is installed from them, where the profiles of the workspace have no effect.

mod install;
mod readme;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{budget, build, lasthop};
use crate::workspace;

/// Unpublished crates: tools of this repository.
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

/// The table of the budget with the size of each package.
const SIZES: &str = "package.crate-kB";

/// The table with the limits of an install with cargo's default profile.
const DEFAULT: &str = "package.default";

/// The table with the limits of an install by the line in the command's README.
const README: &str = "package.readme";

/// The scenario of README, by whose instructions speed is compared.
const SCENARIO: &str = "examples/goel-refined.toml";

/// Creates the packages and checks their size. Unless `quick`, also builds each package alone. Installs the command
/// from the packages with cargo's default profile, and by the command line in its README, and checks both installations
/// against the budget.
pub fn check_packages(quick: bool) -> Result<(), String> {
    create_packages(quick)?;
    let sizes = budget::measure_items(SIZES, |name| {
        let path = packed_file(name);
        let bytes = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
        Ok(bytes as f64 / 1000.0)
    })?;
    let mut excess = print_excess("size of the package in kB", SIZES, &sizes)?;
    if !quick {
        excess.extend(check_installs()?);
    }
    if excess.is_empty() { Ok(()) } else { Err(excess.join("; ")) }
}

fn create_packages(quick: bool) -> Result<(), String> {
    let mut cargo = workspace::cargo_command();
    // Packages are built only to check that they compile. Therefore they need no debug info.
    cargo.args(["package", "--workspace", "--allow-dirty", "--config", "profile.dev.debug=false"]);
    for name in UNPUBLISHED {
        cargo.args(["--exclude", name]);
    }
    if quick {
        cargo.arg("--no-verify");
    }
    workspace::run_command(&mut cargo)
}

/// Returns the path of a package as `create_packages` names it; all packages of the workspace have one version.
fn packed_file(name: &str) -> PathBuf {
    workspace::target_folder().join("package").join(format!("{name}-{}.crate", env!("CARGO_PKG_VERSION")))
}

/// Returns the crates that are published, with their folders.
fn published_crates() -> Result<BTreeMap<String, PathBuf>, String> {
    let folder = workspace::root_folder().join("crates");
    let failed = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut crates = BTreeMap::new();
    for entry in fs::read_dir(&folder).map_err(|error| failed(&folder, &error))? {
        let path = entry.map_err(|error| failed(&folder, &error))?.path();
        let file = path.join("Cargo.toml");
        let text = fs::read_to_string(&file).map_err(|error| failed(&file, &error))?;
        let manifest: toml::Table = text.parse().map_err(|error| failed(&file, &error))?;
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str);
        let name = name.ok_or_else(|| failed(&file, &"expected a name of the package"))?;
        if !UNPUBLISHED.contains(&name) {
            crates.insert(name.to_owned(), path);
        }
    }
    Ok(crates)
}

/// Installs the command from the packages in both ways, and measures the installed commands and the release build of
/// the checkout. Returns the items that exceed the budget.
fn check_installs() -> Result<Vec<String>, String> {
    budget::install_valgrind()?;
    let line = readme::install_line(&readme::of_command()?)?;
    let names: Vec<String> = published_crates()?.into_keys().collect();
    let folder = workspace::target_folder().join("package-install");
    install::unpack_packages(&names, &folder)?;
    lasthop::build_release()?;
    let checkout = count_run(&lasthop::release_path())?;

    let mut excess = Vec::new();
    for (subject, table, options) in [
        ("lasthop installed with cargo's default profile", DEFAULT, vec!["--locked".to_owned()]),
        ("lasthop installed by the line in crates/cli/README.md", README, line),
    ] {
        let installed = install::install_command(&folder, &options)?;
        let run = count_run(&installed.program)?;
        let measured = [("cpu-seconds", installed.cpu_seconds), ("run-to-checkout", run as f64 / checkout as f64)];
        let measured: Vec<_> = measured.into_iter().chain(build::measure_start(&installed.program)?).collect();
        let items = budget::measure_items(table, |name| {
            let found = measured.iter().find(|(known, _)| *known == name);
            found.map(|(_, number)| *number).ok_or_else(|| format!("{}: `{name}` is not measured", budget::BUDGET))
        })?;
        excess.extend(print_excess(subject, table, &items)?);
    }
    Ok(excess)
}

/// Counts the instructions of a run of README's scenario.
fn count_run(program: &Path) -> Result<u64, String> {
    let mut command = Command::new(program);
    command.arg("run").arg(workspace::root_folder().join(SCENARIO)).arg("--no-out");
    Ok(budget::count_instructions(&command)?.0)
}

/// Prints measurements with their budget. Returns a sentence for each excess.
fn print_excess(subject: &str, table: &str, items: &[budget::Item]) -> Result<Vec<String>, String> {
    workspace::print_text(&format!("\n{subject}\n"))?;
    budget::print_items(items)?;
    Ok(describe_excess(subject, table, items))
}

fn describe_excess(subject: &str, table: &str, items: &[budget::Item]) -> Vec<String> {
    let describe = |item| format!("{subject}: {item} (the limit is in {}, [{table}])", budget::BUDGET);
    budget::find_excess(items).into_iter().map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for entry in fs::read_dir(workspace::root_folder().join("crates")).unwrap() {
            let package = entry.unwrap().path();
            let sources = crate::tree::list_files(&package.join("src")).unwrap();
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
        for entry in fs::read_dir(workspace::root_folder().join("crates")).unwrap() {
            let package = entry.unwrap().path();
            let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
            let unpublished = UNPUBLISHED.iter().any(|name| manifest.contains(&format!("name = \"{name}\"")));
            assert_eq!(unpublished, manifest.contains("publish = false"), "{}", package.display());
            if unpublished {
                continue;
            }
            for key in ["description = ", "license.workspace", "keywords.workspace", "exclude.workspace"] {
                assert!(manifest.contains(key), "{}: {key}", package.display());
            }
            // The README of the command describes its installation; a library has the README of the repository.
            let readme = if package.ends_with("cli") { "readme = \"README.md\"" } else { "readme.workspace = true" };
            assert!(manifest.contains(readme), "{}: {readme}", package.display());
            for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
                let text = fs::read(package.join(licence)).unwrap();
                assert!(text == fs::read(workspace::root_folder().join(licence)).unwrap(), "{}", package.display());
            }
        }
    }

    #[test]
    fn every_package_has_a_size_limit_with_a_reason() {
        let budget = budget::read_budget().unwrap();
        let crates: Vec<String> = published_crates().unwrap().into_keys().collect();
        let mut limited: Vec<&str> = budget::list_limits(&budget, SIZES).unwrap().map(|(name, _)| name).collect();
        limited.sort_unstable();
        assert_eq!(limited, crates, "[{SIZES}] of {}", budget::BUDGET);
        for table in [SIZES, DEFAULT, README] {
            for (name, limits) in budget::list_limits(&budget, table).unwrap() {
                let why = limits.get("why").and_then(toml::Value::as_str);
                assert!(why.is_some_and(|why| why.len() > 10), "[{table}] {name}: `why` lacks");
            }
        }
    }

    #[test]
    fn install_command_of_the_readme_meets_the_limits_of_the_checkout() {
        let budget = budget::read_budget().unwrap();
        let limits = |table| -> BTreeMap<&str, f64> {
            let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|it| it as f64)).unwrap();
            budget::list_limits(&budget, table).unwrap().map(|(name, limits)| (name, number(&limits["most"]))).collect()
        };
        let [checkout, readme, default] = ["build", README, DEFAULT].map(limits);
        for name in ["binary-MB", "version-MB", "version-instructions", "run-MB"] {
            assert!(readme[name] <= checkout[name], "{name}: {} of {}", readme[name], checkout[name]);
        }
        assert!(readme.keys().eq(default.keys()), "{readme:?} {default:?}");
    }

    #[test]
    fn excess_message_names_crate_found_size_limit_and_file() {
        let items =
            budget::measure_items(SIZES, |name| Ok(if name == "lasthop-sim" { 12_345.0 } else { 1.0 })).unwrap();
        let [sentence] = describe_excess("size", SIZES, &items).try_into().unwrap();
        let begin = "size: lasthop-sim is 12345, expected at most ";
        let end = " (the limit is in bench/budget.toml, [package.crate-kB])";
        assert!(sentence.starts_with(begin) && sentence.ends_with(end), "{sentence}");
    }
}
