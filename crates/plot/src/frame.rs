//! The drawing sheet and the parts common to all panels: axes, grid, labels and the shading of BAD channel states.

use crate::ink::{Anchor, Color, Path, PictureShape, Style, Text, to_tenths};
use crate::palette::Palette;
use crate::scale::{AxisScale, AxisTick, choose_ticks};
use crate::text::{self, Weight};

/// The shapes of a picture under construction.
pub(crate) struct Sheet {
    pub palette: &'static Palette,
    /// Width of the picture in pixels.
    pub width: f64,
    pub shapes: Vec<PictureShape>,
}

impl Sheet {
    /// Adds a path, unless the path is empty.
    pub fn path(&mut self, class: &'static str, title: String, path: Path, style: Style) {
        if !path.is_empty() {
            self.shapes.push(PictureShape::Path { class, title, path, style });
        }
    }

    /// Adds a line of text.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, size: u32, weight: Weight, color: Color, content: String) {
        let (x, y) = (to_tenths(at.0), to_tenths(at.1));
        self.shapes.push(PictureShape::Text(Text {
            x,
            y,
            anchor,
            size,
            weight,
            color,
            upright: false,
            width: None,
            content,
        }));
    }

    /// Adds a text rotated by 90 degrees counter-clockwise, centred at `at`.
    pub fn upright_text(&mut self, at: (f64, f64), size: u32, color: Color, content: String) {
        let (x, y, weight) = (to_tenths(at.0), to_tenths(at.1), Weight::Regular);
        self.shapes.push(PictureShape::Text(Text {
            x,
            y,
            anchor: Anchor::Middle,
            size,
            weight,
            color,
            upright: true,
            width: None,
            content,
        }));
    }
}

/// The rectangle of a panel, in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PanelArea {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl PanelArea {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// Horizontal space in pixels reserved for a label of the time axis.
const TIME_LABEL: f64 = 85.0;
/// Vertical space in pixels reserved for a label of a vertical axis.
const VALUE_LABEL: f64 = 42.0;

/// Minimum distance in pixels between labels of the time axis.
const BETWEEN: f64 = 12.0;
/// Minimum distance in pixels between the last label and the picture's edge.
const MARGIN: f64 = 6.0;

/// Returns the ticks of the time axis: the greatest number whose labels fit side by side.
pub(crate) fn choose_time_ticks(sheet: &Sheet, x: &AxisScale) -> Vec<AxisTick> {
    let mut max = ((x.end - x.start) / TIME_LABEL) as usize + 1;
    loop {
        let found = choose_ticks(x.lo, x.hi, max);
        let widest = measure_widest_label(&found);
        // The last label may be moved left from the edge, towards its predecessor.
        let moved = (x.end + widest / 2.0 + MARGIN - sheet.width).max(0.0);
        let apart = |pair: &[AxisTick]| (pair[1].value - pair[0].value) * x.per_unit() >= widest + moved + BETWEEN;
        if max <= 1 || found.windows(2).all(apart) {
            return found;
        }
        max -= 1;
    }
}

/// Width in pixels of the widest label.
pub(crate) fn measure_widest_label(ticks: &[AxisTick]) -> f64 {
    ticks.iter().map(|tick| text::measure_width(&tick.label, 11, Weight::Regular)).fold(0.0, f64::max)
}

/// Returns the ticks of a vertical axis labelled in multiples of `unit`; the ticks' values are in the unit of `y`.
pub(crate) fn choose_value_ticks(y: &AxisScale, height: f64, unit: f64) -> Vec<AxisTick> {
    let found = choose_ticks(y.lo / unit, y.hi / unit, (height / VALUE_LABEL) as usize + 2);
    found.into_iter().map(|tick| AxisTick { value: tick.value * unit, ..tick }).collect()
}

