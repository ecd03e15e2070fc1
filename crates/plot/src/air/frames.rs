//! Frames drawn one by one, and back-offs.
//!
//! Frames that begin an exchange are tall, responses low; frames with data or acknowledgments are filled, frames that
//! only reserve the medium hollow; damaged frames are hatched. No distinction depends on colour alone.

use std::collections::{BTreeMap, BTreeSet};

use path::mac::dcf::FrameKind;
use path::{MediumStationId, Reception};

use super::record::TransmittedFrame;
use super::rows::{StationRow, StationRows};
use super::view::MediumView;
use crate::frame::Sheet;
use crate::ink::{Anchor, Color, Path, Style, to_tenths};
use crate::legend::{LegendEntry, LegendSample};
use crate::mark::Mark;
use crate::palette::Palette;
use crate::scale::AxisScale;
use crate::text::{self, Weight};

/// Distance in pixels between the lines of a hatch.
const HATCH: f64 = 5.0;
/// Minimum width in pixels at which single slots are drawn.
const SLOT: f64 = 2.5;
/// Minimum width in pixels at which NAV reservations are drawn.
const RESERVED: f64 = 5.0;
/// Maximum width in pixels of a frame with a thinner outline, which would otherwise hide the filling of the frame.
const NARROW: f64 = 6.0;
/// Font size in pixels of labels in and below frames.
const LETTERS: u32 = 10;
/// Space in pixels next to a label.
const BESIDE: f64 = 3.0;
/// Half the width of a mark and the space next to it, in pixels.
const MARK: f64 = 8.0;

/// The frames and back-offs of a view.
pub(super) struct FrameLayer<'a> {
    view: &'a MediumView<'a>,
    names: &'a [&'a str],
}

