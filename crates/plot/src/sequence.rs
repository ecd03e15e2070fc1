//! The upper panel: sequence numbers over time.

use std::ops::RangeBounds;

use path::agent::Effect;

use crate::contents::{PanelContents, PanelContext};
use crate::frame::{self, PanelArea, Sheet};
use crate::history::{FlowHistory, PlottedSegment, SchemeAct};
use crate::ink::{Path, Style, to_tenths};
use crate::legend::{LegendEntry, LegendSample};
use crate::mark::{ColorRole, Mark, MarkLayer, MarkRow, PacketRole};
use crate::palette::Palette;
use crate::scale::{AxisScale, AxisTick, group_digits};
use crate::spans::VisibleIntervals;
use crate::thin;
use crate::unit::UnitSize;
use crate::view::FlowView;

/// Corrupted frames are drawn up to this number per 100 pixels of width.
const FRAMES: f64 = 60.0;
/// Minimum height in pixels of a segment that is drawn as a bar from its first to its last byte.
const BAR: f64 = 4.0;
/// Length in pixels of the tick for a duplicate acknowledgment.
const TICK: f64 = 5.0;

/// Distance in pixels from the lower edge of the panel to the actions of schemes that are about no packet.
const EDGE: f64 = 7.0;

/// The contents of the sequence panel.
pub(crate) struct SequencePanel<'a> {
    view: &'a FlowView<'a>,
    history: &'a FlowHistory,
    intervals: &'a VisibleIntervals<'a>,
    /// Estimated height in pixels.
    height: f64,
    /// Lowest and highest sequence number on the axis.
    range: (f64, f64),
    draws_frames: bool,
    /// True if segments are drawn as bars from first to last byte; false for dots.
    bars: bool,
}

/// The actions of one kind in the view.
struct ActionKind<'a> {
    effect: Effect,
    label: &'static str,
    acts: &'a [SchemeAct],
}

impl ActionKind<'_> {
    /// The label with the number of actions.
    fn title(&self) -> String {
        format!("{}: {}", self.label, group_digits(self.acts.len() as u64))
    }
}

impl<'a> SequencePanel<'a> {
    /// Returns the contents of the panel.
    pub fn new(context: &PanelContext<'a>) -> Self {
        let PanelContext { view, intervals, size: (width, height), .. } = *context;
        let history = view.history;
        let draws_frames = view.list_spots(Mark::Corrupted).len() as f64 <= FRAMES * width / 100.0;
        let range = context.axis.unwrap_or_else(|| find_sequence_range(view));
        let bars = f64::from(view.segment) * height / (range.1 - range.0) >= BAR;
        SequencePanel { view, history, intervals, height, range, draws_frames, bars }
    }

