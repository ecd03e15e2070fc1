//! All flows of a run in one picture, with their stacked goodputs, and Jain's fairness index over time.

use std::collections::BTreeMap;

use engine::{Quantity, Time};
use sim::FlowId;

use crate::describe::Description;
use crate::frame::{self, PanelArea, Sheet};
use crate::goodput::{Bin, choose_bin_width, choose_rate_unit, compute_bins, format_bin_width};
use crate::history::FlowHistory;
use crate::ink::{Path, Picture, Style};
use crate::layout::{DOT, FOOTER, RIGHT, draw_header, place_panels};
use crate::legend::{self, LegendEntry, LegendSample};
use crate::options::{MIN_SIZE, PictureOptions};
use crate::palette::Palette;
use crate::scale::{AxisScale, group_digits};
use crate::thin;

const LEFT: f64 = 78.0;
/// Weights of the panels' heights.
const STACK: f64 = 0.7;
const FAIRNESS: f64 = 0.3;
/// Maximum number of flows with separate areas. Further flows, which have the least data, share one area.
const MAX_AREAS: usize = 8;

/// The goodput of some flows in each bin.
struct GoodputLayer {
    label: String,
    rates: Vec<f64>,
    acked: f64,
}

/// All flows in the bins of one time axis.
struct GoodputStack {
    edges: Vec<(f64, f64)>,
    width: f64,
    /// The flows with separate areas, in order of their numbers, and then the sum of the other flows.
    layers: Vec<GoodputLayer>,
    /// Jain's index in each bin in which a flow ran.
    fairness: Vec<Option<f64>>,
    flows: usize,
}

/// Computes Jain's fairness index of some rates. `None` if all rates are 0, so that no flow has a share to compare.
fn compute_fairness(rates: &[f64]) -> Option<f64> {
    let shared = rates.iter().any(|rate| *rate > 0.0);
    stats::fairness::jain(rates).ok().flatten().filter(|_| shared)
}

impl GoodputStack {
    fn new(flows: &BTreeMap<FlowId, FlowHistory>, description: &Description, (from, to): (f64, f64)) -> Self {
        let within = |history: &FlowHistory| {
            let inside = |at: f64| history.acks.partition_point(|ack| ack.at <= at);
            inside(to).saturating_sub(inside(from))
        };
        let busiest = flows.values().map(within).max().unwrap_or(0);
        let width = choose_bin_width(from, to, busiest);
        let edges: Vec<(f64, f64)> =
            compute_bins(&[], (from, to), width).iter().map(|bin| (bin.begin, bin.end)).collect();
        let rates = |history: &FlowHistory| -> Vec<f64> {
            compute_bins(&history.acks, (from, to), width).iter().map(|bin: &Bin| bin.rate).collect()
        };
        let all: Vec<GoodputLayer> = flows
            .iter()
            .map(|(number, history)| {
                let rates = rates(history);
                let acked = rates.iter().zip(&edges).map(|(rate, (begin, end))| rate * (end - begin)).sum();
                GoodputLayer { label: description.flow(*number).name, rates, acked }
            })
            .collect();
        let fairness = edges.iter().enumerate().map(|(bin, (begin, end))| {
            // A flow counts in those bins during which it runs from begin to end.
            let runs = |history: &FlowHistory| history.began <= *begin && history.ended >= *end;
            let rates: Vec<f64> = flows
                .values()
                .zip(&all)
                .filter(|(history, _)| runs(history))
                .map(|(_, layer)| layer.rates[bin])
                .collect();
            if rates.len() < 2 { None } else { compute_fairness(&rates) }
        });
        let fairness = fairness.collect();
        GoodputStack { edges, width, layers: merge_small_layers(all), fairness, flows: flows.len() }
    }

    /// Returns the upper ends of the layers in a bin, in bits per second.
    fn stack_rates(&self, bin: usize) -> Vec<f64> {
        let sums = self.layers.iter().scan(0.0, |sum, layer| {
            *sum += layer.rates[bin];
            Some(*sum)
        });
        sums.collect()
    }

