//! The picture of a network.

use report::pictures::{self, PictureView};
use scenario::problem::Problem;

use super::super::format_problems;
use super::{Args, choose_plot_directory};
use crate::CommandFailure;

/// Draws the network of the scenario, without a run.
pub(super) fn plot_topology(args: &Args, runs: usize, view: &PictureView) -> Result<(), CommandFailure> {
    if runs > 1 {
        let problem = Problem::new("one scenario with --topology").found(format!("{runs} runs"));
        return Err(CommandFailure::Input(format_problems(&[problem])));
    }
    let loaded = args.scenario.load()?;
    args.target(|| choose_plot_directory(args, &loaded))?.save(&pictures::draw_topology(&loaded, view))
}
