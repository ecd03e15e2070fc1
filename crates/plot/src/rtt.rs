//! The panel of round trips: samples, the smoothed RTT and the retransmission timeout over time.

use crate::contents::Contents;
use crate::frame::{self, Area, Sheet};
use crate::history::Rtt;
use crate::ink::{Path, Style};
use crate::legend::{Entry, Sample};
use crate::palette::Palette;
use crate::scale::Scale;
use crate::thin;
use crate::view::View;

/// Timeouts longer than this multiple of the longest round trip lie above the axis, because they would flatten the
/// samples.
const FAR: f64 = 3.0;
/// From this time (seconds) on the axis is labelled in seconds, below it in milliseconds.
const SECONDS: f64 = 5.0;

/// The contents of the panel.
pub(crate) struct Rtts<'a> {
    view: &'a View<'a>,
    samples: &'a [Rtt],
    /// Changes of the timeout (seconds) in the view, preceded by the last one before it.
    timeouts: &'a [(f64, f64)],
    /// The upper end of the axis in seconds.
    top: f64,
}

impl<'a> Rtts<'a> {
    /// Returns the contents for `view`.
    pub fn new(view: &'a View<'a>) -> Self {
        let history = view.history;
        let samples = view.within(&history.rtts, |sample| sample.at);
        let first = history.rtos.partition_point(|(at, _)| *at < view.from).saturating_sub(1);
        let last = history.rtos.partition_point(|(at, _)| *at <= view.to);
        let timeouts = if first < last && !view.is_empty() { &history.rtos[first..last] } else { &[] };
        let longest = samples.iter().map(|sample| sample.rtt.max(sample.srtt)).fold(0.0, f64::max);
        let near = |rto: &f64| longest == 0.0 || *rto <= FAR * longest;
        let highest = timeouts.iter().map(|(_, rto)| *rto).filter(near).fold(longest, f64::max);
        let top = if highest > 0.0 { highest } else { 1.0 };
        Rtts {
            view,
            samples,
            timeouts,
            top: view.limits.map(|limits| limits.rtt).filter(|rtt| *rtt > 0.0).unwrap_or(top),
        }
    }

    /// Returns the upper end of the axis in seconds; 0 without values.
    pub fn top(&self) -> f64 {
        if self.samples.is_empty() && self.timeouts.is_empty() { 0.0 } else { self.top }
    }

    /// Returns the label of the timeout, with the values that lie above the axis.
    fn timeout_label(&self) -> String {
        let above = || self.timeouts.iter().map(|(_, rto)| *rto).filter(|rto| *rto > self.top);
        let (low, high) = (above().fold(f64::INFINITY, f64::min), above().fold(0.0, f64::max));
        let secs = |time: f64| (time * 1e3).round() / 1e3;
        match above().next() {
            None => "RTO".into(),
            Some(_) if low == high => format!("RTO (above the scale: {} s)", secs(low)),
            Some(_) => format!("RTO (above the scale: {} to {} s)", secs(low), secs(high)),
        }
    }
}

impl Contents for Rtts<'_> {
    fn legend(&self, palette: &Palette) -> Vec<Entry> {
        let mut entries = Vec::new();
        if !self.samples.is_empty() {
            entries.push(Entry::new(Sample::Bar(sample_style(palette)), "RTT sample"));
            entries.push(Entry::new(Sample::Line(smooth_style(palette)), "smoothed RTT"));
        }
        if !self.timeouts.is_empty() {
            entries.push(Entry::new(Sample::Line(timeout_style(palette)), self.timeout_label()));
        }
        entries
    }

    fn about(&self) -> String {
        let times = || self.samples.iter().map(|sample| sample.rtt * 1e3);
        match self.samples.len() {
            0 => "RTT: no sample".into(),
            n => {
                let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
                format!("RTT: {n} samples, {low:.1} to {high:.1} ms")
            }
        }
    }

    fn draw(&self, sheet: &mut Sheet, area: &Area, x: &Scale) {
        let (unit, name) = if self.top >= SECONDS { (1.0, "s") } else { (1e-3, "ms") };
        let y = Scale { lo: 0.0, hi: self.top * 1.05, start: area.bottom, end: area.top };
        let values = frame::value_ticks(&y, area.height(), unit);
        frame::axes(sheet, area, x, &y, &values, ["RTT", name]);
        let place = |value: f64| Some(value).filter(|value| y.holds(*value)).map(|value| y.place(value));
        let (begin, end) = self.view.life();
        let last = self.timeouts.last().map(|(_, rto)| (x.place(end), place(*rto)));
        let timeouts = self.timeouts.iter().map(|(at, rto)| (x.place(at.max(begin)), place(*rto))).chain(last);
        sheet.path("rto", "retransmission timeout".into(), thin::steps(timeouts), timeout_style(sheet.palette));
        let smooth = self.samples.iter().map(|sample| (x.place(sample.at), place(sample.srtt)));
        sheet.path("srtt", "smoothed RTT".into(), thin::steps(smooth), smooth_style(sheet.palette));
        let mut dots = Path::default();
        for (at, level) in thin::ordinary(self.samples.iter().map(|s| (x.place(s.at), y.place(s.rtt)))) {
            dots.move_to(at, level).line_to(at, level);
        }
        sheet.path("rtt", format!("{} RTT samples", self.samples.len()), dots, sample_style(sheet.palette));
        if self.samples.is_empty() && self.timeouts.is_empty() {
            frame::empty_note(sheet, area);
        }
    }
}

fn sample_style(palette: &Palette) -> Style {
    Style::stroke(palette.sent, 2.4).rounded()
}

fn smooth_style(palette: &Palette) -> Style {
    Style::stroke(palette.acked, 1.3)
}

fn timeout_style(palette: &Palette) -> Style {
    Style::stroke(palette.ssthresh, 1.6).dashed(6.0, 3.0)
}
