//! The picture of a network.

use report::pictures::{self, View};
use scenario::problem::Problem;

use super::super::{listed, print, shown, write_whole};
use super::{Args, places, save};
use crate::Failure;

/// Draws the network of the scenario, without a run.
pub(super) fn draw(args: &Args, runs: usize, view: &View) -> Result<(), Failure> {
    if runs > 1 {
        let problem = Problem::new("one scenario with --topology").found(format!("{runs} runs"));
        return Err(Failure::Input(listed(&[problem])));
    }
    let loaded = args.scenario.load()?;
    let drawn = || pictures::topology(&loaded, view);
    let Some(file) = &args.output else { return save(&drawn(), &places(args)?.1) };
    let bytes = match file.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => drawn().picture.svg().into_bytes(),
        Some("png") => {
            let png = drawn().picture.png(plot::PNG_SCALE);
            png.map_err(|error| Failure::Run(format!("{}: {error}", shown(file))))?
        }
        _ => {
            let problem = Problem::new("a file name that ends in .svg or .png").in_file("--output");
            return Err(Failure::Input(listed(&[problem.found(shown(file))])));
        }
    };
    write_whole(file, &bytes)?;
    print(&format!("{}\n", shown(file)))
}
