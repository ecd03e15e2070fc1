//! One mutant at a time, and what became of each.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::list::Mutant;
use super::tree::Tree;
use crate::workspace;

/// What became of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// A test failed.
    Killed,
    /// The tests took too long.
    TimedOut,
    /// All tests passed.
    Survived,
    /// It does not compile.
    Unviable,
}

impl Verdict {
    const ALL: [Verdict; 4] = [Verdict::Killed, Verdict::TimedOut, Verdict::Survived, Verdict::Unviable];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Killed => "killed",
            Verdict::TimedOut => "timed out",
            Verdict::Survived => "survived",
            Verdict::Unviable => "unviable",
        }
    }
}

/// The two halves of a crate's tests: those in its own files, which are compiled with it, and the programs in `tests`. Most
/// mutants die by the first, so that the second need not be compiled.
const HALVES: [&str; 2] = ["--lib", "--tests"];

/// A crate whose tests pass.
pub struct Crate {
    package: String,
    /// The processor's time that each program of a half may take.
    limits: [Duration; 2],
}

impl Crate {
    /// Builds the tests of a crate, and measures how long they take.
    #[allow(clippy::disallowed_methods, reason = "how long tests may take is of this machine")]
    pub fn begin(tree: &Tree, name: &str) -> Result<Self, String> {
        let package = format!("lasthop-{name}");
        let mut limits = [Duration::ZERO; 2];
        for (half, limit) in HALVES.into_iter().zip(&mut limits) {
            let patience = Duration::from_secs(7200);
            if ended(&mut cargo(tree, &package, half, true), patience)? != Ended::Well {
                return Err(format!("the tests of {package} do not compile"));
            }
            let began = Instant::now();
            if ended(&mut cargo(tree, &package, half, false), patience)? != Ended::Well {
                return Err(format!("the tests of {package} fail as they are"));
            }
            // What it took is no less than the processor's time.
            *limit = began.elapsed() * 3 + Duration::from_secs(30);
        }
        Ok(Crate { package, limits })
    }

    /// Changes the code, runs the tests, and takes the change back.
    pub fn tries(&self, tree: &Tree, mutant: &Mutant) -> Result<Verdict, String> {
        let text = tree.read(&mutant.file)?;
        tree.write(&mutant.file, &mutant.apply(&text)?)?;
        let verdict = self.tested(tree);
        tree.write(&mutant.file, &text)?;
        verdict
    }

    fn tested(&self, tree: &Tree) -> Result<Verdict, String> {
        for (half, limit) in HALVES.into_iter().zip(self.limits) {
            match ended(&mut cargo(tree, &self.package, half, true), Duration::from_secs(3600))? {
                Ended::Well => {}
                // The library alone tells whether a mutant compiles: its tests use it as it is.
                Ended::Badly | Ended::Late => return Ok(Verdict::Unviable),
            }
            let mut tests = within(limit, &cargo(tree, &self.package, half, false));
            // By the clock they may take much longer: the machine may be busy with other things. A test that waits and never ends is ended by it.
            match ended(&mut tests, limit * 20)? {
                Ended::Well => {}
                Ended::Badly => return Ok(Verdict::Killed),
                Ended::Late => return Ok(Verdict::TimedOut),
            }
        }
        Ok(Verdict::Survived)
    }
}

fn cargo(tree: &Tree, package: &str, half: &str, compile_only: bool) -> Command {
    let mut cargo = workspace::cargo();
    cargo.current_dir(&tree.root).args(["test", "--quiet", "-p", package, half]);
    if compile_only {
        cargo.arg("--no-run");
    }
    // Compiled as fast as may be while the tests of chance still take seconds, not minutes. What mutants never reach is warned of.
    let settings = [("OPT_LEVEL", "1"), ("DEBUG", "false"), ("INCREMENTAL", "true")];
    cargo.envs(settings.map(|(name, value)| (format!("CARGO_PROFILE_DEV_{name}"), value)));
    cargo.env("CARGO_TARGET_DIR", &tree.build).env("RUSTFLAGS", "--cap-lints=allow");
    // A mutant must not write what it gives for what is right, nor remember what made it fail.
    cargo.env_remove("UPDATE_GOLDEN").env("PROPTEST_FAILURE_PERSISTENCE", "off");
    cargo
}

/// `command`, whose programs may each take so much of the processor's time: one that loops fails.
fn within(limit: Duration, command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -t \"$0\"; exec \"$@\"", &limit.as_secs().max(1).to_string()]);
    limited.arg(command.get_program()).args(command.get_args());
    alike(&mut limited, command);
    limited
}

