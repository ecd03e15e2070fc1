//! The panel of goodput: acknowledged data over time, as the mean rate of each bin.

use engine::Quantity;

use crate::contents::{PanelContents, PanelContext};
use crate::frame::{self, PanelArea, Sheet};
use crate::history::Ack;
use crate::ink::Style;
use crate::legend::{LegendEntry, LegendSample};
use crate::palette::Palette;
use crate::scale::{AxisScale, choose_ticks};
use crate::thin;
use crate::view::FlowView;

/// Most bins of a picture.
const BINS: usize = 100;
/// Minimum mean number of acknowledgments in a bin: with fewer, bins would show single acknowledgments instead of a
/// rate.
const ACKS: f64 = 4.0;

/// A bin: begin and end in seconds, and the mean rate in bits per second.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bin {
    pub begin: f64,
    pub end: f64,
    pub rate: f64,
}

/// Returns the width of bins in seconds for a time axis from `from` to `to` with this number of acknowledgments: 1, 2 or
/// 5 times a power of ten.
pub(crate) fn choose_bin_width(from: f64, to: f64, acks: usize) -> f64 {
    let bins = ((acks as f64 / ACKS) as usize).clamp(1, BINS);
    match &choose_ticks(0.0, to - from, bins)[..] {
        [first, second, ..] => second.value - first.value,
        _ => to - from,
    }
}

/// Returns the width of the bins of a view in seconds.
pub(crate) fn find_bin_width(view: &FlowView<'_>) -> f64 {
    let acks = || view.within(&view.history.acks, |ack| ack.at).len();
    view.bin_width.unwrap_or_else(|| choose_bin_width(view.from, view.to, acks()))
}

/// Returns the bins of width `width` (seconds) from `from` to `to`, at multiples of the width. The first bin begins at
/// `from`, and the last one ends at `to`. If one of them is shorter than half of the width, it is joined with its
/// neighbour.
pub(crate) fn compute_bins(acks: &[Ack], (from, to): (f64, f64), width: f64) -> Vec<Bin> {
    let mut edges = vec![from];
    let mut number = (from / width).floor() + 1.0;
    while number * width < to {
        edges.push(number * width);
        number += 1.0;
    }
    edges.push(to);
    if edges.len() > 2 && edges[1] - edges[0] < width / 2.0 {
        edges.remove(1);
    }
    let last = edges.len() - 1;
    if last > 1 && edges[last] - edges[last - 1] < width / 2.0 {
        edges.remove(last - 1);
    }
    let acked = |at: f64| acks[..acks.partition_point(|ack| ack.at <= at)].last().map_or(0, |ack| ack.ack);
    let bin = |pair: &[f64]| {
        let bytes = acked(pair[1]).saturating_sub(acked(pair[0]));
        Bin { begin: pair[0], end: pair[1], rate: bytes as f64 * 8.0 / (pair[1] - pair[0]).max(f64::MIN_POSITIVE) }
    };
    edges.windows(2).map(bin).collect()
}

/// Returns a unit of rates in bits per second for an axis up to `top`, and its name.
pub(crate) fn choose_rate_unit(top: f64) -> (f64, &'static str) {
    let unit = Quantity::Rate.unit_for(top);
    (unit.size, unit.name)
}

/// Formats the width of a bin in seconds.
pub(crate) fn format_bin_width(width: f64) -> String {
    Quantity::Time.format_brief(width)
}

/// The contents of the panel.
pub(crate) struct GoodputPanel {
    bins: Vec<Bin>,
    width: f64,
    /// The upper end of the axis in bits per second.
    top: f64,
}

impl GoodputPanel {
    /// Returns the contents of the panel.
    pub fn new(context: &PanelContext<'_>) -> Self {
        let (view, width) = (context.view, find_bin_width(context.view));
        let bins = if view.is_empty() { Vec::new() } else { compute_bins(&view.history.acks, view.life(), width) };
        let max = bins.iter().map(|bin| bin.rate).fold(0.0, f64::max);
        GoodputPanel { bins, width, top: context.axis.map_or(max, |(_, shared)| shared) }
    }

    /// Describes the goodput with its highest rate.
    fn describe_goodput(&self) -> String {
        let max = self.bins.iter().map(|bin| bin.rate).fold(0.0, f64::max);
        let (width, most) = (format_bin_width(self.width), Quantity::Rate.format_brief(max));
        format!("goodput in bins of {width}: at most {most}")
    }
}

impl PanelContents for GoodputPanel {
    fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        if self.bins.is_empty() {
            return Vec::new();
        }
        vec![LegendEntry::new(
            LegendSample::Line(style_goodput(palette)),
            format!("goodput, mean of {}", format_bin_width(self.width)),
        )]
    }

    fn axis(&self) -> (f64, f64) {
        (0.0, self.top)
    }

    fn about(&self) -> Option<String> {
        Some(self.describe_goodput())
    }

    fn draw(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let top = if self.top > 0.0 { self.top } else { 1.0 };
        let (unit, name) = choose_rate_unit(top);
        let y = AxisScale { lo: 0.0, hi: top * 1.05, start: area.bottom, end: area.top };
        let values = frame::choose_value_ticks(&y, area.height(), unit);
        frame::draw_axes(sheet, area, x, &y, &values, ["goodput", name]);
        let points = self.bins.iter().map(|bin| (x.place(bin.begin), Some(y.place(bin.rate))));
        let end = self.bins.last().map(|bin| (x.place(bin.end), Some(y.place(bin.rate))));
        sheet.path(
            "goodput",
            self.describe_goodput(),
            thin::thin_step_line(points.chain(end)),
            style_goodput(sheet.palette),
        );
        if self.bins.is_empty() {
            frame::draw_empty_note(sheet, area);
        }
    }
}

fn style_goodput(palette: &Palette) -> Style {
    Style::stroke(palette.acked, 1.6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_round_and_their_rates_are_means() {
        let acks: Vec<Ack> =
            (1..=100).map(|n| Ack { at: f64::from(n as u32) / 10.0, ack: n * 1000, duplicate: false }).collect();
        assert_eq!(choose_bin_width(0.0, 10.0, 100), 0.5);
        let bins = compute_bins(&acks, (0.0, 10.2), 1.0);
        assert_eq!(bins.len(), 10, "the last 0.2 s are joined with the bin before");
        assert_eq!(bins[0], Bin { begin: 0.0, end: 1.0, rate: 80_000.0 });
        assert_eq!(bins[9].end, 10.2);
        let bytes: f64 = bins.iter().map(|bin| bin.rate * (bin.end - bin.begin) / 8.0).sum();
        assert!((bytes - 100_000.0).abs() < 1e-6, "{bytes}");
    }

    #[test]
    fn unit_of_a_rate_has_short_labels() {
        assert_eq!(
            [choose_rate_unit(999.0), choose_rate_unit(2e6), choose_rate_unit(0.0)].map(|unit| unit.1),
            ["bps", "Mbps", "bps"]
        );
        assert_eq!([format_bin_width(0.05), format_bin_width(2.0)], ["50 ms", "2 s"]);
    }
}
