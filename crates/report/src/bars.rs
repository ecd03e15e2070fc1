//! Bar charts of one metric along a key, with one bar per case in each group.
//!
//! Every bar begins at 0. A thick whisker is the confidence interval of the mean, a thin line the prediction interval
//! of one further run.

use maud::{Markup, html};

use crate::Estimate;
use crate::frame::{ChartFrame, Drawing, LINE, Margins, Px, colour_class, cut_text, estimate_text_width};
use crate::number::typeset_change;

/// A bar chart.
#[derive(Clone, Debug, Default)]
pub struct BarChart {
    /// Title of the chart.
    pub title: String,
    /// Explanation of the chart, or of values that it omits; may be empty.
    pub caption: String,
    /// Quantity on the vertical axis, with its unit.
    pub measure: String,
    /// The key whose value differs between groups; may be empty.
    pub along: String,
    /// Names of the bars in each group.
    pub cases: Vec<String>,
    /// Groups of bars, from left to right.
    pub groups: Vec<BarGroup>,
    /// Minimum upper end of the axis, so that several charts have the same scale.
    pub reach: Option<f64>,
}

/// Bars of all cases at one value of the key.
#[derive(Clone, Debug, Default)]
pub struct BarGroup {
    /// Label below the group.
    pub label: String,
    /// One bar per case; `None` if no run gave a value.
    pub bars: Vec<Option<Estimate>>,
}

/// Maximum width of the drawing area in pixels.
const WIDEST: f64 = 500.0;
/// Minimum width of the drawing area in pixels.
const NARROWEST: f64 = 430.0;
/// Preferred width of a bar in pixels.
const BAR: f64 = 24.0;
/// Space between groups, in widths of a bar.
const GAP: f64 = 1.0;
/// Minimum width in pixels of a bar labelled with its change.
const LEGIBLE: f64 = 10.0;
/// Maximum length of a group's label in characters.
const LABEL: usize = 26;

impl BarChart {
    /// Returns the largest value that the chart shows; the value of `reach` for charts in the same row.
    pub fn highest(&self) -> f64 {
        self.groups.iter().flat_map(|group| group.bars.iter().flatten()).map(Estimate::highest).fold(0.0, f64::max)
    }

    fn lowest(&self) -> f64 {
        self.groups.iter().flat_map(|group| group.bars.iter().flatten()).map(Estimate::lowest).fold(0.0, f64::min)
    }

    fn changes(&self) -> impl Iterator<Item = f64> {
        self.groups.iter().flat_map(|group| group.bars.iter().flatten()).filter_map(|bar| bar.change)
    }
}

/// Horizontal measures of a chart in pixels.
struct BarLayout {
    wide: f64,
    group: f64,
    bar: f64,
    /// True if changes are written vertically, because their labels are wider than a bar.
    upright: bool,
    /// Space above the highest bar for labels of changes.
    above: f64,
}

impl BarLayout {
    fn of(chart: &BarChart) -> Self {
        let (groups, cases) = (chart.groups.len().max(1) as f64, chart.cases.len().max(1) as f64);
        let wide = (groups * (cases + GAP) * BAR).clamp(NARROWEST, WIDEST);
        let group = wide / groups;
        let bar = (group / (cases + GAP)).min(2.0 * BAR);
        let longest = chart
            .changes()
            .map(|change| estimate_text_width(&typeset_change(change)) * 11.0 / 12.0)
            .fold(0.0, f64::max);
        let upright = longest + 2.0 > bar;
        let above = match () {
            () if longest == 0.0 || bar < LEGIBLE => 0.0,
            // The height is equal for labels of different lengths. Therefore neighbouring charts have the same height.
            () if upright => longest.max(46.0) + 4.0,
            () => LINE,
        };
        BarLayout { wide, group, bar, upright, above }
    }
}

