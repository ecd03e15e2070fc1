//! Paths of the workspace, and how to run other programs.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

pub use skip::is_on_path as on_path;

/// Returns the root of the workspace.
pub fn root_folder() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// Returns the target directory of cargo.
pub fn target_folder() -> PathBuf {
    root_folder().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Returns a command for the cargo that runs this program, at the root of the workspace.
pub fn cargo_command() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root_folder());
    cargo
}

/// Returns a program of rustc's toolchain, if it is installed.
pub fn toolchain_program(name: &str) -> Option<PathBuf> {
    static ROOT: OnceLock<Option<String>> = OnceLock::new();
    let root = ROOT.get_or_init(|| read_output(rustc_command().args(["--print", "sysroot"])).ok());
    let program = Path::new(root.as_ref()?.trim()).join("bin").join(name);
    Some(program.with_extension(env::consts::EXE_EXTENSION)).filter(|program| program.exists())
}

/// Returns a command that builds lasthop as it is released: with every feature, and for machines with older loaders.
pub fn release_build() -> Command {
    let mut cargo = cargo_command();
    cargo.args(["build", "--locked", "--profile", "dist", "--package", "lasthop", "--all-features"]);
    cargo.env("LASTHOP_PORTABLE", "1");
    cargo
}

/// Returns the compiler that builds this workspace.
pub fn rustc_command() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Returns the target triple for which rustc builds.
pub fn host_triple() -> Result<String, String> {
    let version = read_output(rustc_command().arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| format!("found no line `host:` in the output of rustc -vV: {version}"))
}

/// Runs `command` and waits for its end. Prints the output of the command, and then its duration.
pub fn run_command(command: &mut Command) -> Result<(), String> {
    let line = spell_command(command);
    eprintln!("$ {line}");
    #[expect(clippy::disallowed_methods, reason = "a command reads a clock")]
    let begin = Instant::now();
    match command.status() {
        Ok(status) if status.success() => {
            eprintln!("# {:.0} s", begin.elapsed().as_secs_f64());
            Ok(())
        }
        Ok(status) => Err(format!("`{line}` failed ({status})")),
        Err(error) => Err(format!("cannot run `{line}`: {error}")),
    }
}

/// Runs commands in order, one at a time on each processor; the output of each is printed at its end. An error names
/// all failed commands.
pub fn run_all(commands: Vec<Command>) -> Result<(), String> {
    let waiting = Mutex::new(commands.into_iter());
    let next = || waiting.lock().expect("no thread panics with the lock").next();
    let work = || {
        let mut failed = Vec::new();
        while let Some(mut command) = next() {
            let line = spell_command(&command);
            #[expect(clippy::disallowed_methods, reason = "a command reads a clock")]
            let begin = Instant::now();
            match command.output() {
                Ok(output) => {
                    let [printed, said] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
                    eprint!("$ {line}\n{printed}{said}# {:.0} s\n", begin.elapsed().as_secs_f64());
                    if !output.status.success() {
                        failed.push(format!("`{line}` failed ({})", output.status));
                    }
                }
                Err(error) => failed.push(format!("cannot run `{line}`: {error}")),
            }
        }
        failed
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failed: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a command panics nowhere")).collect()
    });
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Runs `command`, waits for its end, and returns its standard output.
pub fn read_output(command: &mut Command) -> Result<String, String> {
    let line = spell_command(command);
    let output = command.output().map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{line}` failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("expected UTF-8 from `{line}`"))
}

/// Returns `command` as typed in a shell, with only the file name of the program.
pub fn spell_command(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words: Vec<_> = std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Writes to standard output; a closed pipe is an error, not a panic.
pub fn print_text(text: &str) -> Result<(), String> {
    io::stdout().write_all(text.as_bytes()).map_err(|error| format!("cannot write the output: {error}"))
}
