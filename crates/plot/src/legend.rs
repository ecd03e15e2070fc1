//! What the marks and lines mean, in rows above a panel: never over data.

use crate::frame::Sheet;
use crate::ink::{Anchor, Path, Shape, Style, Text, tenths};
use crate::mark::Mark;
use crate::text::{Fonts, Weight};

/// What a legend shows beside a word.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Sample {
    Mark(Mark),
    Line(Style),
    /// A line with ticks hanging from it.
    TickedLine(Style),
    /// A segment as long as a mark.
    Bar(Style),
    Band(Style),
    /// A band of half the height, on the same ground.
    LowBand(Style),
    /// Words alone.
    Note,
}

/// A sample and its meaning.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry {
    pub sample: Sample,
    pub label: String,
}

impl Entry {
    pub fn new(sample: Sample, label: impl Into<String>) -> Self {
        Entry { sample, label: label.into() }
    }
}

/// Pixels of the letters.
pub(crate) const SIZE: u32 = 12;
/// Pixels from one row to the next.
pub(crate) const ROW: f64 = 20.0;
const GAP: f64 = 16.0;

impl Sample {
    /// Pixels of a sample and the space behind it.
    pub fn width(self) -> f64 {
        match self {
            Sample::Mark(_) => 21.0,
            Sample::Bar(_) => 13.0,
            Sample::Line(_) | Sample::TickedLine(_) | Sample::Band(_) | Sample::LowBand(_) => 31.0,
            Sample::Note => 0.0,
        }
    }
}

/// The entries in rows of at most `room` pixels.
pub(crate) fn rows<'a>(entries: &'a [Entry], fonts: &Fonts, room: f64) -> Vec<Vec<(f64, &'a Entry)>> {
    let mut rows: Vec<Vec<(f64, &Entry)>> = Vec::new();
    let mut x = f64::INFINITY;
    for entry in entries {
        let width = entry.sample.width() + fonts.width(&entry.label, SIZE, Weight::Regular);
        if x + width > room {
            rows.push(Vec::new());
            x = 0.0;
        }
        rows.last_mut().expect("the first entry opened a row").push((x, entry));
        x += width + GAP;
    }
    rows
}

/// Draws rows; `top` is the upper edge of the first.
pub(crate) fn draw(rows: &[Vec<(f64, &Entry)>], sheet: &mut Sheet, left: f64, top: f64) {
    for (i, row) in rows.iter().enumerate() {
        let middle = top + ROW * (i as f64 + 0.5);
        for (x, entry) in row {
            draw_sample(entry.sample, sheet, left + x, middle);
            let color = if entry.sample == Sample::Note { sheet.palette.faint } else { sheet.palette.text };
            sheet.shapes.push(Shape::Text(Text {
                x: tenths(left + x + entry.sample.width()),
                y: tenths(middle + 4.2),
                anchor: Anchor::Start,
                size: SIZE,
                weight: Weight::Regular,
                color,
                upright: false,
                // A browser's own font may be wider; the next sample stands where ours would end.
                width: Some(tenths(sheet.fonts.width(&entry.label, SIZE, Weight::Regular))),
                content: entry.label.clone(),
            }));
        }
    }
}

fn draw_sample(sample: Sample, sheet: &mut Sheet, left: f64, middle: f64) {
    let (x, y) = (tenths(left), tenths(middle));
    let mut path = Path::default();
    let style = match sample {
        Sample::Mark(mark) => {
            mark.stamp(&mut path, (x + 80, y + 5), 0.95);
            mark.style(sheet.palette)
        }
        Sample::Line(style) => {
            path.move_to(x, y).line_to(x + 250, y);
            style
        }
        Sample::TickedLine(style) => {
            path.move_to(x, y - 20).line_to(x + 250, y - 20);
            for tick in [80, 125, 170] {
                path.move_to(x + tick, y - 20).line_to(x + tick, y + 40);
            }
            style
        }
        // Segments too short for a bar are dots.
        Sample::Bar(style) if style.round => {
            for d in [-35, 0, 35] {
                path.move_to(x + 40 + d, y - d).line_to(x + 40 + d, y - d);
            }
            style
        }
        Sample::Bar(style) => {
            path.move_to(x + 40, y - 50).line_to(x + 40, y + 50);
            style
        }
        Sample::Band(style) => {
            path.rect(x, y - 55, 250, 110);
            style
        }
        Sample::LowBand(style) => {
            path.rect(x, y - 5, 250, 60);
            style
        }
        Sample::Note => return,
    };
    sheet.path("", String::new(), path, style);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_their_room() {
        let fonts = Fonts::load();
        let entries: Vec<Entry> = (0..9).map(|i| Entry::new(Sample::Note, format!("meaning number {i}"))).collect();
        let rows = rows(&entries, &fonts, 300.0);
        assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), 9);
        assert!(rows.len() > 3 && rows.iter().all(|row| row[0].0 == 0.0));
    }
}
