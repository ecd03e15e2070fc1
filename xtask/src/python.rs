//! Tests of the Python package without installation. The native module is placed among the package's files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{checks, web, workspace};

/// Distributions that the tests import, one per line.
const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// Installs packages in a quarter of the time of pip.
const INSTALLER: &str = "uv==0.13.9";

/// Builds the package in the target directory, checks its types and runs its tests. With `full` the tests use all
/// examples.
pub fn test_package(full: bool) -> Result<(), String> {
    let python = create_environment()?;
    let built = checks::build_as_tested()?;
    let staged = workspace::target_folder().join("python");
    let package = staged.join("lasthop");
    stage_package(&built, &package).map_err(|error| format!("{}: {error}", package.display()))?;
    let mut types = Command::new(&python);
    types
        .args(["-m", "mypy", "--strict", "python/lasthop", "--cache-dir"])
        .arg(workspace::target_folder().join("mypy"));
    let tests = |file: PathBuf| {
        let mut tests = Command::new(&python);
        tests.args(["-m", "unittest", "discover", "--start-directory", "python/tests", "--pattern"]);
        tests.args(file.file_name()).current_dir(workspace::root_folder());
        tests.env("PYTHONPATH", absolute_path(&staged)).env("LASTHOP", absolute_path(&built.join("lasthop")));
        tests.env("PYTHONDONTWRITEBYTECODE", "1").env("LASTHOP_FULL", if full { "1" } else { "0" });
        tests
    };
    let alone = |file: &PathBuf| file.file_name().is_some_and(|name| name == ALONE);
    let (alone, others): (Vec<_>, Vec<_>) = test_files()?.into_iter().partition(alone);
    workspace::run_all(others.into_iter().map(tests).collect())?;
    // Runs after the test that writes the stub of the native module on request.
    workspace::run_command(types.current_dir(workspace::root_folder()))?;
    alone.into_iter().try_for_each(|file| workspace::run_command(&mut tests(file)))
}

/// The file of the tests that kill workers at intervals. If other tests ran at the same time, a run could be killed
/// more often than it is retried.
const ALONE: &str = "test_clusters.py";

/// Lists the files of tests, the largest first, so that long tests do not start last.
fn test_files() -> Result<Vec<PathBuf>, String> {
    let folder = workspace::root_folder().join("python/tests");
    let failed = |error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("test_") && name.ends_with(".py") {
            files.push((entry.metadata().map_err(failed)?.len(), entry.path()));
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// The largest size of a wheel without the page of `lasthop web`, in bytes.
const MOST_BYTES: u64 = 7_400_000;

/// Cost of an import in addition to Python's start, in ms of CPU time: the minimum of ten.
const IMPORT: &str = r#"
import subprocess, sys, resource
def cost(code):
    best = 1e9
    for _ in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1e3 * best
print(f"import lasthop: {cost('import lasthop') - cost('pass'):.0f} ms of CPU time beside Python's own")
"#;

/// Builds a small wheel in `target/wheels`. Checks its size, its use of Python's stable interface, and that it contains
/// the page.
pub fn check_wheels() -> Result<(), String> {
    let python = create_environment()?;
    web::embed_page(web::Module::Released)?;
    let page = web::measure_bundle()?;
    let folder = absolute_path(&workspace::target_folder().join("wheels"));
    let cleared = if folder.exists() { fs::remove_dir_all(&folder) } else { Ok(()) };
    cleared.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut build = Command::new(&python);
    build
        .args(["-m", "maturin", "build", "--profile", "dist", "--out"])
        .arg(&folder)
        .current_dir(workspace::root_folder());
    workspace::run_command(&mut build)?;
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let wheel = entries.filter_map(|entry| Some(entry.ok()?.path())).find(|file| file.extension().is_some());
    let wheel = wheel.ok_or_else(|| format!("{}: maturin has left no wheel", folder.display()))?;
    let bytes = fs::metadata(&wheel).map_err(|error| format!("{}: {error}", wheel.display()))?.len();
    // The page is already compressed, and keeps its size in the wheel.
    let rest = bytes.saturating_sub(page);
    let (all, page, without) = (bytes as f64 / 1e6, page as f64 / 1e6, rest as f64 / 1e6);
    workspace::print_text(&format!("{}: {all:.2} MB, {without:.2} without the page of {page:.2}\n", wheel.display()))?;
    if rest > MOST_BYTES {
        return Err(format!("the wheel has {rest} bytes without the page, at most {MOST_BYTES} are allowed"));
    }
    workspace::run_command(Command::new(&python).args(["-m", "abi3audit", "--strict"]).arg(&wheel))?;
    let unpacked = folder.join("unpacked");
    workspace::run_command(Command::new(&python).args(["-m", "zipfile", "-e"]).args([&wheel, &unpacked]))?;
    web::check_embedded(&unpacked.join("lasthop/_lasthop.abi3.so"))?;
    workspace::run_command(Command::new(&python).args(["-c", IMPORT]).env("PYTHONPATH", &unpacked))
}

/// Creates a virtual environment with the requirements of the tests, if there is none with these requirements, and
/// returns its interpreter.
fn create_environment() -> Result<PathBuf, String> {
    let root = workspace::root_folder();
    let wanted = fs::read(root.join(REQUIREMENTS)).map_err(|error| format!("{REQUIREMENTS}: {error}"))?;
    let folder = absolute_path(&workspace::target_folder().join("python-venv"));
    let (python, installed) = (folder.join("bin/python"), folder.join("installed.txt"));
    if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    workspace::run_command(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", INSTALLER]);
    workspace::run_command(&mut install)?;
    let mut install = Command::new(&python);
    install.args(["-m", "uv", "pip", "install", "--quiet", "--compile-bytecode", "--python"]).arg(&python);
    workspace::run_command(install.args(["--requirement", REQUIREMENTS]).current_dir(&root))?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(python)
}

/// Copies the package's files and its native module.
fn stage_package(built: &Path, package: &Path) -> std::io::Result<()> {
    if package.exists() {
        fs::remove_dir_all(package)?;
    }
    copy_python_files(&workspace::root_folder().join("python/lasthop"), package)?;
    let library = if cfg!(target_os = "macos") { "lib_lasthop.dylib" } else { "lib_lasthop.so" };
    fs::copy(built.join(library), package.join("_lasthop.abi3.so")).map(drop)
}

/// Copies the Python files of a folder and its subfolders.
fn copy_python_files(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let file = entry?.path();
        let Some(name) = file.file_name() else { continue };
        if file.is_dir() && name != "__pycache__" {
            copy_python_files(&file, &to.join(name))?;
        } else if file.extension().is_some_and(|ending| ending == "py" || ending == "pyi") {
            fs::copy(&file, to.join(name))?;
        }
    }
    Ok(())
}

/// The tests run in a directory different from cargo's.
fn absolute_path(path: &Path) -> PathBuf {
    workspace::root_folder().join(path)
}
