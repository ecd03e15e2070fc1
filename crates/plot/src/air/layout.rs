//! Assembles the picture of a medium: heading, legend, one row per station, time axis.

use std::collections::BTreeMap;

use engine::Time;
use path::mac::dcf::FrameKind;
use path::{Reach, Reception};

use super::frames::Frames;
use super::record::{Frame, MediumDescription, Timeline};
use super::rows::{Rows, SMALLEST_ROW};
use super::shares::Shares;
use super::view::View;
use crate::frame::{self, Area, Sheet};
use crate::ink::{Anchor, Picture};
use crate::layout::{DOT, FOOTER, GAP, RIGHT, header};
use crate::legend;
use crate::options::{MIN_SIZE, Options};
use crate::palette::Palette;
use crate::scale::{Scale, grouped};
use crate::text::{self, Weight};

/// Pixels to the left of the stations' names, between names and rows, and for the longest name.
const MARGIN: f64 = 14.0;
const BESIDE: f64 = 10.0;
const NAME: f64 = 150.0;
/// Maximum height of a picture in pixels.
const HIGHEST: f64 = 20_000.0;
/// Frames are drawn one by one if each has at least this many pixels of the picture's width on average.
const SINGLE: f64 = 3.0;

/// Draws the picture of a medium.
pub(super) fn draw(timeline: &Timeline, description: &MediumDescription, options: &Options) -> Picture {
    let from = options.from.map_or(0.0, Time::as_secs_f64);
    let to = options.to.map_or(timeline.ended, Time::as_secs_f64);
    let to = if to > from { to } else { from + 1.0 };
    let view = View { timeline, from, to };
    let (width, max_height) = (options.width.clamp(MIN_SIZE.0, 20_000), f64::from(options.height.max(MIN_SIZE.1)));
    let palette = Palette::of(options.theme);
    let mut sheet = Sheet { palette, width: f64::from(width), shapes: Vec::new() };
    let count = description.stations.len();
    let default = || format!("{}: {count} stations", description.name);
    let title = options.title.clone().unwrap_or_else(default);
    let parts: Vec<String> = options.ran.iter().cloned().chain(summary(&view, &description.stations)).collect();

    let names: Vec<&str> = description.stations.iter().map(String::as_str).collect();
    let widest = names.iter().map(|name| text::width(name, 12, Weight::Regular)).fold(0.0, f64::max);
    let (left, right) = (MARGIN + widest.min(NAME) + BESIDE, sheet.width - RIGHT);
    let head = header(&mut sheet, MARGIN, &title, &parts);
    let x = Scale { lo: from, hi: to, start: left, end: right };
    let single = view.frames().count() as f64 * SINGLE <= right - left;
    let frames = Frames::new(&view, &names);
    let shares = Shares::new(&view, count, &x);
    let entries = if single { frames.legend(palette) } else { shares.legend(palette) };
    let entries = legend::rows(&entries, right - MARGIN);
    let top = head + entries.len() as f64 * legend::ROW + GAP;
    // The maximum height of a picture limits the number of rows.
    let shown = count.min(((HIGHEST - top - FOOTER) / SMALLEST_ROW) as usize);
    let rows = Rows::new(top, shown, max_height - top - FOOTER);
    let area = Area { left, top, right, bottom: rows.bottom() };
    legend::draw(&entries, &mut sheet, MARGIN, head);
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
    frame::time_axis(&mut sheet, &area, &x);
    let height = (area.bottom + FOOTER).ceil() as u32;
    let about = parts.join(DOT);
    Picture { width, height, background: palette.background, title, about, shapes: sheet.shapes }
}

/// Returns the counts of events in the view, as the parts of the line below the heading.
fn summary(view: &View<'_>, names: &[String]) -> Vec<String> {
    let came = |reception| view.frames().filter(|frame| frame.reception == Some(reception)).count() as u64;
    let mut parts = vec![format!("{} frames", grouped(view.frames().count() as u64))];
    let rest = [
        (came(Reception::Collided), "collided"),
        (came(Reception::Corrupted), "corrupted"),
        (came(Reception::Unheard), "out of range"),
    ];
    parts.extend(rest.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(n))));
    parts.extend(aggregates(view));
    parts.extend(hidden(view, names));
    parts
}

/// Returns the number of packets in aggregates, and of the damaged ones; `None` without aggregates.
fn aggregates(view: &View<'_>) -> Option<String> {
    let all = || view.frames().filter(|frame| frame.kind == FrameKind::Aggregate);
    let sum = |count: fn(&Frame) -> u32| grouped(all().map(|frame| u64::from(count(frame))).sum());
    let few = match all().count() as u64 {
        0 => return None,
        1 => "1 aggregate".to_owned(),
        many => format!("{} aggregates", grouped(many)),
    };
    let damaged = match all().any(|frame| frame.damaged.count() > 0) {
        true => format!(", {} damaged", sum(|frame| frame.damaged.count())),
        false => String::new(),
    };
    Some(format!("{} packets in {few}{damaged}", sum(|frame| frame.packets.count())))
}

/// Names the pairs of stations that do not sense each other for all or part of the view: one does not freeze its
/// back-off while the other transmits.
fn hidden(view: &View<'_>, names: &[String]) -> Option<String> {
    // By pair: whether the stations sense each other at some time of the view, and whether at some time they do not.
    let mut pairs: BTreeMap<[u32; 2], [bool; 2]> = BTreeMap::new();
    for (at, pair, reach) in view.timeline.reaches.iter().filter(|(at, ..)| *at < view.to) {
        let hear = *reach != Reach::Nothing;
        let now = [hear, !hear];
        // A pair without an earlier event senses each other from the beginning.
        let before = pairs.get(pair).copied().unwrap_or([true, false]);
        pairs.insert(*pair, if *at <= view.from { now } else { [before[0] || now[0], before[1] || now[1]] });
    }
    let deaf: Vec<_> = pairs.into_iter().filter(|(_, [_, deaf])| *deaf).collect();
    let name = |station: u32| names.get(station as usize).map_or("?", String::as_str);
    let who = match deaf[..] {
        [] => return None,
        [([a, b], _)] => format!("{} and {}", name(a), name(b)),
        _ => format!("{} pairs", grouped(deaf.len() as u64)),
    };
    let always = if deaf.iter().any(|(_, [hear, _])| *hear) { "always " } else { "" };
    Some(format!("{who} do not {always}sense each other"))
}
