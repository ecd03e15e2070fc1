//! Tests of the Python package, without installing it: the native module beside the package's files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace;

/// What the tests import: one distribution a line.
const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// Builds the package in the target directory, checks its types and runs its tests; with `full` over all examples.
pub fn run(full: bool) -> Result<(), String> {
    let python = environment()?;
    workspace::run(workspace::cargo().args(["build", "--profile", "checks", "-p", "lasthop-python", "-p", "lasthop"]))?;
    let built = workspace::target().join("checks");
    let staged = workspace::target().join("python");
    let package = staged.join("lasthop");
    stage(&built, &package).map_err(|error| format!("{}: {error}", package.display()))?;
    let mut types = Command::new(&python);
    types.args(["-m", "mypy", "--strict", "python/lasthop", "--cache-dir"]).arg(workspace::target().join("mypy"));
    workspace::run(types.current_dir(workspace::root()))?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "unittest", "discover", "--start-directory", "python/tests"]).current_dir(workspace::root());
    tests.env("PYTHONPATH", absolute(&staged)).env("LASTHOP", absolute(&built.join("lasthop")));
    tests.env("PYTHONDONTWRITEBYTECODE", "1").env("LASTHOP_FULL", if full { "1" } else { "0" });
    workspace::run(&mut tests)
}

/// Creates a virtual environment with the requirements of the tests, unless it has them, and returns its interpreter.
fn environment() -> Result<PathBuf, String> {
    let root = workspace::root();
    let wanted = fs::read(root.join(REQUIREMENTS)).map_err(|error| format!("{REQUIREMENTS}: {error}"))?;
    let folder = absolute(&workspace::target().join("python-venv"));
    let (python, installed) = (folder.join("bin/python"), folder.join("installed.txt"));
    if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    workspace::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS]);
    workspace::run(install.current_dir(&root))?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(python)
}

/// Copies the package's files and its native module.
fn stage(built: &Path, package: &Path) -> std::io::Result<()> {
    if package.exists() {
        fs::remove_dir_all(package)?;
    }
    copy(&workspace::root().join("python/lasthop"), package)?;
    let library = if cfg!(target_os = "macos") { "lib_lasthop.dylib" } else { "lib_lasthop.so" };
    fs::copy(built.join(library), package.join("_lasthop.abi3.so")).map(drop)
}

/// Copies the Python files of a folder and of those in it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let file = entry?.path();
        let Some(name) = file.file_name() else { continue };
        if file.is_dir() && name != "__pycache__" {
            copy(&file, &to.join(name))?;
        } else if file.extension().is_some_and(|ending| ending == "py" || ending == "pyi") {
            fs::copy(&file, to.join(name))?;
        }
    }
    Ok(())
}

/// The tests run in another directory than cargo.
fn absolute(path: &Path) -> PathBuf {
    workspace::root().join(path)
}
