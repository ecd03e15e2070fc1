//! Groups of bars: one figure along a key, a bar for each case.
//!
//! Every bar begins at 0. A thick whisker is the interval of the mean, a thin line the interval of one more run.

use maud::{Markup, html};

use crate::Estimate;
use crate::frame::{Drawing, Frame, LINE, Px, Room, colour, cut, width};
use crate::number::percent;

/// A bar chart.
#[derive(Clone, Debug, Default)]
pub struct BarChart {
    /// What it shows.
    pub title: String,
    /// How to read it, or what was left out; may be empty.
    pub caption: String,
    /// What the bars' height is, with its unit.
    pub measure: String,
    /// What differs from group to group; may be empty.
    pub along: String,
    /// The names of the bars in each group.
    pub cases: Vec<String>,
    /// The groups, from left to right.
    pub groups: Vec<Group>,
    /// A value that the axis must reach, so that charts can be compared.
    pub reach: Option<f64>,
}

/// Bars that stand together.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// What is written under it.
    pub label: String,
    /// A bar for each case; none where there is no value.
    pub bars: Vec<Option<Estimate>>,
}

/// Widest and narrowest area for bars, and how wide a bar would like to be.
const WIDEST: f64 = 530.0;
const NARROWEST: f64 = 290.0;
const BAR: f64 = 24.0;
/// Between groups, in bars.
const GAP: f64 = 1.0;
/// Under bars narrower than this no change is written.
const LEGIBLE: f64 = 10.0;
/// Longest label of a group, in letters.
const LABEL: usize = 26;

impl BarChart {
    /// The largest value that it shows: what `reach` of charts beside it should be.
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

/// How wide things are.
struct Layout {
    wide: f64,
    group: f64,
    bar: f64,
    /// Whether changes are written along their bars, because across there is no room.
    upright: bool,
    /// Room for changes over the highest bar.
    above: f64,
}

impl Layout {
    fn of(chart: &BarChart) -> Self {
        let (groups, cases) = (chart.groups.len().max(1) as f64, chart.cases.len().max(1) as f64);
        let wide = (groups * (cases + GAP) * BAR).clamp(NARROWEST, WIDEST);
        let group = wide / groups;
        let bar = (group / (cases + GAP)).min(2.0 * BAR);
        let longest = chart.changes().map(|change| width(&percent(change)) * 11.0 / 12.0).fold(0.0, f64::max);
        let upright = longest + 2.0 > bar;
        let above = match () {
            () if longest == 0.0 || bar < LEGIBLE => 0.0,
            // The same for changes of one digit and of two, so that charts side by side are of one height.
            () if upright => longest.max(46.0) + 4.0,
            () => LINE,
        };
        Layout { wide, group, bar, upright, above }
    }
}

/// The chart, drawn.
pub(crate) fn draw(chart: &BarChart) -> Drawing {
    let layout = Layout::of(chart);
    let highest = chart.reach.unwrap_or(0.0).max(chart.highest());
    let labels = chart.groups.iter().map(|group| width(&cut(&group.label, LABEL)));
    let longest = labels.fold(0.0, f64::max);
    let slanted = longest + 4.0 > layout.group;
    // The first label reaches to the left of its group.
    let beside = if slanted { longest * 0.82 - layout.group / 2.0 } else { 0.0 };
    let room = Room { above: layout.above, beside };
    let frame = Frame::new(chart.lowest(), highest, layout.wide, room, &chart.measure, &chart.cases);
    // At 35 degrees.
    let labelled = if slanted { longest * 0.58 + LINE } else { LINE };
    let below = labelled + if chart.along.is_empty() { 6.0 } else { LINE + 8.0 };
    let drawn = html! {
        @for (at, group) in chart.groups.iter().enumerate() {
            @let middle = frame.left + (at as f64 + 0.5) * layout.group;
            @let first = middle - layout.bar * chart.cases.len() as f64 / 2.0;
            @for (number, (bar, case)) in group.bars.iter().zip(&chart.cases).enumerate() {
                @let x = first + number as f64 * layout.bar;
                (one(&frame, &layout, number, bar.as_ref(), x, &named(&[case, &group.label])))
            }
            (label(&group.label, middle, frame.bottom, slanted))
        }
        @if !chart.along.is_empty() {
            text.faint.small.middle x=(Px((frame.left + frame.right) / 2.0)) y=(Px(frame.bottom + below - 6.0)) {
                (chart.along)
            }
        }
    };
    let swatch = |number: usize, x: f64, y: f64| {
        html! {
            rect class=(colour(number)) x=(Px(x)) y=(Px(y - 11.0)) width="14" height="14" rx="2" {}
        }
    };
    let about = format!("Bar chart: {}. The numbers are in the table.", named(&[&chart.title, &chart.measure]));
    frame.around(below, &about, swatch, &drawn)
}

fn one(frame: &Frame, layout: &Layout, number: usize, bar: Option<&Estimate>, x: f64, name: &str) -> Markup {
    let (wide, middle) = (layout.bar * 0.86, x + layout.bar / 2.0);
    let Some(bar) = bar else {
        return html! {
            text.faint.middle x=(Px(middle)) y=(Px(frame.y(0.0) - 4.0)) { "–" title { (name) ": no run gave a value" } }
        };
    };
    let (zero, end) = (frame.y(0.0), frame.y(bar.mean));
    let (lowest, highest) = (bar.lowest(), bar.highest());
    // What is cut off has no cap.
    let y = |value: f64| frame.y(value.max(lowest).min(highest));
    let half = (wide * 0.28).min(6.0);
    let cap = |value: f64| {
        html! {
            @if (lowest..=highest).contains(&value) { "M" (Px(middle - half)) " " (Px(y(value))) "H" (Px(middle + half)) }
        }
    };
    html! {
        g {
            title { (name) ": " (bar.told()) }
            rect class=(colour(number)) x=(Px(x + layout.bar * 0.07)) y=(Px(zero.min(end))) width=(Px(wide)) height=(Px((end - zero).abs())) {}
            @if let Some(run) = bar.run {
                path.run d={ "M" (Px(middle)) " " (Px(y(run.low))) "V" (Px(y(run.high))) } {}
            }
            @if let Some(ci) = bar.ci {
                path.ci d={ "M" (Px(middle)) " " (Px(y(ci.low))) "V" (Px(y(ci.high))) (cap(ci.low)) (cap(ci.high)) } {}
            }
            @if let Some(change) = bar.change && layout.bar >= LEGIBLE {
                (changed(&percent(change), middle, frame.y(highest) - 5.0, layout.upright))
            }
        }
    }
}

fn changed(text: &str, x: f64, y: f64, upright: bool) -> Markup {
    html! {
        @if upright {
            text.small x=(Px(x + 4.0)) y=(Px(y)) transform={ "rotate(-90 " (Px(x + 4.0)) " " (Px(y)) ")" } { (text) }
        } @else {
            text.small.middle x=(Px(x)) y=(Px(y)) { (text) }
        }
    }
}

fn label(text: &str, x: f64, bottom: f64, slanted: bool) -> Markup {
    let short = cut(text, LABEL);
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

/// What a bar or point is of, in words.
pub(crate) fn named(parts: &[&str]) -> String {
    let said: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    if said.is_empty() { "all runs".into() } else { said.join(", ") }
}
