//! Verdicts in words. For each case and subject they state whether, by how much, and where it differs from the first
//! case.

use lab::figures::MetricFigure;
use lab::sweep::analysis::AnalysisEntry;
use observe::summary::Better;

use super::escape_markdown;
use crate::number::{typeset_change, typeset_number};

/// Maximum number of verdicts below a metric; the table has all changes.
const MAX_VERDICTS: usize = 24;

/// The outcome of one comparison with the first case.
#[derive(Clone, Copy, PartialEq, Debug)]
enum CaseOutcome {
    /// The interval of the change is above 0.
    Higher,
    /// The interval of the change is below 0.
    Lower,
    /// The interval of the change includes 0.
    Unclear,
    /// A change exists, but has no interval.
    WithoutInterval,
    /// A mean is missing, or the first case's mean is 0.
    Missing,
}

impl CaseOutcome {
    fn of(entry: &AnalysisEntry<'_>) -> Self {
        let against = entry.row.as_ref().and_then(|row| row.against.as_ref());
        match against.and_then(|against| Some((against.percent?, against.percent_ci))) {
            None => CaseOutcome::Missing,
            Some((_, None)) => CaseOutcome::WithoutInterval,
            Some((_, Some(ci))) if ci.low > 0.0 => CaseOutcome::Higher,
            Some((_, Some(ci))) if ci.high < 0.0 => CaseOutcome::Lower,
            Some(_) => CaseOutcome::Unclear,
        }
    }

    fn in_words(self, better: Better) -> &'static str {
        match (self, better) {
            (CaseOutcome::Higher, Better::Higher) | (CaseOutcome::Lower, Better::Lower) => "better",
            (CaseOutcome::Higher, Better::Lower) | (CaseOutcome::Lower, Better::Higher) => "worse",
            (CaseOutcome::Higher, Better::Neither) => "higher",
            (CaseOutcome::Lower, Better::Neither) => "lower",
            (CaseOutcome::Unclear, _) => "no clear difference",
            (CaseOutcome::WithoutInterval, _) => "too few replications for an interval",
            (CaseOutcome::Missing, _) => "no change in percent",
        }
    }
}

/// Returns a Markdown list with a verdict for each case but the first and each subject; `None` without a second case.
pub(super) fn render_verdicts(figure: &MetricFigure<'_>) -> Option<String> {
    let cases = figure.analysis.cases();
    let mut lines = Vec::new();
    for subject in &figure.subjects {
        for (case, name) in cases.iter().enumerate().skip(1) {
            let of_case = |entry: &&AnalysisEntry<'_>| entry.cell.case == case && entry.subject == *subject;
            let entries: Vec<&AnalysisEntry<'_>> = figure.entries.iter().filter(of_case).collect();
            let beside =
                if figure.subjects.len() > 1 { format!(" ({})", escape_markdown(subject)) } else { String::new() };
            let verdict = match &entries[..] {
                [] => continue,
                [only] => describe_single_comparison(figure, only, cases.len()),
                several => describe_point_comparisons(figure, several, cases.len()),
            };
            lines.push(format!("- **{}**{beside}: {verdict}", escape_markdown(name)));
        }
    }
    let left_out = lines.len().saturating_sub(MAX_VERDICTS);
    lines.truncate(MAX_VERDICTS);
    if left_out > 0 {
        lines.push(format!("- {left_out} more comparisons are in the table."));
    }
    (!lines.is_empty()).then(|| format!("Compared with {}:\n\n{}\n", escape_markdown(cases[0]), lines.join("\n")))
}

/// Returns the verdict on a case of a sweep with one point.
fn describe_single_comparison(figure: &MetricFigure<'_>, entry: &AnalysisEntry<'_>, cases: usize) -> String {
    let outcome = CaseOutcome::of(entry);
    let verdict = outcome.in_words(figure.metric.better);
    let against = entry.row.as_ref().and_then(|row| row.against.as_ref());
    let Some((change, ci)) = against.and_then(|against| Some((against.percent?, against.percent_ci))) else {
        return verdict.to_owned();
    };
    let change = match ci {
        Some(ci) => {
            let half = ci.half_width();
            let places = if half < 99.95 { 1 } else { 0 };
            format!("{} ± {}\u{a0}%", typeset_change(change).trim_end_matches("\u{a0}%"), typeset_number(half, places))
        }
        None => typeset_change(change),
    };
    let best = if verdict == "better" && is_best(figure, entry, cases) {
        format!(", the best mean of {cases} cases")
    } else {
        String::new()
    };
    match outcome {
        CaseOutcome::Unclear | CaseOutcome::WithoutInterval => format!("{verdict} ({change})"),
        _ => format!("{change}, {verdict}{best}"),
    }
}

/// Returns the verdict on a case over the points of a sweep: the points where it is better and worse, and the size of
/// the change.
fn describe_point_comparisons(figure: &MetricFigure<'_>, entries: &[&AnalysisEntry<'_>], cases: usize) -> String {
    const ORDER: [CaseOutcome; 5] = [
        CaseOutcome::Higher,
        CaseOutcome::Lower,
        CaseOutcome::Unclear,
        CaseOutcome::WithoutInterval,
        CaseOutcome::Missing,
    ];
    let mut parts = Vec::new();
    for outcome in ORDER {
        let alike: Vec<&&AnalysisEntry<'_>> =
            entries.iter().filter(|entry| CaseOutcome::of(entry) == outcome).collect();
        if alike.is_empty() {
            continue;
        }
        let changes = alike.iter().filter_map(|entry| entry.row.as_ref()?.against.as_ref()?.percent);
        let (low, high) = changes.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), it| (a.min(it), b.max(it)));
        let range = match () {
            () if low > high => String::new(),
            () if typeset_change(low) == typeset_change(high) => format!(" ({})", typeset_change(low)),
            () => format!(" ({} to {})", typeset_change(low), typeset_change(high)),
        };
        let verdict = outcome.in_words(figure.metric.better);
        parts.push(format!("{verdict} at {} of {} points{range}", alike.len(), entries.len()));
    }
    let is_better = |entry: &AnalysisEntry<'_>| CaseOutcome::of(entry).in_words(figure.metric.better) == "better";
    let best = entries.iter().filter(|entry| is_better(entry) && is_best(figure, entry, cases)).count();
    if best > 0 {
        parts.push(format!("the best mean of {cases} cases at {best}"));
    }
    parts.join("; ")
}

/// True if no other case at the entry's point has an equal or better mean, and all cases have one.
fn is_best(figure: &MetricFigure<'_>, entry: &AnalysisEntry<'_>, cases: usize) -> bool {
    let Some(own) = entry.row.as_ref().map(|row| row.mean) else { return false };
    let others = figure.entries.iter().filter(|other| {
        other.cell.point == entry.cell.point && other.subject == entry.subject && other.cell.case != entry.cell.case
    });
    let means: Vec<f64> = others.filter_map(|other| Some(other.row.as_ref()?.mean)).collect();
    means.len() + 1 == cases
        && match figure.metric.better {
            Better::Lower => means.iter().all(|mean| own < *mean),
            Better::Higher => means.iter().all(|mean| own > *mean),
            Better::Neither => false,
        }
}
