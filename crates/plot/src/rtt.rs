//! The panel of round trips: samples, the smoothed RTT and the retransmission timeout over time.

use engine::Quantity;

use crate::contents::{PanelContents, PanelContext};
use crate::frame::{self, PanelArea, Sheet};
use crate::history::Rtt;
use crate::ink::{Path, Style};
use crate::legend::{LegendEntry, LegendSample};
use crate::palette::Palette;
use crate::scale::AxisScale;
use crate::thin;
use crate::view::FlowView;

/// Timeouts longer than this multiple of the longest round trip lie above the axis, because they would flatten the
/// samples.
const FAR: f64 = 3.0;
/// Time in seconds from which on the axis is labelled in seconds. Below this time it is labelled in milliseconds.
const SECONDS: f64 = 5.0;

/// The contents of the panel.
pub(crate) struct RttPanel<'a> {
    view: &'a FlowView<'a>,
    samples: &'a [Rtt],
    /// Changes of the timeout (seconds) in the view, preceded by the last change before the view.
    timeouts: &'a [(f64, f64)],
    /// The upper end of the axis in seconds.
    top: f64,
}

impl<'a> RttPanel<'a> {
    /// Returns the contents of the panel.
    pub fn new(context: &PanelContext<'a>) -> Self {
        let view = context.view;
        let history = view.history;
        let samples = view.within(&history.rtts, |sample| sample.at);
        let first = history.rtos.partition_point(|(at, _)| *at < view.from).saturating_sub(1);
        let last = history.rtos.partition_point(|(at, _)| *at <= view.to);
        let timeouts = if first < last && !view.is_empty() { &history.rtos[first..last] } else { &[] };
        let longest = samples.iter().map(|sample| sample.rtt.max(sample.srtt)).fold(0.0, f64::max);
        let near = |rto: &f64| longest == 0.0 || *rto <= FAR * longest;
        let highest = timeouts.iter().map(|(_, rto)| *rto).filter(near).fold(longest, f64::max);
        let top = if highest > 0.0 { highest } else { 1.0 };
        let top = context.axis.map(|(_, shared)| shared).filter(|shared| *shared > 0.0).unwrap_or(top);
        RttPanel { view, samples, timeouts, top }
    }

    /// Returns the label of the timeout, with the values that lie above the axis.
    fn timeout_label(&self) -> String {
        let above = || self.timeouts.iter().map(|(_, rto)| *rto).filter(|rto| *rto > self.top);
        let (low, high) = (above().fold(f64::INFINITY, f64::min), above().fold(0.0, f64::max));
        let [lowest, highest] = [low, high].map(|time| Quantity::Time.format_brief(time));
        match above().next() {
            None => "RTO".into(),
            Some(_) if low == high => format!("RTO (above the scale: {lowest})"),
            Some(_) => format!("RTO (above the scale: {lowest} to {highest})"),
        }
    }
}

impl PanelContents for RttPanel<'_> {
    fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        let mut entries = Vec::new();
        if !self.samples.is_empty() {
            entries.push(LegendEntry::new(LegendSample::Bar(style_rtt_samples(palette)), "RTT sample"));
            entries.push(LegendEntry::new(LegendSample::Line(style_smoothed_rtt(palette)), "smoothed RTT"));
        }
        if !self.timeouts.is_empty() {
            entries.push(LegendEntry::new(LegendSample::Line(style_timeout(palette)), self.timeout_label()));
        }
        entries
    }

    /// Returns 0 as the upper end without values.
    fn axis(&self) -> (f64, f64) {
        (0.0, if self.samples.is_empty() && self.timeouts.is_empty() { 0.0 } else { self.top })
    }

    fn about(&self) -> Option<String> {
        let times = || self.samples.iter().map(|sample| sample.rtt);
        Some(match self.samples.len() {
            0 => "RTT: no sample".into(),
            n => {
                let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
                let [lowest, highest] = [low, high].map(|time| Quantity::Time.format_brief(time));
                format!("RTT: {n} samples, {lowest} to {highest}")
            }
        })
    }

    fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let (unit, name) = if self.top >= SECONDS { (1.0, "s") } else { (1e-3, "ms") };
        let y = AxisScale { lo: 0.0, hi: self.top * 1.05, start: area.bottom, end: area.top };
        let values = frame::choose_value_ticks(&y, area.height(), unit);
        frame::draw_axes(sheet, area, x, &y, &values, ["RTT", name]);
        let place = |value: f64| Some(value).filter(|value| y.holds(*value)).map(|value| y.place(value));
        let (begin, end) = self.view.life();
        let last = self.timeouts.last().map(|(_, rto)| (x.place(end), place(*rto)));
        let timeouts = self.timeouts.iter().map(|(at, rto)| (x.place(at.max(begin)), place(*rto))).chain(last);
        sheet.path(
            "rto",
            "retransmission timeout".into(),
            thin::thin_step_line(timeouts),
            style_timeout(sheet.palette),
        );
        let smooth = self.samples.iter().map(|sample| (x.place(sample.at), place(sample.srtt)));
        sheet.path("srtt", "smoothed RTT".into(), thin::thin_step_line(smooth), style_smoothed_rtt(sheet.palette));
        let mut dots = Path::default();
        for (at, level) in thin::thin_marks(self.samples.iter().map(|s| (x.place(s.at), y.place(s.rtt)))) {
            dots.move_to(at, level).line_to(at, level);
        }
        sheet.path("rtt", format!("{} RTT samples", self.samples.len()), dots, style_rtt_samples(sheet.palette));
        if self.samples.is_empty() && self.timeouts.is_empty() {
            frame::draw_empty_note(sheet, area);
        }
    }
}

fn style_rtt_samples(palette: &Palette) -> Style {
    Style::stroke(palette.sent, 2.4).with_round_ends()
}

fn style_smoothed_rtt(palette: &Palette) -> Style {
    Style::stroke(palette.acked, 1.3)
}

fn style_timeout(palette: &Palette) -> Style {
    Style::stroke(palette.ssthresh, 1.6).with_dashes(6.0, 3.0)
}
