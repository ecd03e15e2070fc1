//! `lasthop compare`.

#[cfg(target_os = "linux")]
mod real;
#[cfg(not(target_os = "linux"))]
#[path = "no_real.rs"]
mod real;
mod table;

use engine::Members;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::compare::{self, Comparison};
use lab::load::{Overrides, Source};
use lab::store::Store;
use lab::sweep::Plan;
use lab::sweep::analysis::Analysis;
use lab::sweep::dedup::merge_warnings;
use lab::sweep::run::{Shard, SweepError};
use lab::sweep::{self};
use report::pictures::MAX_RUNS;
use scenario::problem::Problem;
use serde_json::{Value, json};

use self::table::{LEGEND, REAL_LEGEND, render_comparison_table};
use super::captured::find_host_captures;
use super::sweep::parse_replications;
use super::{Jobs, format_count, format_path, format_problems, parse_seed, plot, print_visible, print_warnings};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::input;
use crate::progress::ProgressReport;
use crate::talk::write_note;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    (
        "lasthop compare examples/goel-refined.toml",
        "Compare a scenario's scheme with the unmodified sender, and draw both",
    ),
    ("lasthop compare --schemes unmodified,snoop --paths wan-bursts,wan-upload", "Compare schemes on built-in paths"),
];

/// Arguments of `lasthop compare`.
#[derive(ClapArgs)]
pub struct Args {
    /// Compare the schemes of this scenario with the unmodified sender on its network, - for standard input, and draw
    /// both in one picture; --schemes selects other schemes
    #[arg(value_name = "FILE", conflicts_with_all = ["paths", "scenario"])]
    file: Option<PathBuf>,
    /// Schemes to compare, separated by commas; with unmodified, all others are compared with it [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    schemes: Vec<String>,
    /// Paths for the comparison, separated by commas: a network (lan, wan, satellite), a kind of channel (random-loss,
    /// bursts, disconnection, delay-variation, upload), or both, such as wan-bursts [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "scenario")]
    paths: Vec<String>,
    /// Compare schemes on the network of this scenario, - for standard input; its own schemes and its sweep are ignored
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Replications of each scheme on each path, each with its own random streams
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_replications, allow_negative_numbers = true)]
    replications: u64,
    /// Change a key of every path's scenario, such as duration="20 s"; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The random seed, 0 to 2^63 - 1
    #[arg(long, value_name = "N", value_parser = parse_seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// The store for finished runs, which are not repeated
    #[arg(short, long, value_name = "STORE", default_value = "results/compare.sqlite")]
    out: PathBuf,
    #[command(flatten)]
    jobs: Jobs,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Also run this command line with real ends, as in `lasthop shell`, once for each scheme and replication: Linux's
    /// TCP behind the network in real time, in addition to the simulation
    #[arg(long, value_name = "COMMAND", help_heading = "Real ends")]
    shell: Option<String>,
    #[command(flatten)]
    ends: RealEndArgs,
}

/// The real ends.
#[derive(ClapArgs)]
struct RealEndArgs {
    /// The node at which the command of --shell runs [default: `mobile`, or the receiver of the first flow]
    #[arg(long, value_name = "NODE", requires = "shell", help_heading = "Real ends")]
    node: Option<String>,
    /// Run a command at another node too, such as 'server=iperf3 -s'; may be repeated
    #[arg(long, value_name = "NODE=COMMAND", requires = "shell", help_heading = "Real ends")]
    and: Vec<String>,
    /// Real-time priority of the emulation, which needs root
    #[arg(long, requires = "shell", help_heading = "Real ends")]
    real_time: bool,
}

