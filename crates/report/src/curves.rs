//! Charts of curves: the mean over a numeric key, with one line per case and a band for the confidence interval of the
//! mean.
//!
//! The horizontal axis is logarithmic if that spaces the values more evenly. The vertical axis begins at 0 unless that
//! would leave more than half of it empty; a note in the chart then says so.

use lab::figures::grid::is_logarithmic;
use maud::{Markup, PreEscaped, Render, html};

use crate::Estimate;
use crate::bars::join_part_names;
use crate::frame::{ChartFrame, Drawing, LINE, Margins, Px, colour_class, estimate_text_width};

/// A chart of curves.
#[derive(Clone, Debug, Default)]
pub struct CurveChart {
    /// Title of the chart.
    pub title: String,
    /// Explanation of the chart, or of values that it omits; may be empty.
    pub caption: String,
    /// The quantity of the vertical axis, with its unit.
    pub measure: String,
    /// The quantity of the horizontal axis.
    pub along: String,
    /// One line per case.
    pub lines: Vec<CurveLine>,
    /// Minimum range of the vertical axis (low, high), so that several charts have the same scale.
    pub reach: Option<(f64, f64)>,
}

/// The curve of one case.
#[derive(Clone, Debug, Default)]
pub struct CurveLine {
    /// Name of the case.
    pub name: String,
    /// Points from left to right. The line is interrupted at points without a value.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve.
#[derive(Clone, Debug, Default)]
pub struct CurvePoint {
    /// Position on the horizontal axis.
    pub x: f64,
    /// The position as text, with its unit.
    pub label: String,
    /// The value; `None` if no run gave one.
    pub y: Option<Estimate>,
}

/// Width of the drawing area in pixels.
const WIDE: f64 = 430.0;
/// Minimum distance between marks of one line in pixels.
const APART: f64 = 10.0;
/// Distance between the outermost points and the edges in pixels.
const EDGE: f64 = 14.0;

impl CurveChart {
    fn points(&self) -> impl Iterator<Item = &CurvePoint> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    /// Returns the smallest and the largest value that the chart shows; the value of `reach` for charts in the same
    /// row.
    pub fn range(&self) -> Option<(f64, f64)> {
        let values: Vec<&Estimate> = self.points().filter_map(|point| point.y.as_ref()).collect();
        let ends =
            |it: &Estimate| it.ci.map_or((it.mean, it.mean), |ci| (ci.low.max(it.lowest()), ci.high.min(it.highest())));
        values.into_iter().map(ends).reduce(|(lo, hi), (low, high)| (lo.min(low), hi.max(high)))
    }
}

/// The horizontal axis.
struct Across {
    log: bool,
    lo: f64,
    hi: f64,
}

impl Across {
    fn of(chart: &CurveChart) -> Self {
        let mut values: Vec<f64> = chart.points().map(|point| point.x).filter(|x| x.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (lo, hi) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(1.0));
        Across { log: is_logarithmic(&values), lo, hi }
    }

    /// Returns the position of `x` on the axis, from 0 to 1.
    fn share(&self, x: f64) -> f64 {
        let place = |x: f64| if self.log { libm::log10(x) } else { x };
        let span = place(self.hi) - place(self.lo);
        if span > 0.0 { (place(x) - place(self.lo)) / span } else { 0.5 }
    }
}

/// Draws the chart.
pub(crate) fn draw_curve_chart(chart: &CurveChart) -> Drawing {
    let (min, max) = match (chart.reach, chart.range()) {
        (Some((a, b)), Some((c, d))) => (a.min(c), b.max(d)),
        (reach, range) => reach.or(range).unwrap_or((0.0, 1.0)),
    };
    let lo = if min > 0.0 && min < max / 2.0 || min == max { 0.0_f64.min(min) } else { min };
    let names: Vec<String> = chart.lines.iter().map(|line| line.name.clone()).collect();
    let across = Across::of(chart);
    let margins =
        Margins { above: 4.0, beside: measure_overhang(chart, across.lo), after: measure_overhang(chart, across.hi) };
    let frame = ChartFrame::new(lo, max, WIDE, margins, &chart.measure, &names);
    let x = |value: f64| frame.left + EDGE + across.share(value) * (WIDE - 2.0 * EDGE);
    let below = 2.0 * LINE + 6.0;
    let drawn = html! {
        // Bands are drawn first, so that they do not hide lines.
        @for (number, line) in chart.lines.iter().enumerate() {
            @for stretch in split_at_gaps(line) { path class={ "band " (colour_class(number)) } d=(render_band_path(stretch, &frame, &x)) {} }
        }
        @for (number, line) in chart.lines.iter().enumerate() {
            @for stretch in split_at_gaps(line) { path class={ "line " (colour_class(number)) } d=(render_curve_path(stretch, &frame, &x)) {} }
            @for point in select_marked_points(line, &x) {
                @if let Some(value) = &point.y {
                    g { title { (join_part_names(&[&line.name, &point.label])) ": " (value.in_words()) }
                        (draw_case_mark(number, x(point.x), frame.y(value.mean))) }
                }
            }
        }
        @for (place, label) in select_axis_labels(chart, &x) {
            path.axis d={ "M" (Px(place)) " " (Px(frame.bottom)) "v4" } {}
            text.middle x=(Px(place)) y=(Px(frame.bottom + 17.0)) { (label) }
        }
        text.faint.small.middle x=(Px((frame.left + frame.right) / 2.0)) y=(Px(frame.bottom + below - 5.0)) {
            (chart.along)
            @if across.log { ", logarithmic" }
        }
        @if frame.begins() > 0.0 {
            text.faint.small.end x=(Px(frame.right)) y=(Px(frame.top - 6.0)) { "the vertical axis does not begin at 0" }
        }
    };
    let swatch = |number: usize, x: f64, y: f64| {
        html! {
            path class={ "line " (colour_class(number)) } d={ "M" (Px(x)) " " (Px(y - 4.0)) "h18" } {}
            (draw_case_mark(number, x + 9.0, y - 4.0))
        }
    };
    let shown = join_part_names(&[&chart.title, &chart.measure]);
    let about = format!("Curves: {shown} over {}. The numbers are in the table.", chart.along);
    frame.around(below, &about, swatch, &drawn)
}

/// Returns the parts of a line between points without a value.
fn split_at_gaps(line: &CurveLine) -> impl Iterator<Item = &[CurvePoint]> {
    line.points.split(|point| point.y.is_none()).filter(|stretch| !stretch.is_empty())
}

/// Returns the points drawn with a mark, at least [`APART`] apart. The first point of each part of the line always has
/// one, because a single point has no line.
fn select_marked_points<'a>(line: &'a CurveLine, x: &impl Fn(f64) -> f64) -> Vec<&'a CurvePoint> {
    let mut kept: Vec<&CurvePoint> = Vec::new();
    for stretch in split_at_gaps(line) {
        for (at, point) in stretch.iter().enumerate() {
            if at == 0 || kept.last().is_none_or(|before| x(point.x) - x(before.x) >= APART) {
                kept.push(point);
            }
        }
    }
    kept
}

