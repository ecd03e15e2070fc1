//! The numbers of a paper as marks on the intervals of the simulation, one row per number.
//!
//! For each reading and mode, a thin line is the prediction interval of one run and a thick line the confidence
//! interval of the mean. The paper's value is a mark whose shape and colour show the outcome of the comparison. Numbers
//! of one unit share an axis if they are of similar size.

mod panel;

use lab::papers::{Mark, ModalQuantity, Mode, Number, Paper, PrintedValue, Reading};
use maud::{Markup, PreEscaped, html};
use plot::AxisTick;
use stats::Level;

use crate::capitalize_first;
use crate::frame::{LINE, Px, cut_text, estimate_text_width};
use crate::number::typeset_number;
use crate::standalone;
use panel::MarksPanel;

/// Width of the drawing area in pixels.
const AREA: f64 = 460.0;
/// Maximum length of a row's label in characters.
const LABEL: usize = 64;
/// Height of a row with one line, in pixels.
const ROW: f64 = 17.0;
/// Height of each further line of a row, in pixels.
const MORE: f64 = 9.0;
/// Distance between panels in pixels.
const GAP: f64 = 20.0;
/// A panel with rows higher than this (pixels) has axis labels at the top as well.
const HIGH: f64 = 300.0;
/// Width of a letter in this chart's font, relative to the width that [`estimate_text_width`] assumes.
const LETTER: f64 = 0.92;

/// A line of a row, with the simulation's intervals for one reading and mode.
struct SimulatedLine<'a> {
    /// Index of the reading in the paper's list.
    reading: usize,
    quantity: &'a ModalQuantity,
    mode: &'a Mode,
}

/// Returns the picture as part of a page, which provides the style.
pub(crate) fn draw_paper_marks(paper: &Paper, numbers: &[Number], level: Level) -> Markup {
    let panels = panel::group_into_panels(numbers, level);
    let labels = panels.iter().flat_map(|panel| panel.numbers.chunk_by(|a, b| a.place == b.place)).flat_map(|there| {
        let place =
            if there.len() == 1 { estimate_text_width(&there[0].place) + estimate_text_width("  ") } else { 0.0 };
        there.iter().map(move |number| (place + estimate_text_width(&cut_text(&number.label(), LABEL))) * LETTER)
    });
    let labels = labels.fold(80.0, f64::max);
    let values = numbers
        .iter()
        .map(|number| estimate_text_width(&format_printed_value(number)))
        .fold(estimate_text_width("paper"), f64::max);
    let left = labels + 12.0;
    let wide = left + AREA + 12.0 + values;
    let mut y = 4.0;
    let legend = draw_marks_legend(paper, numbers, level, wide, &mut y);
    let drawn: Vec<Markup> = panels.iter().map(|panel| panel.draw(paper, level, left, &mut y)).collect();
    let about = format!(
        "Every number of {} as a mark next to the prediction interval of a single run. The values are in the tables.",
        paper.name
    );
    html! {
        svg.drawn.marks xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (Px(wide)) " " (Px(y)) }
            width=(Px(wide)) height=(Px(y)) role="img" aria-label=(about) {
            (legend)
            @for panel in drawn { (panel) }
        }
    }
}

/// Returns the picture as an SVG file in light colours.
pub fn render_marks_svg(paper: &Paper, numbers: &[Number], level: Level) -> String {
    standalone::render_standalone_svg(&draw_paper_marks(paper, numbers, level))
}