/// Gives `to` the folder and the environment that `from` has.
fn alike(to: &mut Command, from: &Command) {
    for (name, value) in from.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
    if let Some(folder) = from.get_current_dir() {
        to.current_dir(folder);
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Ended {
    Well,
    Badly,
    Late,
}

/// Runs `command`, and ends it and all that it began when it takes longer than `limit`.
fn ended(command: &mut Command, limit: Duration) -> Result<Ended, String> {
    let mut timed = Command::new("timeout");
    timed.arg("--kill-after=10").arg(format!("{}", limit.as_secs().max(1))).arg(command.get_program());
    timed.args(command.get_args());
    alike(&mut timed, command);
    timed.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = timed.status().map_err(|error| format!("cannot run `{}`: {error}", workspace::spelled(&timed)))?;
    Ok(match status.code() {
        Some(0) => Ended::Well,
        Some(124 | 137) => Ended::Late,
        Some(_) => Ended::Badly,
        None => Ended::Late,
    })
}

/// What is known of mutants.
pub struct Results {
    file: PathBuf,
    known: HashMap<String, Known>,
    /// By folder or file.
    digests: std::cell::RefCell<HashMap<String, u64>>,
}

struct Known {
    verdict: Verdict,
    /// Of the mutant's file when it was tried.
    source: String,
    /// Of all its crate.
    tests: String,
}

impl Results {
    /// Those of earlier runs; of a line that was cut off nothing is known.
    pub fn read(tree: &Tree) -> Result<Self, String> {
        let file = tree.build.with_file_name("results.jsonl");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let known = text.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            let text = |key: &str| line[key].as_str().map(str::to_owned);
            let verdict = Verdict::ALL.into_iter().find(|verdict| Some(verdict.name()) == line["verdict"].as_str())?;
            Some((text("mutant")?, Known { verdict, source: text("source")?, tests: text("tests")? }))
        });
        Ok(Results { known: known.collect(), file, digests: Default::default() })
    }

    fn digest(&self, tree: &Tree, within: &str) -> String {
        let mut digests = self.digests.borrow_mut();
        let digest = digests.entry(within.to_owned()).or_insert_with(|| tree.digest(within));
        format!("{digest:016x}")
    }

    /// What is known of a mutant, unless its file is another than when it was tried. One that survived may die by new tests.
    pub fn verdict(&self, tree: &Tree, mutant: &Mutant) -> Option<Verdict> {
        let known = self.known.get(&mutant.name)?;
        let same = known.source == self.digest(tree, &mutant.file)
            && (known.verdict != Verdict::Survived || known.tests == self.digest(tree, crate_of(&mutant.file)));
        same.then_some(known.verdict)
    }

    /// Adds what was found.
    pub fn keep(&mut self, tree: &Tree, mutant: &Mutant, verdict: Verdict) -> Result<(), String> {
        let (source, tests) = (self.digest(tree, &mutant.file), self.digest(tree, crate_of(&mutant.file)));
        let line = json!({ "mutant": mutant.name, "verdict": verdict.name(), "source": source, "tests": tests });
        let opened = OpenOptions::new().create(true).append(true).open(&self.file);
        let written = opened.and_then(|mut file| writeln!(file, "{line}"));
        written.map_err(|error| format!("cannot write {}: {error}", self.file.display()))?;
        self.known.insert(mutant.name.clone(), Known { verdict, source, tests });
        Ok(())
    }
}

/// The folder of the crate that a file is in: "crates/tcp/".
fn crate_of(file: &str) -> &str {
    let end = file.match_indices('/').nth(1).map_or(file.len(), |(at, _)| at + 1);
    &file[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_its_crate() {
        assert_eq!(crate_of("crates/tcp/src/sender/mod.rs"), "crates/tcp/");
    }

    #[test]
    fn a_program_ends_well_badly_or_late() {
        let shell = |line: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            shell
        };
        assert_eq!(ended(&mut shell("exit 0"), Duration::from_secs(60)), Ok(Ended::Well));
        assert_eq!(ended(&mut shell("exit 101"), Duration::from_secs(60)), Ok(Ended::Badly));
        assert_eq!(ended(&mut shell("sleep 600"), Duration::from_secs(1)), Ok(Ended::Late));
        let mut loops = within(Duration::from_secs(1), &shell("sh -c 'while :; do :; done' || exit 101"));
        assert_eq!(ended(&mut loops, Duration::from_secs(600)), Ok(Ended::Badly));
        assert_eq!(
            ended(&mut within(Duration::from_secs(9), &shell("exit 0")), Duration::from_secs(60)),
            Ok(Ended::Well)
        );
    }
}
