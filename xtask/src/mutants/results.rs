//! Stored results of mutants.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::list::Mutant;
use super::tree::Sources;

/// Verdict on a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MutantVerdict {
    /// A test failed.
    Killed,
    /// The tests exceeded the time limit.
    TimedOut,
    /// The tests exceeded the memory limit.
    OutOfMemory,
    /// All tests passed, or no test reaches the mutant.
    Survived,
    /// The mutant does not compile.
    Unviable,
}

impl MutantVerdict {
    const ALL: [MutantVerdict; 5] = [
        MutantVerdict::Killed,
        MutantVerdict::TimedOut,
        MutantVerdict::OutOfMemory,
        MutantVerdict::Survived,
        MutantVerdict::Unviable,
    ];

    pub fn name(self) -> &'static str {
        match self {
            MutantVerdict::Killed => "killed",
            MutantVerdict::TimedOut => "timed out",
            MutantVerdict::OutOfMemory => "out of memory",
            MutantVerdict::Survived => "survived",
            MutantVerdict::Unviable => "unviable",
        }
    }
}

/// A verdict, with the test program that caused it, if any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutantFinding {
    pub verdict: MutantVerdict,
    pub by: Option<String>,
}

/// Stored verdicts of mutants.
pub struct Results<'a> {
    file: PathBuf,
    known: HashMap<String, KnownResult>,
    sources: &'a Sources,
    /// Digests by folder or file.
    digests: RefCell<HashMap<String, String>>,
}

struct KnownResult {
    verdict: MutantVerdict,
    /// Digest of the mutant's file at the time of the trial.
    source: String,
    /// Digest of the crate at the time of the trial.
    tests: String,
}

impl<'a> Results<'a> {
    /// Reads the results of earlier runs; incomplete lines are ignored.
    pub fn read(file: PathBuf, sources: &'a Sources) -> Self {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let known = text.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            let text = |key: &str| line[key].as_str().map(str::to_owned);
            let verdict =
                MutantVerdict::ALL.into_iter().find(|verdict| Some(verdict.name()) == line["verdict"].as_str())?;
            Some((text("mutant")?, KnownResult { verdict, source: text("source")?, tests: text("tests")? }))
        });
        Results { known: known.collect(), file, sources, digests: RefCell::default() }
    }

    fn digest(&self, within: &str) -> String {
        let mut digests = self.digests.borrow_mut();
        let digest = || format!("{:016x}", self.sources.digest(within));
        digests.entry(within.to_owned()).or_insert_with(digest).clone()
    }

    /// Returns the stored verdict on a mutant if it is still valid. The file of the mutant must be unchanged. For a
    /// survivor the whole crate must be unchanged, because new tests may kill it.
    pub fn verdict(&self, mutant: &Mutant) -> Option<MutantVerdict> {
        let known = self.known.get(&mutant.name)?;
        let same = known.source == self.digest(&mutant.file)
            && (known.verdict != MutantVerdict::Survived || known.tests == self.digest(crate_of(&mutant.file)));
        same.then_some(known.verdict)
    }

    /// Stores a verdict.
    pub fn keep(&mut self, mutant: &Mutant, found: &MutantFinding) -> Result<(), String> {
        let MutantFinding { verdict, by } = found;
        let (source, tests) = (self.digest(&mutant.file), self.digest(crate_of(&mutant.file)));
        let line =
            json!({ "mutant": mutant.name, "verdict": verdict.name(), "by": by, "source": source, "tests": tests });
        let opened = OpenOptions::new().create(true).append(true).open(&self.file);
        let written = opened.and_then(|mut file| writeln!(file, "{line}"));
        written.map_err(|error| format!("cannot write {}: {error}", self.file.display()))?;
        self.known.insert(mutant.name.clone(), KnownResult { verdict: *verdict, source, tests });
        Ok(())
    }
}

/// Returns the folder of the crate that contains a file, such as "crates/tcp/".
fn crate_of(file: &str) -> &str {
    let end = file.match_indices('/').nth(1).map_or(file.len(), |(at, _)| at + 1);
    &file[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crate_folder_is_found_for_a_file() {
        assert_eq!(crate_of("crates/tcp/src/sender/mod.rs"), "crates/tcp/");
    }
}
