//! The picture of a network.

use report::pictures::{self, View};
use scenario::problem::Problem;

use super::super::listed;
use super::{Args, default_dir};
use crate::Failure;

/// Draws the network of the scenario, without a run.
pub(super) fn draw(args: &Args, runs: usize, view: &View) -> Result<(), Failure> {
    if runs > 1 {
        let problem = Problem::new("one scenario with --topology").found(format!("{runs} runs"));
        return Err(Failure::Input(listed(&[problem])));
    }
    let loaded = args.scenario.load()?;
    args.target(|| default_dir(args, &loaded))?.save(&pictures::topology(&loaded, view))
}
