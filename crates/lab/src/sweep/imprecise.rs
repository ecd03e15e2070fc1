//! Warnings about a sweep's results, among them points without the requested precision.

use engine::quantity::format_short_percent;
use stats::Moments;
use stats::precise::{Rule, RuleVerdict};

use super::analysis::{Analysis, CellRuns};
use super::precise::{Subjects, stopping_rule};
use crate::value_text;
use observe::replications;
use scenario::document::read_back;
use scenario::sweep::Replications;

/// The maximum number of points that a warning names.
const NAMED: usize = 5;

impl Analysis {
    /// Warnings for readers of the results.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings_of_runs();
        warnings.extend(self.same_cases());
        warnings.extend(warn_of_imprecise(self));
        warnings
    }
}

/// The points of a sweep that have the maximum number of replications and are not precise.
fn warn_of_imprecise(analysis: &Analysis) -> Option<String> {
    // A stored scenario that can no longer be read is reported elsewhere.
    let kept = read_back(&analysis.sweep.scenario)?;
    let sweep = kept.sweep.as_ref()?;
    let Replications::UntilPrecise(precision) = &sweep.replications else { return None };
    let metric = replications::select_metrics(sweep, &kept).ok()?.first().copied()?;
    let rule = stopping_rule(precision)?;
    let exhausted = |cell: &&CellRuns| cell.runs.len() as u64 >= precision.max;
    let imprecise = analysis.cells.iter().filter(exhausted).flat_map(|cell| {
        let mut subjects = Subjects::default();
        cell.runs.iter().for_each(|(_, summary)| subjects.take(summary, metric));
        let subjects = subjects.0.into_iter();
        subjects.filter(|(_, moments)| rule.judge(moments) != RuleVerdict::Enough).map(move |found| (cell, found))
    });
    let imprecise: Vec<String> =
        imprecise.map(|(cell, (subject, moments))| describe_precision(cell, &subject, &moments, rule)).collect();
    if imprecise.is_empty() {
        return None;
    }
    let more = imprecise.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Some(format!(
        "after {} replications, the maximum, the precision of {} is not {} everywhere: {}{more}",
        precision.max,
        metric.name,
        format_short_percent(precision.precision),
        imprecise[..imprecise.len().min(NAMED)].join("; ")
    ))
}

/// A cell and the precision of its mean.
fn describe_precision(cell: &CellRuns, subject: &str, moments: &Moments, rule: Rule) -> String {
    let changes = cell.cell.changes.iter().map(|(key, value)| {
        let value = value_text::format_json_value(value);
        format!("{key} {value}")
    });
    let names = [cell.cell.case_name.as_str(), subject];
    let named = changes.chain(names.iter().filter(|name| !name.is_empty()).map(|name| (*name).to_owned()));
    let named = named.collect::<Vec<_>>().join(", ");
    // The rule bounds half-width / mean by g / (1 + g): g is the achieved precision.
    let width = rule.interval(moments).and_then(|interval| interval.relative_half_width());
    let reached = width.filter(|width| *width < 0.5).map_or_else(
        || "has no known precision".to_owned(),
        |width| format!("reaches {}", format_short_percent(width / (1.0 - width))),
    );
    format!("{named} {reached}").trim_start().to_owned()
}
