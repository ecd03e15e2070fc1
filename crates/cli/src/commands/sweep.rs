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
use super::{
    Jobs, ScenarioArgs, format_count, format_path, format_problems, nearest_of_many, print_visible, print_warnings,
    refuse_input,
};
use crate::command_groups::Example;
use crate::input;
use crate::progress::ProgressReport;
use crate::talk::{write_detail, write_message, write_note};
use crate::{CommandFailure, sweep_table};

/// Examples in the command's help.
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
    /// Replications of each point, in place of the scenario's setting
    #[arg(long, value_name = "N", value_parser = parse_replications, allow_negative_numbers = true)]
    replications: Option<u64>,
    /// A metric to show, from `lasthop list metrics`; may be repeated [default: the scenario's]
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
    #[command(flatten)]
    jobs: Jobs,
    /// Run only shard I of N, for example on N machines; `lasthop merge` merges the stores
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<Shard>,
    /// Print every metric as JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A number of replications.
pub fn parse_replications(text: &str) -> Result<u64, String> {
    const MAX: u64 = 1_000_000;
    let count = text.parse().ok().filter(|count| (1..=MAX).contains(count));
    count.ok_or_else(|| format!("a whole number, 1 to {MAX}, was expected"))
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(index, count)| {
        Some(Shard { index: u64::from_str(index).ok()?, count: u64::from_str(count).ok()? })
    });
    parts
        .filter(|shard| (1..=shard.count).contains(&shard.index))
        .ok_or_else(|| "I/N was expected, I from 1 to N, such as 2/4".to_owned())
}

/// Runs a sweep.
pub fn run_sweep_command(args: &Args) -> Result<(), CommandFailure> {
    let mut overrides = args.scenario.overrides();
    overrides.set.extend(args.replications.map(|count| format!("sweep.replications={count}")));
    let source = input::open_source(&args.scenario.file, &overrides).map_err(refuse_input)?;
    let mut plan = Plan::of(&source).map_err(refuse_input)?;
    // These metrics are only for this table. The store records the scenario's metrics.
    let shown_now = args.metric.iter().map(|name| find_shown_metric(name)).collect::<Result<Vec<_>, _>>()?;
    plan.also_measured.clone_from(&shown_now);
    print_warnings(&merge_warnings(&plan.warnings));
    let path = args.out.clone().unwrap_or_else(|| in_results(format!("{}.sqlite", plan.stem)));
    if args.out.is_none() {
        write_detail(format_args!("default: --out {}", format_path(&path)));
    }
    let mut store = if args.resume { Store::open(&path)? } else { Store::create(&path)? };
    if store.dropped_a_line() {
        write_note(format_args!("{}: its last line was incomplete and is dropped", format_path(&path)));
    }
    for name in rekey::rekey_sweeps(&mut store)? {
        write_message(format_args!(
            "warning: {}: the stored scenario of the sweep {name} can no longer be read: its runs are shown, but a new sweep \
             repeats them",
            format_path(&path)
        ));
    }
    if args.refill {
        store.refill(if shown_now.is_empty() { &plan.metrics } else { &shown_now })?;
    }
    let jobs = args.jobs.count();
    let progress = ProgressReport::of_runs(&plan.stem);
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
    print_warnings(&analysis.warnings());
    if args.json {
        print_visible(&format!("{:#}\n", analysis::analysis_to_json(&analysis)))?;
    } else {
        print_visible(&sweep_table::render_sweep_tables(&analysis))?;
    }
    let before = if tally.found > 0 { format!(", {} were already stored", tally.found) } else { String::new() };
    write_note(format_args!("{}{before}; kept in {}", format_count(tally.done, "run"), format_path(&path)));
    Ok(())
}

/// The metric called `name`.
pub fn find_shown_metric(name: &str) -> Result<&'static metric::Metric, CommandFailure> {
    metric::find_metric(name).ok_or_else(|| {
        let problem =
            Problem::new("a metric (see `lasthop list metrics`)").in_file("--metric").found(format!("\"{name}\""));
        let problem = match aliases::resolve_metric_alias(name) {
            Some(metric) => problem.hint(format!("write \"{metric}\"")),
            None => nearest_of_many(problem, name, metric::list_metric_names()),
        };
        CommandFailure::Input(format_problems(&[problem]))
    })
}

impl From<SweepError> for CommandFailure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Interrupted(_) => CommandFailure::Interrupted(error.to_string()),
            SweepError::Store(error) => error.into(),
        }
    }
}
