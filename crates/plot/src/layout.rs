//! Assembles the picture of a flow: heading, legends, panels, rows of blocking reasons, time axis.

use engine::Time;

use crate::blocked::BlockedRows;
use crate::describe::{Description, FlowDescription};
use crate::frame::{self, Area, Sheet};
use crate::history::History;
use crate::ink::{Anchor, Picture, Style};
use crate::legend::{self, Entry, Sample};
use crate::options::{MIN_SIZE, Options, Panel};
use crate::palette::Palette;
use crate::scale::{Scale, grouped};
use crate::sequence::Sequence;
use crate::spans::Spans;
use crate::text::{Fonts, Weight};
use crate::view::View;
use crate::window::Windows;

const LEFT: f64 = 78.0;
pub(crate) const RIGHT: f64 = 24.0;
/// Space in pixels between the picture's left edge and the labels of a vertical axis.
const LABELS: f64 = 33.0;
/// Height in pixels of the heading with one row of text below it, and of each further row.
const HEADER: f64 = 56.0;
const ROW: f64 = 16.0;
/// Height in pixels of the labels of the time axis.
pub(crate) const FOOTER: f64 = 48.0;
/// Distance in pixels between a legend and its panel, and between panels.
pub(crate) const GAP: f64 = 8.0;
/// The sequence panel's share of the height of both panels.
const UPPER: f64 = 0.62;

/// Draws a flow. Every history and every combination of options gives a picture; it is empty if the view has no events.
pub(crate) fn draw(history: &History, description: &Description, options: &Options) -> Picture {
    let flow = description.flow(options.flow);
    let from = options.from.map_or(history.began, Time::as_secs_f64);
    let to = options.to.map_or(history.ended, Time::as_secs_f64);
    let to = if to > from { to } else { from + 1.0 };
    let view = View { history, from, to, segment: flow.segment.max(1), unit: options.unit };
    let (width, height) = (options.width.clamp(MIN_SIZE.0, 20_000), options.height.clamp(MIN_SIZE.1, 20_000));
    let palette = Palette::of(options.theme);
    let mut sheet = Sheet { palette, fonts: Fonts::load(), width: f64::from(width), shapes: Vec::new() };
    let ends = format!("{} to {}", description.node(flow.from), description.node(flow.to));
    let title = options.title.clone().unwrap_or_else(|| match flow.from {
        usize::MAX => flow.name.clone(),
        _ => format!("{}: {ends}", flow.name),
    });
    let parts: Vec<String> = options.ran.iter().cloned().chain(summary(&view, &flow)).collect();
    panels(&mut sheet, &view, &flow, options, (&title, &parts), f64::from(height));
    Picture { width, height, background: palette.background, title, about: parts.join(DOT), shapes: sheet.shapes }
}

/// Returns the counts of events in the view, as the parts of the line below the heading.
fn summary(view: &View<'_>, flow: &FlowDescription) -> Vec<String> {
    let history = view.history;
    let sent = view.within(&history.sent, |sent| sent.at);
    let again = sent.iter().filter(|sent| sent.again).count();
    let of = |list: &[_]| view.within(list, |spot: &crate::history::Spot| spot.at).len();
    let mut parts = Vec::new();
    if flow.segment > 1 {
        parts.push(format!("segments of {} B", flow.segment));
    }
    parts.push(format!("{} sent", grouped(sent.len() as u64)));
    let rest = [
        (again, "of them again", "of them again"),
        (of(&history.lost), "lost", "lost"),
        (of(&history.fast_retransmits), "recovery", "recoveries"),
        (of(&history.timeouts), "timeout", "timeouts"),
    ];
    for (count, one, many) in rest.into_iter().filter(|(count, ..)| *count > 0) {
        parts.push(format!("{} {}", grouped(count as u64), if count == 1 { one } else { many }));
    }
    parts
}

/// Separator between the parts of the line below the heading.
pub(crate) const DOT: &str = " \u{b7} ";

