//! The laboratory as a page for browsers: the module, the page around it, and the files that `lasthop web` serves.

mod bundle;
mod catalogue;
#[path = "../../../crates/cli/src/commands/web/sources.rs"]
mod sources;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{wasm, workspace};

/// How the module is compiled.
#[derive(Clone, Copy)]
pub enum Module {
    /// Small: what visitors load.
    Released,
    /// In half the time, with assertions: for tests.
    Tested,
    /// As the command that `cargo install` makes, with whose build it shares what runs while compiling.
    Installed,
}

impl Module {
    /// The module of the quick tests, or of all.
    pub fn of_tests(full: bool) -> Self {
        if full { Module::Released } else { Module::Tested }
    }

    /// The profile of cargo.
    fn profile(self) -> &'static str {
        match self {
            Module::Released => "web",
            Module::Tested => workspace::CHECKS,
            Module::Installed => "release",
        }
    }

    /// A command of cargo with its profile.
    fn cargo(self, subcommand: &str) -> Command {
        if matches!(self, Module::Tested) {
            return workspace::cargo_of_checks(subcommand);
        }
        let mut cargo = workspace::cargo();
        cargo.args([subcommand, "--profile", self.profile()]);
        cargo
    }

    /// The module whose profile the program that writes the JavaScript has.
    fn of_tool(self) -> Self {
        if matches!(self, Module::Released) { Module::Tested } else { self }
    }

    /// The limits of the page's sizes.
    fn limits(self) -> &'static [bundle::Limit] {
        match self {
            Module::Released => &[bundle::MODULE, bundle::SCRIPTS],
            Module::Tested | Module::Installed => &[bundle::SCRIPTS],
        }
    }
}

/// Builds the page and compresses its files into `crates/cli/bundle`, where the command's build finds them; prints their
/// sizes, and fails if one is above its limit.
pub fn run(module: Module) -> Result<(), String> {
    build_page(module, &bundle::folder())?;
    bundle::write_fingerprint()
}

/// Builds the page for a command that is installed already, and compresses its files into a folder: `lasthop web` runs this.
pub fn build_into(folder: &str) -> Result<(), String> {
    build_page(Module::Installed, &workspace::root().join(folder))
}

/// Builds the page and compresses its files into a folder. What needs the network comes first.
fn build_page(module: Module, folder: &Path) -> Result<(), String> {
    announce_step("install the packages of the page");
    install_packages()?;
    parts(module)?;
    announce_step("bundle the page");
    npm(&["run", "build"], false)?;
    bundle::compress(&workspace::root().join("web/dist"), folder)?;
    bundle::sizes(folder, module.limits())
}

/// Builds what the page takes from the workspace: the module in `web/src/wasm`, the examples in `web/public/examples`.
pub fn parts(module: Module) -> Result<(), String> {
    let folder = workspace::target().join("web");
    build(module, &folder, "web")?;
    copy_module(&folder, &workspace::root().join("web/src/wasm"))?;
    catalogue::write(&workspace::root().join("examples"), &workspace::root().join("web/public/examples"))
}

/// Prints the title of a step; `lasthop web` shows it while it waits.
fn announce_step(title: &str) {
    eprintln!("step: {title}");
}

/// Fails unless a program contains the page in `crates/cli/bundle`.
pub fn check_embedded(program: &Path) -> Result<(), String> {
    bundle::check_embedded(&bundle::folder(), program)
}

/// The size of the page's compressed files, in bytes.
pub fn bytes() -> Result<u64, String> {
    Ok(bundle::files(&bundle::folder())?.iter().map(|(_, bytes)| bytes).sum())
}

/// Tests the page that [`run`] has built in Chromium: some of each kind, with `full` everything.
pub fn test_page(full: bool) -> Result<(), String> {
    workspace::build_as_tested()?;
    npm(&["test"], full)
}

/// Runs the module in Node, and compares it with the command: on some examples, with `full` on all.
pub fn compare_with_command(full: bool) -> Result<(), String> {
    let module = Module::of_tests(full);
    let folder = workspace::target().join("web-node");
    build(module, &folder, "nodejs")?;
    let command = workspace::build_as_tested()?.join("lasthop");
    let mut node = Command::new("node");
    node.arg("crates/web/tests/equal.cjs").arg(folder.join("lasthop_web.js")).arg(command);
    workspace::run(node.args(["examples", if full { "1" } else { "6" }]).current_dir(workspace::root()))
}

/// Builds the module, and its JavaScript for `web` or `nodejs`.
fn build(module: Module, folder: &Path, target: &str) -> Result<(), String> {
    announce_step("compile the simulator to WebAssembly");
    wasm::install()?;
    let package = ["--package", "lasthop-web", "--target", wasm::TARGET];
    workspace::run(module.cargo("build").args(package))?;
    let compiled = workspace::target().join(wasm::TARGET).join(module.profile()).join("lasthop_web.wasm");
    announce_step("write its JavaScript");
    let mut bundle = module.of_tool().cargo("run");
    workspace::run(bundle.args(["--package", "bundle", "--"]).arg(&compiled).arg(folder).arg(target))
}

/// Copies what the page imports; files that did not change keep their time, so that nothing else is built again.
fn copy_module(from: &Path, to: &Path) -> Result<(), String> {
    for name in ["lasthop_web.js", "lasthop_web.d.ts", "lasthop_web_bg.wasm", "lasthop_web_bg.wasm.d.ts"] {
        let read = fs::read(from.join(name)).map_err(|error| format!("{}: {error}", from.join(name).display()))?;
        write(&to.join(name), &read)?;
    }
    Ok(())
}

/// Writes a file unless it has this content.
fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, bytes)).map_err(|error| format!("{}: {error}", path.display()))
}

/// Installs the packages that `web/package-lock.json` names, unless they are there.
fn install_packages() -> Result<(), String> {
    if !workspace::on_path("npm") {
        return Err("the page needs npm: apt-get install npm".to_owned());
    }
    let page = workspace::root().join("web");
    let (wanted, installed) = (page.join("package-lock.json"), page.join("node_modules/.package-lock.json"));
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    if time(&installed) < time(&wanted) {
        let mut install = Command::new("npm");
        install.args(["ci", "--no-audit", "--no-fund", "--prefer-offline"]).current_dir(&page);
        // Without a network the two retries take seconds, not more than a minute.
        install.args(["--fetch-retry-mintimeout", "2000", "--fetch-retry-maxtimeout", "5000"]);
        workspace::run(&mut install)?;
    }
    Ok(())
}

/// Runs npm for the page.
fn npm(arguments: &[&str], full: bool) -> Result<(), String> {
    install_packages()?;
    let page = workspace::root().join("web");
    let mut npm = Command::new("npm");
    npm.args(arguments).current_dir(&page).env("LASTHOP_FULL", if full { "1" } else { "0" });
    workspace::run(&mut npm)
}
