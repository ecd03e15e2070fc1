//! A row for each station: its place, its name, and what of a row is for what.

use crate::frame::{self, Area, Sheet};
use crate::ink::{Anchor, Path, Style, tenths};
use crate::scale::Scale;
use crate::text::Weight;

/// Pixels of the lowest row there is, and of the highest.
pub(super) const SMALLEST_ROW: f64 = 14.0;
const HIGHEST_ROW: f64 = 92.0;
/// From this height on a row has place for words.
const WORDS: f64 = 60.0;

/// The rows of a picture.
pub(super) struct Rows {
    top: f64,
    count: usize,
    height: f64,
}

/// The parts of a row, in pixels from the top of the picture.
pub(super) struct Row {
    /// The upper edge of a frame that begins something, and of one that answers.
    pub tall: f64,
    pub low: f64,
    /// Their lower edge.
    pub base: f64,
    /// Back-offs.
    pub count: (f64, f64),
    /// The baseline of words about them.
    pub words: f64,
    /// The middle of marks.
    pub marks: f64,
}

impl Rows {
    /// `count` rows from `top` on, in `room` pixels if they fit there.
    pub fn new(top: f64, count: usize, room: f64) -> Self {
        Rows { top, count, height: (room / count.max(1) as f64).floor().clamp(SMALLEST_ROW, HIGHEST_ROW) }
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height * self.count.max(1) as f64
    }

    pub fn height(&self) -> f64 {
        self.height
    }

    /// Whether rows have place for words.
    pub fn have_words(&self) -> bool {
        self.height >= WORDS
    }

    /// The row of a station, if it has one.
    pub fn row(&self, station: u32) -> Option<Row> {
        let number = station as usize;
        if number >= self.count {
            return None;
        }
        let (top, height) = (self.top + self.height * number as f64, self.height);
        let (above, below, strip) = match self.have_words() {
            true => (17.0, 24.0, 7.0),
            false => (1.5, (0.28 * height).max(4.0), (0.16 * height).max(2.0)),
        };
        let base = top + height - below;
        let tall = top + above;
        let low = base - 0.55 * (base - tall);
        let count = (base + 2.0, base + 2.0 + strip);
        let marks = if self.have_words() { top + 9.0 } else { (tall + base) / 2.0 };
        Some(Row { tall, low, base, count, words: top + height - 4.0, marks })
    }

    /// Names, lines between rows, and the grid of the time axis.
    pub fn draw(&self, sheet: &mut Sheet, area: &Area, x: &Scale, names: &[&str]) {
        let palette = sheet.palette;
        let (left, right) = (tenths(area.left), tenths(area.right));
        let mut grid = Path::default();
        for tick in frame::time_ticks(sheet, x) {
            let at = x.place(tick.value);
            grid.move_to(at, tenths(area.top)).line_to(at, tenths(area.bottom));
        }
        sheet.path("", String::new(), grid, Style::stroke(palette.grid, 1.0));
        let mut lines = Path::default();
        let mut edge = Path::default();
        for (number, name) in names.iter().take(self.count).enumerate() {
            let Some(row) = self.row(number as u32) else { continue };
            lines.move_to(left, tenths(row.base)).line_to(right, tenths(row.base));
            let bottom = tenths(self.top + self.height * (number + 1) as f64);
            edge.move_to(left, bottom).line_to(right, bottom);
            let size = if self.height < 16.0 { 10 } else { 12 };
            let name = sheet.fonts.fit(name, size, Weight::Regular, area.left - 18.0);
            let middle = (row.tall + row.base) / 2.0 + 4.0;
            sheet.text((area.left - 8.0, middle), Anchor::End, size, Weight::Regular, palette.text, name);
        }
        sheet.path("", String::new(), lines, Style::stroke(palette.frame, 0.6));
        if self.have_words() {
            sheet.path("", String::new(), edge, Style::stroke(palette.grid, 1.0));
        }
        let mut frame = Path::default();
        frame.move_to(left, tenths(area.top)).line_to(left, tenths(area.bottom)).line_to(right, tenths(area.bottom));
        sheet.path("", String::new(), frame, Style::stroke(palette.frame, 1.0));
    }
}
