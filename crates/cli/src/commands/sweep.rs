//! `lasthop sweep`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args as ClapArgs;
use lab::store::Store;
use lab::sweep::analysis::{self, Analysis};
use lab::sweep::dedup::merge_warnings;
use lab::sweep::run::{Shard, SweepError};
use lab::sweep::{self, Plan, rekey};
use observe::{aliases, metric};
use scenario::problem::Problem;

use super::places::in_results;
use super::{Jobs, ScenarioArgs, count, listed, nearest_of_many, print, refused, shown, warn};
use crate::command_groups::Example;
use crate::input;
use crate::progress::Progress;
use crate::talk::{detail, note, say};
use crate::{Failure, sweep_table};

/// Examples in its help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop sweep examples/selective-repeat.toml", "Run the scenario's sweep; a second time it repeats nothing"),
    (
        "lasthop sweep examples/selective-repeat.toml --replications 4 --metric timeouts",
        "Run four replications, and show another metric",
    ),
    (
        "lasthop sweep examples/selective-repeat.toml --shard 1/2 -o results/half1.sqlite",
        "Run the first half, with the other on another machine",
    ),
];

/// Arguments of `lasthop sweep`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// The store for finished runs, which are not repeated [default: results/NAME.sqlite]
    #[arg(short, long, value_name = "STORE")]
    out: Option<PathBuf>,
    /// Require that the store exists. Finished runs are never repeated, with or without this option
    #[arg(long)]
    resume: bool,
    /// Repeat stored runs that lack a metric that is shown, because it did not exist when they were stored
    #[arg(long)]
    refill: bool,
    /// Replications of each point, instead of the scenario's
    #[arg(long, value_name = "N", value_parser = replications, allow_negative_numbers = true)]
    replications: Option<u64>,
    /// A metric to show, from `lasthop list metrics`; may be repeated [default: the scenario's]
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
    #[command(flatten)]
    jobs: Jobs,
    /// Run only shard I of N, for example on N machines; `lasthop merge` merges the stores
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Print every metric as JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A number of replications.
pub fn replications(text: &str) -> Result<u64, String> {
    const MAX: u64 = 1_000_000;
    let count = text.parse().ok().filter(|count| (1..=MAX).contains(count));
    count.ok_or_else(|| format!("a whole number, 1 to {MAX}, was expected"))
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(index, count)| {
        Some(Shard { index: u64::from_str(index).ok()?, count: u64::from_str(count).ok()? })
    });
    parts
        .filter(|shard| (1..=shard.count).contains(&shard.index))
        .ok_or_else(|| "I/N was expected, I from 1 to N, such as 2/4".to_owned())
}

/// Runs a sweep.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut overrides = args.scenario.overrides();
    overrides.set.extend(args.replications.map(|count| format!("sweep.replications={count}")));
    let source = input::open(&args.scenario.file, &overrides).map_err(refused)?;
    let plan = Plan::of(&source).map_err(refused)?;
    // For this table only: the store keeps the scenario's metrics.
    let shown_now = args.metric.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
    warn(&merge_warnings(&plan.warnings));
    let path = args.out.clone().unwrap_or_else(|| in_results(format!("{}.sqlite", plan.stem)));
    if args.out.is_none() {
        detail(format_args!("default: --out {}", shown(&path)));
    }
    let mut store = if args.resume { Store::open(&path)? } else { Store::create(&path)? };
    if store.dropped_a_line() {
        note(format_args!("{}: its last line was incomplete and is dropped", shown(&path)));
    }
    for name in rekey::rekey_sweeps(&mut store)? {
        say(format_args!(
            "warning: {}: the stored scenario of the sweep {name} can no longer be read: its runs are shown, but a new sweep \
             repeats them",
            shown(&path)
        ));
    }
    if args.refill {
        store.refill(if shown_now.is_empty() { &plan.metrics } else { &shown_now })?;
    }
    let jobs = args.jobs.count();
    let progress = Progress::of_runs(&plan.stem);
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let outcome = sweep::run::run_sweep(&plan, &mut store, jobs, shard, &mut |tally| {
        progress.count(tally.done, tally.wanted - tally.found)
    });
    progress.finish();
    let tally = outcome?;
    let id = plan.note(&mut store)?;
    let mut kept = store.sweep(id)?;
    if !shown_now.is_empty() {
        kept.metrics = shown_now.iter().map(|metric| metric.name.to_owned()).collect();
    }
    let wanted = sweep::precise::requested_replications(&plan, &store)?;
    let analysis = Analysis::of(&store, kept, plan.replications().1)?.first(&wanted);
    warn(&analysis.warnings());
    if args.json {
        print(&format!("{:#}\n", analysis::analysis_to_json(&analysis)))?;
    } else {
        print(&sweep_table::of(&analysis))?;
    }
    let before = if tally.found > 0 { format!(", {} were already stored", tally.found) } else { String::new() };
    note(format_args!("{}{before}; kept in {}", count(tally.done, "run"), shown(&path)));
    Ok(())
}

/// The metric called `name`.
pub fn find(name: &str) -> Result<&'static metric::Metric, Failure> {
    metric::find(name).ok_or_else(|| {
        let problem =
            Problem::new("a metric (see `lasthop list metrics`)").in_file("--metric").found(format!("\"{name}\""));
        let problem = match aliases::of_metric(name) {
            Some(metric) => problem.hint(format!("write \"{metric}\"")),
            None => nearest_of_many(problem, name, metric::names()),
        };
        Failure::Input(listed(&[problem]))
    })
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Interrupted(_) => Failure::Interrupted(error.to_string()),
            SweepError::Store(error) => error.into(),
        }
    }
}
