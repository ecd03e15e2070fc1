//! `lasthop run`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::load::Loaded;
use lab::output::{self, Trace};
use lab::problem::Problem;
use lab::run;

use super::{ScenarioArgs, listed, print, shown};
use crate::progress::Progress;
use crate::talk::say;
use crate::{Failure, table};

/// Arguments of `lasthop run`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Where to write results [default: results/NAME-seedN]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Traces to write, separated by commas: names from `lasthop list traces`, `all` or `none`
    /// [default: what the scenario's output.traces says]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    trace: Option<Vec<String>>,
    /// Print the summary as one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs a scenario.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut loaded = args.scenario.load()?;
    let traces = traces(args, &mut loaded)?;
    let dir = args.out.clone().unwrap_or_else(|| default_dir(args, &loaded));
    let progress = Progress::new(&loaded.stem);
    let summary = run::run(&loaded, &traces, &dir, &mut |share| progress.set(share));
    progress.finish();
    let summary = summary?;
    if args.json {
        print(&format!("{summary:#}\n"))?;
    } else {
        print(&table::summary(&summary))?;
    }
    say(format_args!("results in {}", shown(&dir)));
    Ok(())
}

/// The traces asked for, here or in the scenario; what is kept of the scenario says which.
fn traces(args: &Args, loaded: &mut Loaded) -> Result<Vec<&'static Trace>, Failure> {
    if let Some(names) = &args.trace {
        loaded.scenario.output.traces = names.clone();
    }
    output::select(&loaded.scenario.output.traces).map_err(|name| {
        let problem = Problem::new("a trace").in_file("--trace").found(format!("\"{name}\""));
        Failure::Input(listed(&[problem.nearest(&name, output::names())]))
    })
}

fn default_dir(args: &Args, loaded: &Loaded) -> PathBuf {
    let scheme = args.scenario.scheme.as_ref().map(|scheme| format!("-{scheme}")).unwrap_or_default();
    PathBuf::from("results").join(format!("{}{scheme}-seed{}", loaded.stem, loaded.network.seed))
}
