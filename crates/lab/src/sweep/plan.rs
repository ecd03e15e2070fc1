//! A sweep worked out: every point of its grid, every case at it, checked and ready to run.

use std::path::Path;

use sim::Network;

use super::axes::{self, Axis, Case, Change};
use crate::load::{Loaded, Overrides, Source};
use crate::metric::{self, Metric};
use crate::problem::Problem;
use crate::scenario::Scenario;
use crate::scenario::sweep::{Precision, Replications, Sweep};
use crate::store::Digest;

/// More runs than anyone waits for.
const MOST_CELLS: usize = 1_000_000;
/// Replications of one point at most.
const MOST_REPLICATIONS: u64 = 1_000_000;

/// A sweep, ready to run.
#[derive(Debug)]
pub struct Plan {
    /// What it is called: the scenario's file name without its ending.
    pub stem: String,
    /// The scenario as it is written, with what the command line changed.
    pub scenario: Scenario,
    /// The dimensions of the grid.
    pub axes: Vec<Axis>,
    /// What is compared at every point; the others are compared with the first.
    pub cases: Vec<Case>,
    /// The points of the grid, the last axis varying fastest.
    pub points: Vec<Point>,
    /// How often each is run.
    pub replications: Replications,
    /// The figures to show; the first one leads.
    pub metrics: Vec<&'static Metric>,
    /// What its author should know, each said once.
    pub warnings: Vec<Problem>,
}

/// A place in the grid.
#[derive(Debug)]
pub struct Point {
    /// Where it is: what is different here.
    pub changes: Vec<Change>,
    /// What runs here, by the number of the case.
    pub cells: Vec<Cell>,
}

/// One case at one point.
#[derive(Debug)]
pub struct Cell {
    /// The scenario here.
    pub scenario: Scenario,
    /// What runs; each replication with a number of its own.
    pub network: Network,
    /// What its results are kept under.
    pub digest: Digest,
}

impl Plan {
    /// Reads a scenario and works out its sweep. One without `[sweep]` has one point, repeated.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, Vec<Problem>> {
        Self::of(&Source::open(path, overrides)?)
    }

    /// Works out the sweep of a scenario.
    pub fn of(source: &Source) -> Result<Self, Vec<Problem>> {
        let base = source.resolve(&source.document)?;
        let located = |problem: Problem| vec![source.document.locate(problem)];
        let sweep = base.scenario.sweep.clone().unwrap_or_default();
        let axes = axes::axes(&sweep.axes, &sweep.zip).map_err(located)?;
        let cases = axes::cases(&sweep.compare).map_err(located)?;
        let metrics = metrics(&sweep, &base.scenario).map_err(located)?;
        check_replications(&sweep.replications).map_err(located)?;
        let count = axes.iter().try_fold(cases.len(), |count, axis| count.checked_mul(axis.places.len()));
        let count = count.filter(|count| *count <= MOST_CELLS).ok_or_else(|| {
            located(Problem::new(format!("at most {MOST_CELLS} combinations of values")).key("sweep.axes"))
        })?;
        let mut plan = Plan {
            stem: source.stem.clone(),
            scenario: base.scenario,
            points: Vec::with_capacity(count / cases.len()),
            replications: sweep.replications,
            metrics,
            warnings: base.warnings,
            axes,
            cases,
        };
        let mut place = vec![0; plan.axes.len()];
        loop {
            let changes: Vec<Change> =
                plan.axes.iter().zip(&place).flat_map(|(axis, at)| axis.places[*at].clone()).collect();
            let cells = plan.cases.iter().map(|case| cell(source, &changes, case, &mut plan.warnings));
            let cells = cells.collect::<Result<_, _>>()?;
            plan.points.push(Point { changes, cells });
            // As an odometer: the last wheel turns, and takes the one before it along when it is round.
            let turned = plan.axes.iter().zip(&mut place).rev().any(|(axis, at)| {
                *at = (*at + 1) % axis.places.len();
                *at != 0
            });
            if !turned {
                return Ok(plan);
            }
        }
    }

    /// Replications of each point at least, and at most.
    pub fn replications(&self) -> (u64, u64) {
        match &self.replications {
            Replications::Fixed(count) => (*count, *count),
            Replications::UntilPrecise(precision) => (precision.min, precision.max),
        }
    }
}

/// The scenario of one case at one point.
fn cell(source: &Source, at: &[Change], case: &Case, warnings: &mut Vec<Problem>) -> Result<Cell, Vec<Problem>> {
    let mut document = source.document.clone();
    let named = if case.name.is_empty() { String::new() } else { format!("case {}: ", case.name) };
    for (key, value) in at.iter().chain(&case.changes) {
        let origin = format!("sweep: {named}{key} = {value}");
        document.assign(key, value.clone(), &origin).map_err(|problem| vec![problem])?;
    }
    let Loaded { scenario, network, warnings: advice, .. } = source.resolve(&document)?;
    for warning in advice {
        // The same warning at every point is one warning.
        if !warnings.iter().any(|known| known.key == warning.key && known.expected == warning.expected) {
            warnings.push(warning);
        }
    }
    Ok(Cell { digest: Digest::of(&scenario), scenario, network })
}

/// The figures asked for, or those that suit the scenario.
fn metrics(sweep: &Sweep, scenario: &Scenario) -> Result<Vec<&'static Metric>, Problem> {
    let find = |name: &String, key: String| {
        metric::find(name).ok_or_else(|| {
            let problem = Problem::new("a metric (see `lasthop list metrics`)").key(key).found(format!("\"{name}\""));
            problem.nearest(name, metric::names())
        })
    };
    let named = sweep.metrics.iter().enumerate();
    let mut metrics: Vec<_> =
        named.map(|(at, name)| find(name, format!("sweep.metrics[{at}]"))).collect::<Result<_, _>>()?;
    if metrics.is_empty() {
        let ends = scenario.flows.values().all(|flow| flow.bytes.is_some());
        metrics.push(if ends { &metric::COMPLETION_TIME } else { &metric::GOODPUT });
    }
    if let Replications::UntilPrecise(Precision { metric: Some(name), .. }) = &sweep.replications {
        let precise = find(name, "sweep.replications.metric".into())?;
        metrics.retain(|metric| metric.name != precise.name);
        metrics.insert(0, precise);
    }
    Ok(metrics)
}

fn check_replications(replications: &Replications) -> Result<(), Problem> {
    let count = |key: &str, count: u64, least: u64| {
        if (least..=MOST_REPLICATIONS).contains(&count) {
            return Ok(());
        }
        let expected = format!("a whole number from {least} to {MOST_REPLICATIONS}");
        Err(Problem::new(expected).key(format!("sweep.replications{key}")).found(count.to_string()))
    };
    let share = |key: &str, share: f64| {
        if share > 0.0 && share < 1.0 {
            return Ok(());
        }
        let problem = Problem::new("more than 0, less than 1").key(format!("sweep.replications.{key}"));
        Err(problem.found(share.to_string()).hint("2 % is 0.02"))
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