impl<'a> FrameLayer<'a> {
    pub fn new(view: &'a MediumView<'a>, names: &'a [&'a str]) -> Self {
        FrameLayer { view, names }
    }

    fn has_frame(&self, is: impl Fn(&TransmittedFrame) -> bool) -> bool {
        self.view.frames().any(is)
    }

    /// Returns the kinds of frames in the view.
    fn kinds(&self) -> BTreeSet<FrameKind> {
        self.view.frames().map(|frame| frame.kind).collect()
    }

    /// Returns the legend entries of the elements that are visible.
    pub fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        let mut entries = Vec::new();
        for kind in self.kinds() {
            entries.push(LegendEntry::new(choose_legend_sample(kind, palette), kind.name()));
        }
        if self.has_frame(|frame| frame.again) {
            let aggregates = self.has_frame(|frame| frame.again && frame.kind == FrameKind::Aggregate);
            let what = if aggregates { "sent again, of an aggregate its first packet" } else { "sent again" };
            entries.push(LegendEntry::new(LegendSample::Line(style_retransmission(palette)), what));
        }
        for (mark, reception) in MARKS {
            if self.has_frame(|frame| frame.reception == Some(reception)) {
                entries.push(LegendEntry::new(LegendSample::Mark(mark), mark.label()));
            }
        }
        if self.has_frame(TransmittedFrame::is_damaged_in_part) {
            entries.push(LegendEntry::new(
                LegendSample::Mark(Mark::Damaged),
                "some of its packets corrupted by the channel",
            ));
        }
        if self.has_frame(|frame| frame.reserves > 0.0 && !frame.is_damaged()) {
            entries.push(LegendEntry::new(LegendSample::Line(style_reservation(palette)), "medium reserved (NAV)"));
        }
        if self.view.back_offs().any(|part| part.slots > 0) {
            entries.push(LegendEntry::new(LegendSample::Line(style_counted_slots(palette)), "back-off: slots counted"));
        }
        if self.view.back_offs().any(|part| part.slots == 0) {
            entries.push(LegendEntry::new(LegendSample::Line(style_frozen_back_off(palette)), "frozen"));
        }
        entries
    }

    /// Draws back-offs, reservations, frames, marks and labels.
    pub fn draw(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        self.draw_back_offs(sheet, rows, x);
        self.draw_reservations(sheet, rows, x);
        for kind in self.kinds() {
            self.draw_kind(sheet, rows, x, kind);
        }
        self.draw_damage(sheet, rows, x);
        self.draw_retransmissions(sheet, rows, x);
        self.draw_marks(sheet, rows, x);
        if rows.have_words() {
            self.draw_labels(sheet, rows, x);
            self.draw_back_off_labels(sheet, rows, x);
        }
    }

    fn draw_kind(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale, kind: FrameKind) {
        let (mut path, mut narrow) = (Path::default(), Path::default());
        let edged = matches!(kind, FrameKind::Aggregate | FrameKind::BlockAck);
        for frame in self.view.frames().filter(|frame| frame.kind == kind && !frame.is_damaged()) {
            let Some(row) = rows.row(frame.from) else { continue };
            let (left, right) = place_frame(x, frame);
            let hides = edged && right - left < to_tenths(NARROW);
            add_frame_rectangle(if hides { &mut narrow } else { &mut path }, x, frame, &row);
        }
        let (name, style) = (kind.name(), style_frame(kind, sheet.palette));
        for (path, style) in [(path, style), (narrow, style.with_scaled_width(0.5))] {
            sheet.path(name_frame_class(kind), format!("{name} frames"), path, style);
        }
    }

    fn draw_damage(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let (mut boxes, mut hatch) = (Path::default(), Path::default());
        for frame in self.view.frames().filter(|frame| frame.is_damaged()) {
            let Some(row) = rows.row(frame.from) else { continue };
            let area = add_frame_rectangle(&mut boxes, x, frame, &row);
            // In low rows a mark covers the frame instead.
            if rows.have_words() {
                draw_hatch(&mut hatch, area);
            }
        }
        let color = sheet.palette.lost;
        let outline = Style { fill: Some(sheet.palette.background), ..Style::stroke(color, 1.0) };
        sheet.path("damaged", "frames received damaged".into(), boxes, outline);
        sheet.path("", String::new(), hatch, Style::stroke(color, 0.8));
    }

    fn draw_retransmissions(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let mut path = Path::default();
        for frame in self.view.frames().filter(|frame| frame.again) {
            let Some(row) = rows.row(frame.from) else { continue };
            let (left, right) = place_frame(x, frame);
            let y = to_tenths(find_frame_top(frame.kind, &row) + 1.5);
            path.move_to(left, y).line_to(right, y);
        }
        sheet.path("again", "retransmitted frames".into(), path, style_retransmission(sheet.palette));
    }

    fn draw_reservations(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let mut path = Path::default();
        let heard = self.view.frames().filter(|frame| frame.reserves * x.per_unit() >= RESERVED && !frame.is_damaged());
        for frame in heard {
            let Some(row) = rows.row(frame.from) else { continue };
            let end = frame.end + frame.reserves;
            if !x.holds(frame.end) && !x.holds(end) {
                continue;
            }
            let y = to_tenths((find_frame_top(frame.kind, &row) + row.base) / 2.0);
            let (left, right) = (x.place(frame.end.max(x.lo)), x.place(end.min(x.hi)));
            path.move_to(left, y).line_to(right, y).move_to(right, y - 30).line_to(right, y + 30);
        }
        sheet.path("reserved", "time reserved by frames (NAV)".into(), path, style_reservation(sheet.palette));
    }

    fn draw_back_offs(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let (mut counted, mut still) = (Path::default(), Path::default());
        for part in self.view.back_offs() {
            let Some(row) = rows.row(part.station) else { continue };
            let (top, bottom) = (to_tenths(row.count.0), to_tenths(row.count.1));
            let (left, right) = (x.place(part.from.max(x.lo)), x.place(part.to.min(x.hi)));
            if part.slots == 0 {
                let y = (top + bottom) / 2;
                still.move_to(left, y).line_to(right, y);
                continue;
            }
            let slot = (part.to - part.from) / part.slots as f64;
            if slot * x.per_unit() < SLOT {
                counted.rect(left, top, (right - left).max(5), bottom - top);
                continue;
            }
            for number in 0..part.slots {
                let begin = part.from + slot * number as f64;
                if begin >= x.lo && begin + slot <= x.hi {
                    let (left, right) = (x.place(begin), x.place(begin + slot));
                    counted.rect(left + 3, top, (right - left - 6).max(5), bottom - top);
                }
            }
        }
        let palette = sheet.palette;
        sheet.path("standing", "frozen back-offs".into(), still, style_frozen_back_off(palette));
        sheet.path("counted", "slots of back-offs".into(), counted, Style::fill(palette.notice));
    }

    fn draw_marks(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let size = (rows.height() / 40.0).clamp(0.5, 1.0);
        for (mark, reception) in MARKS {
            let mut path = Path::default();
            for frame in self.view.frames().filter(|frame| frame.has_mark(reception)) {
                let Some(row) = rows.row(frame.from) else { continue };
                let (left, right) = place_frame(x, frame);
                mark.stamp(&mut path, ((left + right) / 2, to_tenths(row.marks)), size);
            }
            sheet.path(mark.class(), mark.label().into(), path, mark.style(sheet.palette).with_scaled_width(size));
        }
    }

    /// Labels each frame: inside if there is enough space, otherwise above if that space is free.
    fn draw_labels(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let mut of_rows: BTreeMap<MediumStationId, Vec<&TransmittedFrame>> = BTreeMap::new();
        self.view.frames().for_each(|frame| of_rows.entry(frame.from).or_default().push(frame));
        for (station, mut frames) in of_rows {
            let Some(row) = rows.row(station) else { continue };
            frames.sort_by(|a, b| a.start.total_cmp(&b.start));
            // Right end of the last label above the frames.
            let mut label_end = f64::NEG_INFINITY;
            for (place, frame) in frames.iter().enumerate() {
                let words = self.list_frame_labels(frame);
                let [left, right] = <[i32; 2]>::from(place_frame(x, frame)).map(|edge| f64::from(edge) / 10.0);
                let width = |words: &String| text::measure_width(words, LETTERS, Weight::Regular);
                let (top, palette) = (find_frame_top(frame.kind, &row), sheet.palette);
                let inside = words.iter().find(|words| width(words) <= right - left - 2.0 * BESIDE);
                if let Some(words) = inside.filter(|_| !frame.is_damaged()) {
                    let (at, color) =
                        ((left + BESIDE, (top + row.base) / 2.0 + 4.0), choose_label_color(frame.kind, palette));
                    sheet.text(at, Anchor::Start, LETTERS, Weight::Regular, color, words.clone());
                    continue;
                }
                // The label is on the right of the frame's own mark. It is above the next frame only if that frame is
                // low.
                let begin = if frame.is_marked() { (left + right) / 2.0 + MARK } else { left };
                let blocks = |next: &&&TransmittedFrame| {
                    top > row.tall || find_frame_top(next.kind, &row) < row.low || next.is_marked()
                };
                let next = frames[place + 1..].iter().find(blocks);
                let end = next.map_or(x.end, |next| {
                    let [left, right] = <[i32; 2]>::from(place_frame(x, next)).map(|edge| f64::from(edge) / 10.0);
                    let mark = if next.is_marked() { (left + right) / 2.0 - MARK } else { left };
                    left.min(mark) - BESIDE
                });
                let fits = |words: &&String| begin + width(words) <= end;
                if let Some(words) = words.iter().skip(1).find(fits).filter(|_| begin > label_end) {
                    label_end = begin + width(words) + BESIDE;
                    let at = (begin, top - 3.5);
                    sheet.text(at, Anchor::Start, LETTERS, Weight::Regular, palette.text, words.clone());
                }
            }
        }
    }

    /// Returns the possible labels of a frame, the longest first.
    fn list_frame_labels(&self, frame: &TransmittedFrame) -> Vec<String> {
        let (kind, number) = (frame.kind.name(), frame.packets.first());
        let to = self.names.get(frame.to.index()).copied().unwrap_or("?");
        if matches!(frame.kind, FrameKind::Aggregate | FrameKind::BlockAck) {
            return list_aggregate_labels(frame, to);
        }
        let again = if frame.again { " again" } else { "" };
        vec![
            format!("{kind} {number} to {to}{again}"),
            format!("{kind} {number}{again}"),
            format!("{kind} {number}"),
            kind.to_owned(),
        ]
    }

    /// Writes the number of drawn slots, if the label of the previous draw leaves enough space.
    fn draw_back_off_labels(&self, sheet: &mut Sheet, rows: &StationRows, x: &AxisScale) {
        let mut taken: BTreeMap<MediumStationId, f64> = BTreeMap::new();
        for draw in self.view.timeline.draws.iter().filter(|draw| x.holds(draw.at)) {
            let Some(row) = rows.row(draw.station) else { continue };
            let words = format!("{} of {}", draw.slots, draw.window);
            let width = text::measure_width(&words, LETTERS, Weight::Regular);
            let left = f64::from(x.place(draw.at)) / 10.0;
            let free = taken.get(&draw.station).is_none_or(|end| left >= *end + BESIDE);
            if free && left + width <= x.end + 20.0 {
                taken.insert(draw.station, left + width);
                let color = sheet.palette.faint;
                sheet.text((left, row.words), Anchor::Start, LETTERS, Weight::Regular, color, words);
            }
        }
    }
}

