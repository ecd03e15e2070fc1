//! Time budgets: a stacked horizontal bar for each run, with the shares of its causes.
//!
//! Positions are percentages of the width. Therefore the chart is as wide as the page, and its text keeps its size.

use engine::quantity;
use figure::list_cause_colors;
use maud::{Markup, html};

use crate::frame::{Drawing, LINE, Px, cut_text};

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
    pub shares: Vec<plot::TimeShare>,
}

/// Width in pixels of the chart as a file.
const WIDE: f64 = 900.0;
/// Height of a bar in pixels.
const BAR: f64 = 18.0;
/// Height of a bar with its label and the space below, in pixels.
const ROW: f64 = 46.0;
/// Maximum length of a label in characters: with the time it fits into the 358 pixels of a page on a telephone.
const LABEL: usize = 38;
/// Minimum share labelled in the bar: its label of 45 pixels fits into 358.
const LEAST: f64 = 0.13;

/// Draws the chart.
pub(crate) fn draw_budget_chart(chart: &BudgetChart) -> Drawing {
    // The causes are in the order of the table of causes, regardless of their shares.
    let shown =
        |name: &str| chart.rows.iter().flat_map(|row| &row.shares).any(|share| share.share > 0.0 && share.name == name);
    let causes: Vec<&str> = list_cause_colors().into_iter().map(|(name, _)| name).filter(|name| shown(name)).collect();
    let top = LINE * causes.len().div_ceil(2) as f64 + 8.0;
    let high = top + ROW * chart.rows.len() as f64;
    let svg = html! {
        svg.drawn.fluid xmlns="http://www.w3.org/2000/svg" width=(Px(WIDE)) height=(Px(high))
            style={ "height:" (Px(high)) "px" } role="img" aria-label={ "Stacked bars: " (chart.title) "." } {
            @for (at, name) in causes.iter().enumerate() {
                @let (x, y) = (50 * (at % 2), LINE * (at / 2) as f64);
                svg x={ (x) "%" } y=(Px(y)) width="50%" height=(Px(LINE)) {
                    rect class={ "cause-" (name) } x="0" y="2" width="12" height="12" rx="2" {}
                    text x="18" y="12" { (name) }
                }
            }
            @for (at, row) in chart.rows.iter().enumerate() { (draw_budget_bar(row, top + ROW * at as f64)) }
        }
    };
    Drawing { svg, wide: WIDE }
}

fn draw_budget_bar(row: &BudgetRow, top: f64) -> Markup {
    let short = cut_text(&row.label, LABEL);
    let mut end = 0.0;
    let parts: Vec<(f64, &plot::TimeShare)> = row
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
            rect class={ "cause-" (share.name) } x=(css_percent(*from)) y=(Px(top + LINE + 2.0)) width=(css_percent(share.share))
                height=(Px(BAR)) { title { (row.label) ": " (share.name) " " (quantity::format_percent(share.share)) } }
        }
        @for (from, share) in parts.iter().filter(|(_, share)| share.share >= LEAST) {
            text.onbar.small x=(css_percent(from + share.share / 2.0)) y=(Px(top + LINE + 15.0)) {
                (quantity::format_percent(share.share))
            }
        }
    }
}

fn css_percent(share: f64) -> String {
    format!("{:.3}%", 100.0 * share)
}

/// The rules of the style sheet for causes, in light colours and, on a screen with a dark ground, in dark ones.
pub(crate) fn render_cause_rules() -> String {
    let rules = |ground: usize, indent: &str| -> String {
        let rule = |(name, colors): (&str, [u32; 2])| {
            format!("{indent}svg.drawn .cause-{name} {{ fill: #{:06x}; }}\n", colors[ground])
        };
        list_cause_colors().into_iter().map(rule).collect()
    };
    format!("{}@media screen and (prefers-color-scheme: dark) {{\n{}}}\n", rules(0, ""), rules(1, "  "))
}
