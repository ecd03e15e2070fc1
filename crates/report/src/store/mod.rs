//! The page of a store, with a section per sweep. A section has charts, tables, and the commands that repeat the sweep.

mod blocks;
mod budgets;
mod courses;
mod numbers;
mod pictures;
mod repeat;
mod verdict;

use lab::figures::grid::PointGrid;
use lab::figures::slug::Slugs;
use lab::figures::{MetricFigure, words};
use lab::sweep::analysis::Analysis;
use lab::sweep::budget::Budgets;
use observe::metric::Metric;

use crate::page::{Page, PageBlock, PageSection};
use crate::{BarChart, Course, capitalize_first, html, standalone};

pub use courses::record_course;

/// Maximum number of values in a list; longer lists show only the first and the last value.
const MAX_LISTED: usize = 8;

/// Results of runs of a sweep that were repeated, because the store has only their metrics.
#[derive(Clone, Debug, Default)]
pub struct RepeatedRuns {
    /// The time budget of each case's first replication.
    pub budgets: Budgets,
    /// The course of some of these runs.
    pub course: Option<Course>,
}

/// Returns the page of the sweeps of the store `name`. `metrics` selects the metrics; if empty, each sweep's own
/// metrics are shown. `again` has the results of repeated runs of each sweep, by the same index; it may be shorter than
/// `sweeps`.
pub fn render_store_page(name: &str, sweeps: &[Analysis], metrics: &[&'static Metric], again: &[RepeatedRuns]) -> Page {
    let runs: usize = sweeps.iter().map(Analysis::runs).sum();
    let title = match sweeps {
        [only] => sweep_title(only).to_owned(),
        _ => format!("{} sweeps", sweeps.len()),
    };
    Page {
        title,
        subtitle: format!("Results of the store {name}"),
        facts: vec![("Sweeps".into(), sweeps.len().to_string()), ("Runs".into(), runs.to_string())],
        sections: sweeps
            .iter()
            .enumerate()
            .map(|(number, sweep)| render_sweep_section(sweep, metrics, again.get(number), sweeps.len() > 1))
            .collect(),
        footer: render_store_footer(sweeps),
        ..Page::default()
    }
}

/// Returns each chart of the page as an SVG file in light colours, with its name without extension. The name consists
/// of the sweep, the metric, `change` for changes, and the values common to the chart.
pub fn render_store_figures(
    sweeps: &[Analysis],
    metrics: &[&'static Metric],
    again: &[RepeatedRuns],
) -> Vec<(String, String)> {
    let mut names = Slugs::default();
    let mut files = Vec::new();
    for (number, sweep) in sweeps.iter().enumerate() {
        for figure in select_metric_figures(sweep, metrics) {
            for (kind, charts) in [("", pictures::chart_means(&figure)), ("change", pictures::chart_changes(&figure))] {
                for (title, drawing, _) in charts.iter().filter_map(html::draw_chart) {
                    let name = format!("{} {} {kind} {title}", sweep.sweep.name, figure.metric.name);
                    files.push((names.next(&name), standalone::render_standalone_svg(&drawing.svg)));
                }
            }
        }
        let blocks = again.get(number).map(|again| budgets::render_budget_blocks(&again.budgets)).unwrap_or_default();
        for (_, drawing, _) in blocks.iter().filter_map(html::draw_chart) {
            files.push((
                names.next(&format!("{} time budget", sweep.sweep.name)),
                standalone::render_standalone_svg(&drawing.svg),
            ));
        }
    }
    files
}

/// Returns one metric of a sweep as a bar chart: a group for each value of the key `along`, at the points where the
/// keys of `only` have the given values, as written in the scenario. Only the first subject (flow or link) is shown.
pub fn chart_metric_bars(analysis: &Analysis, metric: &'static Metric, along: &str, only: &[(&str, &str)]) -> BarChart {
    pictures::build_bars_along(&MetricFigure::of(analysis, metric), along, only)
}

/// Returns the title of a sweep, or its name if it has no title.
fn sweep_title(analysis: &Analysis) -> &str {
    let sweep = &analysis.sweep;
    if sweep.title.is_empty() { &sweep.name } else { &sweep.title }
}

fn describe_sweep_version(analysis: &Analysis) -> String {
    format!("lasthop {}, model {}", analysis.sweep.lasthop, analysis.sweep.model)
}

/// Returns the section of a sweep; `of_many` is true if the page has several sweeps, so that the heading names the
/// sweep.
fn render_sweep_section(
    analysis: &Analysis,
    metrics: &[&'static Metric],
    again: Option<&RepeatedRuns>,
    of_many: bool,
) -> PageSection {
    let figures = select_metric_figures(analysis, metrics);
    let mut blocks = vec![
        PageBlock::Facts(collect_sweep_facts(analysis)),
        PageBlock::Warnings(collect_sweep_warnings(analysis, &figures)),
    ];
    for figure in &figures {
        blocks.extend(blocks::render_metric_blocks(figure));
    }
    blocks.extend(again.into_iter().flat_map(|again| budgets::render_budget_blocks(&again.budgets)));
    blocks.extend(again.and_then(|again| again.course.as_ref()).into_iter().flat_map(courses::render_course_blocks));
    blocks.extend(repeat::render_repeat_blocks(analysis));
    let heading = if of_many { sweep_title(analysis) } else { "Results" };
    PageSection { heading: heading.to_owned(), blocks }
}

/// Returns the figures of a sweep: of `metrics`, or if empty, of the sweep's own.
fn select_metric_figures<'a>(analysis: &'a Analysis, metrics: &[&'static Metric]) -> Vec<MetricFigure<'a>> {
    let own = if metrics.is_empty() { analysis.metrics() } else { metrics.to_vec() };
    own.into_iter().map(|metric| MetricFigure::of(analysis, metric)).collect()
}

fn collect_sweep_facts(analysis: &Analysis) -> Vec<(String, String)> {
    let mut facts = vec![
        ("Sweep".into(), analysis.sweep.name.clone()),
        ("Replications".into(), describe_replication_counts(analysis)),
    ];
    let grid = PointGrid::of(analysis);
    for dimension in &grid.dimensions {
        for (key, values) in dimension.keys.iter().zip(&dimension.values) {
            facts.push((capitalize_first(&words::name_key(key)), abbreviate_list(values)));
        }
    }
    for (key, value) in &grid.constant {
        facts.push((capitalize_first(&words::name_key(key)), value.clone()));
    }
    let cases = analysis.cases();
    if cases.iter().any(|case| !case.is_empty()) {
        facts.push(("Compared".into(), cases.join(", ")));
    }
    facts.extend(repeat::list_seeds(analysis).map(|seeds| ("Seed".into(), seeds)));
    facts.push(("Simulated by".into(), describe_sweep_version(analysis)));
    facts
}

/// Returns the values as a list; for long lists their number, the first and the last value.
fn abbreviate_list(values: &[String]) -> String {
    match values {
        [first, .., last] if values.len() > MAX_LISTED => format!("{} values, {first} to {last}", values.len()),
        _ => values.join(", "),
    }
}

/// Returns the number of replications of each case at each point, as a range if it varies.
fn describe_replication_counts(analysis: &Analysis) -> String {
    let counts = || analysis.cells.iter().map(|cell| cell.runs.len());
    match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (min, max) if min == max => max.to_string(),
        (min, max) => format!("{min} to {max}"),
    }
}

/// Returns the warnings of the analysis and of the shown metrics.
fn collect_sweep_warnings(analysis: &Analysis, figures: &[MetricFigure<'_>]) -> Vec<String> {
    let mut warnings: Vec<String> = analysis.warnings().iter().map(|warning| capitalize_first(warning)).collect();
    let max = analysis.cells.iter().map(|cell| cell.runs.len()).max().unwrap_or(0);
    if max == 1 {
        warnings.push("Each case was run once: without a second replication there are no intervals.".into());
    }
    for figure in figures {
        let unasked = !analysis.sweep.metrics.iter().any(|name| name == figure.metric.name);
        if unasked {
            warnings.extend(analysis.warn_of_gaps(figure.metric).iter().map(|warning| capitalize_first(warning)));
        }
        let silent = figure.entries.iter().filter(|entry| entry.row.is_none() && entry.lacking == 0).count();
        if silent > 0 {
            let name = figure.name();
            warnings.push(format!(
                "{silent} of {} means of {name} are missing, because no run gave a value, for example if no flow \
                 completed.",
                figure.entries.len()
            ));
        }
        let without: u64 = figure.entries.iter().map(|entry| entry.without).sum();
        if without > 0 && unasked {
            let name = figure.name();
            warnings.push(format!("{without} runs gave no {name}: the means leave them out."));
        }
    }
    warnings
}

fn render_store_footer(sweeps: &[Analysis]) -> String {
    let level = sweeps.first().map_or(95.0, |analysis| 100.0 * analysis.level.get());
    let counts: Vec<String> = sweeps
        .iter()
        .map(|sweep| format!("{} in {}", describe_replication_counts(sweep), escape_markdown(sweep_title(sweep))))
        .collect();
    format!(
        "## How to read this

**Interval of the mean** (thick whiskers, bands, ±): the {level} % confidence interval of the true mean, by Student's t \
over the replications. It assumes that single runs are about normally distributed or that there are many of them. \
Each interval is valid on its own: of a hundred, about {} miss the true mean.

**One run** (thin lines): the {level} % prediction interval of one further run, if runs are normally distributed. \
Compare a single measurement with this interval, not with that of the mean. Both intervals are cut at the limits of \
the metric, 0 and, for shares, 1: near these limits runs are not normally distributed, and the intervals are approximate.

**Change**: from the first case's mean to this one's, in percent; its interval pairs replications. A replication has \
the same random streams in every case, so this interval is narrower than those of the means suggest. If it contains 0, \
the replications do not show a difference.

**Replications**: {}.

**Left out**: runs without a value, for example of a flow that did not complete, are counted but enter no mean. \
Charts cut whiskers beyond twice the mean, and below 0; those of changes beyond twice the largest change. There are charts for the first {} combinations of values, and \
tables of the first {} rows. `lasthop export` writes all values and metrics of the store.
",
        (100.0 - level).round(),
        counts.join("; "),
        pictures::MAX_CHARTS,
        numbers::MAX_ROWS,
    )
}

/// Escapes text for Markdown.
fn escape_markdown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}
