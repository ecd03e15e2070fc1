//! The lower panel: cwnd and ssthresh over time.

use crate::contents::{PanelContents, PanelContext};
use crate::frame::{self, PanelArea, Sheet};
use crate::history::Window;
use crate::ink::{Path, Style, to_tenths};
use crate::legend::{LegendEntry, LegendSample};
use crate::mark::Mark;
use crate::palette::Palette;
use crate::scale::AxisScale;
use crate::sequence::scale_marks;
use crate::thin;
use crate::unit::UnitSize;
use crate::view::FlowView;

/// Height in pixels of the strip above the lines for marks of window changes and of values above the axis.
const STRIP: f64 = 24.0;
/// Minimum space in pixels for a mark with a hairline.
const HAIRLINE: f64 = 12.0;
/// Factor above the maximum cwnd at which a line is omitted, because it would flatten the other lines.
const FAR: f64 = 2.5;

/// The contents of the window panel.
pub(crate) struct WindowPanel<'a> {
    view: &'a FlowView<'a>,
    /// The changes of cwnd and ssthresh in the view, preceded by the last change before the view.
    windows: &'a [Window],
    /// The upper end of the axis in bytes.
    top: f64,
    receiver_window: Option<f64>,
    /// Times (seconds) at which ssthresh exceeded the axis.
    above: Vec<f64>,
    /// True if the legend explains the marks, because no other panel does.
    explains_marks: bool,
}

impl<'a> WindowPanel<'a> {
    /// Returns the contents of the panel.
    pub fn new(context: &PanelContext<'a>) -> Self {
        let PanelContext { view, receiver_window, .. } = *context;
        let all = &view.history.windows;
        let first = all.partition_point(|window| window.at < view.from).saturating_sub(1);
        let last = all.partition_point(|window| window.at <= view.to);
        let windows = if first < last && !view.is_empty() { &all[first..last] } else { &[] };
        let highest = windows.iter().map(|window| window.cwnd).filter(|cwnd| cwnd.is_finite()).fold(0.0, f64::max);
        let highest = highest.max(f64::from(view.segment));
        let near = |value: &f64| *value <= FAR * highest;
        let receiver_window = receiver_window.map(|window| window as f64).filter(near).filter(|_| !windows.is_empty());
        let thresholds = windows.iter().map(|window| window.ssthresh).filter(near);
        let top = thresholds.chain(receiver_window).fold(highest, f64::max);
        let top = context.axis.map_or(top, |(_, shared)| shared);
        let high = |window: &Window| window.ssthresh > top;
        let begins = |i: &usize| high(&windows[*i]) && (*i == 0 || !high(&windows[*i - 1]));
        let above = (0..windows.len()).filter(begins).map(|i| windows[i].at).collect();
        WindowPanel { view, windows, top, receiver_window, above, explains_marks: !context.has_sequence }
    }

    /// Returns the label for values of ssthresh above the axis, with the value if there is only one.
    fn above_label(&self) -> String {
        let label = Mark::Above.label();
        let mut values = self.windows.iter().map(|window| window.ssthresh).filter(|value| *value > self.top);
        match values.next() {
            Some(first) if values.all(|value| value == first) => {
                let measure = UnitSize::of(self.view.unit, self.view.segment, 0.0, first);
                if first.is_finite() {
                    format!("{label} ({:.1} {})", first / measure.bytes, measure.name).replace(".0 ", " ")
                } else {
                    format!("{label} (infinite)")
                }
            }
            _ => label.into(),
        }
    }

    /// Returns a step function with gaps where the value exceeds the axis.
    fn line(&self, x: &AxisScale, y: &AxisScale, value: fn(&Window) -> f64) -> Path {
        let place = |window: &Window| Some(value(window)).filter(|value| y.holds(*value)).map(|value| y.place(value));
        let points = self.windows.iter().map(|w| (x.place(w.at.max(self.view.life().0)), place(w)));
        let end = self.windows.last().map(|window| (x.place(self.view.life().1), place(window)));
        thin::thin_step_line(points.chain(end))
    }

    /// Draws an arrow above the axis at each time when ssthresh leaves it.
    fn draw_above(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let level = to_tenths(area.top + STRIP / 2.0);
        let inside = to_tenths(area.left + 8.0)..=to_tenths(area.right - 8.0);
        let places = self.above.iter().map(|at| (x.place(*at).clamp(*inside.start(), *inside.end()), level));
        let mut path = Path::default();
        for place in thin::thin_marks(places) {
            Mark::Above.stamp(&mut path, place, 1.0);
        }
        sheet.path(Mark::Above.class(), self.above_label(), path, Mark::Above.style(sheet.palette));
    }