/// Compares schemes.
pub fn compare_schemes(args: &Args) -> Result<(), CommandFailure> {
    if args.shell.is_some() {
        real::prepare()?;
    }
    let plans = plan_comparisons(args).map_err(|problems| CommandFailure::Input(format_problems(&problems)))?;
    for (_, plan) in &plans {
        print_warnings(&merge_warnings(&plan.warnings));
    }
    let ends = real::ends(args, &plans)?;
    let mut store = Store::create(&args.out)?;
    let comparisons = run_missing(args, &plans, &mut store)?;
    let real: Vec<Comparison> = ends
        .into_iter()
        .zip(&plans)
        .map(|(ends, (name, plan))| real::compare(args, ends, plan, name))
        .collect::<Result<_, _>>()?;
    if args.json {
        let mut all: Vec<Value> = comparisons.iter().map(Comparison::to_json).collect();
        for (simulated, real) in all.iter_mut().zip(&real) {
            simulated["real"] = json!({ "command": args.shell, "schemes": real.to_json()["schemes"] });
        }
        print_visible(&format!("{:#}\n", Value::from(all)))?;
    } else {
        let tables = comparisons
            .iter()
            .enumerate()
            .map(|(number, simulated)| render_comparison_table(simulated, real.get(number)));
        let tables: Vec<String> = tables.collect();
        let legend = if real.is_empty() { "" } else { REAL_LEGEND };
        print_visible(&format!("{}\n{LEGEND}{legend}", tables.join("\n")))?;
        draw_schemes(args, &plans)?;
    }
    Ok(())
}

/// Draws the first run of each scheme of a scenario in one picture. Standard input can be read only once.
fn draw_schemes(args: &Args, plans: &[(String, Plan)]) -> Result<(), CommandFailure> {
    let (Some(file), [(_, plan)]) = (args.file.as_ref().filter(|file| !input::is_stdin(file)), plans) else {
        return Ok(());
    };
    if !find_host_captures(file).is_empty() {
        // `lasthop plot` draws the captures of the real hosts.
        return Ok(());
    }
    let schemes: Vec<&str> = plan.cases.iter().map(|case| case.name.as_str()).collect();
    if schemes.len() > MAX_RUNS {
        return Ok(());
    }
    let out = args.out.with_file_name(format!("{}-compared", plan.stem));
    plot::plot_schemes(file, &schemes, &args.set, args.seed, out)
}

/// All runs, checked before the first begins.
fn plan_comparisons(args: &Args) -> Result<Vec<(String, Plan)>, Vec<Problem>> {
    let overrides = Overrides { set: args.set.clone(), scheme: None, seed: args.seed };
    if let Some(file) = &args.file {
        let source = input::open_source(file, &overrides)?;
        let mut names = args.schemes.clone();
        if names.is_empty() {
            names = compare::own_schemes(&source)?;
        }
        let schemes = compare::select_schemes(&names, &Members::default()).map_err(|problem| vec![problem])?;
        return Ok(vec![(format_path(file), compare::plan_comparison(source, &schemes, args.replications)?)]);
    }
    let schemes = compare::select_schemes(&args.schemes, &Members::default()).map_err(|problem| vec![problem])?;
    let plan = |source: Source| compare::plan_comparison(source, &schemes, args.replications);
    if let Some(file) = &args.scenario {
        return Ok(vec![(format_path(file), plan(input::open_source(file, &overrides)?)?)]);
    }
    let paths = compare::paths::select_paths(&args.paths).map_err(|problem| vec![problem])?;
    paths.into_iter().map(|path| Ok((path.name.clone(), plan(compare::open_path(&path, &overrides)?)?))).collect()
}

/// Runs the missing runs, path by path.
fn run_missing(args: &Args, plans: &[(String, Plan)], store: &mut Store) -> Result<Vec<Comparison>, CommandFailure> {
    let runs = |plan: &Plan| plan.cases.len() as u64 * args.replications;
    let all: u64 = plans.iter().map(|(_, plan)| runs(plan)).sum();
    let (mut done, mut found) = (0, 0);
    let progress = ProgressReport::of_runs("compare");
    let mut comparisons = Vec::new();
    for (name, plan) in plans {
        let outcome = sweep::run::run_sweep(plan, store, args.jobs.count(), Shard::WHOLE, &mut |tally| {
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
                        CommandFailure::Interrupted(format!(
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
        print_warnings(&warnings.iter().map(|warning| format!("{}: {warning}", comparison.name)).collect::<Vec<_>>());
    }
    let before = if found > 0 { format!(", {found} were already stored") } else { String::new() };
    write_note(format_args!("{}{before}; kept in {}", format_count(done, "run"), format_path(&args.out)));
    Ok(comparisons.into_iter().map(|(comparison, _)| comparison).collect())
}
