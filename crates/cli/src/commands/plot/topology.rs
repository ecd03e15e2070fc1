//! The picture of a network.

use plot::Options;
use scenario::problem::Problem;
use scenario::ran::what_ran;

use super::super::{listed, print, shown, write_whole};
use super::{Args, common_options, places, write};
use crate::Failure;

/// Draws the network of the scenario, without a run.
pub(super) fn draw(args: &Args, runs: usize) -> Result<(), Failure> {
    if runs > 1 {
        let problem = Problem::new("one scenario with --topology").found(format!("{runs} runs"));
        return Err(Failure::Input(listed(&[problem])));
    }
    let loaded = args.scenario.load()?;
    let title = Some(loaded.title().to_owned());
    let options = Options { title, ran: what_ran(&loaded), ..common_options(args, &[]) };
    let picture = || plot::topology(&loaded.network, &options);
    let Some(file) = &args.output else {
        // No flow's name has a dot.
        let files = write(&picture(), &places(args)?.1, "network.topology")?;
        return files.iter().try_for_each(|path| print(&format!("{}\n", shown(path))));
    };
    let bytes = match file.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => picture().svg().into_bytes(),
        Some("png") => {
            picture().png(plot::PNG_SCALE).map_err(|error| Failure::Run(format!("{}: {error}", shown(file))))?
        }
        _ => {
            let problem = Problem::new("a file name that ends in .svg or .png").in_file("--output");
            return Err(Failure::Input(listed(&[problem.found(shown(file))])));
        }
    };
    write_whole(file, &bytes)?;
    print(&format!("{}\n", shown(file)))
}