fn render_curve_path(points: &[CurvePoint], frame: &ChartFrame, x: &impl Fn(f64) -> f64) -> String {
    let places = points.iter().filter_map(|point| Some((x(point.x), frame.y(point.y.as_ref()?.mean))));
    render_svg_path(places.collect())
}

/// Returns the outline of the band: the upper ends of the intervals, then the lower ones in reverse. A point without an
/// interval has a band of no height.
fn render_band_path(points: &[CurvePoint], frame: &ChartFrame, x: &impl Fn(f64) -> f64) -> String {
    let ends = points.iter().filter_map(|point| {
        let value = point.y.as_ref()?;
        let (low, high) = value.ci.map_or((value.mean, value.mean), |ci| (ci.low, ci.high));
        Some((x(point.x), frame.y(low), frame.y(high)))
    });
    let ends: Vec<(f64, f64, f64)> = ends.collect();
    let upper = ends.iter().map(|(x, _, high)| (*x, *high));
    let lower = ends.iter().rev().map(|(x, low, _)| (*x, *low));
    render_svg_path(upper.chain(lower).collect()) + "z"
}

fn render_svg_path(places: Vec<(f64, f64)>) -> String {
    let mut out = String::new();
    for (at, (x, y)) in places.into_iter().enumerate() {
        out.push(if at == 0 { 'M' } else { 'L' });
        Px(x).render_to(&mut out);
        out.push(' ');
        Px(y).render_to(&mut out);
    }
    out
}

/// Draws the mark of a case. Each case has its own shape, because colour is never the only distinction.
pub(crate) fn draw_case_mark(number: usize, x: f64, y: f64) -> Markup {
    let class = colour_class(number);
    let shape = match number % 4 {
        0 => return html! { circle class=(class) cx=(Px(x)) cy=(Px(y)) r="3.5" {} },
        1 => "m-3.5-3.5h7v7h-7z",
        2 => "m0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z",
        _ => "m0-4.5l4.4 7.8h-8.8z",
    };
    html! { path class=(class) d={ "M" (Px(x)) " " (Px(y)) (PreEscaped(shape)) } {} }
}

/// Returns the length by which the label at `x`, an end of the axis, extends over the drawing area, in pixels.
fn measure_overhang(chart: &CurveChart, x: f64) -> f64 {
    let labels = chart.points().filter(|point| point.x == x).map(|point| estimate_text_width(&point.label));
    (labels.fold(0.0, f64::max) / 2.0 - EDGE).max(0.0)
}

/// Returns the labels of the horizontal axis that do not overlap, chosen from the left, and always the last one.
fn select_axis_labels(chart: &CurveChart, x: &impl Fn(f64) -> f64) -> Vec<(f64, String)> {
    let mut all: Vec<(f64, &str)> = Vec::new();
    for point in chart.points() {
        if !all.iter().any(|(place, _)| *place == x(point.x)) {
            all.push((x(point.x), &point.label));
        }
    }
    all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let apart = |(a, left): (f64, &str), (b, right): (f64, &str)| {
        b - a >= (estimate_text_width(left) + estimate_text_width(right)) / 2.0 + 8.0
    };
    let Some(last) = all.pop() else { return Vec::new() };
    let mut kept: Vec<(f64, &str)> = Vec::new();
    for one in all {
        if kept.last().is_none_or(|before| apart(*before, one)) && apart(one, last) {
            kept.push(one);
        }
    }
    kept.push(last);
    kept.into_iter().map(|(place, label)| (place, label.to_owned())).collect()
}
