//! `lasthop schema`.

use clap::{Args as ClapArgs, ValueEnum};

use super::print;
use crate::Failure;

/// Arguments of `lasthop schema`.
#[derive(ClapArgs)]
pub struct Args {
    /// The file that the schema describes
    #[arg(value_enum, default_value_t = Subject::Scenario)]
    of: Subject,
}

#[derive(Clone, Copy, ValueEnum)]
enum Subject {
    /// A scenario
    Scenario,
    /// The summary of a run: summary.json, and what `lasthop run --json` prints
    Summary,
}

/// Prints a JSON Schema.
pub fn run(args: &Args) -> Result<(), Failure> {
    let schema = match args.of {
        Subject::Scenario => scenario::schema(),
        Subject::Summary => observe::summary::schema().to_value(),
    };
    print(&format!("{schema:#}\n"))
}
