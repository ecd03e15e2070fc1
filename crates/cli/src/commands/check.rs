//! `lasthop check`.

use clap::Args as ClapArgs;

use super::{ScenarioArgs, print, shown};
use crate::Failure;

/// Arguments of `lasthop check`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
}

/// Says what is wrong, or that nothing is.
pub fn run(args: &Args) -> Result<(), Failure> {
    let loaded = args.scenario.load()?;
    let network = &loaded.network;
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let nodes = count(network.nodes.len(), "node");
    let links = count(network.links.len(), "link");
    let flows = count(network.flows.len(), "flow");
    print(&format!("{}: ok: {nodes}, {links}, {flows}\n", shown(&args.scenario.file)))
}