/// Shades the intervals `bad` over the height of a panel. Intervals shorter than a pixel are drawn one pixel wide;
/// [`is_too_fine`] returns true if this exaggerates the BAD time too much.
pub(crate) fn shade_bad_intervals(sheet: &mut Sheet, area: &PanelArea, x: &AxisScale, bad: &[(f64, f64)]) {
    let (top, height) = (to_tenths(area.top), to_tenths(area.height()));
    let mut path = Path::default();
    let mut done = to_tenths(area.left);
    let right = to_tenths(area.right);
    for (begin, end) in bad {
        let from = x.place(begin.max(x.lo)).max(done);
        let to = x.place(end.min(x.hi)).max(x.place(begin.max(x.lo)) + 10).min(right);
        if to > from {
            path.rect(from, top, to - from, height);
            done = to;
        }
    }
    let style = Style::fill(sheet.palette.bad);
    sheet.path("bad", format!("{} BAD intervals of the channel", bad.len()), path, style);
}

/// True if drawing each interval at least one pixel wide would exaggerate the BAD time.
pub(crate) fn is_too_fine(x: &AxisScale, bad: &[(f64, f64)]) -> bool {
    let true_width: f64 = bad.iter().map(|(begin, end)| end.min(x.hi) - begin.max(x.lo)).sum::<f64>() * x.per_unit();
    let drawn = bad.len() as f64;
    drawn > true_width && drawn > 0.4 * (x.end - x.start)
}

/// Draws the grid and frame of a panel, and the labels of its vertical axis.
pub(crate) fn draw_axes(
    sheet: &mut Sheet,
    area: &PanelArea,
    x: &AxisScale,
    y: &AxisScale,
    values: &[AxisTick],
    [label, unit]: [&str; 2],
) {
    let palette = sheet.palette;
    let (left, right, top, bottom) =
        (to_tenths(area.left), to_tenths(area.right), to_tenths(area.top), to_tenths(area.bottom));
    let mut grid = Path::default();
    for tick in choose_time_ticks(sheet, x) {
        let at = x.place(tick.value);
        grid.move_to(at, top).line_to(at, bottom);
    }
    for tick in values {
        let at = y.place(tick.value);
        grid.move_to(left, at).line_to(right, at);
    }
    sheet.path("", String::new(), grid, Style::stroke(palette.grid, 1.0));
    let mut frame = Path::default();
    frame.move_to(left, top).line_to(left, bottom).line_to(right, bottom);
    sheet.path("", String::new(), frame, Style::stroke(palette.frame, 1.0));
    for tick in values {
        let at = (area.left - 7.0, f64::from(y.place(tick.value)) / 10.0 + 4.0);
        sheet.text(at, Anchor::End, 11, Weight::Regular, palette.text, tick.label.clone());
    }
    let widest = measure_widest_label(values);
    let with_unit = format!("{label} ({unit})");
    let fits = text::measure_width(&with_unit, 12, Weight::Regular) <= area.height();
    let label = if fits { with_unit } else { unit.into() };
    let place = (area.left - widest.max(24.0) - 18.0, (area.top + area.bottom) / 2.0);
    sheet.upright_text(place, 12, palette.faint, label);
}

/// Draws the labels of the time axis below a panel.
pub(crate) fn draw_time_axis(sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
    let palette = sheet.palette;
    let mut marks = Path::default();
    for tick in choose_time_ticks(sheet, x) {
        let at = x.place(tick.value);
        marks.move_to(at, to_tenths(area.bottom)).line_to(at, to_tenths(area.bottom + 4.0));
        let half = text::measure_width(&tick.label, 11, Weight::Regular) / 2.0;
        let place = ((f64::from(at) / 10.0).min(sheet.width - MARGIN - half), area.bottom + 18.0);
        sheet.text(place, Anchor::Middle, 11, Weight::Regular, palette.text, tick.label);
    }
    sheet.path("", String::new(), marks, Style::stroke(palette.frame, 1.0));
    let middle = ((area.left + area.right) / 2.0, area.bottom + 36.0);
    sheet.text(middle, Anchor::Middle, 12, Weight::Regular, palette.faint, "time (s)".into());
}

/// Writes a note into the middle of an empty panel: the flow has no events there.
pub(crate) fn draw_empty_note(sheet: &mut Sheet, area: &PanelArea) {
    let middle = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
    let color = sheet.palette.faint;
    sheet.text(middle, Anchor::Middle, 13, Weight::Regular, color, "no events of this flow here".into());
}