/// Draws the chart.
pub(crate) fn draw_bar_chart(chart: &BarChart) -> Drawing {
    let layout = BarLayout::of(chart);
    let highest = chart.reach.unwrap_or(0.0).max(chart.highest());
    let labels = chart.groups.iter().map(|group| estimate_text_width(&cut_text(&group.label, LABEL)));
    let longest = labels.fold(0.0, f64::max);
    let slanted = longest + 4.0 > layout.group;
    // A slanted first label extends to the left of its group.
    let beside = if slanted { longest * 0.82 - layout.group / 2.0 } else { 0.0 };
    let margins = Margins { above: layout.above, beside, ..Margins::default() };
    let frame = ChartFrame::new(chart.lowest(), highest, layout.wide, margins, &chart.measure, &chart.cases);
    // Labels are slanted by 35 degrees.
    let labelled = if slanted { longest * 0.58 + LINE } else { LINE };
    let below = labelled + if chart.along.is_empty() { 6.0 } else { LINE + 8.0 };
    let drawn = html! {
        @for (at, group) in chart.groups.iter().enumerate() {
            @let middle = frame.left + (at as f64 + 0.5) * layout.group;
            @let first = middle - layout.bar * chart.cases.len() as f64 / 2.0;
            @for (number, (bar, case)) in group.bars.iter().zip(&chart.cases).enumerate() {
                @let x = first + number as f64 * layout.bar;
                (draw_bar(&frame, &layout, number, bar.as_ref(), x, &join_part_names(&[case, &group.label])))
            }
            (draw_group_label(&group.label, middle, frame.bottom, slanted))
        }
        @if !chart.along.is_empty() {
            text.faint.small.middle x=(Px((frame.left + frame.right) / 2.0)) y=(Px(frame.bottom + below - 6.0)) {
                (chart.along)
            }
        }
    };
    let swatch = |number: usize, x: f64, y: f64| {
        html! {
            rect class=(colour_class(number)) x=(Px(x)) y=(Px(y - 11.0)) width="14" height="14" rx="2" {}
        }
    };
    let about =
        format!("Bar chart: {}. The numbers are in the table.", join_part_names(&[&chart.title, &chart.measure]));
    frame.around(below, &about, swatch, &drawn)
}

fn draw_bar(
    frame: &ChartFrame,
    layout: &BarLayout,
    number: usize,
    bar: Option<&Estimate>,
    x: f64,
    name: &str,
) -> Markup {
    let (wide, middle) = (layout.bar * 0.86, x + layout.bar / 2.0);
    let Some(bar) = bar else {
        return html! {
            text.faint.middle x=(Px(middle)) y=(Px(frame.y(0.0) - 4.0)) { "–" title { (name) ": no run gave a value" } }
        };
    };
    let (zero, end) = (frame.y(0.0), frame.y(bar.mean));
    let (lowest, highest) = (bar.lowest(), bar.highest());
    // A whisker that is cut off has no cap.
    let y = |value: f64| frame.y(value.max(lowest).min(highest));
    let half = (wide * 0.28).min(6.0);
    let cap = |value: f64| {
        html! {
            @if (lowest..=highest).contains(&value) { "M" (Px(middle - half)) " " (Px(y(value))) "H" (Px(middle + half)) }
        }
    };
    html! {
        g {
            title { (name) ": " (bar.in_words()) }
            rect class=(colour_class(number)) x=(Px(x + layout.bar * 0.07)) y=(Px(zero.min(end))) width=(Px(wide)) height=(Px((end - zero).abs())) {}
            @if let Some(run) = bar.run {
                path.run d={ "M" (Px(middle)) " " (Px(y(run.low))) "V" (Px(y(run.high))) } {}
            }
            @if let Some(ci) = bar.ci {
                path.ci d={ "M" (Px(middle)) " " (Px(y(ci.low))) "V" (Px(y(ci.high))) (cap(ci.low)) (cap(ci.high)) } {}
            }
            @if let Some(change) = bar.change && layout.bar >= LEGIBLE {
                (draw_change_label(&typeset_change(change), middle, frame.y(highest) - 5.0, layout.upright))
            }
        }
    }
}

fn draw_change_label(text: &str, x: f64, y: f64, upright: bool) -> Markup {
    html! {
        @if upright {
            text.small x=(Px(x + 4.0)) y=(Px(y)) transform={ "rotate(-90 " (Px(x + 4.0)) " " (Px(y)) ")" } { (text) }
        } @else {
            text.small.middle x=(Px(x)) y=(Px(y)) { (text) }
        }
    }
}

pub(crate) fn draw_group_label(text: &str, x: f64, bottom: f64, slanted: bool) -> Markup {
    let short = cut_text(text, LABEL);
    let y = bottom + 14.0;
    html! {
        @if slanted {
            text.end x=(Px(x + 4.0)) y=(Px(y)) transform={ "rotate(-35 " (Px(x + 4.0)) " " (Px(y)) ")" } {
                (short)
                @if short != text { title { (text) } }
            }
        } @else {
            text.middle x=(Px(x)) y=(Px(y)) { (short) }
        }
    }
}

/// Returns the description of a bar or point: its non-empty parts, or "all runs".
pub(crate) fn join_part_names(parts: &[&str]) -> String {
    let present: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if present.is_empty() { "all runs".into() } else { present.join(", ") }
}
