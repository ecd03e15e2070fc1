//! `lasthop compare`.

use engine::Members;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::compare::{self, Comparison};
use lab::figures::number::{decimals, plain, plain_percent, scale};
use lab::load::{Overrides, Source};
use lab::store::Store;
use lab::sweep::Plan;
use lab::sweep::analysis::Analysis;
use lab::sweep::dedup::together;
use lab::sweep::run::{Shard, SweepError};
use lab::sweep::{self};
use report::pictures::MAX_RUNS;
use scenario::problem::Problem;
use serde_json::Value;

use super::sweep::replications;
use super::{Jobs, count, listed, plot, print, seed, shown, warn};
use crate::Failure;
use crate::input;
use crate::progress::Progress;
use crate::table::{aligned, row};
use crate::talk::note;

/// Arguments of `lasthop compare`.
#[derive(ClapArgs)]
pub struct Args {
    /// Compare the schemes of this scenario with the unmodified sender on its network, - for standard input, and draw both in
    /// one picture; --schemes names others
    #[arg(value_name = "FILE", conflicts_with_all = ["paths", "scenario"])]
    file: Option<PathBuf>,
    /// Schemes to compare, separated by commas; with unmodified, all others are compared with it [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    schemes: Vec<String>,
    /// Paths to compare them on, separated by commas: a network (lan, wan, satellite), a kind of channel (random-loss, bursts,
    /// disconnection, delay-variation, upload), or both, such as wan-bursts [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "scenario")]
    paths: Vec<String>,
    /// Compare them on the network of this scenario, - for standard input; its own schemes and its sweep are ignored
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Replications of each scheme on each path, each with its own random streams
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = replications, allow_negative_numbers = true)]
    replications: u64,
    /// Change a key of every path's scenario, such as duration="20 s"; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The random seed, 0 to 2^63 - 1
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// The store for finished runs, which are not repeated
    #[arg(long, value_name = "STORE", default_value = "results/compare.sqlite")]
    out: PathBuf,
    #[command(flatten)]
    jobs: Jobs,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Compares schemes.
pub fn run(args: &Args) -> Result<(), Failure> {
    let plans = plans(args).map_err(|problems| Failure::Input(listed(&problems)))?;
    for (_, plan) in &plans {
        warn(&together(&plan.warnings));
    }
    let mut store = Store::create(&args.out)?;
    let comparisons = ran(args, &plans, &mut store)?;
    if args.json {
        let all: Value = comparisons.iter().map(Comparison::to_json).collect();
        print(&format!("{all:#}\n"))?;
    } else {
        let tables: Vec<String> = comparisons.iter().map(table).collect();
        print(&format!("{}\n{}", tables.join("\n"), LEGEND))?;
        draw(args, &plans)?;
    }
    Ok(())
}

/// Draws the first run of each scheme of a scenario in one picture. Standard input can be read only once.
fn draw(args: &Args, plans: &[(String, Plan)]) -> Result<(), Failure> {
    let (Some(file), [(_, plan)]) = (args.file.as_ref().filter(|file| !input::is_stdin(file)), plans) else {
        return Ok(());
    };
    let schemes: Vec<&str> = plan.cases.iter().map(|case| case.name.as_str()).collect();
    if schemes.len() > MAX_RUNS {
        return Ok(());
    }
    let out = args.out.with_file_name(format!("{}-compared", plan.stem));
    plot::schemes(file, &schemes, &args.set, args.seed, out)
}

/// All runs, checked before the first begins.
fn plans(args: &Args) -> Result<Vec<(String, Plan)>, Vec<Problem>> {
    let overrides = Overrides { set: args.set.clone(), scheme: None, seed: args.seed };
    if let Some(file) = &args.file {
        let source = input::open(file, &overrides)?;
        let mut names = args.schemes.clone();
        if names.is_empty() {
            names = compare::own_schemes(&source)?;
        }
        let schemes = compare::schemes(&names, &Members::default()).map_err(|problem| vec![problem])?;
        return Ok(vec![(shown(file), compare::plan(source, &schemes, args.replications)?)]);
    }
    let schemes = compare::schemes(&args.schemes, &Members::default()).map_err(|problem| vec![problem])?;
    let plan = |source: Source| compare::plan(source, &schemes, args.replications);
    if let Some(file) = &args.scenario {
        return Ok(vec![(shown(file), plan(input::open(file, &overrides)?)?)]);
    }
    let paths = compare::paths::named(&args.paths).map_err(|problem| vec![problem])?;
    paths.into_iter().map(|path| Ok((path.name.clone(), plan(compare::source(&path, &overrides)?)?))).collect()
}

