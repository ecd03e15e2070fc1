//! Rows below the panels that show the reasons why the sender sent nothing. Each reason has a row, with a bar for each
//! interval in which it applied.

use tcp::Blocked;

use crate::frame::Sheet;
use crate::ink::{Anchor, Path, Style, to_tenths};
use crate::scale::AxisScale;
use crate::text::Weight;
use crate::view::FlowView;

/// Height of a row in pixels.
const ROW: f64 = 15.0;
/// Height of the bar in a row, in pixels.
const BAR: f64 = 7.0;
/// Distance between the panel and the first row, in pixels.
const GAP: f64 = 8.0;

/// The rows of one view, in the order of [`Blocked::ALL`].
pub(crate) struct BlockedRows {
    /// Each reason that applied in the view, with its intervals (begin, end) in seconds.
    rows: Vec<(Blocked, Vec<(f64, f64)>)>,
}

impl BlockedRows {
    /// Returns the rows for the intervals in `view`; no rows if `shown` is false.
    pub fn new(view: &FlowView<'_>, shown: bool) -> Self {
        let changes: &[(f64, Blocked)] = if shown && !view.is_empty() { &view.history.blocked } else { &[] };
        let end = view.life().1;
        let until = |index: usize| changes.get(index + 1).map_or(end, |(at, _)| *at);
        let held: Vec<_> =
            changes.iter().enumerate().map(|(index, (at, reason))| (*reason, *at, until(index))).collect();
        let row = |reason| {
            let of_row = held.iter().filter(|(of, from, to)| *of == reason && *from <= view.to && *to >= view.from);
            (reason, of_row.map(|(_, from, to)| (from.max(view.from), to.min(view.to))).collect::<Vec<_>>())
        };
        BlockedRows { rows: Blocked::ALL.map(row).into_iter().filter(|(_, held)| !held.is_empty()).collect() }
    }

    /// Height of all rows in pixels, including the gap above them; 0 without rows.
    pub fn height(&self) -> f64 {
        if self.rows.is_empty() { 0.0 } else { GAP + ROW * self.rows.len() as f64 }
    }

    /// Draws the rows downwards from `top` (pixels), along the time axis `x`.
    pub fn draw(&self, sheet: &mut Sheet, top: f64, x: &AxisScale) {
        for (number, (reason, held)) in self.rows.iter().enumerate() {
            let middle = top + GAP + ROW * (number as f64 + 0.5);
            let mut bars = Path::default();
            let mut drawn = i32::MIN;
            for (from, to) in held {
                let left = x.place(*from).max(drawn);
                // A bar is at least one pixel wide, so that a short interval remains visible.
                let right = x.place(*to).max(x.place(*from) + 10);
                if right > left {
                    bars.rect(left, to_tenths(middle - BAR / 2.0), right - left, to_tenths(BAR));
                    drawn = right;
                }
            }
            let name = reason.name();
            sheet.path("blocked", format!("nothing sent: {name}"), bars, Style::fill(sheet.palette.marked_edge));
            sheet.text(
                (x.start - 8.0, middle + 3.8),
                Anchor::End,
                11,
                Weight::Regular,
                sheet.palette.faint,
                name.into(),
            );
        }
    }
}
