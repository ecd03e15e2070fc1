//! Marked parts of the time axis: numbered brackets at the top of a panel, their time shaded, their labels in the
//! legend.

use crate::frame::{Area, Sheet};
use crate::ink::{Anchor, Path, Style, tenths};
use crate::legend::{self, Entry, Sample};
use crate::options::Marked;
use crate::palette::Palette;
use crate::scale::Scale;
use crate::text::{Fonts, Weight};
use crate::view::View;

/// Pixels at the top of the panel for each lane of brackets.
const LANE: f64 = 15.0;
/// The most lanes; a part that overlaps more than this number of others is shaded and has no bracket.
const LANES: usize = 6;
/// Below the top of its lane: the bracket, the ends of its feet, and the baseline of its number.
const BRACKET: f64 = 6.0;
const FEET: f64 = 11.0;
const NUMBER: f64 = 10.0;
/// Pixels on each side of a number that nothing else is drawn on.
const CLEAR: f64 = 3.0;
/// The legend takes at most this part of the picture's height; what is left out would leave the panel no room.
const LEGEND: f64 = 1.0 / 6.0;

/// The marked parts that lie in a view.
pub(crate) struct Spans<'a> {
    /// Number, begin and end in seconds.
    visible: Vec<(usize, f64, f64, &'a Marked)>,
}

impl<'a> Spans<'a> {
    /// Those of `marked` that lie in `view`. They are numbered from 1 whether or not all of them do, so that a number
    /// means the same in every picture.
    pub fn new(view: &View<'_>, marked: &'a [Marked]) -> Self {
        let seconds = |(i, span): (usize, &'a Marked)| (i + 1, span.from.as_secs_f64(), span.to.as_secs_f64(), span);
        let all = marked.iter().enumerate().map(seconds);
        Spans { visible: all.filter(|(_, from, to, _)| from <= to && *from <= view.to && *to >= view.from).collect() }
    }

    /// How much of the top of the panel they take along `x`.
    pub fn strip(&self, x: &Scale, fonts: &Fonts) -> f64 {
        let lanes = self.lanes(x, fonts).into_iter().flatten().max();
        lanes.map_or(0.0, |last| LANE * (last + 1) as f64 + CLEAR)
    }

    /// For each the lane that its bracket and number have to themselves, the first ones at the top.
    fn lanes(&self, x: &Scale, fonts: &Fonts) -> Vec<Option<usize>> {
        let mut taken: Vec<Vec<(f64, f64)>> = vec![Vec::new(); LANES];
        let lane = |(number, from, to, _): &(usize, f64, f64, &Marked)| {
            let (left, right) = place(x, *from, *to);
            let (left, right) = (f64::from(left) / 10.0, f64::from(right) / 10.0);
            let wide = (fonts.width(&number.to_string(), 11, Weight::Bold) + 2.0 * CLEAR).max(right - left);
            // A bracket narrower than its number has it beside it.
            let (left, right) = if wide > right - left { (left, right + wide) } else { (left, right) };
            let free = taken.iter().position(|lane| lane.iter().all(|(from, to)| right < *from || left > *to))?;
            taken[free].push((left, right));
            Some(free)
        };
        self.visible.iter().map(lane).collect()
    }

    /// The legend of the numbers in a picture of this height: equal labels together, in rows of at most `room` pixels.
    pub fn legend(&self, palette: &Palette, fonts: &Fonts, room: f64, height: f64) -> Vec<Entry> {
        let mut labels: Vec<(&str, String)> = Vec::new();
        for (number, _, _, span) in &self.visible {
            match labels.iter_mut().find(|(label, _)| *label == span.label) {
                Some((_, numbers)) => *numbers += &format!(", {number}"),
                None => labels.push((&span.label, number.to_string())),
            }
        }
        let sample = Sample::Band(style(palette));
        let entry = |(label, numbers): &(&str, String)| {
            let label = format!("{numbers}: {label}");
            Entry::new(sample, fonts.fit(&label, legend::SIZE, Weight::Regular, room - sample.width()))
        };
        let mut entries: Vec<Entry> = labels.iter().map(entry).collect();
        let most = (height * LEGEND / legend::ROW).max(1.0);
        while legend::rows(&entries, fonts, room).len() as f64 > most {
            entries.pop();
        }
        let more = labels.len() - entries.len();
        entries.extend((more > 0).then(|| Entry::new(Sample::Note, format!("and {more} more"))));
        entries
    }

    /// Their shade, below everything else.
    pub fn shade(&self, sheet: &mut Sheet, area: &Area, x: &Scale) {
        for (number, from, to, span) in &self.visible {
            let (left, right) = place(x, *from, *to);
            let mut path = Path::default();
            path.rect(left, tenths(area.top), right - left, tenths(area.height()));
            let title = format!("{number}: {}", span.label);
            sheet.path("marked", title, path, Style::fill(sheet.palette.marked));
        }
    }

    /// Their brackets and numbers.
    pub fn number(&self, sheet: &mut Sheet, area: &Area, x: &Scale) {
        let mut brackets = Path::default();
        for ((number, from, to, _), lane) in self.visible.iter().zip(self.lanes(x, &sheet.fonts)) {
            let Some(lane) = lane else { continue };
            let lane = area.top + LANE * lane as f64;
            let (top, feet) = (tenths(lane + BRACKET), tenths(lane + FEET));
            let (left, right) = place(x, *from, *to);
            let number = number.to_string();
            let width = sheet.fonts.width(&number, 11, Weight::Bold) + 2.0 * CLEAR;
            let room = f64::from(right - left) / 10.0;
            brackets.move_to(left, feet).line_to(left, top);
            let middle = if room >= width {
                let (middle, half) = (f64::from(left + right) / 20.0, width / 2.0);
                brackets.line_to(tenths(middle - half), top).move_to(tenths(middle + half), top);
                middle
            } else {
                // At the right edge there is no room behind it, but always before it.
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

/// Its ends in tenths of a pixel: within the axis, and at least two pixels apart.
fn place(x: &Scale, from: f64, to: f64) -> (i32, i32) {
    let left = x.place(from.max(x.lo)).min(tenths(x.end) - 20);
    (left, x.place(to.min(x.hi)).max(left + 20))
}

fn style(palette: &Palette) -> Style {
    Style { fill: Some(palette.marked), ..Style::stroke(palette.marked_edge, 1.0) }
}
