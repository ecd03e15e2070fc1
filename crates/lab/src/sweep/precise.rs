//! Until precise: how many replications each point gets, and which points stay imprecise.

use stats::precise::{Rule, Verdict};
use stats::{Level, Moments};

use super::Plan;
use super::analysis::{Analysis, CellRuns};
use crate::metric::Metric;
use crate::scenario::Document;
use crate::scenario::sweep::{Precision, Replications};
use crate::store::{Store, StoreError};

/// Points that a warning names, at most.
const NAMED: usize = 5;

/// How many more replications a point needs after these runs of one of its cases: the most that any subject of the figure
/// asks for.
pub(super) fn asked_for(runs: &[(u64, serde_json::Value)], metric: &Metric, precision: &Precision) -> u64 {
    // The plan was checked: its numbers make a rule.
    let Some(rule) = rule(precision) else { return 0 };
    let ask = |moments: &Moments| match rule.judge(moments) {
        Verdict::More(count) => count,
        Verdict::Enough | Verdict::Exhausted => 0,
    };
    subjects(runs, metric).iter().map(|(_, moments)| ask(moments)).fold(0, u64::max)
}

/// How many replications of each point the rule asks for, as far as the store can tell: it depends on nothing but the runs.
pub fn replications(plan: &Plan, store: &Store) -> Result<Vec<u64>, StoreError> {
    let (least, most) = plan.replications();
    let Replications::UntilPrecise(precision) = &plan.replications else { return Ok(vec![least; plan.points.len()]) };
    let of_point = |point: &super::Point| {
        let cells: Result<Vec<_>, _> = point.cells.iter().map(|cell| store.runs(cell.digest, most)).collect();
        let cells = cells?;
        let mut wanted = least;
        loop {
            let first = |runs: &[(u64, _)]| runs.partition_point(|(number, _)| *number < wanted);
            if cells.iter().any(|runs| (first(runs) as u64) < wanted) {
                return Ok(wanted);
            }
            let more = cells.iter().map(|runs| asked_for(&runs[..first(runs)], plan.precise, precision));
            let more = more.fold(0, u64::max).min(most - wanted);
            if more == 0 {
                return Ok(wanted);
            }
            wanted += more;
        }
    };
    plan.points.iter().map(of_point).collect()
}

/// The points of a sweep that have as many replications as are allowed and are not precise.
pub(super) fn warning(analysis: &Analysis) -> Option<String> {
    // As the scenario is kept; one that cannot be read any more has other troubles.
    let kept = Document::parse("kept", analysis.sweep.scenario.as_bytes()).and_then(|document| document.read()).ok()?;
    let sweep = kept.sweep.as_ref()?;
    let Replications::UntilPrecise(precision) = &sweep.replications else { return None };
    let metric = super::plan::metrics(sweep, &kept).ok()?.first().copied()?;
    let rule = rule(precision)?;
    let exhausted = |cell: &&CellRuns| cell.runs.len() as u64 >= precision.max;
    let imprecise = analysis.cells.iter().filter(exhausted).flat_map(|cell| {
        let subjects = subjects(&cell.runs, metric).into_iter();
        subjects.filter(|(_, moments)| rule.judge(moments) != Verdict::Enough).map(move |found| (cell, found))
    });
    let imprecise: Vec<String> =
        imprecise.map(|(cell, (subject, moments))| shown(cell, &subject, &moments, rule)).collect();
    if imprecise.is_empty() {
        return None;
    }
    let more = imprecise.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Some(format!(
        "after {} replications, as many as are allowed, {} is not known to {} everywhere: {}{more}",
        precision.max,
        metric.name,
        percent(precision.precision),
        imprecise[..imprecise.len().min(NAMED)].join("; ")
    ))
}

/// A cell, and how precisely its mean is known.
fn shown(cell: &CellRuns, subject: &str, moments: &Moments, rule: Rule) -> String {
    let changes = cell.cell.changes.iter().map(|(key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{key} {value}")
    });
    let names = [cell.cell.case_name.as_str(), subject];
    let named = changes.chain(names.iter().filter(|name| !name.is_empty()).map(|name| (*name).to_owned()));
    let named = named.collect::<Vec<_>>().join(", ");
    // The rule bounds half-width / mean by g / (1 + g): g is what was reached.
    let width = rule.interval(moments).and_then(|interval| interval.relative_half_width());
    let reached = width
        .filter(|width| *width < 0.5)
        .map_or_else(|| "is not known at all".to_owned(), |width| format!("to {}", percent(width / (1.0 - width))));
    format!("{named} {reached}").trim_start().to_owned()
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if (percent - percent.round()).abs() < 1e-9 { format!("{percent:.0} %") } else { format!("{percent:.2} %") }
}

fn rule(precision: &Precision) -> Option<Rule> {
    let level = Level::new(precision.level).ok()?;
    Rule::new(precision.precision, level, precision.min, precision.max).ok()
}

/// A figure's moments for each of its subjects.
fn subjects(runs: &[(u64, serde_json::Value)], metric: &Metric) -> Vec<(String, Moments)> {
    let mut subjects: Vec<(String, Vec<f64>)> = Vec::new();
    for (_, summary) in runs {
        for (subject, value) in metric.read(summary) {
            let at = subjects.iter().position(|(known, _)| *known == subject).unwrap_or_else(|| {
                subjects.push((subject, Vec::new()));
                subjects.len() - 1
            });
            subjects[at].1.extend(value);
        }
    }
    subjects.into_iter().filter_map(|(subject, values)| Some((subject, Moments::of(values).ok()?))).collect()
}
