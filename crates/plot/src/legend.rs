//! The legend of a panel: rows of samples and labels above the panel, outside of the data area.

use crate::frame::Sheet;
use crate::ink::{Anchor, Path, PictureShape, Style, Text, to_tenths};
use crate::mark::Mark;
use crate::text::{self, Weight};

/// The graphical sample of a legend entry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum LegendSample {
    Mark(Mark),
    Line(Style),
    /// A line with ticks below it.
    TickedLine(Style),
    /// A vertical bar of a segment.
    Bar(Style),
    Band(Style),
    /// A band of half the height, with the same lower edge as `Band`.
    LowBand(Style),
    /// A label without a sample.
    Note,
}

/// A sample and its label.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LegendEntry {
    pub sample: LegendSample,
    pub label: String,
}

impl LegendEntry {
    pub fn new(sample: LegendSample, label: impl Into<String>) -> Self {
        LegendEntry { sample, label: label.into() }
    }
}

/// Font size in pixels.
pub(crate) const SIZE: u32 = 12;
/// Height of a row in pixels.
pub(crate) const ROW: f64 = 20.0;
const GAP: f64 = 16.0;

impl LegendSample {
    /// Width of the sample and of the space after it, in pixels.
    pub fn width(self) -> f64 {
        match self {
            LegendSample::Mark(_) => 21.0,
            LegendSample::Bar(_) => 13.0,
            LegendSample::Line(_) | LegendSample::TickedLine(_) | LegendSample::Band(_) | LegendSample::LowBand(_) => {
                31.0
            }
            LegendSample::Note => 0.0,
        }
    }
}

/// Distributes the entries over rows of at most `width` pixels. Returns each entry with its x offset in the row.
pub(crate) fn arrange_entries(entries: &[LegendEntry], width: f64) -> Vec<Vec<(f64, &LegendEntry)>> {
    let mut rows: Vec<Vec<(f64, &LegendEntry)>> = Vec::new();
    let mut x = f64::INFINITY;
    for entry in entries {
        let entry_width = entry.sample.width() + text::measure_width(&entry.label, SIZE, Weight::Regular);
        if x + entry_width > width {
            rows.push(Vec::new());
            x = 0.0;
        }
        rows.last_mut().expect("the first entry opened a row").push((x, entry));
        x += entry_width + GAP;
    }
    rows
}

/// Draws the rows; `top` is the upper edge of the first row in pixels.
pub(crate) fn draw_legend_rows(rows: &[Vec<(f64, &LegendEntry)>], sheet: &mut Sheet, left: f64, top: f64) {
    for (i, row) in rows.iter().enumerate() {
        let middle = top + ROW * (i as f64 + 0.5);
        for (x, entry) in row {
            draw_sample(entry.sample, sheet, left + x, middle);
            let color = if entry.sample == LegendSample::Note { sheet.palette.faint } else { sheet.palette.text };
            sheet.shapes.push(PictureShape::Text(Text {
                x: to_tenths(left + x + entry.sample.width()),
                y: to_tenths(middle + 4.2),
                anchor: Anchor::Start,
                size: SIZE,
                weight: Weight::Regular,
                color,
                upright: false,
                // Fixed width: a browser's font may be wider, and the next sample has a fixed position.
                width: Some(to_tenths(text::measure_width(&entry.label, SIZE, Weight::Regular))),
                content: entry.label.clone(),
            }));
        }
    }
}

fn draw_sample(sample: LegendSample, sheet: &mut Sheet, left: f64, middle: f64) {
    let (x, y) = (to_tenths(left), to_tenths(middle));
    let mut path = Path::default();
    let style = match sample {
        LegendSample::Mark(mark) => {
            mark.stamp(&mut path, (x + 80, y + 5), 0.95);
            mark.style(sheet.palette)
        }
        LegendSample::Line(style) => {
            path.move_to(x, y).line_to(x + 250, y);
            style
        }
        LegendSample::TickedLine(style) => {
            path.move_to(x, y - 20).line_to(x + 250, y - 20);
            for tick in [80, 125, 170] {
                path.move_to(x + tick, y - 20).line_to(x + tick, y + 40);
            }
            style
        }
        // Segments too small for a bar are drawn as dots.
        LegendSample::Bar(style) if style.round => {
            for d in [-35, 0, 35] {
                path.move_to(x + 40 + d, y - d).line_to(x + 40 + d, y - d);
            }
            style
        }
        LegendSample::Bar(style) => {
            path.move_to(x + 40, y - 50).line_to(x + 40, y + 50);
            style
        }
        LegendSample::Band(style) => {
            path.rect(x, y - 55, 250, 110);
            style
        }
        LegendSample::LowBand(style) => {
            path.rect(x, y - 5, 250, 60);
            style
        }
        LegendSample::Note => return,
    };
    sheet.path("", String::new(), path, style);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legend_rows_do_not_exceed_the_width() {
        let entries: Vec<LegendEntry> =
            (0..9).map(|i| LegendEntry::new(LegendSample::Note, format!("meaning number {i}"))).collect();
        let rows = arrange_entries(&entries, 300.0);
        assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), 9);
        assert!(rows.len() > 3 && rows.iter().all(|row| row[0].0 == 0.0));
    }
}
