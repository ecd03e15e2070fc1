//! The charts of a metric: one for each combination of all dimensions but the last, which is the chart's horizontal
//! axis.

use lab::figures::facet::{Facet, split_into_facets};
use lab::figures::grid::Dimension;
use lab::figures::number::shorten_value;
use lab::figures::{MetricFigure, axis_value, words};

use crate::page::PageBlock;
use crate::{BarChart, BarGroup, ChangeChart, CurveChart, CurveLine, CurvePoint, Estimate};

/// Maximum number of charts of one metric.
pub(super) const MAX_CHARTS: usize = 12;
/// Maximum number of groups of bars for numeric values; more values are drawn as curves.
const MAX_GROUPS: usize = 2;
/// Maximum number of groups of bars for values that are no numbers.
const MAX_NAMES: usize = 24;

/// Returns the charts of the means; no chart for a single number.
pub(super) fn chart_means(figure: &MetricFigure<'_>) -> Vec<PageBlock> {
    if figure.entries.len() < 2 {
        return Vec::new();
    }
    let (along, facets) = split_into_facets(figure);
    let left_out = facets.len().saturating_sub(MAX_CHARTS);
    let facets = facets.iter().take(MAX_CHARTS);
    let mut blocks = match along {
        Some(along) if along.labels().len() > MAX_GROUPS && along.numbers.is_some() => {
            let numbers = along.numbers.as_deref().unwrap_or_default();
            equalize_curve_scales(
                facets.map(|facet| build_curve_chart(figure, facet, &along.title(), along.labels(), numbers)).collect(),
            )
        }
        Some(along) if along.labels().len() > MAX_NAMES => {
            let (name, count) = (along.title(), along.labels().len());
            return vec![PageBlock::Warnings(vec![format!(
                "No chart: {name} has {count} values that are no numbers, more than the maximum of {MAX_NAMES}."
            )])];
        }
        along => {
            let (name, places) = name_axis(along);
            equalize_bar_scales(facets.map(|facet| build_bar_chart(figure, facet, &name, &places)).collect())
        }
    };
    if left_out > 0 {
        let note = format!("{left_out} more combinations of values have no chart; they are in the table.");
        blocks.push(PageBlock::Words(note));
    }
    blocks
}

/// Returns the charts of the changes from the first case. No chart is returned if there is no change, or if there are
/// too many values.
pub(super) fn chart_changes(figure: &MetricFigure<'_>) -> Vec<PageBlock> {
    let (along, facets) = split_into_facets(figure);
    let (name, places) = name_axis(along);
    if places.len() > MAX_NAMES {
        return Vec::new();
    }
    let mut charts: Vec<ChangeChart> =
        facets.iter().take(MAX_CHARTS).map(|facet| build_change_chart(figure, facet, &name, &places)).collect();
    let reach = charts.iter().filter_map(ChangeChart::range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    if reach.is_none() {
        return Vec::new();
    }
    charts.iter_mut().for_each(|chart| chart.reach = reach);
    charts.into_iter().map(PageBlock::Changes).collect()
}

/// Returns the name of the horizontal axis and the labels of its values.
fn name_axis(along: Option<Dimension>) -> (String, Vec<String>) {
    along.map_or((String::new(), vec![String::new()]), |along| (along.title(), along.labels().to_vec()))
}

fn build_change_chart(figure: &MetricFigure<'_>, facet: &Facet<'_>, along: &str, places: &[String]) -> ChangeChart {
    let BarChart { title, along, mut cases, mut groups, .. } = build_bar_chart(figure, facet, along, places);
    // The first case is the baseline, which has no change.
    let baseline = if cases.is_empty() { String::new() } else { cases.remove(0) };
    for group in &mut groups {
        group.bars = group.bars.split_off(group.bars.len().min(1));
    }
    ChangeChart { title, measure: figure.name(), baseline, along, cases, groups, reach: None }
}

/// Returns a bar chart of the entries that match `only`, with a group for each value of `along` in the order of the
/// points. Only the first subject (flow or link) is shown.
pub(super) fn build_bars_along(figure: &MetricFigure<'_>, along: &str, only: &[(&str, &str)]) -> BarChart {
    let mut places: Vec<String> = Vec::new();
    let mut facet = Facet::default();
    for entry in figure.entries.iter().filter(|entry| Some(&entry.subject) == figure.subjects.first()) {
        let value = |key: &str| axis_value(entry, key);
        if only.iter().any(|(key, wanted)| value(key).as_deref() != Some(*wanted)) {
            continue;
        }
        let place = value(along).unwrap_or_default();
        let at = places.iter().position(|known| *known == place).unwrap_or_else(|| {
            places.push(place);
            places.len() - 1
        });
        facet.entries.entry((at, entry.cell.case)).or_insert(entry);
    }
    build_bar_chart(figure, &facet, &words::name_key(along), &places)
}

fn list_case_names(figure: &MetricFigure<'_>) -> Vec<String> {
    figure.analysis.cases().into_iter().map(str::to_owned).collect()
}

fn estimate_at(figure: &MetricFigure<'_>, facet: &Facet<'_>, at: usize, case: usize) -> Option<Estimate> {
    Estimate::of(facet.entries.get(&(at, case))?, figure.scale)
}

fn build_bar_chart(figure: &MetricFigure<'_>, facet: &Facet<'_>, along: &str, places: &[String]) -> BarChart {
    let cases = list_case_names(figure);
    let group = |(at, label): (usize, &String)| BarGroup {
        label: shorten_value(label),
        bars: (0..cases.len()).map(|case| estimate_at(figure, facet, at, case)).collect(),
    };
    let groups = places.iter().enumerate().map(group).collect();
    let (title, measure) = (facet.title.clone(), figure.measure());
    BarChart { title, measure, along: along.to_owned(), cases, groups, ..BarChart::default() }
}

fn build_curve_chart(
    figure: &MetricFigure<'_>,
    facet: &Facet<'_>,
    along: &str,
    places: &[String],
    numbers: &[f64],
) -> CurveChart {
    // A line runs from left to right, independent of the order of the values.
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let line = |(case, name): (usize, String)| {
        let point = |at: &usize| CurvePoint {
            x: numbers[*at],
            label: shorten_value(&places[*at]),
            y: estimate_at(figure, facet, *at, case),
        };
        CurveLine { name, points: order.iter().map(point).collect() }
    };
    let lines = list_case_names(figure).into_iter().enumerate().map(line).collect();
    let (title, measure) = (facet.title.clone(), figure.measure());
    CurveChart { title, measure, along: along.to_owned(), lines, ..CurveChart::default() }
}

/// Sets the same scale for all charts, so that they can be compared.
fn equalize_bar_scales(mut charts: Vec<BarChart>) -> Vec<PageBlock> {
    let reach = charts.iter().map(BarChart::highest).fold(0.0, f64::max);
    charts.iter_mut().for_each(|chart| chart.reach = Some(reach));
    charts.into_iter().map(PageBlock::Bars).collect()
}

fn equalize_curve_scales(mut charts: Vec<CurveChart>) -> Vec<PageBlock> {
    let ranges = charts.iter().filter_map(CurveChart::range);
    let reach = ranges.reduce(|(lo, hi), (low, high)| (lo.min(low), hi.max(high)));
    charts.iter_mut().for_each(|chart| chart.reach = reach);
    charts.into_iter().map(PageBlock::Curves).collect()
}
