//! The charts of a figure. There is one for each combination of all dimensions but the last, which is the horizontal
//! axis.

use std::collections::BTreeMap;

use super::figure::MetricFigure;
use super::grid::{Dimension, PointGrid};
use super::number::shorten_value;
use crate::sweep::analysis::AnalysisEntry;

/// The entries of one chart.
#[derive(Default)]
pub struct Facet<'a> {
    /// The values that are common to the chart's entries.
    pub title: String,
    /// Entries by index along the last dimension and by case.
    pub entries: BTreeMap<(usize, usize), &'a AnalysisEntry<'a>>,
}

/// Returns the dimension of the horizontal axis (`None` for a single place) and the entries of each chart.
pub fn split_into_facets<'a>(figure: &'a MetricFigure<'a>) -> (Option<Dimension>, Vec<Facet<'a>>) {
    let mut dimensions = PointGrid::of(figure.analysis).dimensions;
    let mut places = locate_entries(figure);
    if figure.subjects.len() > 1 {
        dimensions.insert(0, Dimension::of(vec![figure.kind().to_owned()], vec![figure.subjects.clone()]));
        for (place, entry) in places.iter_mut().zip(&figure.entries) {
            place.insert(0, figure.subjects.iter().position(|subject| *subject == entry.subject).unwrap_or(0));
        }
    }
    let along = dimensions.pop();
    let mut facets: BTreeMap<Vec<usize>, Facet<'_>> = BTreeMap::new();
    for (mut place, entry) in places.into_iter().zip(&figure.entries) {
        let at = place.pop().unwrap_or(0);
        facets.entry(place).or_default().entries.insert((at, entry.cell.case), entry);
    }
    for (place, facet) in &mut facets {
        let at = place.iter().zip(&dimensions);
        let at: Vec<String> =
            at.map(|(at, of)| format!("{} = {}", of.name(), shorten_value(&of.labels()[*at]))).collect();
        facet.title = at.join(", ");
    }
    (along, facets.into_values().collect())
}

/// Returns the index of each entry along each dimension.
fn locate_entries(figure: &MetricFigure<'_>) -> Vec<Vec<usize>> {
    let grid = PointGrid::of(figure.analysis);
    figure.entries.iter().map(|entry| grid.place(entry.cell.point).to_vec()).collect()
}
