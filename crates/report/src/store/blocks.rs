//! The blocks of a page for one metric of a sweep: its charts and its table.

use lab::figures::MetricFigure;

use super::{escape_markdown, numbers, pictures, verdict};
use crate::capitalize_first;
use crate::page::PageBlock;

/// Returns heading, charts and table.
pub(super) fn render_metric_blocks(figure: &MetricFigure<'_>) -> Vec<PageBlock> {
    let title = escape_markdown(&capitalize_first(&figure.name()));
    let mut about = format!(
        "# {title}\n\n`{}`: {}.",
        figure.metric.name,
        escape_markdown(&capitalize_first(figure.metric.definition).replace('`', ""))
    );
    let charts = pictures::chart_means(figure);
    about.push_str(&match charts.first() {
        Some(PageBlock::Bars(_)) => explain_bars(figure),
        Some(PageBlock::Curves(_)) => format!(" Bands are the {} % confidence interval of the mean.", figure.level()),
        _ => String::new(),
    });
    let changes = pictures::chart_changes(figure);
    if !changes.is_empty() {
        about.push_str(&explain_changes(figure));
    }
    if !figure.idle.is_empty() {
        about.push_str(&format!(" 0 in every run: {}.", escape_markdown(&figure.idle.join(", "))));
    }
    about.extend(verdict::render_verdicts(figure).map(|words| format!("\n\n{words}")));
    let mut blocks = vec![PageBlock::Words(about)];
    if figure.entries.is_empty() {
        return blocks;
    }
    blocks.extend(charts);
    blocks.extend(changes);
    blocks.push(PageBlock::Table(numbers::tabulate_metric(figure)));
    blocks
}

/// Returns the explanation of the charts of changes.
fn explain_changes(figure: &MetricFigure<'_>) -> String {
    format!(
        " Dots are changes in percent with their {} % confidence interval, paired by replication. Hollow: the \
         interval includes 0 or is missing.",
        figure.level()
    )
}

/// Returns the explanation of a bar's parts, for the parts that are drawn.
fn explain_bars(figure: &MetricFigure<'_>) -> String {
    let level = figure.level();
    let mut out = String::new();
    if figure.entries.iter().filter_map(|entry| entry.row.as_ref()).any(|row| row.ci.is_some()) {
        out.push_str(&format!(
            " Whiskers with caps are the {level} % confidence interval of the mean, thin lines the prediction interval of one run."
        ));
    }
    if let [first, _, ..] = &figure.analysis.cases()[..] {
        out.push_str(&format!(" Labels above the bars are changes from {}.", escape_markdown(first)));
    }
    out
}
