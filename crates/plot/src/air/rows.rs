//! The rows of stations: their position, their names, and the layout within a row.

use path::MediumStationId;

use crate::frame::{self, PanelArea, Sheet};
use crate::ink::{Anchor, Path, Style, to_tenths};
use crate::scale::AxisScale;
use crate::text::{self, Weight};

/// Minimum height of a row in pixels.
pub(super) const SMALLEST_ROW: f64 = 14.0;
/// Maximum height of a row in pixels.
const HIGHEST_ROW: f64 = 92.0;
/// Minimum height in pixels of a row with labels.
const WORDS: f64 = 60.0;

/// The rows of a picture.
pub(super) struct StationRows {
    top: f64,
    count: usize,
    height: f64,
}

/// Vertical positions within a row, in pixels from the top of the picture.
pub(super) struct StationRow {
    /// Upper edge of a frame that begins an exchange.
    pub tall: f64,
    /// Upper edge of a response.
    pub low: f64,
    /// Lower edge of all frames.
    pub base: f64,
    /// Upper and lower edge of back-offs.
    pub count: (f64, f64),
    /// Baseline of labels of back-offs.
    pub words: f64,
    /// Middle of marks.
    pub marks: f64,
}

impl StationRows {
    /// Returns `count` rows from `top` downwards, within `height` pixels if they fit.
    pub fn new(top: f64, count: usize, height: f64) -> Self {
        StationRows { top, count, height: (height / count.max(1) as f64).floor().clamp(SMALLEST_ROW, HIGHEST_ROW) }
    }

    /// Lower edge of the last row in pixels.
    pub fn bottom(&self) -> f64 {
        self.top + self.height * self.count.max(1) as f64
    }

    pub fn height(&self) -> f64 {
        self.height
    }

    /// True if the rows are high enough for labels.
    pub fn have_words(&self) -> bool {
        self.height >= WORDS
    }

    /// Returns the row of a station; `None` if the picture has no row for the station.
    pub fn row(&self, station: MediumStationId) -> Option<StationRow> {
        let number = station.index();
        if number >= self.count {
            return None;
        }
        let (top, height) = (self.top + self.height * number as f64, self.height);
        let (above, below, strip) = if self.have_words() {
            (17.0, 24.0, 7.0)
        } else {
            (1.5, (0.28 * height).max(4.0), (0.16 * height).max(2.0))
        };
        let base = top + height - below;
        let tall = top + above;
        let low = base - 0.55 * (base - tall);
        let count = (base + 2.0, base + 2.0 + strip);
        let marks = if self.have_words() { top + 9.0 } else { (tall + base) / 2.0 };
        Some(StationRow { tall, low, base, count, words: top + height - 4.0, marks })
    }

    /// Draws names, lines between rows, and the grid of the time axis.
    pub fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale, names: &[&str]) {
        let palette = sheet.palette;
        let (left, right) = (to_tenths(area.left), to_tenths(area.right));
        let mut grid = Path::default();
        for tick in frame::choose_time_ticks(sheet, x) {
            let at = x.place(tick.value);
            grid.move_to(at, to_tenths(area.top)).line_to(at, to_tenths(area.bottom));
        }
        sheet.path("", String::new(), grid, Style::stroke(palette.grid, 1.0));
        let mut lines = Path::default();
        let mut edge = Path::default();
        for (number, name) in names.iter().take(self.count).enumerate() {
            let Some(row) = self.row(MediumStationId::from_index(number)) else { continue };
            lines.move_to(left, to_tenths(row.base)).line_to(right, to_tenths(row.base));
            let bottom = to_tenths(self.top + self.height * (number + 1) as f64);
            edge.move_to(left, bottom).line_to(right, bottom);
            let size = if self.height < 16.0 { 10 } else { 12 };
            let name = text::fit_text(name, size, Weight::Regular, area.left - 18.0);
            let middle = (row.tall + row.base) / 2.0 + 4.0;
            sheet.text((area.left - 8.0, middle), Anchor::End, size, Weight::Regular, palette.text, name);
        }
        sheet.path("", String::new(), lines, Style::stroke(palette.frame, 0.6));
        if self.have_words() {
            sheet.path("", String::new(), edge, Style::stroke(palette.grid, 1.0));
        }
        let mut frame = Path::default();
        frame
            .move_to(left, to_tenths(area.top))
            .line_to(left, to_tenths(area.bottom))
            .line_to(right, to_tenths(area.bottom));
        sheet.path("", String::new(), frame, Style::stroke(palette.frame, 1.0));
    }
}
