//! Several runs in one picture.

use std::path::{Path, PathBuf};

use lab::load::Loaded;
use report::pictures::{Compared, Named, View, named};
use scenario::problem::Problem;

use super::super::{ScenarioArgs, listed, warn};
use super::failure::failed;
use super::{Args, save};
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
    let out = out(args, &scenarios)?;
    let loaded = scenarios.iter().map(ScenarioArgs::load).collect::<Result<Vec<Loaded>, Failure>>()?;
    let compared = Compared::new(runs, &loaded, view).map_err(failed)?;
    warn(&compared.differences());
    let mut recorded = Vec::new();
    for (number, scenario) in scenarios.iter().enumerate() {
        let progress = Progress::new(&loaded[number].stem);
        let run = compared.record(number, scenario.kept(), &mut |share| progress.set(share));
        progress.finish();
        recorded.push(run.map_err(failed)?);
    }
    for drawn in compared.pictures(&recorded).map_err(failed)? {
        save(&drawn, &out)?;
    }
    Ok(())
}

fn scenario(args: &Args, run: &Named) -> ScenarioArgs {
    ScenarioArgs {
        file: run.file.clone(),
        set: args.scenario.set.clone(),
        scheme: run.scheme.clone(),
        seed: args.scenario.seed,
    }
}

/// The directory for the pictures.
fn out(args: &Args, runs: &[ScenarioArgs]) -> Result<PathBuf, Failure> {
    if let Some(out) = &args.out {
        return Ok(out.clone());
    }
    let kept: Option<Vec<_>> = runs.iter().map(ScenarioArgs::kept).collect();
    match kept.as_deref() {
        Some([first, ..]) => Ok(first.join("plots")),
        _ => {
            let problem = Problem::new("--out DIR is missing: the picture shows runs that have no result directory");
            Err(Failure::Input(listed(&[problem])))
        }
    }
}