    fn find_highest_rate(&self) -> f64 {
        (0..self.edges.len()).filter_map(|bin| self.stack_rates(bin).last().copied()).fold(0.0, f64::max)
    }

    fn summarize_stack(&self) -> Vec<String> {
        let mut parts = vec![
            format!("{} flows", group_digits(self.flows as u64)),
            format!("bins of {}", format_bin_width(self.width)),
        ];
        let known: Vec<f64> = self.fairness.iter().copied().flatten().collect();
        if !known.is_empty() {
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            parts.push(format!("Jain\u{2019}s index {mean:.3} on average"));
        }
        parts
    }

    fn legend(&self, palette: &Palette) -> Vec<LegendEntry> {
        // The uppermost layer first, as in the picture.
        let entry = |(number, layer): (usize, &GoodputLayer)| {
            LegendEntry::new(LegendSample::Band(style_layer(palette, number)), layer.label.clone())
        };
        self.layers.iter().enumerate().rev().map(entry).collect()
    }

    fn draw_stack(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let highest = self.find_highest_rate();
        let top = if highest > 0.0 { highest } else { 1.0 };
        let (unit, name) = choose_rate_unit(top);
        let y = AxisScale { lo: 0.0, hi: top * 1.05, start: area.bottom, end: area.top };
        let values = frame::choose_value_ticks(&y, area.height(), unit);
        frame::draw_axes(sheet, area, x, &y, &values, ["goodput", name]);
        if highest == 0.0 {
            return frame::draw_empty_note(sheet, area);
        }
        let tops: Vec<Vec<f64>> = (0..self.edges.len()).map(|bin| self.stack_rates(bin)).collect();
        for (number, layer) in self.layers.iter().enumerate() {
            let mut path = Path::default();
            for ((begin, end), tops) in self.edges.iter().zip(&tops) {
                let below = if number == 0 { 0.0 } else { tops[number - 1] };
                let (left, right) = (x.place(*begin), x.place(*end));
                let (top, bottom) = (y.place(tops[number]), y.place(below));
                if bottom > top {
                    path.rect(left, top, right - left, bottom - top);
                }
            }
            let acked = Quantity::Size.format_brief(layer.acked / 8.0);
            sheet.path(
                "flow-goodput",
                format!("{}: {acked} acknowledged", layer.label),
                path,
                style_layer(sheet.palette, number),
            );
        }
        // The axis and its grid lie below the areas. The frame is drawn again.
        let total = self
            .edges
            .iter()
            .zip(&tops)
            .map(|((begin, _), tops)| (x.place(*begin), tops.last().map(|top| y.place(*top))));
        let end = self
            .edges
            .last()
            .zip(tops.last())
            .map(|((_, end), tops)| (x.place(*end), tops.last().map(|top| y.place(*top))));
        let line = thin::thin_step_line(total.chain(end));
        sheet.path("total-goodput", "goodput of all flows".into(), line, Style::stroke(sheet.palette.text, 1.0));
    }

    fn draw_fairness(&self, sheet: &mut Sheet, area: &PanelArea, x: &AxisScale) {
        let y = AxisScale { lo: 0.0, hi: 1.05, start: area.bottom, end: area.top };
        let values = frame::choose_value_ticks(&y, area.height(), 1.0);
        frame::draw_axes(sheet, area, x, &y, &values, ["fairness", "1 = equal"]);
        let points = self.edges.iter().zip(&self.fairness).flat_map(|((begin, end), index)| {
            let level = index.map(|index| y.place(index));
            [(x.place(*begin), level), (x.place(*end), level)]
        });
        sheet.path(
            "fairness",
            "Jain\u{2019}s fairness index".into(),
            thin::thin_step_line(points),
            style_fairness(sheet.palette),
        );
    }
}

