//! Assembles the picture of a flow: heading, legends, panels, rows of blocking reasons, time axis.

use std::collections::BTreeMap;

use engine::Time;
use engine::quantity::format_percent;

use crate::blocked::BlockedRows;
use crate::budget;
use crate::contents::{PanelContents, PanelContext};
use crate::describe::{Description, FlowDescription};
use crate::frame::{self, PanelArea, Sheet};
use crate::goodput;
use crate::history::FlowHistory;
use crate::ink::{Anchor, Picture, Style};
use crate::legend::{self, LegendEntry, LegendSample};
use crate::mark::Mark;
use crate::options::{MIN_PANEL, MIN_SIZE, PictureOptions};
use crate::palette::Palette;
use crate::panel::Panel;
use crate::queues::Stays;
use crate::scale::{AxisScale, group_digits};
use crate::spans::VisibleIntervals;
use crate::text::{self, Weight};
use crate::view::FlowView;

const LEFT: f64 = 78.0;
pub(crate) const RIGHT: f64 = 24.0;
/// Space in pixels between the picture's left edge and the labels of a vertical axis.
const LABELS: f64 = 33.0;
/// Height in pixels of the heading with one row of text below it.
const HEADER: f64 = 56.0;
/// Height in pixels of each further row.
const ROW: f64 = 16.0;
/// Height in pixels of the labels of the time axis.
pub(crate) const FOOTER: f64 = 48.0;
/// Distance in pixels between a legend and its panel, and between panels.
pub(crate) const GAP: f64 = 8.0;

/// A flow of a run, and how it is drawn.
#[derive(Clone, Copy)]
pub(crate) struct PictureSubject<'a> {
    pub history: &'a FlowHistory,
    pub stays: &'a Stays,
    pub description: &'a Description,
    pub options: &'a PictureOptions,
}

impl<'a> PictureSubject<'a> {
    /// Returns the ends of the time axis in seconds.
    pub fn times(&self) -> (f64, f64) {
        let from = self.options.from.map_or(self.history.began, Time::as_secs_f64);
        (from, self.options.to.map_or(self.history.ended, Time::as_secs_f64))
    }

    fn view(&self, (from, to): (f64, f64), bin_width: Option<f64>) -> FlowView<'a> {
        let to = if to > from { to } else { from + 1.0 };
        let segment = self.description.flow(self.options.flow).segment.max(1);
        FlowView { history: self.history, from, to, segment, unit: self.options.unit, bin_width }
    }

    /// Returns `panels` with their contents. `size` is the estimated size of the panel of sequence numbers.
    fn build_panels<'b>(
        &self,
        panels: &[Panel],
        view: &'b FlowView<'a>,
        intervals: &'b VisibleIntervals<'a>,
        size: (f64, f64),
        shared: Option<&SharedAxes>,
    ) -> Vec<BuiltPanel<'b>>
    where
        'a: 'b,
    {
        let PictureSubject { stays, description, options, .. } = *self;
        let receiver_window = description.flow(options.flow).receiver_window.filter(|_| options.receiver_window);
        let has_sequence = panels.contains(&Panel::Sequence);
        let build = |panel: &Panel| {
            let axis = shared.and_then(|shared| shared.axes.get(panel).copied());
            let context =
                PanelContext { view, stays, description, receiver_window, intervals, has_sequence, size, axis };
            (*panel, (panel.row().build)(&context))
        };
        panels.iter().map(build).collect()
    }
}

/// A panel and its contents.
type BuiltPanel<'a> = (Panel, Box<dyn PanelContents + 'a>);

/// The axes that several pictures share.
pub(crate) struct SharedAxes {
    /// Width in seconds of the bins of rates.
    bin_width: f64,
    /// Lowest and highest value on the vertical axis of each panel.
    axes: BTreeMap<Panel, (f64, f64)>,
}

