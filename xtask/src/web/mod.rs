//! The laboratory as a page for browsers. It consists of the module, the page around it, and the files that `lasthop
//! web` serves.

mod bundle;
mod catalogue;
#[path = "../../../crates/cli/src/commands/web/node_version.rs"]
mod node_version;
#[path = "../../../crates/cli/src/commands/web/sources.rs"]
mod sources;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::tree::write_file;
use crate::{checks, wasm, workspace};

/// The way in which the module is compiled.
#[derive(Clone, Copy)]
pub enum Module {
    /// The small module that visitors load.
    Released,
    /// The module for tests, compiled in half the time, with assertions.
    Tested,
    /// The module compiled with the options of `cargo install` for the command, so that both builds share code that
    /// runs while compiling.
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
            Module::Tested => checks::CHECKS,
            Module::Installed => "release",
        }
    }

    /// A cargo command with the profile of installs.
    fn cargo(self, subcommand: &str) -> Command {
        if matches!(self, Module::Tested) {
            return checks::cargo_of_checks(subcommand);
        }
        let mut cargo = workspace::cargo_command();
        cargo.args([subcommand, "--profile", self.profile()]);
        cargo
    }

    /// The module processed by the program that writes the JavaScript.
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

/// Builds the page and compresses its files into `crates/cli/bundle`, where the command's build finds them. Prints the
/// sizes of the files, and fails if a size is above its limit.
pub fn embed_page(module: Module) -> Result<(), String> {
    build_page(module, &bundle::bundle_folder())?;
    bundle::write_signature(module)
}

/// Builds the page for an installed command, and compresses its files into a folder. `lasthop web` runs this.
pub fn build_into(folder: &str) -> Result<(), String> {
    build_page(Module::Installed, &workspace::root_folder().join(folder))
}

/// Builds the page and compresses its files into a folder. Steps that need the network come first.
fn build_page(module: Module, folder: &Path) -> Result<(), String> {
    announce_step("install the packages of the page");
    install_packages()?;
    build_parts(module)?;
    announce_step("bundle the page");
    workspace::run_command(&mut npm_command(&["run", "build"])?)?;
    bundle::compress_folder(&workspace::root_folder().join("web/dist"), folder)?;
    bundle::check_sizes(folder, module.limits())
}

/// Builds the parts of the page from the workspace: the module in `web/src/wasm`, the examples in `web/public/examples`.
pub fn build_parts(module: Module) -> Result<(), String> {
    let folder = workspace::target_folder().join("web");
    build_module(module, &folder, "web")?;
    copy_module(&folder, &workspace::root_folder().join("web/src/wasm"))?;
    catalogue::write_catalogue(
        &workspace::root_folder().join("examples"),
        &workspace::root_folder().join("web/public/examples"),
    )
}

/// Prints the title of a step; `lasthop web` shows the title while waiting.
fn announce_step(title: &str) {
    eprintln!("step: {title}");
}

/// Fails unless a program contains the page in `crates/cli/bundle`.
pub fn check_embedded(program: &Path) -> Result<(), String> {
    bundle::check_embedded(&bundle::bundle_folder(), program)
}

/// The size of the page's compressed files, in bytes.
pub fn measure_bundle() -> Result<u64, String> {
    bundle::list_sizes(&bundle::bundle_folder()).map(|files| files.iter().map(|(_, bytes)| bytes).sum())
}

/// Returns the reason why the programs of this machine cannot build the page, if any.
pub fn explain_unfit() -> Option<String> {
    let version = workspace::read_output(Command::new("node").arg("--version")).unwrap_or_default();
    let old = node_version::explain_old_version(version.trim());
    old.or_else(|| (!wasm::can_install()).then(|| wasm::REMEDY.to_owned()))
}

/// Tests the page that [`embed_page`] has built in Chromium: some tests of each kind, with `full` all tests.
pub fn test_page(full: bool) -> Result<(), String> {
    checks::build_as_tested()?;
    let chromium = skip::find_program("chromium").map(skip::find_on_path)?.unwrap_or_default();
    workspace::run_command(
        npm_command(&["test"])?.env("CHROMIUM", chromium).env("LASTHOP_FULL", if full { "1" } else { "0" }),
    )
}

/// Runs the module in Node, and compares it with the command: on some examples, with `full` on all examples.
pub fn compare_with_command(full: bool) -> Result<(), String> {
    let module = Module::of_tests(full);
    let folder = workspace::target_folder().join("web-node");
    build_module(module, &folder, "nodejs")?;
    let command = checks::build_as_tested()?.join("lasthop");
    let mut node = Command::new("node");
    node.arg("crates/web/tests/equal.cjs").arg(folder.join("lasthop_web.js")).arg(command);
    workspace::run_command(node.args(["examples", if full { "1" } else { "6" }]).current_dir(workspace::root_folder()))
}

/// Builds the module, and its JavaScript for `web` or `nodejs`.
fn build_module(module: Module, folder: &Path, target: &str) -> Result<(), String> {
    announce_step("compile the simulator to WebAssembly");
    wasm::install_target()?;
    let package = ["--package", "lasthop-web", "--target", wasm::TARGET];
    workspace::run_command(module.cargo("build").args(package))?;
    let compiled = workspace::target_folder().join(wasm::TARGET).join(module.profile()).join("lasthop_web.wasm");
    announce_step("write its JavaScript");
    let mut bundle = module.of_tool().cargo("run");
    workspace::run_command(bundle.args(["--package", "bundle", "--"]).arg(&compiled).arg(folder).arg(target))
}

/// Copies the files that the page imports. Unchanged files keep their times. Therefore nothing else is rebuilt.
fn copy_module(from: &Path, to: &Path) -> Result<(), String> {
    for name in ["lasthop_web.js", "lasthop_web.d.ts", "lasthop_web_bg.wasm", "lasthop_web_bg.wasm.d.ts"] {
        let read = fs::read(from.join(name)).map_err(|error| format!("{}: {error}", from.join(name).display()))?;
        write_file(&to.join(name), &read)?;
    }
    Ok(())
}

/// Installs the packages named in `web/package-lock.json`, if they are not installed yet.
fn install_packages() -> Result<(), String> {
    if !workspace::on_path("npm") {
        return Err("the page needs npm: apt-get install npm".to_owned());
    }
    let page = workspace::root_folder().join("web");
    let (wanted, installed) = (page.join("package-lock.json"), page.join("node_modules/.package-lock.json"));
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    if time(&installed) < time(&wanted) {
        let mut install = Command::new("npm");
        install.args(["ci", "--no-audit", "--no-fund", "--prefer-offline"]).current_dir(&page);
        // Without a network the two retries take seconds instead of more than a minute.
        install.args(["--fetch-retry-mintimeout", "2000", "--fetch-retry-maxtimeout", "5000"]);
        workspace::run_command(&mut install)?;
    }
    Ok(())
}

/// Returns a command of npm for the page, after installing the page's packages.
fn npm_command(arguments: &[&str]) -> Result<Command, String> {
    install_packages()?;
    let mut npm = Command::new("npm");
    npm.args(arguments).current_dir(workspace::root_folder().join("web"));
    Ok(npm)
}