    /// Returns the visible marks of this kind as times (seconds) and sequence numbers.
    fn locate_marks(&self, mark: Mark) -> Box<dyn Iterator<Item = (f64, f64)> + 'a> {
        let half = if mark.row().on_border { 0.0 } else { f64::from(self.view.segment) / 2.0 };
        match mark {
            Mark::Resent => {
                let again = self.list_segments().iter().filter(|sent| sent.again);
                Box::new(again.map(|sent| (sent.at, sent.seq as f64 + f64::from(sent.len) / 2.0)))
            }
            Mark::Corrupted if !self.draws_frames => Box::new(std::iter::empty()),
            _ => Box::new(self.view.list_spots(mark).iter().map(move |spot| (spot.at, spot.seq as f64 + half))),
        }
    }

    /// Returns the kinds of visible marks, ordered by colour and, of one colour, from the heaviest to the lightest.
    fn list_visible_marks(&self) -> Vec<Mark> {
        let visible = |mark: &Mark| mark.row().layer.is_some() && self.locate_marks(*mark).next().is_some();
        let mut marks: Vec<Mark> = Mark::ALL.iter().copied().filter(visible).collect();
        marks.sort_by(|a, b| a.row().role.cmp(&b.row().role).then(b.row().width.total_cmp(&a.row().width)));
        marks
    }

    /// Returns the kinds of actions in the view, each with its actions.
    fn actions(&self) -> impl Iterator<Item = ActionKind<'a>> {
        let kinds = self.history.actions.iter().map(|((effect, label), acts)| ActionKind {
            effect: *effect,
            label,
            acts: self.view.within(acts, |act| act.at),
        });
        kinds.filter(|kind| !kind.acts.is_empty())
    }

    fn segment_style(&self, palette: &Palette) -> Style {
        let style = Style::stroke(palette.sent, 2.1);
        if self.bars { style } else { style.with_round_ends() }
    }

    fn list_segments(&self) -> &'a [PlottedSegment] {
        self.view.within(&self.history.sent, |sent| sent.at)
    }

    /// Returns the vertical axis from `bottom` to `top`, its unit and its ticks.
    fn scale_axis(&self, bottom: f64, top: f64) -> (AxisScale, UnitSize, Vec<AxisTick>) {
        let (lo, hi) = self.range;
        let y = AxisScale { lo, hi, start: bottom, end: top };
        let measure = UnitSize::of(self.view.unit, self.view.segment, lo, hi);
        (y, measure, frame::choose_value_ticks(&y, bottom - top, measure.bytes))
    }

    fn draw_acks(&self, sheet: &mut Sheet, x: &AxisScale, y: &AxisScale) {
        let (view, acks) = (self.view, &self.history.acks);
        let style = style_acks(sheet.palette);
        let visible = view.within(acks, |ack| ack.at);
        if view.is_empty() {
            return;
        }
        let (begin, end) = view.life();
        let before = acks[..acks.partition_point(|ack| ack.at < begin)].last().map_or(0, |ack| ack.ack);
        let level = |ack: u64| Some(y.place(ack as f64));
        let points = std::iter::once((x.place(begin), level(before)))
            .chain(visible.iter().map(|ack| (x.place(ack.at), level(ack.ack))))
            .chain(std::iter::once((x.place(end), visible.last().map_or(level(before), |a| level(a.ack)))));
        sheet.path("ack", format!("{} acknowledgments", visible.len()), thin::thin_step_line(points), style);
        let duplicates =
            visible.iter().filter(|ack| ack.duplicate).map(|ack| (x.place(ack.at), y.place(ack.ack as f64)));
        let mut ticks = Path::default();
        for (at, level) in thin::thin_marks(duplicates) {
            ticks.move_to(at, level).line_to(at, level + to_tenths(TICK));
        }
        sheet.path("duplicate", "duplicate acknowledgments".into(), ticks, style);
    }

    fn draw_segments(&self, sheet: &mut Sheet, x: &AxisScale, y: &AxisScale) {
        let bars = self.bars;
        let (mut once, mut again) = (Path::default(), Path::default());
        let draw = |path: &mut Path, (at, middle): (i32, i32), height: i32| {
            path.move_to(at, middle + height / 2).line_to(at, middle + height / 2 - height);
        };
        let place = |sent: &PlottedSegment| (x.place(sent.at), y.place(sent.seq as f64 + f64::from(sent.len) / 2.0));
        // The bar is one pixel shorter than the segment, so that neighbouring bars stay separate.
        let height = |len: u32| if bars { to_tenths(-y.per_unit() * f64::from(len) - 1.0).max(20) } else { 0 };
        let sent = self.list_segments();
        let first = sent.iter().filter(|sent| !sent.again);
        if bars {
            let mut taken = std::collections::BTreeSet::new();
            for sent in first {
                let (at, middle) = place(sent);
                if taken.insert((at, middle)) {
                    draw(&mut once, (at, middle), height(sent.len));
                }
            }
            for sent in sent.iter().filter(|sent| sent.again) {
                draw(&mut again, place(sent), height(sent.len));
            }
        } else {
            for place in thin::thin_marks(first.map(place)) {
                draw(&mut once, place, 0);
            }
        }
        let total = sent.iter().filter(|sent| !sent.again).count() as u64;
        let style = self.segment_style(sheet.palette);
        sheet.path("sent", format!("{} segments sent for the first time", group_digits(total)), once, style);
        sheet.path("", String::new(), again, Style::stroke(sheet.palette.again, 2.4));
    }

    /// Draws the actions whose marks have this layer; those without a position at the lower edge.
    fn draw_actions(&self, layer: MarkLayer, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale, y: &AxisScale) {
        let half = f64::from(self.view.segment) / 2.0;
        let level = |act: &SchemeAct| match act.role {
            Some(PacketRole::Data(seq)) => y.place(seq as f64 + half),
            Some(PacketRole::Ack(ack)) => y.place(ack as f64),
            None => to_tenths(area.bottom - EDGE),
        };
        let marks = self.actions().map(|kind| (Mark::of_action(kind.effect), kind));
        for (mark, kind) in marks.filter(|(mark, _)| mark.row().layer == Some(layer)) {
            let places = thin::thin_marks(kind.acts.iter().map(|act| (x.place(act.at), level(act))));
            let size = scale_marks(places.len(), area.width());
            let mut path = Path::default();
            for place in places {
                mark.stamp(&mut path, place, size);
            }
            sheet.path(mark.class(), kind.title(), path, mark.style(sheet.palette).with_scaled_width(size));
        }
    }

    /// Draws the marks of these layers, other than actions.
    fn draw_marks(
        &self,
        layers: impl RangeBounds<MarkLayer>,
        sheet: &mut Sheet,
        area: &PanelArea,
        x: &AxisScale,
        y: &AxisScale,
    ) {
        let mut rows: Vec<(Mark, &MarkRow)> = Mark::ALL.iter().map(|mark| (*mark, mark.row())).collect();
        rows.retain(|(_, row)| row.layer.is_some_and(|layer| layers.contains(&layer)));
        rows.sort_by_key(|(_, row)| row.layer);
        let locate = |mark| self.locate_marks(mark).map(|(at, seq)| (x.place(at), y.place(seq))).collect::<Vec<_>>();
        let places: Vec<_> = rows.iter().map(|(mark, _)| locate(*mark)).collect();
        let count: usize =
            rows.iter().zip(&places).filter(|((_, row), _)| !row.is_frequent).map(|(_, p)| p.len()).sum();
        let size = scale_marks(count, area.width());
        for ((mark, row), places) in rows.into_iter().zip(places) {
            let title = format!("{}: {}", row.label, group_digits(places.len() as u64));
            let size = if row.is_frequent { scale_marks(places.len(), area.width()) } else { size };
            let places = if row.is_frequent { thin::thin_marks(places) } else { thin::merge_equal_marks(places) };
            let mut path = Path::default();
            for place in places {
                mark.stamp(&mut path, place, size);
            }
            sheet.path(mark.class(), title, path, mark.style(sheet.palette).with_scaled_width(size));
        }
    }
}