/// Returns the possible labels of an aggregate or block acknowledgment, the longest first: the number of packets, their
/// sequence numbers, and the number of damaged packets.
fn list_aggregate_labels(frame: &TransmittedFrame, to: &str) -> Vec<String> {
    let (kind, numbers) = (frame.kind.name(), frame.packets);
    let packets = match numbers.count() {
        1 => "1 packet".to_owned(),
        count => format!("{count} packets"),
    };
    let (first, last) = (numbers.first(), numbers.last().unwrap_or(numbers.first()));
    // The range has gaps if packets within it were received before.
    let gaps = last - first + 1 > u64::from(numbers.count());
    let which = format!("{} {first} to {last}", if gaps { " of" } else { "," });
    let damaged = match frame.damaged.count() {
        count if count > 0 && !frame.is_damaged() => format!(", {count} damaged"),
        _ => String::new(),
    };
    vec![
        format!("{kind} to {to}: {packets}{which}{damaged}"),
        format!("{kind}: {packets}{damaged}"),
        format!("{packets}{damaged}"),
        packets,
        kind.to_owned(),
    ]
}

/// The ways in which a frame may fail to be received, with their marks.
const MARKS: [(Mark, Reception); 3] = [
    (Mark::Collided, Reception::Collided),
    (Mark::Damaged, Reception::Corrupted),
    (Mark::OutOfRange, Reception::Unheard),
];

