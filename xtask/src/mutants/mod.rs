//! Whether the tests of a crate notice when its code is changed: mutants that cargo-mutants lists, tried one at a time.
//!
//! All of them would take days, so a sample is drawn by a seed: each crate's mutants in the order of a hash of the seed and the
//! mutant's name, and the first of them. A mutant dies if a test of its own crate fails, or takes much longer than all of
//! them take otherwise; one that does not compile is no mutant. What is found is kept in `target/mutants/results.jsonl`
//! as soon as it is found, and tried again only when it may have changed.

mod hash;
mod list;
mod tally;
mod tree;
mod trial;

use std::collections::BTreeMap;

use crate::workspace;
use list::Mutant;
use tally::Tally;
use trial::{Results, Verdict};

/// How many mutants of each crate are drawn.
const SAMPLE: [(&str, usize); 4] = [("engine", 40), ("stats", 40), ("tcp", 100), ("path", 100)];

/// Files, or folders of them, that hold rules of which each line counts.
const RULES: [&str; 10] = [
    "crates/engine/src/random.rs",
    "crates/tcp/src/sender/timers.rs",
    "crates/tcp/src/sender/rtt.rs",
    "crates/tcp/src/sender/recover.rs",
    "crates/tcp/src/sender/scoreboard/",
    "crates/tcp/src/recovery/",
    "crates/path/src/medium/exchange.rs",
    "crates/path/src/medium/aggregate.rs",
    "crates/path/src/medium/station.rs",
    "crates/path/src/medium/zone.rs",
];

const USAGE: &str = "\
Mutants that the tests of their own crate should notice; needs cargo-mutants (`cargo install cargo-mutants`).

    cargo xtask mutants sample [--seed N]    40 of engine and stats each, 100 of tcp and path each
    cargo xtask mutants rules                all of the files that hold rules

    --seed N       by which the sample is drawn; 1 if not given
    --crate NAME   only of this one
    --limit K      tries no more than K, and ends
    --report       tries none: what is known

Begun again it goes on where it ended. It works in target/mutants and takes one core or two for hours: `nice -n 19`.
";

/// What is wanted.
struct Options {
    rules: bool,
    seed: u64,
    only: Option<String>,
    limit: usize,
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
        let mut options = Options { rules, seed: 1, only: None, limit: usize::MAX };
        while let Some(word) = words.next() {
            let mut value = || words.next().copied().ok_or_else(|| wrong(word));
            match *word {
                "--seed" => options.seed = value()?.parse().map_err(|_| wrong(word))?,
                "--crate" => options.only = Some(value()?.to_owned()),
                "--limit" => options.limit = value()?.parse().map_err(|_| wrong(word))?,
                "--report" => options.limit = 0,
                _ => return Err(wrong(word)),
            }
        }
        Ok(options)
    }

    /// The mutants that are wanted, by crate.
    fn draw(&self, tree: &tree::Tree) -> Result<BTreeMap<&'static str, Vec<Mutant>>, String> {
        let mut drawn = BTreeMap::new();
        for (name, number) in SAMPLE {
            if self.only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            let mut mutants = list::of(tree, name)?;
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
    let tree = tree::Tree::synchronized()?;
    let mut results = Results::read(&tree)?;
    let equivalents = tally::Equivalents::read()?;
    let drawn = options.draw(&tree)?;
    let mut left = options.limit;
    for (name, mutants) in &drawn {
        let unknown: Vec<&Mutant> = mutants.iter().filter(|mutant| results.verdict(&tree, mutant).is_none()).collect();
        if left > 0 && !unknown.is_empty() {
            let crate_under_test = trial::Crate::begin(&tree, name)?;
            for (number, mutant) in unknown.iter().enumerate().take(left) {
                let verdict = crate_under_test.tries(&tree, mutant)?;
                eprintln!("{name} {} of {}: {} {}", number + 1, unknown.len(), verdict.name(), mutant.name);
                results.keep(&tree, mutant, verdict)?;
            }
            left = left.saturating_sub(unknown.len());
        }
    }
    let mut report = String::new();
    let (mut all, mut survivors) = (Tally::default(), Vec::new());
    for (name, mutants) in &drawn {
        let mut tally = Tally::default();
        for mutant in mutants {
            let verdict = results.verdict(&tree, mutant);
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