impl PanelContents for SequencePanel<'_> {
    fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        let mut entries = Vec::new();
        if !self.list_segments().is_empty() {
            entries.push(LegendEntry::new(LegendSample::Bar(self.segment_style(palette)), "segment sent"));
        }
        let marks = self.list_visible_marks();
        let (again, others) = marks.split_at(marks.partition_point(|mark| mark.row().role == ColorRole::Again));
        let mark_entry = |mark: &Mark| LegendEntry::new(LegendSample::Mark(*mark), mark.label());
        entries.extend(again.iter().map(mark_entry));
        if !self.view.is_empty() {
            let duplicates = self.view.within(&self.history.acks, |ack| ack.at).iter().any(|ack| ack.duplicate);
            let style = style_acks(palette);
            entries.push(if duplicates {
                LegendEntry::new(LegendSample::TickedLine(style), "ACK (ticks: duplicates)")
            } else {
                LegendEntry::new(LegendSample::Line(style), "ACK")
            });
        }
        entries.extend(others.iter().map(mark_entry));
        entries.extend(
            self.actions().map(|kind| LegendEntry::new(LegendSample::Mark(Mark::of_action(kind.effect)), kind.label)),
        );
        if !self.draws_frames {
            let frames = group_digits(self.view.list_spots(Mark::Corrupted).len() as u64);
            entries.push(LegendEntry::new(LegendSample::Note, format!("{frames} corrupted frames not drawn: zoom in")));
        }
        entries
    }

    fn axis(&self) -> (f64, f64) {
        self.range
    }

    fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let (y, measure, values) = self.scale_axis(area.bottom, area.top + self.intervals.strip(x));
        frame::draw_axes(sheet, area, x, &y, &values, ["sequence number", measure.name]);
        self.draw_actions(MarkLayer::BelowAcks, sheet, area, x, &y);
        self.draw_acks(sheet, x, &y);
        self.draw_marks(..=MarkLayer::BelowSegments, sheet, area, x, &y);
        self.draw_segments(sheet, x, &y);
        self.draw_actions(MarkLayer::Actions, sheet, area, x, &y);
        self.draw_marks(MarkLayer::Frames.., sheet, area, x, &y);
        if self.view.is_empty() {
            frame::draw_empty_note(sheet, area);
        }
        self.intervals.number(sheet, area, x);
    }

    /// Counts the schemes' actions.
    fn list_counts(&self) -> Vec<String> {
        self.actions().map(|kind| kind.title()).collect()
    }

    /// Sequence numbers late in a long transfer have wide labels.
    fn label_width(&self) -> f64 {
        frame::measure_widest_label(&self.scale_axis(self.height, 0.0).2)
    }
}

