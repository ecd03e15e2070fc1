//! `lasthop schema`.

use clap::{Args as ClapArgs, ValueEnum};

use super::print_visible;
use crate::CommandFailure;
use crate::command_groups::Example;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop schema > scenario.schema.json", "Write the schema of scenarios"),
    ("lasthop schema summary", "Print the schema of what `lasthop run --json` prints"),
];

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
pub fn print_schema(args: &Args) -> Result<(), CommandFailure> {
    let schema = match args.of {
        Subject::Scenario => scenario::schema(),
        Subject::Summary => observe::summary::generate_summary_schema().to_value(),
    };
    print_visible(&format!("{schema:#}\n"))
}
