//! A bar of the shares of a flow's time, below the heading.

use engine::quantity::format_percent;

use crate::frame::Sheet;
use crate::ink::{Anchor, Path, Style, to_tenths};
use crate::options::TimeShare;
use crate::text::{self, Weight};

/// Height of the bar in pixels.
const BAR: f64 = 14.0;
/// Height of the bar with its labels, in pixels.
const HEIGHT: f64 = 40.0;
/// Font size of the labels.
const SIZE: u32 = 12;
/// Minimum share that is labelled.
const LEAST: f64 = 0.005;

/// Draws the bar, with a label for each share below it. Labels that do not fit are omitted, because the table has them.
/// Returns the lower edge in pixels.
pub(crate) fn draw_time_shares(sheet: &mut Sheet, (left, right): (f64, f64), top: f64, shares: &[TimeShare]) -> f64 {
    if shares.is_empty() {
        return top;
    }
    let palette = sheet.palette;
    let mut at = left;
    for TimeShare { name, share, colors } in shares {
        let end = (at + share * (right - left)).min(right);
        let mut path = Path::default();
        path.rect(to_tenths(at), to_tenths(top), to_tenths(end) - to_tenths(at), to_tenths(BAR));
        sheet.path("budget", format!("{name}: {}", format_percent(*share)), path, Style::fill(palette.pick(*colors)));
        at = end;
    }
    let mut next = left;
    for TimeShare { name, share, colors } in shares.iter().filter(|share| share.share >= LEAST) {
        let text = format!("{name} {}", format_percent(*share));
        let width = text::measure_width(&text, SIZE, Weight::Regular);
        if next + 14.0 + width > right {
            break;
        }
        let mut path = Path::default();
        path.rect(to_tenths(next), to_tenths(top + BAR + 6.0), to_tenths(9.0), to_tenths(9.0));
        sheet.path("", String::new(), path, Style::fill(palette.pick(*colors)));
        sheet.text((next + 14.0, top + BAR + 15.0), Anchor::Start, SIZE, Weight::Regular, palette.text, text);
        next += 14.0 + width + 16.0;
    }
    top + HEIGHT
}