impl MarksPanel<'_> {
    /// Draws the panel downwards from `y`, and moves `y` to its lower end.
    fn draw(&self, paper: &Paper, level: Level, left: f64, y: &mut f64) -> Markup {
        let (low, high) = if self.high > self.low {
            let margin = 0.03 * (self.high - self.low);
            (self.low - margin, self.high + margin)
        } else {
            (self.low - 1.0, self.high + 1.0)
        };
        let x = |value: f64| left + (value.clamp(low, high) - low) / (high - low) * AREA;
        let unit = self.numbers.first().map_or("", |number| number.unit);
        let ticks = plot::choose_ticks(low, high, 7);
        let lines: f64 = self.numbers.iter().map(|number| measure_row_height(number, paper)).sum();
        // Space for the axis labels below the first heading.
        let axes = if lines > HIGH { LINE } else { 0.0 };
        let mut rows = Vec::new();
        let mut at = *y;
        let mut top = *y;
        for (nth, there) in self.numbers.chunk_by(|a, b| a.place == b.place).enumerate() {
            let alone = there.len() == 1;
            if !alone {
                rows.push(html! { text.head x="2" y=(Px(at + 12.0)) { (capitalize_first(&there[0].place)) } });
                at += LINE;
            }
            if nth == 0 {
                at += axes;
                top = at;
            }
            for number in there {
                rows.push(draw_marks_row(number, paper, level, at, left, alone, &x));
                at += measure_row_height(number, paper);
            }
        }
        let bottom = at + 2.0;
        *y = bottom + LINE + LINE + GAP;
        html! {
            @for AxisTick { value, label } in &ticks {
                path.grid d={ "M" (Px(x(*value))) " " (Px(top)) "V" (Px(bottom)) } {}
                text.faint.small.middle x=(Px(x(*value))) y=(Px(bottom + 13.0)) { (label) }
                @if axes > 0.0 { text.faint.small.middle x=(Px(x(*value))) y=(Px(top - 5.0)) { (label) } }
            }
            path.axis d={ "M" (Px(left)) " " (Px(bottom)) "H" (Px(left + AREA)) } {}
            text.faint.small.middle x=(Px(left + AREA / 2.0)) y=(Px(bottom + 13.0 + 14.0)) { (unit) }
            text.faint.small x=(Px(left + AREA + 10.0)) y=(Px(top - 5.0)) { "paper" }
            @for row in rows { (row) }
        }
    }
}

/// Returns the lines of a number: one per reading and mode.
fn list_simulated_lines<'a>(number: &'a Number, paper: &Paper) -> Vec<SimulatedLine<'a>> {
    let place = |reading: Option<&Reading>| {
        reading.and_then(|reading| paper.readings.iter().position(|known| *known == reading)).unwrap_or(0)
    };
    let modes = |(reading, quantity): (Option<&'static Reading>, &'a ModalQuantity)| {
        quantity.modes().iter().map(move |mode| SimulatedLine { reading: place(reading), quantity, mode })
    };
    number.readings().flat_map(modes).collect()
}

fn measure_row_height(number: &Number, paper: &Paper) -> f64 {
    ROW + MORE * (list_simulated_lines(number, paper).len() as f64 - 1.0)
}

/// Draws the row of a number: its label, the intervals, the paper's mark and value.
fn draw_marks_row(
    number: &Number,
    paper: &Paper,
    level: Level,
    top: f64,
    left: f64,
    alone: bool,
    x: &impl Fn(f64) -> f64,
) -> Markup {
    let ours = list_simulated_lines(number, paper);
    let mark = number.mark(level);
    let name = number.label();
    let middle = top + measure_row_height(number, paper) / 2.0;
    let value = x(number.paper.value());
    let first = top + ROW / 2.0;
    let last = first + MORE * (ours.len() as f64 - 1.0);
    html! {
        g {
            title { (number.place) ", " (name) ": " (format_printed_value(number)) " " (number.unit) ", " (mark.to_string()) ". " (number.sentence(level)) }
            text.end x=(Px(left - 8.0)) y=(Px(middle + 4.0)) {
                @if alone { tspan.head { (capitalize_first(&number.place)) } " " }
                (cut_text(&name, LABEL))
            }
            @for (line, y) in ours.iter().zip((0..).map(|line| first + MORE * f64::from(line))) {
                (draw_intervals(number, line, level, y, x))
            }
            @if ours.len() > 1 {
                path class={ "stem " (outcome_class(&mark)) } d={ "M" (Px(value)) " " (Px(first - 4.0)) "V" (Px(last + 4.0)) } {}
            }
            @let at = find_matching_line(number, &ours, level).map_or(middle, |line| first + MORE * line as f64);
            (draw_bound_arrow(number.paper, &mark, value, at))
            (draw_outcome_mark(&mark, value, at))
            text.faint.small x=(Px(left + AREA + 10.0)) y=(Px(middle + 4.0)) { (format_printed_value(number)) }
        }
    }
}

