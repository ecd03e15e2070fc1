//! Marked intervals of the time axis: numbered brackets at the top of a panel, a shade over the interval, and labels in
//! the legend.

use engine::Time;

use crate::frame::{PanelArea, Sheet};
use crate::ink::{Anchor, Path, Style, to_tenths};
use crate::legend::{self, LegendEntry, LegendSample};
use crate::palette::Palette;
use crate::scale::AxisScale;
use crate::text::{self, Weight};
use crate::view::FlowView;

/// Height in pixels of a lane of brackets, at the top of the panel.
const LANE: f64 = 15.0;
/// Maximum number of lanes; an interval that finds all lanes taken is shaded and has no bracket.
const LANES: usize = 6;
/// Offset in pixels of a bracket's line from the top of a lane.
const BRACKET: f64 = 6.0;
/// Offset in pixels of the ends of a bracket's feet from the top of a lane.
const FEET: f64 = 11.0;
/// Offset in pixels of the baseline of a bracket's number from the top of a lane.
const NUMBER: f64 = 10.0;
/// Free space in pixels on each side of a number.
const CLEAR: f64 = 3.0;
/// The legend's maximum share of the picture's height; further entries are left out, to leave space for the panel.
const LEGEND: f64 = 1.0 / 6.0;

/// A marked interval of the time axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MarkedInterval {
    /// Start of the interval.
    pub from: Time,
    /// End of the interval.
    pub to: Time,
    /// Short description of the interval. Intervals with equal labels share one legend entry.
    pub label: String,
}

/// The marked intervals in a view.
pub(crate) struct VisibleIntervals<'a> {
    /// Number, begin and end in seconds, and the mark.
    visible: Vec<(usize, f64, f64, &'a MarkedInterval)>,
}

impl<'a> VisibleIntervals<'a> {
    /// Returns the intervals of `marked` that overlap `view`. The numbers count all of `marked` from 1, so that an
    /// interval has the same number in every picture.
    pub fn new(view: &FlowView<'_>, marked: &'a [MarkedInterval]) -> Self {
        let seconds =
            |(i, span): (usize, &'a MarkedInterval)| (i + 1, span.from.as_secs_f64(), span.to.as_secs_f64(), span);
        let all = marked.iter().enumerate().map(seconds);
        VisibleIntervals {
            visible: all.filter(|(_, from, to, _)| from <= to && *from <= view.to && *to >= view.from).collect(),
        }
    }

    /// Height in pixels of the brackets' lanes at the top of the panel.
    pub fn strip(&self, x: &AxisScale) -> f64 {
        let lanes = self.lanes(x).into_iter().flatten().max();
        lanes.map_or(0.0, |last| LANE * (last + 1) as f64 + CLEAR)
    }

    /// Returns for each interval the first lane with space for its bracket and number; `None` if all lanes are taken
    /// there.
    fn lanes(&self, x: &AxisScale) -> Vec<Option<usize>> {
        let mut taken: Vec<Vec<(f64, f64)>> = vec![Vec::new(); LANES];
        let lane = |(number, from, to, _): &(usize, f64, f64, &MarkedInterval)| {
            let (left, right) = place_interval(x, *from, *to);
            let (left, right) = (f64::from(left) / 10.0, f64::from(right) / 10.0);
            let wide = (text::measure_width(&number.to_string(), 11, Weight::Bold) + 2.0 * CLEAR).max(right - left);
            // A number wider than its bracket stands to the right of the bracket.
            let (left, right) = if wide > right - left { (left, right + wide) } else { (left, right) };
            let free = taken.iter().position(|lane| lane.iter().all(|(from, to)| right < *from || left > *to))?;
            taken[free].push((left, right));
            Some(free)
        };
        self.visible.iter().map(lane).collect()
    }

    /// Returns the legend entries of a picture of this height, in rows of at most `width` pixels; intervals with equal
    /// labels share an entry.
    pub fn legend(&self, palette: &Palette, width: f64, height: f64) -> Vec<LegendEntry> {
        let mut labels: Vec<(&str, String)> = Vec::new();
        for (number, _, _, span) in &self.visible {
            match labels.iter_mut().find(|(label, _)| *label == span.label) {
                Some((_, numbers)) => *numbers += &format!(", {number}"),
                None => labels.push((&span.label, number.to_string())),
            }
        }
        let sample = LegendSample::Band(style_interval(palette));
        let entry = |(label, numbers): &(&str, String)| {
            let label = format!("{numbers}: {label}");
            LegendEntry::new(sample, text::fit_text(&label, legend::SIZE, Weight::Regular, width - sample.width()))
        };
        let mut entries: Vec<LegendEntry> = labels.iter().map(entry).collect();
        let max_rows = (height * LEGEND / legend::ROW).max(1.0);
        while legend::arrange_entries(&entries, width).len() as f64 > max_rows {
            entries.pop();
        }
        let more = labels.len() - entries.len();
        entries.extend((more > 0).then(|| LegendEntry::new(LegendSample::Note, format!("and {more} more"))));
        entries
    }

    /// Shades the intervals, below all other elements.
    pub fn shade(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        for (number, from, to, span) in &self.visible {
            let (left, right) = place_interval(x, *from, *to);
            let mut path = Path::default();
            path.rect(left, to_tenths(area.top), right - left, to_tenths(area.height()));
            let title = format!("{number}: {}", span.label);
            sheet.path("marked", title, path, Style::fill(sheet.palette.marked));
        }
    }

    /// Draws the brackets and numbers.
    pub fn number(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let mut brackets = Path::default();
        for ((number, from, to, _), lane) in self.visible.iter().zip(self.lanes(x)) {
            let Some(lane) = lane else { continue };
            let lane = area.top + LANE * lane as f64;
            let (top, feet) = (to_tenths(lane + BRACKET), to_tenths(lane + FEET));
            let (left, right) = place_interval(x, *from, *to);
            let number = number.to_string();
            let width = text::measure_width(&number, 11, Weight::Bold) + 2.0 * CLEAR;
            let available = f64::from(right - left) / 10.0;
            brackets.move_to(left, feet).line_to(left, top);
            let middle = if available >= width {
                let (middle, half) = (f64::from(left + right) / 20.0, width / 2.0);
                brackets.line_to(to_tenths(middle - half), top).move_to(to_tenths(middle + half), top);
                middle
            } else {
                // The number stands on the left of its bracket at the right edge of the panel.
                let behind = f64::from(right) / 10.0 + width / 2.0;
                if behind + width / 2.0 <= area.right { behind } else { f64::from(left) / 10.0 - width / 2.0 }
            };
            brackets.line_to(right, top).line_to(right, feet);
            let color = sheet.palette.marked_edge;
            sheet.text((middle, lane + NUMBER), Anchor::Middle, 11, Weight::Bold, color, number);
        }
        sheet.path("bracket", String::new(), brackets, Style::stroke(sheet.palette.marked_edge, 1.4));
    }
}

/// Returns the interval's ends in tenths of a pixel: within the axis, and at least two pixels apart.
fn place_interval(x: &AxisScale, from: f64, to: f64) -> (i32, i32) {
    let left = x.place(from.max(x.lo)).min(to_tenths(x.end) - 20);
    (left, x.place(to.min(x.hi)).max(left + 20))
}

fn style_interval(palette: &Palette) -> Style {
    Style { fill: Some(palette.marked), ..Style::stroke(palette.marked_edge, 1.0) }
}
