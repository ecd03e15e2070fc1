//! Common parts of bar charts and curves: vertical axis, legend and margins.

use std::fmt::Write;

use maud::{Markup, Render, html};
use plot::AxisTick;

/// Height of the drawing area in pixels.
const HEIGHT: f64 = 220.0;
/// Height of a line of text in pixels.
pub(crate) const LINE: f64 = 17.0;
/// Number of colours; further cases reuse them from the first.
const COLOURS: usize = 8;
/// Maximum length of a name in characters; longer names are cut and shown in full as a tooltip.
const MAX_NAME: usize = 40;

/// A chart and its preferred width in pixels.
pub(crate) struct Drawing {
    pub svg: Markup,
    pub wide: f64,
}

/// A length in pixels, formatted with at most one decimal.
pub(crate) struct Px(pub f64);

impl Render for Px {
    fn render_to(&self, out: &mut String) {
        let tenths = (self.0 * 10.0).round() as i64;
        let (sign, whole, tenth) = (if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10);
        // Writing to a string cannot fail.
        let _ = if tenth == 0 { write!(out, "{sign}{whole}") } else { write!(out, "{sign}{whole}.{tenth}") };
    }
}

/// Returns the estimated width of `text` in pixels at font size 12, because the reader's font is not known.
pub(crate) fn estimate_text_width(text: &str) -> f64 {
    text.chars().map(|c| if c < '\u{2e80}' { 7.0 } else { 12.0 }).sum()
}

