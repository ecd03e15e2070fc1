//! The page of a store: a section for each sweep, with its pictures, its numbers, and what it takes to repeat it.

mod blocks;
mod figure;
mod grid;
mod numbers;
mod pictures;
mod repeat;

use lab::sweep::analysis::Analysis;
use observe::metric::Metric;

use crate::BarChart;
use crate::page::{Block, Page, Section};

use figure::Figure;

/// Values that are listed; of more only the ends.
const MOST_LISTED: usize = 8;

/// The page of the sweeps of the store `name`. `metrics` are shown, or if there are none, those that each sweep asks for.
pub fn page(name: &str, sweeps: &[Analysis], metrics: &[&'static Metric]) -> Page {
    let runs: usize = sweeps.iter().map(Analysis::runs).sum();
    let title = match sweeps {
        [only] => title(only).to_owned(),
        _ => format!("{} sweeps", sweeps.len()),
    };
    Page {
        title,
        subtitle: format!("Results of the store {name}"),
        facts: vec![("Sweeps".into(), sweeps.len().to_string()), ("Runs".into(), runs.to_string())],
        sections: sweeps.iter().map(|sweep| section(sweep, metrics, sweeps.len() > 1)).collect(),
        footer: footer(sweeps),
    }
}

/// One figure of a sweep as bars: a group for each value of the key `along`, of the points where the keys of `only` have
/// the values given, as the scenario writes them. Of several flows or links the first one is shown.
pub fn bars(analysis: &Analysis, metric: &'static Metric, along: &str, only: &[(&str, &str)]) -> BarChart {
    pictures::bars_along(&Figure::of(analysis, metric), along, only)
}

/// What people call a sweep.
fn title(analysis: &Analysis) -> &str {
    let sweep = &analysis.sweep;
    if sweep.title.is_empty() { &sweep.name } else { &sweep.title }
}

fn version(analysis: &Analysis) -> String {
    format!("lasthop {}, model {}", analysis.sweep.lasthop, analysis.sweep.model)
}

/// `of_many`: the sweep's title is not the page's.
fn section(analysis: &Analysis, metrics: &[&'static Metric], of_many: bool) -> Section {
    let own = analysis.metrics();
    let metrics = if metrics.is_empty() { &own } else { metrics };
    let figures: Vec<Figure<'_>> = metrics.iter().map(|metric| Figure::of(analysis, metric)).collect();
    let mut blocks = vec![Block::Facts(facts(analysis)), Block::Warnings(warnings(analysis, &figures))];
    for figure in &figures {
        blocks.extend(figure.blocks());
    }
    blocks.extend(repeat::blocks(analysis));
    let heading = if of_many { title(analysis) } else { "Results" };
    Section { heading: heading.to_owned(), blocks }
}

fn facts(analysis: &Analysis) -> Vec<(String, String)> {
    let mut facts =
        vec![("Sweep".into(), analysis.sweep.name.clone()), ("Replications".into(), replications(analysis))];
    let grid = grid::Grid::of(analysis);
    for dimension in &grid.dimensions {
        facts.push((dimension.name(), listed(&dimension.places)));
    }
    for (key, value) in &grid.constant {
        facts.push((key.clone(), value.clone()));
    }
    let cases = analysis.cases();
    if cases.iter().any(|case| !case.is_empty()) {
        facts.push(("Compared".into(), cases.join(", ")));
    }
    facts.extend(repeat::seeds(analysis).map(|seeds| ("Seed".into(), seeds)));
    facts.push(("Simulated by".into(), version(analysis)));
    facts
}

/// Values, or how many there are and the ends.
fn listed(values: &[String]) -> String {
    match values {
        [first, .., last] if values.len() > MOST_LISTED => format!("{} values, {first} to {last}", values.len()),
        _ => values.join(", "),
    }
}

/// How often each case was run at each point.
fn replications(analysis: &Analysis) -> String {
    let counts = || analysis.cells.iter().map(|cell| cell.runs.len());
    match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (least, most) if least == most => most.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

/// The analysis's own, and what the shown figures add.
fn warnings(analysis: &Analysis, figures: &[Figure<'_>]) -> Vec<String> {
    let mut warnings = analysis.warnings();
    let most = analysis.cells.iter().map(|cell| cell.runs.len()).max().unwrap_or(0);
    if most == 1 {
        warnings.push(
            "Each case was run once: there are no intervals, and nothing here says how far another run would lie."
                .into(),
        );
    }
    for figure in figures {
        let silent = figure.entries.iter().filter(|entry| entry.row.is_none()).count();
        if silent > 0 {
            let name = figure.metric.name;
            warnings.push(format!(
                "{silent} of {} means of {name} are missing, because no run gave one, such as transfers that never \
                 completed.",
                figure.entries.len()
            ));
        }
        let without: u64 = figure.entries.iter().map(|entry| entry.without).sum();
        if without > 0 && !analysis.sweep.metrics.iter().any(|name| name == figure.metric.name) {
            let name = figure.metric.name;
            warnings.push(format!("{without} runs gave no {name}: the means leave them out."));
        }
    }
    warnings
}

fn footer(sweeps: &[Analysis]) -> String {
    let level = sweeps.first().map_or(95.0, |analysis| 100.0 * analysis.level.get());
    let counts: Vec<String> =
        sweeps.iter().map(|sweep| format!("{} in {}", replications(sweep), plain(title(sweep)))).collect();
    format!(
        "## How to read this

**Interval of the mean** (thick whiskers, bands, ±): where the mean of endlessly many runs lies, with {level} % \
confidence, by Student's t over the replications. It assumes that single runs are about normal or that there are many \
of them. Each interval holds for itself: of a hundred, about {} miss.

**One run** (thin lines): where one more single run lies, with {level} % confidence, if runs are normal. Compare a \
single measurement with this interval, not with that of the mean. Both intervals are \
cut off where the figure cannot be, below 0, and for shares above 1: there runs are not normal, and the intervals are only a hint.

**Change**: from the first case's mean to this one's, in percent; its interval pairs replications. The same replication is \
the same air for every case, so it is narrower than those of the means suggest. Where it contains 0, the \
replications do not show a difference.

**Replications**: {}.

**Left out**: runs that gave no value, such as transfers that did not complete, are counted but are in no mean. \
Pictures cut off whiskers beyond twice the mean, and below 0. They show the first {} combinations of values, and tables \
the first {} rows. Everything else is in the store, figures that are not shown here as well: `lasthop export` writes it.
",
        (100.0 - level).round(),
        counts.join("; "),
        pictures::MOST_CHARTS,
        numbers::MOST_ROWS,
    )
}

/// Text as Markdown that means nothing but itself.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}