/// Returns the scale of marks, 0.4 to 1, if `count` of them share `width` pixels.
pub(crate) fn scale_marks(count: usize, width: f64) -> f64 {
    (width / (8.0 * count.max(1) as f64)).sqrt().clamp(0.4, 1.0)
}

fn style_acks(palette: &Palette) -> Style {
    Style::stroke(palette.acked, 1.3)
}

/// Returns the sequence numbers between which all visible events lie, with a margin of 4 %.
fn find_sequence_range(view: &FlowView<'_>) -> (f64, f64) {
    let history = view.history;
    let (mut lo, mut hi) = (f64::INFINITY, 0.0f64);
    let mut include = |from: u64, to: u64| {
        lo = lo.min(from as f64);
        hi = hi.max(to as f64);
    };
    let segment = u64::from(view.segment);
    for sent in view.within(&history.sent, |sent| sent.at) {
        include(sent.seq, sent.seq + u64::from(sent.len));
    }
    let of_segments = history.spots.keys().filter(|mark| !mark.row().on_border);
    for spot in of_segments.flat_map(|mark| view.list_spots(*mark)) {
        include(spot.seq, spot.seq + segment);
    }
    for act in history.actions.values().flat_map(|acts| view.within(acts, |act| act.at)) {
        if let Some(PacketRole::Data(seq)) = act.role {
            include(seq, seq + segment);
        }
    }
    let acks = &history.acks;
    let before = acks[..acks.partition_point(|ack| ack.at < view.from)].last();
    for ack in before.into_iter().chain(view.within(acks, |ack| ack.at)) {
        include(ack.ack, ack.ack);
    }
    if lo > hi {
        return (0.0, 4.0 * f64::from(view.segment.max(250)));
    }
    let hi = hi.max(lo + 4.0 * segment as f64);
    let margin = 0.04 * (hi - lo);
    ((lo - margin).max(0.0), hi + margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::Description;
    use crate::history::Spot;
    use crate::ink::PictureShape;
    use crate::palette::Theme;
    use crate::queues::Stays;
    use crate::unit::AxisUnit;

    #[test]
    fn every_mark_of_the_panel_is_drawn_and_explained() {
        let sent = vec![PlottedSegment { at: 1.0, seq: 0, len: 1000, again: true }];
        let mut history = FlowHistory { sent, first_sent: Some(1.0), ended: 9.0, ..FlowHistory::default() };
        let marks = || Mark::ALL.iter().filter(|mark| mark.row().layer.is_some() && !mark.label().is_empty());
        history.spots.extend(marks().map(|mark| (*mark, vec![Spot { at: 2.0, seq: 1000 }])));
        let view =
            FlowView { history: &history, from: 0.0, to: 9.0, segment: 1000, unit: AxisUnit::Bytes, bin_width: None };
        let (stays, description) = (Stays::new(), Description::default());
        let intervals = VisibleIntervals::new(&view, &[]);
        let panel = SequencePanel::new(&PanelContext {
            view: &view,
            stays: &stays,
            description: &description,
            receiver_window: None,
            intervals: &intervals,
            has_sequence: true,
            size: (900.0, 400.0),
            axis: None,
        });
        let palette = Palette::of(Theme::Light);
        let mut sheet = Sheet { palette, width: 1000.0, shapes: Vec::new() };
        let area = PanelArea { left: 0.0, top: 0.0, right: 900.0, bottom: 400.0 };
        panel.draw(&mut sheet, &area, &AxisScale { lo: 0.0, hi: 9.0, start: 0.0, end: 900.0 });
        let legend = panel.legend(palette);
        for mark in marks() {
            let has_class =
                |shape: &PictureShape| matches!(shape, PictureShape::Path { class, .. } if *class == mark.class());
            assert_eq!(sheet.shapes.iter().filter(|shape| has_class(shape)).count(), 1, "{mark:?}");
            assert_eq!(legend.iter().filter(|entry| entry.label == mark.label()).count(), 1, "{mark:?}");
        }
    }
}