/// Returns the kind's CSS class, for style sheets and tests.
fn name_frame_class(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Data => "data-frame",
        FrameKind::Aggregate => "aggregate-frame",
        FrameKind::Ack => "ack-frame",
        FrameKind::BlockAck => "block-ack-frame",
        FrameKind::Rts => "rts-frame",
        FrameKind::Cts => "cts-frame",
        FrameKind::Beacon => "beacon-frame",
    }
}

fn style_frame(kind: FrameKind, palette: &Palette) -> Style {
    let hollow = |color: Color| Style { fill: Some(palette.background), ..Style::stroke(color, 1.6) };
    let edged = |color: Color| Style { fill: Some(color), ..Style::stroke(palette.text, 1.2) };
    match kind {
        FrameKind::Data => Style::fill(palette.sent),
        FrameKind::Aggregate => edged(palette.sent),
        FrameKind::Ack => Style::fill(palette.acked),
        FrameKind::BlockAck => edged(palette.acked),
        FrameKind::Rts => hollow(palette.sent),
        FrameKind::Cts => hollow(palette.acked),
        FrameKind::Beacon => hollow(palette.faint),
    }
}

/// Returns the text colour that is legible on a frame of this kind.
fn choose_label_color(kind: FrameKind, palette: &Palette) -> Color {
    match kind {
        FrameKind::Data | FrameKind::Aggregate | FrameKind::Ack | FrameKind::BlockAck => palette.background,
        FrameKind::Rts | FrameKind::Cts | FrameKind::Beacon => palette.text,
    }
}

fn choose_legend_sample(kind: FrameKind, palette: &Palette) -> LegendSample {
    if !kind.is_answer() {
        LegendSample::Band(style_frame(kind, palette))
    } else {
        LegendSample::LowBand(style_frame(kind, palette))
    }
}

fn style_retransmission(palette: &Palette) -> Style {
    Style::stroke(palette.again, 3.0)
}

fn style_reservation(palette: &Palette) -> Style {
    Style::stroke(palette.faint, 1.0).with_dashes(3.0, 2.0)
}

fn style_counted_slots(palette: &Palette) -> Style {
    Style::stroke(palette.notice, 6.0).with_dashes(2.4, 0.9)
}

fn style_frozen_back_off(palette: &Palette) -> Style {
    Style::stroke(palette.notice, 1.0)
}

fn find_frame_top(kind: FrameKind, row: &StationRow) -> f64 {
    if kind.is_answer() { row.low } else { row.tall }
}

/// Returns the frame's ends in tenths of a pixel: within the axis, and at least one pixel apart.
fn place_frame(x: &AxisScale, frame: &TransmittedFrame) -> (i32, i32) {
    let left = x.place(frame.start.max(x.lo)).min(to_tenths(x.end) - 10);
    (left, x.place(frame.end.min(x.hi)).max(left + 10))
}

/// Adds a frame's rectangle to `path` and returns its edges: left, top, right, bottom.
fn add_frame_rectangle(path: &mut Path, x: &AxisScale, frame: &TransmittedFrame, row: &StationRow) -> [i32; 4] {
    let (left, right) = place_frame(x, frame);
    let (top, bottom) = (to_tenths(find_frame_top(frame.kind, row)), to_tenths(row.base));
    path.rect(left, top, right - left, bottom - top);
    [left, top, right, bottom]
}

/// Draws a hatch of lines from lower left to upper right within a rectangle.
fn draw_hatch(path: &mut Path, [left, top, right, bottom]: [i32; 4]) {
    let step = to_tenths(HATCH);
    let mut sum = left + top + step / 2;
    while sum < right + bottom {
        let (x0, x1) = ((sum - bottom).max(left), (sum - top).min(right));
        if x1 > x0 {
            path.move_to(x0, sum - x0).line_to(x1, sum - x1);
        }
        sum += step;
    }
}