/// Draws the heading and, below it, `parts` in as many rows as they need. Returns the lower edge in pixels.
pub(crate) fn header(sheet: &mut Sheet, left: f64, title: &str, parts: &[String]) -> f64 {
    let (available, palette) = (sheet.width - left - RIGHT, sheet.palette);
    let title = sheet.fonts.fit(title, 16, Weight::Bold, available);
    sheet.text((left, 27.0), Anchor::Start, 16, Weight::Bold, palette.text, title);
    let mut rows: Vec<String> = Vec::new();
    for part in parts {
        let longer = rows.last().map(|row| format!("{row}{DOT}{part}"));
        match (rows.last_mut(), longer.filter(|row| sheet.fonts.width(row, 12, Weight::Regular) <= available)) {
            (Some(row), Some(longer)) => *row = longer,
            _ => rows.push(part.clone()),
        }
    }
    for (i, row) in rows.iter().enumerate() {
        let row = sheet.fonts.fit(row, 12, Weight::Regular, available);
        sheet.text((left, 46.0 + ROW * i as f64), Anchor::Start, 12, Weight::Regular, palette.faint, row);
    }
    HEADER + ROW * rows.len().saturating_sub(1) as f64
}

fn panels(
    sheet: &mut Sheet,
    view: &View<'_>,
    flow: &FlowDescription,
    options: &Options,
    (title, parts): (&str, &[String]),
    height: f64,
) {
    let (upper, lower) = match options.panel {
        Panel::Sequence => (true, false),
        Panel::Window => (false, true),
        Panel::Both => (true, true),
    };
    let windows = Windows::new(view, flow.receiver_window.filter(|_| options.receiver_window));
    let upper_about = height * if lower { 0.45 } else { 0.75 };
    let sequence = Sequence::new(view, (sheet.width - LEFT - RIGHT, upper_about));
    // Sequence numbers late in a long transfer have wide labels.
    let labels = if upper { sequence.label_width(&sheet.fonts, upper_about) } else { 0.0 };
    let (left, right) = (LEFT.max(labels + LABELS), sheet.width - RIGHT);
    let header = header(sheet, left, title, parts);
    let x = Scale { lo: view.from, hi: view.to, start: left, end: right };
    let spans = Spans::new(view, if upper { &options.spans } else { &[] });
    let blocked = BlockedRows::new(view, options.blocked);
    let bad = view.bad();
    let too_fine = frame::too_fine(&x, bad);
    let bad = if too_fine { &[] } else { bad };

    let air = match (too_fine, bad.is_empty()) {
        (true, _) => Some(Entry::new(Sample::Note, "BAD intervals not shaded: zoom in")),
        (false, false) => Some(Entry::new(Sample::Band(Style::fill(sheet.palette.bad)), "air BAD")),
        (false, true) => None,
    };
    let mut entries = [Vec::new(), Vec::new()];
    if upper {
        entries[0] = sequence.legend(sheet.palette);
    }
    if lower {
        entries[1] = windows.legend(sheet.palette, !upper);
    }
    entries[usize::from(!upper)].extend(air);
    entries[0].extend(spans.legend(sheet.palette, &sheet.fonts, right - left, height));
    let [above, between] = entries.each_ref().map(|entries| legend::rows(entries, &sheet.fonts, right - left));
    let rows = |rows: &[Vec<_>]| if rows.is_empty() { GAP } else { rows.len() as f64 * legend::ROW + GAP };

    // Heights, from top to bottom.
    let above_height = if upper { rows(&above) } else { 0.0 };
    let between_height = if lower { rows(&between) } else { 0.0 };
    let gap = if upper && lower { GAP } else { 0.0 };
    let panels_height = (height - header - above_height - gap - between_height - blocked.height() - FOOTER).max(2.0);
    let upper_height = panels_height
        * if !lower {
            1.0
        } else if upper {
            UPPER
        } else {
            0.0
        };
    let top = header + above_height;
    let upper_area = Area { left, top, right, bottom: top + upper_height };
    let bottom = height - FOOTER - blocked.height();
    let lower_area = Area { left, top: top + upper_height + gap + between_height, right, bottom };

    if upper {
        legend::draw(&above, sheet, left, header);
        spans.shade(sheet, &upper_area, &x);
        frame::shade(sheet, &upper_area, &x, bad);
        let strip = spans.strip(&x, &sheet.fonts);
        sequence.draw(sheet, &upper_area, &x, strip);
        spans.number(sheet, &upper_area, &x);
    }
    if lower {
        legend::draw(&between, sheet, left, top + upper_height + gap);
        frame::shade(sheet, &lower_area, &x, bad);
        windows.draw(sheet, &lower_area, &x);
    }
    let lowest = if lower { lower_area } else { upper_area };
    blocked.draw(sheet, lowest.bottom, &x);
    frame::time_axis(sheet, &Area { bottom: lowest.bottom + blocked.height(), ..lowest }, &x);
}