/// Runs the missing runs, path by path.
fn ran(args: &Args, plans: &[(String, Plan)], store: &mut Store) -> Result<Vec<Comparison>, Failure> {
    let runs = |plan: &Plan| plan.cases.len() as u64 * args.replications;
    let all: u64 = plans.iter().map(|(_, plan)| runs(plan)).sum();
    let (mut done, mut found) = (0, 0);
    let progress = Progress::of_runs("compare");
    let mut comparisons = Vec::new();
    for (name, plan) in plans {
        let outcome = sweep::run::run(plan, store, args.jobs.count(), Shard::WHOLE, &mut |tally| {
            progress.count(done + tally.done, (all - found - tally.found).max(1))
        });
        let tally = match outcome {
            Ok(tally) => tally,
            Err(error) => {
                progress.finish();
                return Err(match error {
                    // The error counts the runs of one path only.
                    SweepError::Interrupted(tally) => {
                        let finished = done + found + tally.done + tally.found;
                        Failure::Interrupted(format!(
                            "interrupted: {finished} of {all} runs are finished and stored\n  hint: the same command continues"
                        ))
                    }
                    error => error.into(),
                });
            }
        };
        (done, found) = (done + tally.done, found + tally.found);
        let kept = plan.note(store).and_then(|id| store.sweep(id))?;
        let analysis = Analysis::of(store, kept, args.replications)?;
        comparisons.push((Comparison::of(name, plan, &analysis, &Members::default()), analysis.warnings_of_runs()));
    }
    progress.finish();
    for (comparison, warnings) in &comparisons {
        warn(&warnings.iter().map(|warning| format!("{}: {warning}", comparison.name)).collect::<Vec<_>>());
    }
    let before = if found > 0 { format!(", {found} were already stored") } else { String::new() };
    note(format_args!("{}{before}; kept in {}", count(done, "run"), shown(&args.out)));
    Ok(comparisons.into_iter().map(|(comparison, _)| comparison).collect())
}

const LEGEND: &str = "\
goodput: sum of all flows, +- half of its 95 % confidence interval; change: from the baseline (the first scheme), +- likewise;
  - if each of its runs equals the baseline's: the scheme has no effect
memory: peak memory of the scheme in the nodes that run it, in bytes per flow
packets: received and sent by the base station; airtime: seconds of transmission per MB delivered, over all runs
end-to-end: whether an acknowledgment still means that the receiver has the data; changes: the nodes that run the scheme
";

fn table(comparison: &Comparison) -> String {
    let metric = compare::figure();
    let means = comparison.rows.iter().filter_map(|row| row.goodput.as_ref()).map(|goodput| goodput.mean);
    let (scale, unit) = scale(metric, means);
    let goodput = format!("goodput {unit}");
    let head = row(&[
        "scheme",
        "changes",
        "end-to-end",
        &goodput,
        "+-",
        "change",
        "+-",
        "memory B/flow",
        "packets",
        "airtime s/MB",
    ]);
    let none = || "-".to_owned();
    let mut rows = vec![head];
    for it in &comparison.rows {
        let mut line = vec![it.scheme.clone(), it.changes(), it.traits.semantics.name().to_owned()];
        match &it.goodput {
            Some(goodput) => {
                let half = goodput.half.map(|half| half / scale);
                let mean = goodput.mean / scale;
                let places = decimals(half.unwrap_or(0.0), mean);
                let against = goodput.against.as_ref().filter(|_| !it.same_as_first);
                line.push(plain(mean, places));
                line.push(half.map_or_else(none, |half| plain(half, places)));
                line.push(against.and_then(|against| against.percent).map_or_else(none, plain_percent));
                let change = against.and_then(|against| against.percent_ci);
                line.push(change.map_or_else(none, |ci| plain(ci.half_width(), 1)));
            }
            None => line.extend([none(), none(), none(), none()]),
        }
        match &it.cost {
            Some(cost) => line.extend([
                plain(cost.state_bytes_per_flow, 0),
                plain(cost.packets, 0),
                cost.airtime_s_per_mb().map_or_else(none, |seconds| plain(seconds, 3)),
            ]),
            None => line.extend([none(), none(), none()]),
        }
        rows.push(line);
    }
    let title = if comparison.title.is_empty() { &comparison.name } else { &comparison.title };
    format!("{title}\n{}", aligned(&rows, 3))
}
