//! Assembly of the picture of a medium, with heading, legend, one row per station, and time axis.

use std::collections::BTreeMap;

use engine::{IdVec, Time};
use path::mac::dcf::FrameKind;
use path::{MediumStationId, Reach, Reception};

use super::frames::FrameLayer;
use super::record::{MediumDescription, MediumTimeline, TransmittedFrame};
use super::rows::{SMALLEST_ROW, StationRows};
use super::shares::AirtimeShares;
use super::view::MediumView;
use crate::frame::{self, PanelArea, Sheet};
use crate::ink::{Anchor, Picture};
use crate::layout::{DOT, FOOTER, GAP, RIGHT, draw_header};
use crate::legend;
use crate::options::{MIN_SIZE, PictureOptions};
use crate::palette::Palette;
use crate::scale::{AxisScale, group_digits};
use crate::text::{self, Weight};

/// Space in pixels to the left of the stations' names.
const MARGIN: f64 = 14.0;
/// Space in pixels between names and rows.
const BESIDE: f64 = 10.0;
/// Maximum width in pixels of a name.
const NAME: f64 = 150.0;
/// Maximum height of a picture in pixels.
const HIGHEST: f64 = 20_000.0;
/// Minimum average number of pixels of the picture's width per frame for which frames are drawn one by one.
const SINGLE: f64 = 3.0;

/// Draws the picture of a medium.
pub(super) fn draw_medium(
    timeline: &MediumTimeline,
    description: &MediumDescription,
    options: &PictureOptions,
) -> Picture {
    let from = options.from.map_or(0.0, Time::as_secs_f64);
    let to = options.to.map_or(timeline.ended, Time::as_secs_f64);
    let to = if to > from { to } else { from + 1.0 };
    let view = MediumView { timeline, from, to };
    let (width, max_height) = (options.width.clamp(MIN_SIZE.0, 20_000), f64::from(options.height.max(MIN_SIZE.1)));
    let palette = Palette::of(options.theme);
    let mut sheet = Sheet { palette, width: f64::from(width), shapes: Vec::new() };
    let count = description.stations.len();
    let default = || format!("{}: {count} stations", description.name);
    let title = options.title.clone().unwrap_or_else(default);
    let parts: Vec<String> =
        options.ran.iter().cloned().chain(summarize_medium(&view, &description.stations)).collect();

    let names: Vec<&str> = description.stations.iter().map(String::as_str).collect();
    let widest = names.iter().map(|name| text::measure_width(name, 12, Weight::Regular)).fold(0.0, f64::max);
    let (left, right) = (MARGIN + widest.min(NAME) + BESIDE, sheet.width - RIGHT);
    let head = draw_header(&mut sheet, MARGIN, &title, &parts);
    let x = AxisScale { lo: from, hi: to, start: left, end: right };
    let single = view.frames().count() as f64 * SINGLE <= right - left;
    let frames = FrameLayer::new(&view, &names);
    let shares = AirtimeShares::new(&view, count, &x);
    let entries = if single { frames.legend(palette) } else { shares.legend(palette) };
    let entries = legend::arrange_entries(&entries, right - MARGIN);
    let top = head + entries.len() as f64 * legend::ROW + GAP;
    // The maximum height of a picture limits the number of rows.
    let shown = count.min(((HIGHEST - top - FOOTER) / SMALLEST_ROW) as usize);
    let rows = StationRows::new(top, shown, max_height - top - FOOTER);
    let area = PanelArea { left, top, right, bottom: rows.bottom() };
    legend::draw_legend_rows(&entries, &mut sheet, MARGIN, head);
    drop(entries);
    rows.draw(&mut sheet, &area, &x, &names);
    match (view.is_empty(), single) {
        (true, _) => {
            let (middle, color) = (((left + right) / 2.0, (top + area.bottom) / 2.0), palette.faint);
            sheet.text(middle, Anchor::Middle, 13, Weight::Regular, color, "no events of this medium here".into());
        }
        (false, true) => frames.draw(&mut sheet, &rows, &x),
        (false, false) => shares.draw(&mut sheet, &rows, &x),
    }
    frame::draw_time_axis(&mut sheet, &area, &x);
    let height = (area.bottom + FOOTER).ceil() as u32;
    let about = parts.join(DOT);
    Picture { width, height, background: palette.background, title, about, shapes: sheet.shapes }
}

/// Returns the counts of events in the view, as the parts of the line below the heading.
fn summarize_medium(view: &MediumView<'_>, names: &IdVec<MediumStationId, String>) -> Vec<String> {
    let came = |reception| view.frames().filter(|frame| frame.reception == Some(reception)).count() as u64;
    let mut parts = vec![format!("{} frames", group_digits(view.frames().count() as u64))];
    let rest = [
        (came(Reception::Collided), "collided"),
        (came(Reception::Corrupted), "corrupted"),
        (came(Reception::Unheard), "out of range"),
    ];
    parts.extend(rest.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", group_digits(n))));
    parts.extend(summarize_aggregates(view));
    parts.extend(describe_hidden_stations(view, names));
    parts
}

/// Returns the number of packets in aggregates, and the number of damaged ones; `None` without aggregates.
fn summarize_aggregates(view: &MediumView<'_>) -> Option<String> {
    let all = || view.frames().filter(|frame| frame.kind == FrameKind::Aggregate);
    let sum = |count: fn(&TransmittedFrame) -> u32| group_digits(all().map(|frame| u64::from(count(frame))).sum());
    let few = match all().count() as u64 {
        0 => return None,
        1 => "1 aggregate".to_owned(),
        many => format!("{} aggregates", group_digits(many)),
    };
    let damaged = if all().any(|frame| frame.damaged.count() > 0) {
        format!(", {} damaged", sum(|frame| frame.damaged.count()))
    } else {
        String::new()
    };
    Some(format!("{} packets in {few}{damaged}", sum(|frame| frame.packets.count())))
}

/// Names the pairs of stations that do not sense each other for all or part of the view. A station of such a pair does
/// not freeze its back-off while the other one transmits.
fn describe_hidden_stations(view: &MediumView<'_>, names: &IdVec<MediumStationId, String>) -> Option<String> {
    // For each pair: whether the stations sense each other at some time of the view, and whether they do not sense each
    // other at some time.
    let mut pairs: BTreeMap<[MediumStationId; 2], [bool; 2]> = BTreeMap::new();
    for (at, pair, reach) in view.timeline.reaches.iter().filter(|(at, ..)| *at < view.to) {
        let hear = *reach != Reach::Nothing;
        let now = [hear, !hear];
        // The stations of a pair without an earlier event sense each other from the beginning.
        let before = pairs.get(pair).copied().unwrap_or([true, false]);
        pairs.insert(*pair, if *at <= view.from { now } else { [before[0] || now[0], before[1] || now[1]] });
    }
    let deaf: Vec<_> = pairs.into_iter().filter(|(_, [_, deaf])| *deaf).collect();
    let name = |station: MediumStationId| names.get(station).map_or("?", String::as_str);
    let who = match deaf[..] {
        [] => return None,
        [([a, b], _)] => format!("{} and {}", name(a), name(b)),
        _ => format!("{} pairs", group_digits(deaf.len() as u64)),
    };
    let always = if deaf.iter().any(|(_, [hear, _])| *hear) { "always " } else { "" };
    Some(format!("{who} do not {always}sense each other"))
}
