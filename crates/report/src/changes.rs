//! Charts of changes: for each value of a key, the change of every case from the baseline as a dot with its confidence
//! interval as a whisker, around the line of no change.
//!
//! A dot is filled if its interval excludes 0, and hollow otherwise. Each case has its own shape and colour.

use maud::{Markup, html};
use stats::Interval;

use crate::bars::join_part_names;
use crate::curves::draw_case_mark;
use crate::frame::{ChartFrame, Drawing, LINE, Margins, Px, colour_class, cut_text, estimate_text_width};
use crate::number::typeset_change;
use crate::{BarGroup, Estimate};

/// A chart of changes from a baseline, in percent.
#[derive(Clone, Debug, Default)]
pub struct ChangeChart {
    /// Title of the chart.
    pub title: String,
    /// The metric whose change is shown.
    pub measure: String,
    /// Name of the baseline.
    pub baseline: String,
    /// The key whose value differs between groups; may be empty.
    pub along: String,
    /// Names of the compared cases, without the baseline.
    pub cases: Vec<String>,
    /// Groups from left to right. Each group has one estimate per case, whose change is drawn.
    pub groups: Vec<BarGroup>,
    /// Minimum range of the axis in percent (low, high), so that several charts have the same scale.
    pub reach: Option<(f64, f64)>,
}

/// Width of a dot's column in pixels.
const COLUMN: f64 = 22.0;
/// Maximum width of the drawing area in pixels.
const WIDEST: f64 = 500.0;
/// Minimum width of the drawing area in pixels.
const NARROWEST: f64 = 430.0;
/// Maximum length of a group's label in characters.
const LABEL: usize = 26;
/// Whiskers are cut at this multiple of the largest change, or of 1 %, because intervals of few runs can be very wide
/// and would hide the changes. An interval that excludes 0 is always drawn whole, because it ends before twice its
/// change.
const MAX_WHISKER: f64 = 2.0;

impl ChangeChart {
    fn iter_changes(&self) -> impl Iterator<Item = (f64, Option<Interval>)> {
        let bars = self.groups.iter().flat_map(|group| group.bars.iter().flatten());
        bars.filter_map(|bar| Some((bar.change?, bar.change_ci)))
    }

    /// Returns the smallest and the largest percentage that the chart shows, with intervals and 0 included; `None`
    /// without a change. Charts in one row share these limits as their `reach`.
    pub fn range(&self) -> Option<(f64, f64)> {
        let limit = MAX_WHISKER * self.iter_changes().map(|(change, _)| change.abs()).fold(1.0, f64::max);
        let ends = |(change, ci): (f64, Option<Interval>)| match ci {
            Some(ci) => (ci.low.max(-limit), ci.high.min(limit)),
            None => (change, change),
        };
        self.iter_changes()
            .map(ends)
            .map(|(lo, hi)| (lo.min(0.0), hi.max(0.0)))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

/// Draws the chart.
pub(crate) fn draw_change_chart(chart: &ChangeChart) -> Drawing {
    let (lo, hi) = chart.reach.or(chart.range()).unwrap_or((0.0, 1.0));
    let (groups, cases) = (chart.groups.len().max(1) as f64, chart.cases.len().max(1) as f64);
    let wide = (groups * (cases + 1.0) * COLUMN).clamp(NARROWEST, WIDEST);
    let group = wide / groups;
    let column = (group / (cases + 1.0)).min(COLUMN);
    let longest =
        chart.groups.iter().map(|group| estimate_text_width(&cut_text(&group.label, LABEL))).fold(0.0, f64::max);
    let slanted = longest + 4.0 > group;
    // A slanted first label extends to the left of its group.
    let beside = if slanted { longest * 0.82 - group / 2.0 } else { 0.0 };
    let measure = format!("change of {} from {}, %", chart.measure, join_part_names(&[&chart.baseline]));
    let frame =
        ChartFrame::new(lo, hi, wide, Margins { above: 4.0, beside, ..Margins::default() }, &measure, &chart.cases);
    let labelled = if slanted { longest * 0.58 + LINE } else { LINE };
    let below = labelled + if chart.along.is_empty() { 6.0 } else { LINE + 8.0 };
    let zero = frame.y(0.0);
    let drawn = html! {
        path.zero d={ "M" (Px(frame.left)) " " (Px(zero)) "H" (Px(frame.right)) } {}
        @for (at, group_of) in chart.groups.iter().enumerate() {
            @let middle = frame.left + (at as f64 + 0.5) * group;
            @let first = middle - column * (cases - 1.0) / 2.0;
            @for (number, (bar, case)) in group_of.bars.iter().zip(&chart.cases).enumerate() {
                (draw_change(&frame, number, bar.as_ref(), first + number as f64 * column, &join_part_names(&[case, &group_of.label])))
            }
            (crate::bars::draw_group_label(&group_of.label, middle, frame.bottom, slanted))
        }
        @if !chart.along.is_empty() {
            text.faint.small.middle x=(Px((frame.left + frame.right) / 2.0)) y=(Px(frame.bottom + below - 6.0)) {
                (chart.along)
            }
        }
    };
    // The first colour is reserved for the baseline.
    let swatch = |number: usize, x: f64, y: f64| draw_case_mark(number + 1, x + 9.0, y - 4.0);
    let about = format!("Changes: {}. The numbers are in the table.", join_part_names(&[&chart.title, &measure]));
    frame.around(below, &about, swatch, &drawn)
}

fn draw_change(frame: &ChartFrame, number: usize, bar: Option<&Estimate>, x: f64, name: &str) -> Markup {
    let Some((bar, change)) = bar.and_then(|bar| Some((bar, bar.change?))) else {
        return html! {
            text.faint.middle x=(Px(x)) y=(Px(frame.y(0.0) - 4.0)) { "–" title { (name) ": no change in percent" } }
        };
    };
    let clear = bar.change_ci.is_some_and(|ci| !ci.contains(0.0));
    // A whisker that is cut off has no cap.
    let cap = |value: f64| {
        html! {
            @if frame.includes(value) { "M" (Px(x - 4.0)) " " (Px(frame.y(value))) "h8" }
        }
    };
    html! {
        g class=[(!clear).then_some("unclear")] {
            title { (name) ": " (bar.in_words()) @if !clear { ", no clear difference from " (typeset_change(0.0)) } }
            @if let Some(ci) = bar.change_ci {
                path class={ "whisker " (colour_class(number + 1)) }
                    d={ "M" (Px(x)) " " (Px(frame.y(ci.low))) "V" (Px(frame.y(ci.high))) (cap(ci.low)) (cap(ci.high)) } {}
            }
            (draw_case_mark(number + 1, x, frame.y(change)))
        }
    }
}
