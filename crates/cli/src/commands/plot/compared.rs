//! Several runs in one picture.

use std::path::{Path, PathBuf};

use lab::load::Loaded;
use report::pictures::{Compared, Drawn, Named, View, named};

use super::super::places::{in_results, scenario_fingerprint};
use super::super::{ScenarioArgs, warn};
use super::Args;
use super::failure::failed;
use crate::Failure;
use crate::progress::Progress;

/// The runs that the arguments name: each file with each scheme.
pub(super) fn runs(args: &Args) -> Vec<Named> {
    let files: Vec<&Path> = std::iter::once(&args.scenario.file).chain(&args.others).map(PathBuf::as_path).collect();
    let schemes = args.scenario.scheme.iter().flat_map(|schemes| schemes.split(','));
    named(&files, &schemes.map(|scheme| scheme.trim().to_owned()).collect::<Vec<_>>())
}

/// Draws all runs, in one picture for each flow that all of them have.
pub(super) fn draw(args: &Args, runs: &[Named], view: &View) -> Result<(), Failure> {
    Compared::check(view, runs.len()).map_err(failed)?;
    let scenarios: Vec<ScenarioArgs> = runs.iter().map(|run| scenario(args, run)).collect();
    let loaded = scenarios.iter().map(ScenarioArgs::load).collect::<Result<Vec<Loaded>, Failure>>()?;
    let compared = Compared::new(runs, &loaded, view).map_err(failed)?;
    let target = args.target(|| default_dir(&scenarios, &loaded))?;
    warn(&compared.differences());
    let mut recorded = Vec::new();
    for (number, scenario) in scenarios.iter().enumerate() {
        let progress = Progress::new(&loaded[number].stem);
        let run = compared.record(number, scenario.kept(), &mut |share| progress.set(share));
        progress.finish();
        recorded.push(run.map_err(failed)?);
    }
    let drawn: Vec<Drawn> = compared.pictures(&recorded).map_err(failed)?.collect();
    target.admit(drawn.len())?;
    drawn.iter().try_for_each(|drawn| target.save(drawn))
}

fn scenario(args: &Args, run: &Named) -> ScenarioArgs {
    ScenarioArgs {
        file: run.file.clone(),
        set: args.scenario.set.clone(),
        scheme: run.scheme.clone(),
        seed: args.scenario.seed,
    }
}

/// The directory for the pictures: in the first result directory if all runs have one, otherwise the directory that
/// `lasthop compare` uses.
fn default_dir(runs: &[ScenarioArgs], loaded: &[Loaded]) -> PathBuf {
    let kept: Option<Vec<_>> = runs.iter().map(ScenarioArgs::kept).collect();
    let first = kept.as_deref().and_then(|kept| kept.first()).map(|dir| dir.join("plots"));
    let changes = runs.first().map(|run| scenario_fingerprint(&run.set)).unwrap_or_default();
    let stem = loaded.first().map_or("run", |loaded| loaded.stem.as_str());
    first.unwrap_or_else(|| in_results(format!("{stem}{changes}-compared")))
}
