//! Shares of time in which each station transmitted, for columns of time, in views with too many frames to draw each of
//! them.

use engine::Quantity;

use std::collections::BTreeSet;

use engine::IdVec;
use path::MediumStationId;
use path::mac::dcf::FrameKind;

use super::rows::StationRows;
use super::view::MediumView;
use crate::frame::Sheet;
use crate::ink::{Path, Style, to_tenths};
use crate::legend::{LegendEntry, LegendSample};
use crate::palette::Palette;
use crate::scale::AxisScale;

/// Minimum width of a column in pixels.
const COLUMN: f64 = 3.0;
/// Minimum mean number of frames in a column, so that a column shows a share and not a single frame.
const FRAMES: f64 = 12.0;
/// Scales of a row: its full height stands for the smallest of these shares that covers the data.
const WHOLE: [f64; 10] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0];

/// Minimum height of a hollow bar, in tenths of a pixel; lower bars are filled.
const HOLLOW: i32 = 40;

/// Shares of frames with data, of other frames, and of damaged frames.
type Parts = [f64; 3];

/// Shares of transmission time.
pub(super) struct AirtimeShares {
    /// Width of a column in pixels.
    pixels: f64,
    /// Width of a column in seconds.
    seconds: f64,
    /// Shares by station and column, as fractions of the column's time.
    columns: IdVec<MediumStationId, Vec<Parts>>,
    /// The share that the full height of a row stands for.
    whole: f64,
    /// The kinds of frames in each part.
    kinds: [BTreeSet<FrameKind>; 3],
}

impl AirtimeShares {
    pub fn new(view: &MediumView<'_>, stations: usize, x: &AxisScale) -> Self {
        let width = (x.end - x.start).max(1.0);
        let wanted = (width * FRAMES / view.frames().count().max(1) as f64).max(COLUMN);
        let count = (width / wanted).floor().max(1.0) as usize;
        let seconds = (view.to - view.from) / count as f64;
        let mut columns: IdVec<MediumStationId, _> = vec![vec![Parts::default(); count]; stations].into();
        let mut kinds: [BTreeSet<FrameKind>; 3] = Default::default();
        for frame in view.frames() {
            let Some(columns) = columns.get_mut(frame.from) else { continue };
            let part = match (frame.is_damaged(), frame.kind.carries_packets()) {
                (true, _) => 2,
                (false, true) => 0,
                (false, false) => 1,
            };
            kinds[part].insert(frame.kind);
            let (begin, end) = (frame.start.max(view.from) - view.from, frame.end.min(view.to) - view.from);
            let [first, last] = [begin, end].map(|at| ((at / seconds) as usize).min(count - 1));
            for (number, column) in columns.iter_mut().enumerate().take(last + 1).skip(first) {
                let (left, right) = (seconds * number as f64, seconds * (number + 1) as f64);
                column[part] += (end.min(right) - begin.max(left)).max(0.0) / seconds;
            }
        }
        let max = columns.iter().flatten().map(|parts| parts.iter().sum::<f64>()).fold(0.0, f64::max);
        let whole = WHOLE.into_iter().find(|whole| *whole >= max).unwrap_or(1.0);
        AirtimeShares { pixels: width / count as f64, seconds, columns, whole, kinds }
    }

    pub fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        let has = |part: usize| self.columns.iter().flatten().any(|parts| parts[part] > 0.0);
        let names = |part: usize| self.kinds[part].iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        let labels = [names(0), names(1), "damaged".to_owned()];
        let seen = labels.into_iter().enumerate().filter(|(part, _)| has(*part));
        let mut entries: Vec<LegendEntry> = seen
            .map(|(part, label)| LegendEntry::new(LegendSample::Band(style_shares(palette)[part]), label))
            .collect();
        let (whole, width) = (self.whole * 100.0, Quantity::Time.format_brief(self.seconds));
        let note =
            format!("share of the time: a row\u{2019}s height is {whole} %, a column {width}; zoom in for frames");
        entries.push(LegendEntry::new(LegendSample::Note, note));
        entries
    }

    pub fn draw(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let mut paths: [Path; 3] = Default::default();
        // Bars that are too low for an outline, which would exaggerate them.
        let mut thin = Path::default();
        for (station, columns) in self.columns.enumerate() {
            let Some(row) = rows.row(station) else { continue };
            let height = (row.base - row.tall) / self.whole;
            for (number, parts) in columns.iter().enumerate() {
                let [left, right] = [number, number + 1].map(|edge| to_tenths(x.start + self.pixels * edge as f64));
                let mut below = 0.0;
                for (kind, part) in parts.iter().enumerate() {
                    let [bottom, top] = [below, below + part].map(|share| to_tenths(row.base - height * share));
                    let path = if kind == 2 && bottom - top < HOLLOW { &mut thin } else { &mut paths[kind] };
                    if top < bottom {
                        path.rect(left, top, right - left, bottom - top);
                    }
                    below += part;
                }
            }
        }
        let titles = ["time in data frames", "time in other frames", "time in damaged frames"];
        let classes = ["data-share", "other-share", "damaged-share"];
        for (part, path) in paths.into_iter().enumerate() {
            sheet.path(classes[part], titles[part].into(), path, style_shares(sheet.palette)[part]);
        }
        sheet.path("damaged-share", titles[2].into(), thin, Style::fill(sheet.palette.lost));
    }
}

/// Returns dark, light and hollow styles, which can be distinguished in greyscale.
fn style_shares(palette: &Palette) -> [Style; 3] {
    let hollow = Style { fill: Some(palette.background), ..Style::stroke(palette.lost, 1.0) };
    [Style::fill(palette.sent), Style::fill(palette.acked.halfway_to(palette.background)), hollow]
}
