//! Several runs in one picture.

use std::path::{Path, PathBuf};

use lab::load::Loaded;
use report::pictures::{ComparedPictures, ComparedRun, Drawn, PictureView, combine_files_and_schemes};

use super::super::places::{in_results, scenario_fingerprint};
use super::super::{ScenarioArgs, print_warnings};
use super::Args;
use super::failure::convert_picture_error;
use crate::CommandFailure;
use crate::progress::ProgressReport;

/// The runs that the arguments name: each file with each scheme.
pub(super) fn list_compared_runs(args: &Args) -> Vec<ComparedRun> {
    let files: Vec<&Path> = std::iter::once(&args.scenario.file).chain(&args.others).map(PathBuf::as_path).collect();
    let schemes = args.scenario.scheme.iter().flat_map(|schemes| schemes.split(','));
    combine_files_and_schemes(&files, &schemes.map(|scheme| scheme.trim().to_owned()).collect::<Vec<_>>())
}

/// Draws all runs, in one picture for each flow that all of them have.
pub(super) fn draw_compared_runs(args: &Args, runs: &[ComparedRun], view: &PictureView) -> Result<(), CommandFailure> {
    ComparedPictures::check(view, runs.len()).map_err(convert_picture_error)?;
    let scenarios: Vec<ScenarioArgs> = runs.iter().map(|run| select_run_scenario(args, run)).collect();
    let loaded = scenarios.iter().map(ScenarioArgs::load).collect::<Result<Vec<Loaded>, CommandFailure>>()?;
    let compared = ComparedPictures::new(runs, &loaded, view).map_err(convert_picture_error)?;
    let target = args.target(|| choose_comparison_directory(&scenarios, &loaded))?;
    print_warnings(&compared.differences());
    let mut recorded = Vec::new();
    for (number, scenario) in scenarios.iter().enumerate() {
        let progress = ProgressReport::new(&loaded[number].stem);
        let run = compared.record(number, scenario.result_directory(), &mut |share| progress.set(share));
        progress.finish();
        recorded.push(run.map_err(convert_picture_error)?);
    }
    let drawn: Vec<Drawn> = compared.pictures(&recorded).map_err(convert_picture_error)?.collect();
    target.admit(drawn.len())?;
    drawn.iter().try_for_each(|drawn| target.save(drawn))
}

fn select_run_scenario(args: &Args, run: &ComparedRun) -> ScenarioArgs {
    ScenarioArgs {
        file: run.file.clone(),
        set: args.scenario.set.clone(),
        scheme: run.scheme.clone(),
        seed: args.scenario.seed,
    }
}

/// Chooses the directory for the pictures. It is in the first result directory if all runs have one, otherwise the
/// directory that `lasthop compare` uses.
fn choose_comparison_directory(runs: &[ScenarioArgs], loaded: &[Loaded]) -> PathBuf {
    let kept: Option<Vec<_>> = runs.iter().map(ScenarioArgs::result_directory).collect();
    let first = kept.as_deref().and_then(|kept| kept.first()).map(|dir| dir.join("plots"));
    let changes = runs.first().map(|run| scenario_fingerprint(&run.set)).unwrap_or_default();
    let stem = loaded.first().map_or("run", |loaded| loaded.stem.as_str());
    first.unwrap_or_else(|| in_results(format!("{stem}{changes}-compared")))
}
