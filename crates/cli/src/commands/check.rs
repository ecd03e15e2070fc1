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
    let (nodes, links, flows) = (network.nodes.len(), network.links.len(), network.flows.len());
    print(&format!("{}: ok: {nodes} nodes, {links} links, {flows} flows\n", shown(&args.scenario.file)))
}