/// Returns the index of the line whose interval contains the paper's value.
fn find_matching_line(number: &Number, ours: &[SimulatedLine<'_>], level: Level) -> Option<usize> {
    ours.iter().position(|line| line.quantity.fits(number.paper, level).is_some_and(|mode| mode == line.mode))
}

fn draw_intervals(number: &Number, line: &SimulatedLine<'_>, level: Level, y: f64, x: &impl Fn(f64) -> f64) -> Markup {
    let SimulatedLine { reading, mode, .. } = line;
    let class = format!("r{}", reading % READINGS);
    let (run, ci) = (number.run_shown(mode, level), mode.ci(level));
    html! {
        @if let Some(run) = run {
            path class={ "run " (class) } d={ "M" (Px(x(run.low))) " " (Px(y)) "H" (Px(x(run.high))) } {}
            @for end in [run.low, run.high] {
                path class={ "cap " (class) } d={ "M" (Px(x(end))) " " (Px(y - 2.5)) "v5" } {}
            }
        }
        @if let Some(ci) = ci {
            path class={ "mean " (class) } d={ "M" (Px(x(ci.low) - 0.75)) " " (Px(y)) "H" (Px(x(ci.high) + 0.75)) } {}
        } @else if let Some(mean) = mode.moments.mean() {
            path class={ "mean " (class) } d={ "M" (Px(x(mean) - 1.5)) " " (Px(y)) "h3" } {}
        }
    }
}

/// Number of distinct styles of readings; further readings reuse them from the first.
const READINGS: usize = 6;

fn outcome_class(mark: &Mark) -> &'static str {
    match mark {
        Mark::Reproduced => "c2",
        Mark::ReproducedUnder(_) => "c0",
        Mark::Contradicts(_) => "c3",
        Mark::NotReproduced => "c1",
    }
}

/// Marks differ in shape as well as in colour.
fn draw_outcome_mark(mark: &Mark, x: f64, y: f64) -> Markup {
    let class = outcome_class(mark);
    let shape = match mark {
        Mark::Reproduced => return html! { circle class=(class) cx=(Px(x)) cy=(Px(y)) r="3.6" {} },
        Mark::ReproducedUnder(_) => "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
        Mark::Contradicts(_) => "m0-4.6l4.6 8h-9.2z",
        Mark::NotReproduced => "m-3.6-3.6l7.2 7.2m0-7.2l-7.2 7.2",
    };
    let cross = if *mark == Mark::NotReproduced { "cross " } else { "" };
    html! { path class={ (cross) (class) } d={ "M" (Px(x)) " " (Px(y)) (PreEscaped(shape)) } {} }
}

/// Returns the arrow of a bound: to the right for "at least", to the left for "at most".
fn draw_bound_arrow(paper: PrintedValue, mark: &Mark, x: f64, y: f64) -> Markup {
    let shape = match paper {
        PrintedValue::Value(_) => return html! {},
        PrintedValue::AtLeast(_) => "h13m-4-3l4 3l-4 3",
        PrintedValue::AtMost(_) => "h-13m4-3l-4 3l4 3",
    };
    html! { path class={ "stem " (outcome_class(mark)) } d={ "M" (Px(x)) " " (Px(y)) (PreEscaped(shape)) } {} }
}

fn format_printed_value(number: &Number) -> String {
    format!("{}{}", number.paper.prefix(), typeset_number(number.paper.value(), number.places_printed()))
}

