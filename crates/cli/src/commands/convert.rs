//! `lasthop convert`.

use clap::Args as ClapArgs;
use lab::load::to_toml;

use super::{ScenarioArgs, print_visible};
use crate::CommandFailure;
use crate::command_groups::Example;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop convert examples/goel1997/datafile.dat", "Print the thesis's input as TOML"),
    ("lasthop convert examples/goel1997/datafile.dat --scheme snoop > thesis.toml", "Change it, and write a scenario"),
];

/// Arguments of `lasthop convert`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
}

/// Prints the scenario as TOML.
pub fn convert_scenario(args: &Args) -> Result<(), CommandFailure> {
    print_visible(&to_toml(&args.scenario.load()?.scenario))
}