/// Returns the axes that pictures of all `subjects` with this time axis share. The bins of rates have the width of the
/// widest.
pub(crate) fn find_shared_axes(subjects: &[PictureSubject<'_>], times: (f64, f64)) -> SharedAxes {
    let width = |subject: &PictureSubject<'_>| goodput::find_bin_width(&subject.view(times, None));
    let bin_width = subjects.iter().map(width).fold(0.0, f64::max);
    let mut axes = BTreeMap::new();
    for subject in subjects {
        let view = subject.view(times, Some(bin_width));
        let intervals = VisibleIntervals::new(&view, &[]);
        for (panel, contents) in subject.build_panels(&Panel::ALL, &view, &intervals, (1.0, 1.0), None) {
            let (low, high) = contents.axis();
            let axis = axes.entry(panel).or_insert((low, high));
            *axis = (low.min(axis.0), high.max(axis.1));
        }
    }
    SharedAxes { bin_width, axes }
}

/// Draws a flow with its own axes. Every history and every combination of options gives a picture; it is empty if the
/// view has no events.
pub(crate) fn draw_flow(subject: PictureSubject<'_>) -> Picture {
    draw_flow_with_axes(subject, subject.times(), None)
}

/// Draws a flow with this time axis (seconds) and, if given, these vertical axes.
pub(crate) fn draw_flow_with_axes(
    subject: PictureSubject<'_>,
    times: (f64, f64),
    shared: Option<&SharedAxes>,
) -> Picture {
    let PictureSubject { description, options, .. } = subject;
    let flow = description.flow(options.flow);
    let view = subject.view(times, shared.map(|shared| shared.bin_width));
    let mut panels = Panel::ALL.to_vec();
    panels.retain(|panel| options.panels.contains(panel));
    let more = panels.len().saturating_sub(2) as u32;
    let (width, height) =
        (options.width.clamp(MIN_SIZE.0, 20_000), options.height.clamp(MIN_SIZE.1 + more * MIN_PANEL, 20_000));
    let palette = Palette::of(options.theme);
    let mut sheet = Sheet { palette, width: f64::from(width), shapes: Vec::new() };
    let ends = format!("{} to {}", description.node(flow.from), description.node(flow.to));
    let title = options.title.clone().unwrap_or_else(|| match flow.from {
        usize::MAX => flow.name.clone(),
        _ => format!("{}: {ends}", flow.name),
    });
    let parts: Vec<String> = options.ran.iter().cloned().chain(summarize_flow(&view, &flow)).collect();
    let marked: &[_] = if panels.contains(&Panel::Sequence) { &options.spans } else { &[] };
    let intervals = VisibleIntervals::new(&view, marked);
    let share = if panels.contains(&Panel::Window) { 0.45 } else { 0.75 };
    let size = (sheet.width - LEFT - RIGHT, f64::from(height) * share);
    let panels = subject.build_panels(&panels, &view, &intervals, size, shared);
    draw_panels(&mut sheet, (&view, &intervals), &panels, options, (&title, &parts), f64::from(height));
    let budget = options.budget.iter().map(|share| format!("{} {}", share.name, format_percent(share.share)));
    let counts = panels.iter().flat_map(|(_, contents)| contents.list_counts());
    let abouts = panels.iter().filter_map(|(_, contents)| contents.about());
    let about: Vec<String> = parts.iter().cloned().chain(counts).chain(budget).chain(abouts).collect();
    Picture { width, height, background: palette.background, title, about: about.join(DOT), shapes: sheet.shapes }
}

/// Returns the counts of events in the view, as the parts of the line below the heading.
fn summarize_flow(view: &FlowView<'_>, flow: &FlowDescription) -> Vec<String> {
    let history = view.history;
    let sent = view.within(&history.sent, |sent| sent.at);
    let again = sent.iter().filter(|sent| sent.again).count();
    let mut parts = Vec::new();
    if flow.segment > 1 {
        parts.push(format!("segments of {} B", flow.segment));
    }
    parts.push(format!("{} sent", group_digits(sent.len() as u64)));
    let rest = [
        (again, "of them again", "of them again"),
        (view.list_spots(Mark::Lost).len(), "lost", "lost"),
        (view.list_spots(Mark::FastRetransmit).len(), "recovery", "recoveries"),
        (view.list_spots(Mark::Timeout).len(), "timeout", "timeouts"),
    ];
    for (count, one, many) in rest.into_iter().filter(|(count, ..)| *count > 0) {
        parts.push(format!("{} {}", group_digits(count as u64), if count == 1 { one } else { many }));
    }
    parts
}

/// Separator between the parts of the line below the heading.
pub(crate) const DOT: &str = " \u{b7} ";

/// Draws the heading and, below it, `parts` in rows of the picture's width. Returns the lower edge in pixels.
pub(crate) fn draw_header(sheet: &mut Sheet, left: f64, title: &str, parts: &[String]) -> f64 {
    let (available, palette) = (sheet.width - left - RIGHT, sheet.palette);
    let title = text::fit_text(title, 16, Weight::Bold, available);
    sheet.text((left, 27.0), Anchor::Start, 16, Weight::Bold, palette.text, title);
    let mut rows: Vec<String> = Vec::new();
    for part in parts {
        let longer = rows.last().map(|row| format!("{row}{DOT}{part}"));
        match (rows.last_mut(), longer.filter(|row| text::measure_width(row, 12, Weight::Regular) <= available)) {
            (Some(row), Some(longer)) => *row = longer,
            _ => rows.push(part.clone()),
        }
    }
    for (i, row) in rows.iter().enumerate() {
        let row = text::fit_text(row, 12, Weight::Regular, available);
        sheet.text((left, 46.0 + ROW * i as f64), Anchor::Start, 12, Weight::Regular, palette.faint, row);
    }
    HEADER + ROW * rows.len().saturating_sub(1) as f64
}

/// Draws the heading, the panels with their legends, the rows of blocking reasons and the time axis.
fn draw_panels(
    sheet: &mut Sheet,
    (view, intervals): (&FlowView<'_>, &VisibleIntervals<'_>),
    panels: &[BuiltPanel<'_>],
    options: &PictureOptions,
    (title, parts): (&str, &[String]),
    height: f64,
) {
    let labels = panels.iter().map(|(_, contents)| contents.label_width()).fold(0.0, f64::max);
    let (left, right) = (LEFT.max(labels + LABELS), sheet.width - RIGHT);
    let header = draw_header(sheet, left, title, parts);
    let header = budget::draw_time_shares(sheet, (left, right), header, &options.budget);
    let x = AxisScale { lo: view.from, hi: view.to, start: left, end: right };
    let blocked = BlockedRows::new(view, options.blocked);
    let bad = view.bad();
    let too_fine = frame::is_too_fine(&x, bad);
    let bad = if too_fine { &[] } else { bad };

    let legend = |(panel, contents): &BuiltPanel<'_>| (panel.row().weight, contents.legend(sheet.palette));
    let mut all: Vec<(f64, Vec<LegendEntry>)> = panels.iter().map(legend).collect();
    if let Some((_, entries)) = all.first_mut() {
        entries.extend(build_air_entry(sheet.palette, too_fine, bad));
        entries.extend(intervals.legend(sheet.palette, right - left, height));
    }
    let placed = place_panels(&all, (left, right), (header, height - FOOTER - blocked.height()));
    for (index, ((area, top, rows), (_, contents))) in placed.iter().zip(panels).enumerate() {
        legend::draw_legend_rows(rows, sheet, left, *top);
        if index == 0 {
            intervals.shade(sheet, area, &x);
        }
        frame::shade_bad_intervals(sheet, area, &x, bad);
        contents.draw(sheet, area, &x);
    }
    let Some((lowest, ..)) = placed.last() else { return };
    blocked.draw(sheet, lowest.bottom, &x);
    frame::draw_time_axis(sheet, &PanelArea { bottom: lowest.bottom + blocked.height(), ..*lowest }, &x);
}

/// Returns the legend entry of the channel's BAD intervals, if there are any in the view.
fn build_air_entry(palette: &Palette, too_fine: bool, bad: &[(f64, f64)]) -> Option<LegendEntry> {
    match (too_fine, bad.is_empty()) {
        (true, _) => Some(LegendEntry::new(LegendSample::Note, "BAD intervals not shaded: zoom in")),
        (false, false) => Some(LegendEntry::new(LegendSample::Band(Style::fill(palette.bad)), "air BAD")),
        (false, true) => None,
    }
}

/// A panel's area, the upper edge of its legend, and the rows of the legend.
pub(crate) type Placed<'a> = (PanelArea, f64, Vec<Vec<(f64, &'a LegendEntry)>>);