    /// Draws the marks above the lines, with hairlines down to the axis if there is enough space.
    fn draw_causes(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let marks = || list_marks().map(|mark| (mark, self.view.list_spots(mark)));
        let count = marks().map(|(_, spots)| spots.len()).sum();
        let size = scale_marks(count, area.width());
        let level = to_tenths(area.top + STRIP / 2.0);
        if count as f64 * HAIRLINE <= area.width() {
            let mut hairlines = Path::default();
            for at in marks().flat_map(|(_, spots)| spots).map(|spot| x.place(spot.at)) {
                hairlines.move_to(at, level + to_tenths(9.0)).line_to(at, to_tenths(area.bottom));
            }
            sheet.path("", String::new(), hairlines, Style::stroke(sheet.palette.frame, 0.8).with_dashes(2.0, 2.5));
        }
        for (mark, spots) in marks() {
            let places = spots.iter().map(|spot| (x.place(spot.at), level)).collect();
            let mut path = Path::default();
            for place in thin::merge_equal_marks(places) {
                mark.stamp(&mut path, place, size * 0.9);
            }
            let style =
                Style { fill: Some(sheet.palette.background), ..mark.style(sheet.palette).with_scaled_width(size) };
            sheet.path(mark.class(), mark.label().into(), path, style);
        }
    }
}

impl PanelContents for WindowPanel<'_> {
    fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        let mut entries = Vec::new();
        if !self.windows.is_empty() {
            entries.push(LegendEntry::new(LegendSample::Line(style_cwnd(palette)), "cwnd"));
        }
        if self.windows.iter().any(|window| window.ssthresh <= self.top) {
            entries.push(LegendEntry::new(LegendSample::Line(style_ssthresh(palette)), "ssthresh"));
        }
        if !self.above.is_empty() {
            entries.push(LegendEntry::new(LegendSample::Mark(Mark::Above), self.above_label()));
        }
        if self.receiver_window.is_some() {
            entries
                .push(LegendEntry::new(LegendSample::Line(style_receive_window(palette)), "receiver\u{2019}s window"));
        }
        if self.explains_marks {
            let seen = list_marks().filter(|mark| !self.view.list_spots(*mark).is_empty());
            entries.extend(seen.map(|mark| LegendEntry::new(LegendSample::Mark(mark), mark.label())));
        }
        entries
    }

    fn axis(&self) -> (f64, f64) {
        (0.0, self.top)
    }

    fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let y = AxisScale { lo: 0.0, hi: self.top * 1.05, start: area.bottom, end: area.top + STRIP };
        let measure = UnitSize::of(self.view.unit, self.view.segment, 0.0, self.top);
        let values = frame::choose_value_ticks(&y, area.height() - STRIP, measure.bytes);
        frame::draw_axes(sheet, area, x, &y, &values, ["window", measure.name]);
        self.draw_causes(sheet, area, x);
        let (cwnd, ssthresh) = (style_cwnd(sheet.palette), style_ssthresh(sheet.palette));
        sheet.path("ssthresh", "slow start threshold".into(), self.line(x, &y, |window| window.ssthresh), ssthresh);
        sheet.path("cwnd", "congestion window".into(), self.line(x, &y, |window| window.cwnd), cwnd);
        // Drawn last, so that its dots are visible on top of an equal cwnd.
        if let Some(window) = self.receiver_window {
            let mut line = Path::default();
            line.move_to(to_tenths(area.left), y.place(window)).line_to(to_tenths(area.right), y.place(window));
            sheet.path(
                "receiver-window",
                "the receiver\u{2019}s window".into(),
                line,
                style_receive_window(sheet.palette),
            );
        }
        self.draw_above(sheet, area, x);
        if self.windows.is_empty() {
            frame::draw_empty_note(sheet, area);
        }
    }
}

/// Returns the marks of events that may change the window; the first one of the table is drawn last.
fn list_marks() -> impl Iterator<Item = Mark> {
    Mark::ALL.iter().rev().copied().filter(|mark| mark.row().in_window)
}

fn style_cwnd(palette: &Palette) -> Style {
    Style::stroke(palette.cwnd, 1.8)
}

fn style_ssthresh(palette: &Palette) -> Style {
    Style::stroke(palette.ssthresh, 1.6).with_dashes(6.0, 3.0)
}

fn style_receive_window(palette: &Palette) -> Style {
    Style::stroke(palette.text, 1.0).with_dashes(1.5, 3.0)
}
