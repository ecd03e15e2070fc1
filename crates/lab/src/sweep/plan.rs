//! The plan of a sweep: every case at every point of the grid, checked and ready to run.

use std::path::Path;

use sim::Network;

use super::dedup::is_same_warning;
use crate::load::{self, Loaded, Overrides, Source};
use crate::store::{Digest, KeptSweep};
use observe::metric::Metric;
use observe::replications;
use scenario::Scenario;
use scenario::axes::{self, Axis, Case, Change};
use scenario::document::{Origin, with_new_names};
use scenario::problem::Problem;
use scenario::sweep::{Replications, Sweep};

/// The maximum number of cells: all cells are checked, and held in memory, before the first run.
const MAX_CELLS: u128 = 100_000;
/// An upper bound of runs, against mistyped counts.
const MAX_RUNS: u128 = 100_000_000;
/// The maximum number of replications of one point.
const MAX_REPLICATIONS: u64 = 1_000_000;

/// A sweep, ready to run.
#[derive(Debug)]
pub struct Plan {
    /// The name: the scenario's file name without its extension.
    pub stem: String,
    /// The scenario as written, with the changes of the command line.
    pub scenario: Scenario,
    /// The dimensions of the grid.
    pub axes: Vec<Axis>,
    /// The compared cases; the first one is the baseline.
    pub cases: Vec<Case>,
    /// The points of the grid, the last axis varying fastest.
    pub points: Vec<Point>,
    /// The number of replications of each point.
    pub replications: Replications,
    /// The metrics to show; the first one leads.
    pub metrics: Vec<&'static Metric>,
    /// Metrics that the runs must have in addition to `metrics`. A store does not record them with the sweep.
    pub also_measured: Vec<&'static Metric>,
    /// The stopping rule with its metric, if the number of replications depends on precision.
    pub precise: &'static Metric,
    /// Warnings for the author, without duplicates.
    pub warnings: Vec<Problem>,
}

/// A point of the grid.
#[derive(Debug)]
pub struct Point {
    /// Changes of this point.
    pub changes: Vec<Change>,
    /// The cells, by the number of the case.
    pub cells: Vec<SweepCell>,
}

/// One case at one point.
#[derive(Debug)]
pub struct SweepCell {
    /// The scenario of the cell.
    pub scenario: Scenario,
    /// Network to run, whose number each replication sets.
    pub network: Network,
    /// Key of the cell's stored results.
    pub digest: Digest,
}

/// Position of a cell in a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellId {
    /// The number of the point.
    pub point: usize,
    /// The number of the case.
    pub case: usize,
}

impl Plan {
    /// The cell at a position of this plan.
    pub fn cell(&self, id: CellId) -> &SweepCell {
        &self.points[id.point].cells[id.case]
    }

    /// Reads a scenario and plans its sweep. A scenario without `[sweep]` has a single point.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, Vec<Problem>> {
        Self::of(&load::open_from_disk(path, overrides)?)
    }

    /// Plans the sweep of a scenario.
    pub fn of(source: &Source) -> Result<Self, Vec<Problem>> {
        let base = source.resolve(&source.document)?;
        let located = |problem: Problem| vec![source.document.locate(problem)];
        let sweep = base.scenario.sweep.clone().unwrap_or_default();
        let metrics = replications::select_metrics(&sweep, &base.scenario).map_err(located)?;
        check_replications(&sweep.replications).map_err(located)?;
        let grid = SweepGrid::of(source, &sweep, base.warnings)?;
        Ok(Plan {
            stem: source.stem.clone(),
            scenario: base.scenario,
            points: grid.points,
            replications: sweep.replications,
            precise: metrics[0],
            metrics,
            also_measured: Vec::new(),
            warnings: grid.warnings,
            axes: grid.axes,
            cases: grid.cases,
        })
    }

    /// The minimum and maximum number of replications of each point.
    pub fn replications(&self) -> (u64, u64) {
        self.replications.bounds()
    }
}

/// The points of a sweep with their cells, and the parts from which they are built.
pub(super) struct SweepGrid {
    axes: Vec<Axis>,
    cases: Vec<Case>,
    pub(super) points: Vec<Point>,
    warnings: Vec<Problem>,
}

impl SweepGrid {
    /// Resolves the scenario for every case at every point, and collects the warnings.
    pub(super) fn of(source: &Source, sweep: &Sweep, warnings: Vec<Problem>) -> Result<Self, Vec<Problem>> {
        let located = |problem: Problem| vec![source.document.locate(problem)];
        let listed = |table: &toml::Table, key: &str| source.with_files_listed(table, key);
        let zip = sweep.zip.iter().enumerate().map(|(number, table)| listed(table, &format!("sweep.zip[{number}]")));
        let axes = listed(&sweep.axes, "sweep.axes").map_err(located)?;
        let axes = axes::parse_axes(&axes, &zip.collect::<Result<Vec<_>, _>>().map_err(located)?).map_err(located)?;
        let compare = listed(&sweep.compare, "sweep.compare").map_err(located)?;
        let cases = axes::parse_cases(&compare, &axes).map_err(located)?;
        check_size(&axes, &cases, &sweep.replications).map_err(located)?;
        let mut grid = SweepGrid { axes, cases, points: Vec::new(), warnings };
        let mut place = vec![0; grid.axes.len()];
        loop {
            let at: Vec<(String, &Change)> =
                grid.axes.iter().zip(&place).flat_map(|(axis, place)| axis.at(*place)).collect();
            let cells = grid.cases.iter().map(|case| resolve_cell(source, &at, case, &mut grid.warnings));
            let cells = cells.collect::<Result<_, _>>()?;
            let changes = at.into_iter().map(|(_, change)| change.clone()).collect();
            grid.points.push(Point { changes, cells });
            // The position advances as in an odometer: the last axis first, and the preceding axis when an axis wraps.
            let turned = grid.axes.iter().zip(&mut place).rev().any(|(axis, at)| {
                *at = (*at + 1) % axis.places.len();
                *at != 0
            });
            if !turned {
                return Ok(grid);
            }
        }
    }