/// Returns the flows with the most data, in order of their numbers, and the sum of the others as the last layer.
fn merge_small_layers(mut all: Vec<GoodputLayer>) -> Vec<GoodputLayer> {
    if all.len() <= MAX_AREAS {
        return all;
    }
    let mut by_data: Vec<usize> = (0..all.len()).collect();
    by_data.sort_by(|a, b| all[*b].acked.total_cmp(&all[*a].acked));
    let mut own: Vec<usize> = by_data[..MAX_AREAS - 1].to_vec();
    own.sort_unstable();
    let bins = all[0].rates.len();
    let mut rest = GoodputLayer { label: String::new(), rates: vec![0.0; bins], acked: 0.0 };
    let others = &by_data[MAX_AREAS - 1..];
    for other in others {
        rest.rates.iter_mut().zip(&all[*other].rates).for_each(|(sum, rate)| *sum += rate);
        rest.acked += all[*other].acked;
    }
    rest.label = format!("{} other flows", group_digits(others.len() as u64));
    let mut index = 0;
    all.retain(|_| {
        index += 1;
        own.binary_search(&(index - 1)).is_ok()
    });
    all.push(rest);
    all
}

fn style_layer(palette: &Palette, number: usize) -> Style {
    Style { fill: Some(palette.flows[number % MAX_AREAS]), ..Style::stroke(palette.background, 0.5) }
}

fn style_fairness(palette: &Palette) -> Style {
    Style::stroke(palette.concluded, 1.6)
}

/// Draws all recorded flows.
pub(crate) fn draw_all_flows(
    flows: &BTreeMap<FlowId, FlowHistory>,
    description: &Description,
    options: &PictureOptions,
) -> Picture {
    let began = flows.values().map(|history| history.began).fold(f64::INFINITY, f64::min);
    let ended = flows.values().map(|history| history.ended).fold(0.0, f64::max);
    let from = options.from.map_or(if began.is_finite() { began } else { 0.0 }, Time::as_secs_f64);
    let to = options.to.map_or(ended, Time::as_secs_f64);
    let to = if to > from { to } else { from + 1.0 };
    let (width, height) = (options.width.clamp(MIN_SIZE.0, 20_000), options.height.clamp(MIN_SIZE.1, 20_000));
    let palette = Palette::of(options.theme);
    let mut sheet = Sheet { palette, width: f64::from(width), shapes: Vec::new() };
    let together = GoodputStack::new(flows, description, (from, to));
    let title = options.title.clone().unwrap_or_else(|| "All flows".into());
    let parts: Vec<String> = options.ran.iter().cloned().chain(together.summarize_stack()).collect();
    let (left, right) = (LEFT, sheet.width - RIGHT);
    let head = draw_header(&mut sheet, left, &title, &parts);
    let x = AxisScale { lo: from, hi: to, start: left, end: right };
    let fairness = vec![LegendEntry::new(
        LegendSample::Line(style_fairness(palette)),
        "Jain\u{2019}s index of the flows that run",
    )];
    let all = [(STACK, together.legend(palette)), (FAIRNESS, fairness)];
    let placed = place_panels(&all, (left, right), (head, f64::from(height) - FOOTER));
    for (index, (area, top, rows)) in placed.iter().enumerate() {
        legend::draw_legend_rows(rows, &mut sheet, left, *top);
        match index {
            0 => together.draw_stack(&mut sheet, area, &x),
            _ => together.draw_fairness(&mut sheet, area, &x),
        }
    }
    if let Some((lowest, ..)) = placed.last() {
        frame::draw_time_axis(&mut sheet, lowest, &x);
    }
    Picture { width, height, background: palette.background, title, about: parts.join(DOT), shapes: sheet.shapes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_bin_has_no_index() {
        assert_eq!(compute_fairness(&[5.0, 5.0, 0.0, 0.0]), Some(0.5));
        assert_eq!([compute_fairness(&[0.0, 0.0]), compute_fairness(&[])], [None, None]);
    }

    #[test]
    fn flows_with_the_least_data_share_a_layer() {
        let layer = |n: u32| GoodputLayer { label: n.to_string(), rates: vec![f64::from(n)], acked: f64::from(n) };
        let found = merge_small_layers((0..20).map(layer).collect());
        let labels: Vec<&str> = found.iter().map(|layer| layer.label.as_str()).collect();
        assert_eq!(labels, ["13", "14", "15", "16", "17", "18", "19", "13 other flows"]);
        assert_eq!(found.iter().map(|layer| layer.rates[0]).sum::<f64>(), 190.0);
    }
}