/// Returns `text`, truncated to at most `max` characters with an ellipsis.
pub(crate) fn cut_text(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

/// Returns the CSS class of the colour of case `number`.
pub(crate) fn colour_class(number: usize) -> String {
    format!("c{}", number % COLOURS)
}

/// Margins in pixels around the drawing area, in addition to the space of the axis.
#[derive(Clone, Copy, Default)]
pub(crate) struct Margins {
    pub above: f64,
    /// Left margin, for labels that extend to the left of the axis.
    pub beside: f64,
    /// Right margin, for labels that extend to the right of the drawing area.
    pub after: f64,
}

/// The place of a case in the legend.
struct LegendEntry {
    /// The number of the case.
    case: usize,
    /// Left end of the entry's swatch in pixels.
    x: f64,
    /// Baseline of the entry in pixels.
    y: f64,
}

/// The drawing area and its vertical axis.
pub(crate) struct ChartFrame {
    /// Edges of the drawing area in pixels.
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    after: f64,
    lo: f64,
    ticks: Vec<AxisTick>,
    hi: f64,
    measure: String,
    legend: Vec<LegendEntry>,
    cases: Vec<String>,
}

impl ChartFrame {
    /// Returns the frame for values from `lo` to `hi` in an area `wide` pixels wide. A single case without a name gets
    /// no legend.
    pub fn new(lo: f64, hi: f64, wide: f64, margins: Margins, measure: &str, cases: &[String]) -> Self {
        let (lo, hi) = if lo.is_finite() && hi.is_finite() && hi > lo { (lo, hi) } else { (0.0, 1.0) };
        let step = match &plot::choose_ticks(lo, hi, 6)[..] {
            [first, second, ..] => second.value - first.value,
            _ => hi - lo,
        };
        // The axis ends at ticks. With a tolerance, so that an end that is a multiple of the step is kept.
        let (lo, hi) = ((lo / step + 1e-9).floor() * step, (hi / step - 1e-9).ceil() * step);
        let ticks = plot::choose_ticks(lo, hi, 8);
        let left =
            ticks.iter().map(|tick| estimate_text_width(&tick.label)).fold(0.0, f64::max).max(margins.beside) + 10.0;
        let right = left + wide;
        let mut legend = Vec::new();
        let (mut x, mut y) = (2.0, 12.0);
        if cases.len() > 1 || cases.iter().any(|case| !case.is_empty()) {
            for (case, name) in cases.iter().enumerate() {
                let needed = 24.0 + estimate_text_width(&cut_text(name, MAX_NAME)) + 16.0;
                if x + needed > right && x > 2.0 {
                    (x, y) = (2.0, y + LINE);
                }
                legend.push(LegendEntry { case, x, y });
                x += needed;
            }
            y += LINE + 6.0;
        }
        let top = y + 14.0 + margins.above;
        ChartFrame {
            left,
            right,
            top,
            bottom: top + HEIGHT,
            after: margins.after,
            lo,
            hi,
            ticks,
            measure: measure.to_owned(),
            legend,
            cases: cases.to_vec(),
        }
    }

    /// Returns the vertical position of `value` in pixels; values outside of the axis are moved to its ends.
    pub fn y(&self, value: f64) -> f64 {
        let share = (value.clamp(self.lo, self.hi) - self.lo) / (self.hi - self.lo);
        self.bottom - share * HEIGHT
    }

    /// True if `value` lies on the axis.
    pub fn includes(&self, value: f64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }

    /// Value at the lower end of the axis.
    pub fn begins(&self) -> f64 {
        self.lo
    }

    /// Returns the whole chart: axis, legend with a `swatch` per case, and the content `drawn`. `below` is the space
    /// under the axis in pixels; `about` describes the chart for screen readers.
    pub fn around(
        &self,
        below: f64,
        about: &str,
        swatch: impl Fn(usize, f64, f64) -> Markup,
        drawn: &Markup,
    ) -> Drawing {
        let measured = 2.0 + estimate_text_width(&self.measure);
        let named = self
            .legend
            .iter()
            .map(|entry| entry.x + 30.0 + estimate_text_width(&cut_text(&self.cases[entry.case], MAX_NAME)));
        let wide = named.fold((self.right + self.after).max(measured), f64::max) + 8.0;
        let high = self.bottom + below;
        let svg = html! {
            svg.drawn xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (Px(wide)) " " (Px(high)) }
                width=(Px(wide)) height=(Px(high)) role="img" aria-label=(about) {
                @for LegendEntry { case, x, y } in &self.legend {
                    (swatch(*case, *x, *y))
                    (draw_legend_name(&self.cases[*case], *x + 22.0, *y))
                }
                text.faint.small x="2" y=(Px(self.top_of_measure())) { (self.measure) }
                @for tick in &self.ticks {
                    path.grid d={ "M" (Px(self.left)) " " (Px(self.y(tick.value))) "H" (Px(self.right)) } {}
                    text.faint.end x=(Px(self.left - 5.0)) y=(Px(self.y(tick.value) + 4.0)) { (tick.label) }
                }
                (drawn)
                path.axis d={ "M" (Px(self.left)) " " (Px(self.y(0.0_f64.max(self.lo)))) "H" (Px(self.right)) } {}
            }
        };
        Drawing { svg, wide }
    }

    fn top_of_measure(&self) -> f64 {
        self.legend.last().map_or(12.0, |entry| entry.y + LINE + 4.0)
    }
}

fn draw_legend_name(case: &str, x: f64, y: f64) -> Markup {
    let short = cut_text(case, MAX_NAME);
    html! {
        text x=(Px(x)) y=(Px(y)) {
            (short)
            @if short != case { title { (case) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_ends_at_ticks_around_the_values() {
        let frame = ChartFrame::new(0.0, 163.0, 300.0, Margins::default(), "s", &[]);
        let labels: Vec<&str> = frame.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0", "50", "100", "150", "200"]);
        assert_eq!((frame.y(0.0), frame.y(200.0)), (frame.bottom, frame.bottom - HEIGHT));
        assert_eq!(frame.y(1e9), frame.bottom - HEIGHT);
    }

    #[test]
    fn empty_and_infinite_ranges_still_have_ticks() {
        for (lo, hi) in [(0.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (5.0, 5.0)] {
            assert!(!ChartFrame::new(lo, hi, 300.0, Margins::default(), "s", &[]).ticks.is_empty(), "{lo} to {hi}");
        }
    }

    #[test]
    fn lengths_have_at_most_one_decimal() {
        let shown = |value| Px(value).render().into_string();
        assert_eq!([shown(12.34), shown(-0.04), shown(7.0), shown(-3.25)], ["12.3", "0", "7", "-3.3"]);
    }
}