    /// The grid of a stored sweep.
    ///
    /// # Errors
    ///
    /// Reason, in one line, why the scenario cannot be read.
    pub(super) fn of_kept(sweep: &KeptSweep) -> Result<Self, String> {
        let first = |problems: Vec<Problem>| {
            let text = problems.first().map(ToString::to_string).unwrap_or_default();
            text.lines().next().unwrap_or_default().to_owned()
        };
        let text = with_new_names(&sweep.scenario).ok_or("its scenario cannot be read")?;
        let file = format!("{}.toml", sweep.name).into();
        let source = load::of_text(sweep.name.clone(), file, text.as_bytes(), &Overrides::default()).map_err(first)?;
        let kept = source.document.read().map_err(|_| "its scenario cannot be read")?;
        SweepGrid::of(&source, &kept.sweep.unwrap_or_default(), Vec::new()).map_err(first)
    }
}

/// Resolves the scenario of one case at one point.
fn resolve_cell(
    source: &Source,
    at: &[(String, &Change)],
    case: &Case,
    warnings: &mut Vec<Problem>,
) -> Result<SweepCell, Vec<Problem>> {
    let mut document = source.document.clone();
    let of_point = at.iter().map(|(at, change)| (at, *change));
    for (at, (key, value)) in of_point.chain(case.at.iter().zip(&case.changes)) {
        document.assign(key, value.clone(), Origin::Key(at.clone())).map_err(|problem| vec![problem])?;
    }
    let among = |problem| add_other_changes(problem, at, case);
    let resolved = source.resolve(&document);
    let Loaded { scenario, network, outside, warnings: advice, .. } =
        resolved.map_err(|problems| problems.into_iter().map(among).collect::<Vec<_>>())?;
    for warning in advice {
        // A warning repeated at all points is reported once, regardless of numbers in it.
        if !warnings.iter().any(|known| is_same_warning(known, &warning)) {
            warnings.push(among(warning));
        }
    }
    if let Some(member) = outside.into_iter().find(|member| member.version.is_none()) {
        let problem = Problem::new(format!(
            "a {} whose factory has a version: a store identifies results by it",
            member.registry
        ));
        let problem = problem.key(member.key).found(format!("\"{}\" without one", member.name));
        return Err(vec![
            document.locate(problem.hint("add one to its factory, as in `Kind::new(...).version(\"1\")`")),
        ]);
    }
    let digest = Digest::of(&network).map_err(|why| vec![Problem::new(why)])?;
    Ok(SweepCell { digest, scenario, network })
}

/// Adds the other changes of the point to a problem: a value may be valid alone and invalid in combination with them.
fn add_other_changes(mut problem: Problem, at: &[(String, &Change)], case: &Case) -> Problem {
    let about = |key: &str| problem.key.as_deref().is_some_and(|about| about.starts_with(key));
    let others = at.iter().filter(|(_, (key, _))| !about(key)).map(|(_, (key, value))| format!("{key} = {value}"));
    let case_differs = !case.name.is_empty() && !case.changes.iter().any(|(key, _)| about(key));
    let others: Vec<String> = others.chain(case_differs.then(|| format!("case {}", case.name))).collect();
    problem.among = (!others.is_empty()).then(|| others.join(", "));
    problem
}

fn check_size(axes: &[Axis], cases: &[Case], replications: &Replications) -> Result<(), Problem> {
    let points = axes.iter().fold(1u128, |count, axis| count.saturating_mul(axis.places.len() as u128));
    let cells = points.saturating_mul(cases.len() as u128);
    let least = match replications {
        Replications::Fixed(count) => *count,
        Replications::UntilPrecise(precision) => precision.min,
    };
    let runs = cells.saturating_mul(u128::from(least));
    let cases = format!("{} case{}", cases.len(), if cases.len() == 1 { "" } else { "s" });
    if cells > MAX_CELLS {
        let problem = Problem::new(format!("at most {MAX_CELLS} in all")).key("sweep");
        return Err(problem.found(format!("{points} points x {cases}")));
    }
    if runs > MAX_RUNS {
        let problem = Problem::new(format!("at most {MAX_RUNS}")).key("sweep.replications");
        let found = format!("{runs} runs ({points} points x {cases} x {least} replications)");
        return Err(problem.found(found));
    }
    Ok(())
}

fn check_replications(replications: &Replications) -> Result<(), Problem> {
    let count = |key: &str, count: u64, least: u64| {
        if (least..=MAX_REPLICATIONS).contains(&count) {
            return Ok(());
        }
        let expected = format!("a whole number from {least} to {MAX_REPLICATIONS}");
        Err(Problem::new(expected).key(format!("sweep.replications{key}")).found(count.to_string()))
    };
    let share = |key: &str, share: f64| {
        if share > 0.0 && share < 1.0 {
            return Ok(());
        }
        let problem = Problem::new("more than 0, less than 1").key(format!("sweep.replications.{key}"));
        let problem = problem.found(share.to_string());
        // The value was meant as a percentage.
        let percent = (1.0..100.0).contains(&share).then(|| format!("{share} % is {}", share / 100.0));
        Err(Problem { hint: percent, ..problem })
    };
    match replications {
        Replications::Fixed(fixed) => count("", *fixed, 1),
        Replications::UntilPrecise(precise) => {
            share("precision", precise.precision)?;
            share("level", precise.level)?;
            count(".min", precise.min, 2)?;
            count(".max", precise.max, precise.min)
        }
    }
}
