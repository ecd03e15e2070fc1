//! Comparisons of schemes, and reproductions of papers.

use std::path::PathBuf;
use std::rc::Rc;

use engine::Members;
use lab::compare::{self, Comparison, paths, plan_comparison};
use lab::load::Overrides;
use lab::papers::reproduce::reproduce_paper;
use lab::papers::{self, PAPERS, Score};
use lab::store::Store;
use lab::sweep::Plan;
use lab::sweep::analysis::Analysis;
use lab::sweep::dedup::merge_warnings;
use lab::sweep::run::{Shard, Tally};
use pyo3::prelude::*;
use scenario::problem::Problem;
use serde_json::Value;
use stats::Level;

use crate::error::BindingFailure;
use crate::schemes::catch_exception;
use crate::spec::Spec;
use crate::watch::Watch;

/// The JSON of `lasthop compare --json`, warnings, and the numbers of new and of all runs.
type Compared = (String, Vec<String>, u64, u64);

/// Compares schemes on the network of a scenario, or on built-in paths; by default the scenario's schemes, or all.
#[pyfunction]
#[pyo3(signature = (
    spec: "Spec | None", path_names, schemes, changes, replications, store, jobs,
    progress: "Callable[[int, int], object] | None"
))]
#[expect(clippy::too_many_arguments, reason = "the options of `lasthop compare`")]
pub fn compared(
    py: Python<'_>,
    spec: Option<Spec>,
    path_names: Vec<String>,
    schemes: Vec<String>,
    changes: Vec<String>,
    replications: u64,
    store: PathBuf,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Compared> {
    let run = || -> Result<Compared, BindingFailure> {
        let overrides = Overrides { set: changes, ..Overrides::default() };
        let members = spec.as_ref().map_or_else(|| Ok(Members::default()), Spec::members)?;
        let plans = plan_scheme_runs(spec.as_ref(), &path_names, &schemes, &overrides, replications)?;
        let mut warnings: Vec<String> =
            plans.iter().flat_map(|(_, plan)| merge_warnings(&plan.warnings)).map(render_problem).collect();
        let mut store = Store::create(&store)?;
        let all: u64 = plans.iter().map(|(_, plan)| plan.cases.len() as u64 * replications).sum();
        let (mut watch, mut done, mut found) = (Watch::new(progress), 0, 0);
        let mut comparisons = Vec::new();
        for (name, plan) in &plans {
            let tally = lab::sweep::run::run_sweep(plan, &mut store, jobs, Shard::WHOLE, &mut |tally: Tally| {
                watch.report(|| (done + tally.done, (all - found - tally.found).max(1)))
            });
            let tally = tally.map_err(|error| watch.failure(error))?;
            (done, found) = (done + tally.done, found + tally.found);
            let kept = plan.note(&mut store)?;
            let analysis = Analysis::of(&store, store.sweep(kept)?, replications)?;
            warnings.extend(analysis.warnings_of_runs().iter().map(|warning| format!("{name}: {warning}")));
            comparisons.push(Comparison::of(name, plan, &analysis, &members));
        }
        let json: Value = comparisons.iter().map(Comparison::to_json).collect();
        Ok((format!("{json:#}\n"), warnings, done, all))
    };
    py.detach(|| catch_exception(run)).map_err(|failure| failure.into_exception(py))
}

fn render_problem(problem: impl ToString) -> String {
    problem.to_string()
}

/// All runs by path, checked before the first begins.
fn plan_scheme_runs(
    spec: Option<&Spec>,
    names: &[String],
    schemes: &[String],
    overrides: &Overrides,
    replications: u64,
) -> Result<Vec<(String, Plan)>, BindingFailure> {
    if let Some(spec) = spec {
        let source = spec.source(Rc::new(spec.files()))?;
        let schemes = if schemes.is_empty() { compare::own_schemes(&source)? } else { schemes.to_vec() };
        let schemes = compare::select_schemes(&schemes, source.members())?;
        return Ok(vec![(spec.name(), plan_comparison(source, &schemes, replications)?)]);
    }
    let schemes = compare::select_schemes(schemes, &Members::default())?;
    let of_path = |path: &compare::ComparedPath| -> Result<_, Vec<Problem>> {
        Ok((path.name.clone(), plan_comparison(compare::open_path(path, overrides)?, &schemes, replications)?))
    };
    Ok(paths::select_paths(names)?.iter().map(of_path).collect::<Result<_, _>>()?)
}

/// The papers: name and reference.
#[pyfunction]
pub fn paper_names() -> Vec<(&'static str, &'static str)> {
    PAPERS.iter().map(|paper| (paper.name, paper.reference)).collect()
}

/// The numbers of a reproduced paper: the JSON of `lasthop reproduce --json`, the picture as SVG, the report as HTML, the
/// score in words, and the number of replications.
type Reproduced = (String, String, String, String, u64);

/// Reproduces a paper, by default with the paper's number of replications.
#[pyfunction]
#[pyo3(signature = (name, replications, store, jobs, progress: "Callable[[int, int], object] | None"))]
pub fn reproduced(
    py: Python<'_>,
    name: &str,
    replications: Option<u64>,
    store: PathBuf,
    jobs: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Reproduced> {
    let run = || -> Result<Reproduced, BindingFailure> {
        let paper = papers::find_paper(name).ok_or_else(|| {
            let problem = Problem::new("a paper").in_file("reproduce").found(format!("\"{name}\""));
            problem.nearest(name, PAPERS.iter().map(|paper| paper.name))
        })?;
        let (mut store, mut watch) = (Store::create(&store)?, Watch::new(progress));
        let replications = replications.unwrap_or(paper.replications);
        let outcome = reproduce_paper(paper, replications, &mut store, jobs, &mut |tally| {
            watch.report(|| (tally.done, tally.wanted - tally.found))
        });
        let reproduction = outcome.map_err(|error| watch.failure(error))?;
        let level = Level::default();
        let json: Value = reproduction.numbers.iter().map(|number| number.to_json(level)).collect();
        let picture = report::marks::render_marks_svg(paper, &reproduction.numbers, level);
        let page = report::render_html_page(&report::paper::render_paper_page(paper, &reproduction));
        let score = Score::of(&reproduction.numbers, level).to_string();
        Ok((format!("{json:#}\n"), picture, page, score, reproduction.replications))
    };
    py.detach(|| catch_exception(run)).map_err(|failure| failure.into_exception(py))
}
