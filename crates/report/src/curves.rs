//! Curves: the mean over a key with numbers, a line for each case, a band for the interval of the mean.
//!
//! The horizontal axis is logarithmic where that spaces the values more evenly. The vertical axis begins at 0 unless
//! that would leave more than half of it empty; then the picture says so.

use maud::{Markup, PreEscaped, Render, html};

use crate::Estimate;
use crate::bars::named;
use crate::frame::{Drawing, Frame, LINE, Px, Room, colour, width};

/// A chart of curves.
#[derive(Clone, Debug, Default)]
pub struct CurveChart {
    /// Its title.
    pub title: String,
    /// How to read it, or what was left out; may be empty.
    pub caption: String,
    /// The quantity of the vertical axis, with its unit.
    pub measure: String,
    /// The quantity of the horizontal axis.
    pub along: String,
    /// A line for each case.
    pub lines: Vec<Line>,
    /// Values that the vertical axis must reach, so that charts can be compared.
    pub reach: Option<(f64, f64)>,
}

/// A line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// The case.
    pub name: String,
    /// Its points; the line breaks where one has no value.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// Where it stands.
    pub x: f64,
    /// The same for people, with its unit.
    pub label: String,
    /// The value there.
    pub y: Option<Estimate>,
}

/// Width of the area for lines.
const WIDE: f64 = 400.0;
/// Between marks of one line at least.
const APART: f64 = 10.0;
/// Between points and the edges.
const EDGE: f64 = 14.0;

impl CurveChart {
    fn points(&self) -> impl Iterator<Item = &Point> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    /// The smallest and the largest value that it shows: what `reach` of charts beside it should be.
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
        Across { log: lo > 0.0 && uneven(&values, |x| x) > uneven(&values, libm::log10), lo, hi }
    }

    /// From 0 to 1.
    fn share(&self, x: f64) -> f64 {
        let place = |x: f64| if self.log { libm::log10(x) } else { x };
        let span = place(self.hi) - place(self.lo);
        if span > 0.0 { (place(x) - place(self.lo)) / span } else { 0.5 }
    }
}

/// How much the gaps between values differ: the widest in narrowest ones.
fn uneven(values: &[f64], place: impl Fn(f64) -> f64) -> f64 {
    let gaps = values.windows(2).map(|pair| place(pair[1]) - place(pair[0]));
    let (least, most) = gaps.fold((f64::INFINITY, 0.0), |(least, most), gap| (gap.min(least), gap.max(most)));
    // A hair, so that even gaps are even however they are rounded.
    if most > 0.0 && least > 0.0 { (most / least).max(1.0 + 1e-6) } else { 1.0 }
}

/// The chart, drawn.
pub(crate) fn draw(chart: &CurveChart) -> Drawing {
    let (least, most) = match (chart.reach, chart.range()) {
        (Some((a, b)), Some((c, d))) => (a.min(c), b.max(d)),
        (reach, range) => reach.or(range).unwrap_or((0.0, 1.0)),
    };
    let lo = if least > 0.0 && least < most / 2.0 || least == most { 0.0_f64.min(least) } else { least };
    let names: Vec<String> = chart.lines.iter().map(|line| line.name.clone()).collect();
    let frame = Frame::new(lo, most, WIDE, Room { above: 4.0, beside: 0.0 }, &chart.measure, &names);
    let across = Across::of(chart);
    let x = |value: f64| frame.left + EDGE + across.share(value) * (WIDE - 2.0 * EDGE);
    let below = 2.0 * LINE + 6.0;
    let drawn = html! {
        // Bands first, so that none hides a line.
        @for (number, line) in chart.lines.iter().enumerate() {
            @for stretch in stretches(line) { path class={ "band " (colour(number)) } d=(band(stretch, &frame, &x)) {} }
        }
        @for (number, line) in chart.lines.iter().enumerate() {
            @for stretch in stretches(line) { path class={ "line " (colour(number)) } d=(course(stretch, &frame, &x)) {} }
            @for point in marked(line, &x) {
                @if let Some(value) = &point.y {
                    g { title { (named(&[&line.name, &point.label])) ": " (value.told()) }
                        (mark(number, x(point.x), frame.y(value.mean))) }
                }
            }
        }
        @for (place, label) in labels(chart, &x) {
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
            path class={ "line " (colour(number)) } d={ "M" (Px(x)) " " (Px(y - 4.0)) "h18" } {}
            (mark(number, x + 9.0, y - 4.0))
        }
    };
    let shown = named(&[&chart.title, &chart.measure]);
    let about = format!("Curves: {shown} over {}. The numbers are in the table.", chart.along);
    frame.around(below, &about, swatch, &drawn)
}

