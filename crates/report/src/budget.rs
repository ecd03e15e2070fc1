//! Time budgets: a stacked horizontal bar for each run, with the shares of its causes.
//!
//! Positions are percentages of the width, so that the chart is as wide as the page and its text keeps its size.

use maud::{Markup, html};

use crate::frame::{Drawing, LINE, Px, cut};

/// A chart of time budgets.
#[derive(Clone, Debug, Default)]
pub struct BudgetChart {
    /// Title of the chart.
    pub title: String,
    /// How to read the chart.
    pub caption: String,
    /// Bars from top to bottom.
    pub rows: Vec<BudgetRow>,
}

/// The time budget of one run.
#[derive(Clone, Debug, Default)]
pub struct BudgetRow {
    /// Label above the bar.
    pub label: String,
    /// The time of the flow, as text.
    pub took: String,
    /// Causes from left to right, whose shares, from 0 to 1, add up to 1.
    pub shares: Vec<plot::Share>,
}

/// Width in pixels of the chart as a file.
const WIDE: f64 = 900.0;
/// Height of a bar, and of a bar with its label and the space below, in pixels.
const BAR: f64 = 18.0;
const ROW: f64 = 46.0;
/// Maximum length of a label in characters: with the time it fits into the 358 pixels of a page on a telephone.
const LABEL: usize = 38;
/// The least share that is labelled in the bar: there its label of 45 pixels fits into 358.
const LEAST: f64 = 0.13;

/// Draws the chart.
pub(crate) fn draw(chart: &BudgetChart) -> Drawing {
    let mut causes: Vec<(usize, &str)> = Vec::new();
    for share in chart.rows.iter().flat_map(|row| &row.shares).filter(|share| share.share > 0.0) {
        if !causes.iter().any(|(color, _)| *color == share.color) {
            causes.push((share.color, &share.name));
        }
    }
    causes.sort_unstable();
    let top = LINE * causes.len().div_ceil(2) as f64 + 8.0;
    let high = top + ROW * chart.rows.len() as f64;
    let svg = html! {
        svg.drawn.fluid xmlns="http://www.w3.org/2000/svg" width=(Px(WIDE)) height=(Px(high))
            style={ "height:" (Px(high)) "px" } role="img" aria-label={ "Stacked bars: " (chart.title) "." } {
            @for (at, (color, name)) in causes.iter().enumerate() {
                @let (x, y) = (50 * (at % 2), LINE * (at / 2) as f64);
                svg x={ (x) "%" } y=(Px(y)) width="50%" height=(Px(LINE)) {
                    rect class={ "k" (color) } x="0" y="2" width="12" height="12" rx="2" {}
                    text x="18" y="12" { (name) }
                }
            }
            @for (at, row) in chart.rows.iter().enumerate() { (bar(row, top + ROW * at as f64)) }
        }
    };
    Drawing { svg, wide: WIDE }
}

fn bar(row: &BudgetRow, top: f64) -> Markup {
    let short = cut(&row.label, LABEL);
    let mut end = 0.0;
    let parts: Vec<(f64, &plot::Share)> = row
        .shares
        .iter()
        .map(|share| {
            end += share.share;
            (end - share.share, share)
        })
        .collect();
    html! {
        text x="0" y=(Px(top + 13.0)) { (short) @if short != row.label { title { (row.label) } } }
        text.faint.end x="100%" y=(Px(top + 13.0)) { (row.took) }
        @for (from, share) in &parts {
            rect class={ "k" (share.color) } x=(percent(*from)) y=(Px(top + LINE + 2.0)) width=(percent(share.share))
                height=(Px(BAR)) { title { (row.label) ": " (share.name) " " (format!("{:.1} %", 100.0 * share.share)) } }
        }
        @for (from, share) in parts.iter().filter(|(_, share)| share.share >= LEAST) {
            text.onbar.small x=(percent(from + share.share / 2.0)) y=(Px(top + LINE + 15.0)) {
                (format!("{:.1} %", 100.0 * share.share))
            }
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.3}%", 100.0 * share)
}