/// Distributes the height between `top` and `bottom` over panels with these weights and legends.
pub(crate) fn place_panels<'a>(
    all: &'a [(f64, Vec<LegendEntry>)],
    (left, right): (f64, f64),
    (top, bottom): (f64, f64),
) -> Vec<Placed<'a>> {
    let legends: Vec<_> = all.iter().map(|(_, entries)| legend::arrange_entries(entries, right - left)).collect();
    let height_of = |rows: &[Vec<_>]| if rows.is_empty() { GAP } else { rows.len() as f64 * legend::ROW + GAP };
    let used = legends.iter().map(|rows| height_of(rows)).sum::<f64>() + GAP * all.len().saturating_sub(1) as f64;
    let weights: f64 = all.iter().map(|(weight, _)| weight).sum();
    let available = (bottom - top - used).max(2.0);
    let mut next = top;
    let mut placed = Vec::new();
    for ((weight, _), rows) in all.iter().zip(legends) {
        let area_top = next + height_of(&rows);
        let area_bottom = area_top + available * weight / weights;
        let area = PanelArea { left, top: area_top, right, bottom: area_bottom };
        placed.push((area, next, rows));
        next = area_bottom + GAP;
    }
    if let Some((last, ..)) = placed.last_mut() {
        last.bottom = bottom;
    }
    placed
}
