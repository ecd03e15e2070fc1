//! `lasthop export`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::export::{self, ExportFormat, FORMATS};
use lab::features::PARQUET;
use lab::store::{Store, StoreError};
use lab::sweep::analysis::Analysis;
use scenario::problem::Problem;

use super::places::beside_result;
use super::{format_path, format_problems, nearest_file, print_visible, print_warnings, sweep};
use crate::CommandFailure;
use crate::command_groups::Example;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    (
        "lasthop export results/selective-repeat.sqlite --format csv,latex",
        "Write tables into results/selective-repeat/",
    ),
    (
        "lasthop export results/selective-repeat.sqlite --format latex --metric timeouts -o tables",
        "Write a table of one metric for a paper",
    ),
];

/// Arguments of `lasthop export`.
#[derive(ClapArgs)]
pub struct Args {
    /// The store of a sweep
    store: PathBuf,
    /// File formats, separated by commas: csv, json, latex, gnuplot, and parquet in a build with that feature
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "csv")]
    format: Vec<String>,
    /// The directory for the tables [default: results/NAME, or the directory of a store in a directory of results]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A metric that latex and gnuplot show, from `lasthop list metrics`; may be repeated [default: the metrics of each
    /// sweep]
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
}

/// Writes a store's results.
pub fn export_store(args: &Args) -> Result<(), CommandFailure> {
    let mut names: Vec<&str> = args.format.iter().map(|name| name.trim()).collect();
    names.sort_unstable();
    names.dedup();
    let formats = names.into_iter().map(find_export_format).collect::<Result<Vec<_>, _>>()?;
    let metrics = args.metric.iter().map(|name| sweep::find_shown_metric(name)).collect::<Result<Vec<_>, _>>()?;
    if !metrics.is_empty() && !formats.iter().any(|format| format.is_of_metrics()) {
        let names: Vec<&str> =
            FORMATS.iter().filter(|format| format.is_of_metrics()).map(|format| format.name).collect();
        let expected = format!("one of the formats {}, which show selected metrics", names.join(", "));
        let problem = Problem::new(expected).in_file("--metric").found(format!("--format {}", args.format.join(",")));
        return Err(CommandFailure::Input(format_problems(&[problem.hint("the other formats have all metrics")])));
    }
    let sweeps = load_analyses(&args.store)?;
    for sweep in &sweeps {
        let unasked = metrics.iter().filter(|metric| !sweep.sweep.metrics.iter().any(|name| name == metric.name));
        print_warnings(&unasked.flat_map(|metric| sweep.warn_of_gaps(metric)).collect::<Vec<_>>());
    }
    let out = args.out.clone().unwrap_or_else(|| beside_result(&args.store, ""));
    let paths = export::write_exports(&sweeps, &metrics, &formats, &out)
        .map_err(|(path, error)| CommandFailure::Run(format!("{}: cannot be written: {error}", format_path(&path))))?;
    paths.iter().try_for_each(|path| print_visible(&format!("{}\n", format_path(path))))
}

/// The sweeps of a store that must have results.
pub fn load_analyses(path: &std::path::Path) -> Result<Vec<Analysis>, CommandFailure> {
    let store = Store::open(path)?;
    let sweeps = store.sweeps()?.into_iter().map(|sweep| Analysis::of(&store, sweep, u64::MAX));
    let sweeps = sweeps.collect::<Result<Vec<_>, StoreError>>()?;
    if sweeps.iter().all(|sweep| sweep.runs() == 0) {
        let hint = "`lasthop sweep FILE` creates one";
        let problem =
            Problem::new("a store with at least one finished run").in_file(format_path(path)).found("an empty one");
        return Err(CommandFailure::Input(format_problems(&[problem.hint(hint)])));
    }
    for sweep in &sweeps {
        print_warnings(&sweep.warnings());
    }
    Ok(sweeps)
}

fn find_export_format(name: &str) -> Result<&'static ExportFormat, CommandFailure> {
    let refuse = |problem: Problem| CommandFailure::Input(format_problems(&[problem.in_file("--format")]));
    let format = FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let problem = Problem::new("a file format").found(format!("\"{name}\""));
        refuse(problem.nearest(name, FORMATS.iter().map(|format| format.name)))
    })?;
    if format.name == PARQUET.name
        && let Some(problem) = PARQUET.missing(name)
    {
        return Err(refuse(problem));
    }
    Ok(format)
}

impl From<StoreError> for CommandFailure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unwritable { .. } | StoreError::Unmade { .. } => CommandFailure::Run(error.to_string()),
            StoreError::Unopened { ref path, .. } => {
                let near = nearest_file(path).map(|near| format!("\n  hint: did you mean \"{}\"?", format_path(&near)));
                CommandFailure::Input(format!("error: {error}{}", near.unwrap_or_default()))
            }
            _ => CommandFailure::Input(format!("error: {error}")),
        }
    }
}
