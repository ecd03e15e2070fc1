//! Whether the tests of a crate notice when its code is changed, by the mutants that cargo-mutants lists.
//!
//! A sample of them is drawn by a seed: each crate's mutants in the order of a hash of the seed and the mutant's name, and the
//! first of them. They are [compiled at once](schemata) as far as that is possible. A mutant dies if a test of its own crate
//! fails, or takes much more time or memory than all of them take otherwise; one that does not compile is no mutant. What is
//! found is kept in `target/mutants/results.jsonl` as soon as it is found, and tried again only when it may have changed.

mod build;
mod hash;
mod list;
mod program;
mod results;
mod schemata;
#[allow(dead_code, reason = "it is compiled into the crates that hold mutants")]
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
use results::{Found, Results, Verdict};
use tally::Tally;
use tree::{Sources, Tree};
use trial::Trial;

/// How many mutants of each crate are drawn.
const SAMPLE: [(&str, usize); 4] = [("engine", 40), ("stats", 40), ("tcp", 100), ("path", 100)];

/// Files, or folders of them, that hold rules of which each line counts.
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
Mutants that the tests of their own crate should notice; needs cargo-mutants (`cargo install cargo-mutants`).

    cargo xtask mutants sample [--seed N]    40 of engine and stats each, 100 of tcp and path each
    cargo xtask mutants rules                all of the files that hold rules

    --seed N       by which the sample is drawn; 1 if not given
    --crate NAME   only of this one
    --limit K      tries no more than K, and ends
    --jobs N       so many programs of tests at a time; as many as there are cores if not given
    --one-by-one   compiles each mutant by itself and keeps its own results: slow, a check of the usual way
    --report       tries none: what is known

Begun again it goes on where it ended. It works in target/mutants: some minutes to compile a crate with all its mutants, and
then a second or so for each.
";

/// Mutants by crate.
type Drawn = BTreeMap<&'static str, Vec<Mutant>>;

/// What is wanted.
struct Options {
    rules: bool,
    seed: u64,
    only: Option<String>,
    limit: usize,
    jobs: usize,
    one_by_one: bool,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let wrong = |word: &str| format!("mutants: `{word}` is not understood\n\n{USAGE}");
        let mut words = words.iter();
        let rules = match words.next() {
            Some(&"sample") => false,
            Some(&"rules") => true,
            other => return Err(wrong(other.copied().unwrap_or_default())),
        };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let mut options = Options { rules, seed: 1, only: None, limit: usize::MAX, jobs, one_by_one: false };
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

    /// Where the results are kept.
    fn results(&self) -> &'static str {
        if self.one_by_one { "one-by-one.jsonl" } else { "results.jsonl" }
    }

    /// The mutants that are wanted, by crate.
    fn draw(&self, root: &Path) -> Result<Drawn, String> {
        let mut drawn = BTreeMap::new();
        for (name, number) in SAMPLE {
            if self.only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            let mut mutants = list::of(root, name)?;
            if self.rules {
                mutants.retain(|mutant| RULES.iter().any(|rule| mutant.file.starts_with(rule)));
            } else {
                mutants = list::sample(mutants, self.seed, number);
            }
            drawn.insert(name, mutants);
        }
        Ok(drawn)
    }
}

/// Tries mutants and says how many died.
pub fn run(words: &[&str]) -> Result<(), String> {
    if words.is_empty() || words.contains(&"--help") {
        return workspace::print(USAGE);
    }
    let options = Options::parse(words)?;
    let sources = Sources::read()?;
    // What is known can be asked while another process tries mutants.
    let tree = if options.limit > 0 { Some(Tree::synchronized(&sources)?) } else { None };
    let mut results = Results::read(tree::folder().join(options.results()), &sources);
    let drawn = options.draw(tree.as_ref().map_or(&workspace::root(), |tree| &tree.root))?;
    if let Some(tree) = &tree {
        try_unknown(&options, tree, &drawn, &mut results)?;
    }
    report(&drawn, &results)
}

/// Tries those of which nothing is known.
fn try_unknown(options: &Options, tree: &Tree, drawn: &Drawn, results: &mut Results) -> Result<(), String> {
    let mut left = options.limit;
    for (name, mutants) in drawn {
        let unknown = mutants.iter().filter(|mutant| results.verdict(mutant).is_none());
        let unknown: Vec<&Mutant> = unknown.take(left).collect();
        if unknown.is_empty() {
            continue;
        }
        left -= unknown.len();
        let mut tried = 0;
        let mut keep = |mutant: &Mutant, found: &Found| {
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

fn report(drawn: &Drawn, results: &Results) -> Result<(), String> {
    let equivalents = tally::Equivalents::read()?;
    let mut report = String::new();
    let (mut all, mut survivors) = (Tally::default(), Vec::new());
    for (name, mutants) in drawn {
        let mut tally = Tally::default();
        for mutant in mutants {
            let verdict = results.verdict(mutant);
            let equivalent = equivalents.has(&mutant.name);
            tally.count(verdict, equivalent);
            if verdict == Some(Verdict::Survived) && !equivalent {
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
    workspace::print(&report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_defaults_and_nothing_else_is_understood() {
        let options = Options::parse(&["sample"]).unwrap();
        assert_eq!((options.seed, options.limit, options.rules, options.one_by_one), (1, usize::MAX, false, false));
        let options = Options::parse(&["rules", "--crate", "tcp", "--jobs", "3", "--report"]).unwrap();
        assert_eq!((options.only.as_deref(), options.jobs, options.limit, options.rules), (Some("tcp"), 3, 0, true));
        for words in [&["all"][..], &["sample", "--jobs", "many"], &["sample", "--jobs", "0"], &["sample", "--seed"]] {
            assert!(Options::parse(words).err().is_some_and(|said| said.contains("is not understood")), "{words:?}");
        }
    }
}
