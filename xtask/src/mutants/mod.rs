//! Mutation testing of a crate, with the mutants that cargo-mutants lists.
//!
//! A sample is drawn by a seed: each crate's mutants are ordered by a hash of the seed and the mutant's name, and the
//! first ones are taken. Most of them are [compiled together](schemata). A mutant is killed if a test of its crate
//! fails, or takes much more time or memory than without the mutant; a mutant that does not compile is unviable.
//! Results are stored in `target/mutants/results.jsonl` immediately, and a mutant is tried again only if its result may
//! have changed.

mod build;
mod hash;
mod list;
mod program;
mod results;
mod schemata;
#[allow(dead_code, reason = "the module is compiled into the mutated crates")]
mod switch;
mod tally;
mod tree;
mod trial;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::Path;
use std::thread;

use crate::workspace;
use list::Mutant;
use results::{MutantFinding, MutantVerdict, Results};
use tally::Tally;
use tree::{Sources, Tree};
use trial::Trial;

/// Number of mutants drawn from each crate.
const SAMPLE: [(&str, usize); 4] = [("engine", 40), ("stats", 40), ("tcp", 100), ("path", 100)];

/// Files or folders of protocol rules, all of whose mutants `cargo xtask mutants rules` tests.
const RULES: [&str; 10] = [
    "crates/engine/src/random.rs",
    "crates/tcp/src/sender/timers.rs",
    "crates/tcp/src/sender/rtt.rs",
    "crates/tcp/src/sender/recover.rs",
    "crates/tcp/src/scoreboard/",
    "crates/tcp/src/recovery/",
    "crates/path/src/medium/exchange.rs",
    "crates/path/src/medium/aggregate.rs",
    "crates/path/src/medium/station.rs",
    "crates/path/src/medium/carrier_sense_group.rs",
];

const USAGE: &str = "\
Tests which mutants the tests of their own crate detect; needs cargo-mutants (`cargo install cargo-mutants`).

    cargo xtask mutants sample [--seed N]    draws 40 mutants each of engine and stats, 100 each of tcp and path
    cargo xtask mutants rules                takes all mutants of the files with protocol rules

    --seed N       seed of the sample; default 1
    --crate NAME   tests only the mutants of this crate
    --limit K      ends after K mutants
    --jobs N       number of test programs in parallel; default: the number of cores
    --one-by-one   compiles each mutant separately and stores its results apart: a slow check of the default method
    --report       prints the stored results without testing mutants

Results are stored, so an interrupted command continues where it ended. Working files are in target/mutants. Compiling a
crate with all its mutants takes some minutes, each mutant then about a second.
";

/// Drawn mutants by crate.
type Drawn = BTreeMap<&'static str, Vec<Mutant>>;

/// Options of the command.
struct MutantOptions {
    rules: bool,
    seed: u64,
    only: Option<String>,
    limit: usize,
    jobs: usize,
    one_by_one: bool,
}

impl MutantOptions {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let wrong = |word: &str| format!("mutants: unexpected argument `{word}`\n\n{USAGE}");
        let mut words = words.iter();
        let rules = match words.next() {
            Some(&"sample") => false,
            Some(&"rules") => true,
            other => return Err(wrong(other.copied().unwrap_or_default())),
        };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let mut options = MutantOptions { rules, seed: 1, only: None, limit: usize::MAX, jobs, one_by_one: false };
        while let Some(word) = words.next() {
            let mut value = || words.next().copied().ok_or_else(|| wrong(word));
            match *word {
                "--seed" => options.seed = value()?.parse().map_err(|_| wrong(word))?,
                "--crate" => options.only = Some(value()?.to_owned()),
                "--limit" => options.limit = value()?.parse().map_err(|_| wrong(word))?,
                "--jobs" => options.jobs = value()?.parse::<NonZero<usize>>().map_err(|_| wrong(word))?.get(),
                "--one-by-one" => options.one_by_one = true,
                "--report" => options.limit = 0,
                _ => return Err(wrong(word)),
            }
        }
        Ok(options)
    }

    /// Returns the file name of the stored results.
    fn results(&self) -> &'static str {
        if self.one_by_one { "one-by-one.jsonl" } else { "results.jsonl" }
    }

    /// Returns the drawn mutants, by crate.
    fn draw(&self, root: &Path) -> Result<Drawn, String> {
        let mut drawn = BTreeMap::new();
        for (name, number) in SAMPLE {
            if self.only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            let mut mutants = list::list_mutants(root, name)?;
            if self.rules {
                mutants.retain(|mutant| RULES.iter().any(|rule| mutant.file.starts_with(rule)));
            } else {
                mutants = list::draw_sample(mutants, self.seed, number);
            }
            drawn.insert(name, mutants);
        }
        Ok(drawn)
    }
}

