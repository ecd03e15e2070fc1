//! The laboratory as WebAssembly, for a page in a browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{wasm, workspace};

/// Builds the module for browsers in `target/web`, and prints its size.
pub fn run() -> Result<(), String> {
    let folder = workspace::target().join("web");
    let module = build("web", &folder, "web")?;
    let bytes = std::fs::metadata(&module).map_err(|error| format!("{}: {error}", module.display()))?.len();
    workspace::print(&format!("{}: {:.2} MB\n", module.display(), bytes as f64 / 1e6))
}

/// Runs the module in Node, and compares it with the command: on some examples, with `full` on all.
pub fn equal(full: bool) -> Result<(), String> {
    let folder = workspace::target().join("web-node");
    build("quick", &folder, "nodejs")?;
    workspace::run(workspace::cargo().args(["build", "--profile", "checks", "--package", "lasthop"]))?;
    let command = workspace::target().join("checks").join("lasthop");
    let mut node = Command::new("node");
    node.arg("crates/web/tests/equal.cjs").arg(folder.join("lasthop_web.js")).arg(command);
    workspace::run(node.args(["examples", if full { "1" } else { "6" }]).current_dir(workspace::root()))
}

/// Builds the module with a profile, and its JavaScript for browsers or Node; returns the module's path.
fn build(profile: &str, folder: &Path, target: &str) -> Result<PathBuf, String> {
    wasm::install()?;
    let package = ["--package", "lasthop-web", "--target", wasm::TARGET];
    workspace::run(workspace::cargo().args(["build", "--profile", profile]).args(package))?;
    let module = workspace::target().join(wasm::TARGET).join(profile).join("lasthop_web.wasm");
    let mut bundle = workspace::cargo();
    bundle.args(["run", "--profile", "checks", "--package", "bundle", "--"]).arg(&module).arg(folder).arg(target);
    workspace::run(&mut bundle)?;
    Ok(folder.join("lasthop_web_bg.wasm"))
}