/// Parts of a line without a gap.
fn stretches(line: &Line) -> impl Iterator<Item = &[Point]> {
    line.points.split(|point| point.y.is_none()).filter(|stretch| !stretch.is_empty())
}

/// The points that get a mark: where they stand close together, some of them. One that is alone between gaps always
/// does, for it has no line.
fn marked<'a>(line: &'a Line, x: &impl Fn(f64) -> f64) -> Vec<&'a Point> {
    let mut kept: Vec<&Point> = Vec::new();
    for stretch in stretches(line) {
        for (at, point) in stretch.iter().enumerate() {
            if at == 0 || kept.last().is_none_or(|before| x(point.x) - x(before.x) >= APART) {
                kept.push(point);
            }
        }
    }
    kept
}

fn course(points: &[Point], frame: &Frame, x: &impl Fn(f64) -> f64) -> String {
    let places = points.iter().filter_map(|point| Some((x(point.x), frame.y(point.y.as_ref()?.mean))));
    path(places.collect())
}

/// There along the upper ends, back along the lower ones. Where there is no interval the band is as thin as the line.
fn band(points: &[Point], frame: &Frame, x: &impl Fn(f64) -> f64) -> String {
    let ends = points.iter().filter_map(|point| {
        let value = point.y.as_ref()?;
        let (low, high) = value.ci.map_or((value.mean, value.mean), |ci| (ci.low, ci.high));
        Some((x(point.x), frame.y(low), frame.y(high)))
    });
    let ends: Vec<(f64, f64, f64)> = ends.collect();
    let upper = ends.iter().map(|(x, _, high)| (*x, *high));
    let lower = ends.iter().rev().map(|(x, low, _)| (*x, *low));
    path(upper.chain(lower).collect()) + "z"
}

fn path(places: Vec<(f64, f64)>) -> String {
    let mut out = String::new();
    for (at, (x, y)) in places.into_iter().enumerate() {
        out.push(if at == 0 { 'M' } else { 'L' });
        Px(x).render_to(&mut out);
        out.push(' ');
        Px(y).render_to(&mut out);
    }
    out
}

/// Each case has a shape of its own: colour is never the only distinction.
fn mark(number: usize, x: f64, y: f64) -> Markup {
    let class = colour(number);
    let shape = match number % 4 {
        0 => return html! { circle class=(class) cx=(Px(x)) cy=(Px(y)) r="3.5" {} },
        1 => "m-3.5-3.5h7v7h-7z",
        2 => "m0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z",
        _ => "m0-4.5l4.4 7.8h-8.8z",
    };
    html! { path class=(class) d={ "M" (Px(x)) " " (Px(y)) (PreEscaped(shape)) } {} }
}

/// Those of the values' labels for which there is room, from the left, and the last one.
fn labels(chart: &CurveChart, x: &impl Fn(f64) -> f64) -> Vec<(f64, String)> {
    let mut all: Vec<(f64, &str)> = Vec::new();
    for point in chart.points() {
        if !all.iter().any(|(place, _)| *place == x(point.x)) {
            all.push((x(point.x), &point.label));
        }
    }
    all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let apart = |(a, left): (f64, &str), (b, right): (f64, &str)| b - a >= (width(left) + width(right)) / 2.0 + 8.0;
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