/// Tests mutants and prints the result.
pub fn test_mutants(words: &[&str]) -> Result<(), String> {
    if words.is_empty() || words.contains(&"--help") {
        return workspace::print_text(USAGE);
    }
    let options = MutantOptions::parse(words)?;
    let sources = Sources::read()?;
    // No lock is taken if there are no new trials. Therefore stored results can be shown while another process runs.
    let tree = if options.limit > 0 { Some(Tree::synchronize(&sources)?) } else { None };
    let mut results = Results::read(tree::mutants_folder().join(options.results()), &sources);
    let drawn = options.draw(tree.as_ref().map_or(&workspace::root_folder(), |tree| &tree.root))?;
    if let Some(tree) = &tree {
        try_unknown(&options, tree, &drawn, &mut results)?;
    }
    print_report(&drawn, &results)
}

/// Tests the mutants without a stored result.
fn try_unknown(options: &MutantOptions, tree: &Tree, drawn: &Drawn, results: &mut Results) -> Result<(), String> {
    let mut left = options.limit;
    for (name, mutants) in drawn {
        let unknown = mutants.iter().filter(|mutant| results.verdict(mutant).is_none());
        let unknown: Vec<&Mutant> = unknown.take(left).collect();
        if unknown.is_empty() {
            continue;
        }
        left -= unknown.len();
        let mut tried = 0;
        let mut keep = |mutant: &Mutant, found: &MutantFinding| {
            tried += 1;
            let by = found.by.as_ref().map(|program| format!(" by {program}")).unwrap_or_default();
            eprintln!("{name} {tried} of {}: {}{by}: {}", unknown.len(), found.verdict.name(), mutant.name);
            results.keep(mutant, found)
        };
        let trial = Trial::of(tree, name, options.jobs);
        if options.one_by_one {
            trial.one_by_one(&unknown, &mut keep)?;
        } else {
            trial.all(&unknown, &mut keep)?;
        }
    }
    Ok(())
}

fn print_report(drawn: &Drawn, results: &Results) -> Result<(), String> {
    let equivalents = tally::Equivalents::read()?;
    let mut report = String::new();
    let (mut all, mut survivors) = (Tally::default(), Vec::new());
    for (name, mutants) in drawn {
        let mut tally = Tally::default();
        for mutant in mutants {
            let verdict = results.verdict(mutant);
            let equivalent = equivalents.has(&mutant.name);
            tally.count(verdict, equivalent);
            if verdict == Some(MutantVerdict::Survived) && !equivalent {
                survivors.push(&mutant.name);
            }
        }
        report += &format!("{name:8} {tally}\n");
        all.add(&tally);
    }
    report += &format!("{:8} {all}\n", "all");
    if !survivors.is_empty() {
        report += "\nsurvived:\n";
    }
    survivors.iter().for_each(|name| report += &format!("  {name}\n"));
    workspace::print_text(&report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_defaults_and_unknown_ones_are_refused() {
        let options = MutantOptions::parse(&["sample"]).unwrap();
        assert_eq!((options.seed, options.limit, options.rules, options.one_by_one), (1, usize::MAX, false, false));
        let options = MutantOptions::parse(&["rules", "--crate", "tcp", "--jobs", "3", "--report"]).unwrap();
        assert_eq!((options.only.as_deref(), options.jobs, options.limit, options.rules), (Some("tcp"), 3, 0, true));
        for words in [&["all"][..], &["sample", "--jobs", "many"], &["sample", "--jobs", "0"], &["sample", "--seed"]] {
            assert!(
                MutantOptions::parse(words).err().is_some_and(|said| said.contains("unexpected argument")),
                "{words:?}"
            );
        }
    }
}
