//! The panel of the queue: packets at the flow's bottleneck over time, of all flows.

use crate::contents::{PanelContents, PanelContext};
use crate::frame::{self, PanelArea, Sheet};
use crate::ink::Style;
use crate::legend::{LegendEntry, LegendSample};
use crate::palette::Palette;
use crate::queues::{QueueLength, find_bottleneck};
use crate::scale::AxisScale;
use crate::thin;

/// The contents of the panel.
pub(crate) struct QueuePanel {
    /// Name of the link, and names of the nodes from which and to which it leads; `None` if the flow's data crossed no
    /// link.
    place: Option<String>,
    length: QueueLength,
    /// The last number of packets before the view.
    before: u32,
    /// Maximum number of packets in the view.
    max: u32,
    /// The upper end of the axis.
    top: f64,
}

impl QueuePanel {
    /// Returns the queue of the hop at which packets spend the most time in the view, among hops with the flow's data.
    pub fn new(context: &PanelContext<'_>) -> Self {
        let PanelContext { view, stays, description, .. } = *context;
        let hop = find_bottleneck(stays, view.history.hops.iter().copied(), (view.from, view.to));
        let mut length = hop.and_then(|hop| stays.get(&hop)).map(|stays| QueueLength::of(stays)).unwrap_or_default();
        let before = length.changes.iter().take_while(|(at, _)| *at < view.from).last().map_or(0, |(_, n)| *n);
        length.changes.retain(|(at, _)| (view.from..=view.to).contains(at));
        let max = length.changes.iter().map(|(_, n)| *n).fold(before, u32::max);
        let place = hop.and_then(|hop| {
            let (link, direction) = (description.links.get(hop.link())?, hop.direction().index());
            let [from, to] = [link.between[direction], link.between[1 - direction]].map(|node| description.node(node));
            Some(format!("packets waiting or being sent: {}, {from} to {to}", link.name))
        });
        let top = context.axis.map_or(f64::from(max), |(_, shared)| shared);
        QueuePanel { place, length, before, max, top }
    }

    /// Describes the queue with its highest number of packets.
    fn describe_queue(&self) -> String {
        self.place.as_ref().map_or("queue: no packets".into(), |place| format!("{place}: at most {}", self.max))
    }
}

impl PanelContents for QueuePanel {
    fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        let place = self.place.clone().filter(|_| self.max > 0);
        place.map(|place| LegendEntry::new(LegendSample::Line(style_queue(palette)), place)).into_iter().collect()
    }

    fn axis(&self) -> (f64, f64) {
        (0.0, self.top)
    }

    fn about(&self) -> Option<String> {
        Some(self.describe_queue())
    }

    fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let y = AxisScale { lo: 0.0, hi: self.top.max(1.0) * 1.05, start: area.bottom, end: area.top };
        let mut values = frame::choose_value_ticks(&y, area.height(), 1.0);
        values.retain(|tick| tick.value.fract() == 0.0);
        frame::draw_axes(sheet, area, x, &y, &values, ["queue", "packets"]);
        if self.max == 0 {
            return frame::draw_empty_note(sheet, area);
        }
        let level = |length: u32| Some(y.place(f64::from(length)));
        let last = self.length.changes.last().map_or(self.before, |(_, length)| *length);
        let points = std::iter::once((x.place(x.lo), level(self.before)))
            .chain(self.length.changes.iter().map(|(at, length)| (x.place(*at), level(*length))))
            .chain(std::iter::once((x.place(x.hi), level(last))));
        sheet.path("queue", self.describe_queue(), thin::thin_step_line(points), style_queue(sheet.palette));
    }
}

fn style_queue(palette: &Palette) -> Style {
    Style::stroke(palette.notice, 1.4)
}
