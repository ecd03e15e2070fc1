//! `lasthop convert`.

use clap::Args as ClapArgs;
use lab::load::to_toml;

use super::{ScenarioArgs, print};
use crate::Failure;

/// Arguments of `lasthop convert`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
}

/// Prints the scenario as TOML.
pub fn run(args: &Args) -> Result<(), Failure> {
    print(&to_toml(&args.scenario.load()?.scenario))
}
