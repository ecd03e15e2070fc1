//! The blocks of a page for one metric of a sweep: its charts and its table.

use lab::figures::MetricFigure;

use super::{numbers, pictures, plain, verdict};
use crate::capital;
use crate::page::Block;

/// Returns heading, charts and table.
pub(super) fn of(figure: &MetricFigure<'_>) -> Vec<Block> {
    let title = plain(&capital(&figure.name()));
    let mut about = format!(
        "# {title}\n\n`{}`: {}.",
        figure.metric.name,
        plain(&capital(figure.metric.definition).replace('`', ""))
    );
    let charts = pictures::of(figure);
    about.push_str(&match charts.first() {
        Some(Block::Bars(_)) => key_to_bars(figure),
        Some(Block::Curves(_)) => format!(" Bands are the {} % confidence interval of the mean.", figure.level()),
        _ => String::new(),
    });
    let changes = pictures::changes_of(figure);
    if !changes.is_empty() {
        about.push_str(&key_to_changes(figure));
    }
    if !figure.idle.is_empty() {
        about.push_str(&format!(" 0 in every run: {}.", plain(&figure.idle.join(", "))));
    }
    about.extend(verdict::words(figure).map(|words| format!("\n\n{words}")));
    let mut blocks = vec![Block::Words(about)];
    if figure.entries.is_empty() {
        return blocks;
    }
    blocks.extend(charts);
    blocks.extend(changes);
    blocks.push(Block::Table(numbers::table(figure)));
    blocks
}

/// Returns the explanation of the charts of changes.
fn key_to_changes(figure: &MetricFigure<'_>) -> String {
    format!(
        " Dots are changes in percent with their {} % confidence interval, paired by replication. Hollow: the \
         interval includes 0 or is missing.",
        figure.level()
    )
}

/// Returns the explanation of a bar's parts, for the parts that are drawn.
fn key_to_bars(figure: &MetricFigure<'_>) -> String {
    let level = figure.level();
    let mut out = String::new();
    if figure.entries.iter().filter_map(|entry| entry.row.as_ref()).any(|row| row.ci.is_some()) {
        out.push_str(&format!(
            " Whiskers with caps are the {level} % confidence interval of the mean, thin lines the prediction interval of one run."
        ));
    }
    if let [first, _, ..] = &figure.analysis.cases()[..] {
        out.push_str(&format!(" Labels above the bars are changes from {}.", plain(first)));
    }
    out
}