/// Returns the legend: the marks in the picture, and all readings if there are several.
fn draw_marks_legend(paper: &Paper, numbers: &[Number], level: Level, wide: f64, y: &mut f64) -> Markup {
    let mut marks: Vec<(Mark, usize)> = Vec::new();
    for mark in numbers.iter().map(|number| number.mark(level)) {
        match marks.iter_mut().find(|(other, _)| other.name() == mark.name()) {
            Some((_, count)) => *count += 1,
            None => marks.push((mark, 1)),
        }
    }
    marks.sort_by_key(|(mark, _)| match mark {
        Mark::Reproduced => 0,
        Mark::ReproducedUnder(_) => 1,
        Mark::Contradicts(_) => 2,
        Mark::NotReproduced => 3,
    });
    let mut x = 2.0;
    let mut out = Vec::new();
    let mut place = |text: &str, beside: f64, swatch: &dyn Fn(f64, f64) -> Markup, y: &mut f64| {
        let needed = beside + estimate_text_width(text) * LETTER + 14.0;
        if x + needed > wide && x > 2.0 {
            (x, *y) = (2.0, *y + LINE);
        }
        out.push(html! { (swatch(x, *y + 8.0)) text x=(Px(x + beside)) y=(Px(*y + 12.0)) { (text) } });
        x += needed;
    };
    for (mark, count) in &marks {
        place(&format!("paper, {}: {count}", mark.name()), 14.0, &|x, y| draw_outcome_mark(mark, x + 5.0, y), y);
    }
    let several = paper.readings.len() > 1;
    for (number, reading) in paper.readings.iter().enumerate() {
        let name = if several { format!("ours, \"{}\"", reading.name) } else { "ours".into() };
        let swatch = |x: f64, y: f64| {
            let class = format!("r{}", number % READINGS);
            html! {
                path class={ "run " (class) } d={ "M" (Px(x)) " " (Px(y)) "h30" } {}
                path class={ "mean " (class) } d={ "M" (Px(x + 12.0)) " " (Px(y)) "h6" } {}
            }
        };
        place(&name, 34.0, &swatch, y);
    }
    place("thin: 95 % of our single runs; thick: our mean (95 %)", 0.0, &|_, _| html! {}, y);
    *y += LINE + 12.0;
    html! { @for one in out { (one) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stats::Moments;

    static TEXT: Reading = Reading { name: "text", what: "as written", source: "page 1" };
    static OTHER: Reading = Reading { name: "ns-2 <a>", what: "64 bytes of header", source: "mac.h" };
    static PAPER: Paper = Paper {
        name: "p",
        reference: "",
        replications: 2,
        sweeps: &[],
        readings: &[&TEXT, &OTHER],
        numbers: |_| Vec::new(),
        charts: &[],
        pictures: &[],
        words: "",
    };

    fn ours(values: [f64; 2]) -> Moments {
        Moments::of(values).unwrap()
    }

    fn number(place: &str, unit: &'static str, paper: impl Into<PrintedValue>, values: [f64; 2]) -> Number {
        Number::new(place, json!({ "figure": "goodput" }), unit, paper, ours(values))
    }

    #[test]
    fn mark_shape_and_colour_follow_the_outcome() {
        let numbers = [
            number("table 1", "%", 30.0, [29.0, 31.0]),
            number("table 1", "%", 60.0, [29.0, 31.0]).or(&OTHER, ours([60.0, 60.0])),
            number("table 1", "%", 99.0, [29.0, 31.0]),
            number("table 1", "%", PrintedValue::AtLeast(1.0), [2.0, 2.0]),
        ];
        let svg = render_marks_svg(&PAPER, &numbers, Level::default());
        assert_eq!(svg.matches("<circle class=\"c2\"").count(), 2 + 1, "two numbers and the legend");
        assert_eq!(svg.matches("class=\"c0\"").count(), 1 + 1);
        assert_eq!(svg.matches("class=\"cross c1\"").count(), 1 + 1);
        assert!(svg.contains("paper, reproduced: 2<") && svg.contains("paper, not reproduced: 1<"), "{svg}");
        assert!(svg.contains("ours, &quot;ns-2 &lt;a&gt;&quot;"), "text is escaped: {svg}");
        assert!(svg.contains("h13m-4-3l4 3l-4 3"), "the bound has an arrow");
        assert!(svg.contains("at least 1<") && svg.contains("64 bytes of header (mac.h)"), "values and sentences");
    }

    #[test]
    fn standalone_svg_has_no_css_variables() {
        let svg = render_marks_svg(&PAPER, &[number("table 1", "%", 30.0, [29.0, 31.0])], Level::default());
        assert!(!svg.contains("var(") && !svg.contains("@media"), "{svg}");
        assert!(svg.contains("svg.drawn .c2 { fill: #009e73; stroke: #009e73; }"));
    }
}
