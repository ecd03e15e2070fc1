//! The dimensions of a sweep's points, derived from the points.

use super::words;
use crate::sweep::analysis::Analysis;
use crate::value_text::{format_json_value, parse_base_numbers};

/// The grid of a sweep's points.
#[derive(Debug, Default)]
pub struct PointGrid {
    /// Dimensions of the grid; the last one varies fastest.
    pub dimensions: Vec<Dimension>,
    /// Keys with the same value at every point, with that value.
    pub constant: Vec<(String, String)>,
    /// For each point the indices of its values, one index for each dimension.
    points: Vec<Vec<usize>>,
}

/// One or several keys whose values change together.
#[derive(Debug)]
pub struct Dimension {
    /// Keys with joint changes along this dimension.
    pub keys: Vec<String>,
    /// The values of each key along the dimension.
    pub values: Vec<Vec<String>>,
    /// The values of the first key as numbers; `None` if one of them is no number.
    pub numbers: Option<Vec<f64>>,
}

/// Keys that change together, during the construction of a grid.
struct JointKeys {
    /// For each point the index of its value in this dimension.
    at: Vec<usize>,
    keys: Vec<String>,
    /// Distinct values, by key.
    values: Vec<Vec<String>>,
}

impl Dimension {
    /// Returns the dimension of keys that change together, given the values of each key.
    pub fn of(keys: Vec<String>, values: Vec<Vec<String>>) -> Self {
        let numbers = values.first().and_then(|of_first| parse_base_numbers(of_first));
        let numbers = numbers.and_then(|(_, _, numbers)| numbers.into_iter().collect());
        Dimension { keys, values, numbers }
    }

    /// Returns the labels of the positions: the values of the first key.
    pub fn labels(&self) -> &[String] {
        self.values.first().map_or(&[], Vec::as_slice)
    }

    /// Returns the first key in words.
    pub fn name(&self) -> String {
        self.keys.first().map_or_else(String::new, |key| words::name_key(key))
    }

    /// Returns the first key in words, and in brackets the keys that change with it.
    pub fn title(&self) -> String {
        let others: Vec<String> = self.keys.iter().skip(1).map(|key| words::name_key(key)).collect();
        if others.is_empty() { self.name() } else { format!("{} (with {})", self.name(), others.join(", ")) }
    }
}

impl PointGrid {
    /// Returns the grid of the points of `analysis`.
    pub fn of(analysis: &Analysis) -> Self {
        let points: Vec<_> = analysis.cells.iter().filter(|runs| runs.cell.case == 0).map(|runs| &runs.cell).collect();
        let mut grid = PointGrid { points: vec![Vec::new(); points.len()], ..PointGrid::default() };
        // Keys change together if their values correspond one to one. Values are numbered by first appearance, so that
        // such keys have equal indices at all points.
        let mut all: Vec<JointKeys> = Vec::new();
        for key in analysis.keys() {
            let mut values: Vec<String> = Vec::new();
            let at = points.iter().map(|point| {
                let value =
                    point.changes.iter().find(|(changed, _)| changed == key).map(|(_, value)| format_json_value(value));
                let value = value.unwrap_or_default();
                values.iter().position(|known| *known == value).unwrap_or_else(|| {
                    values.push(value);
                    values.len() - 1
                })
            });
            let at: Vec<usize> = at.collect();
            if let [only] = &values[..] {
                grid.constant.push((key.to_owned(), only.clone()));
            } else if let Some(others) = all.iter_mut().find(|others| others.at == at) {
                others.keys.push(key.to_owned());
                others.values.push(values);
            } else {
                all.push(JointKeys { at, keys: vec![key.to_owned()], values: vec![values] });
            }
        }
        for JointKeys { at, keys, values } in all {
            grid.dimensions.push(Dimension::of(keys, values));
            for (point, at) in grid.points.iter_mut().zip(at) {
                point.push(at);
            }
        }
        grid
    }

    /// Returns a point's index along each dimension.
    pub fn place(&self, point: usize) -> &[usize] {
        self.points.get(point).map_or(&[], Vec::as_slice)
    }
}

/// True if a logarithmic axis spaces these ascending values more evenly than a linear one.
pub fn is_logarithmic(values: &[f64]) -> bool {
    values.first().is_some_and(|first| *first > 0.0) && gap_ratio(values, |x| x) > gap_ratio(values, libm::log10)
}

/// Returns the ratio of the widest to the narrowest gap between values; 1 if there are no gaps.
fn gap_ratio(values: &[f64], place: impl Fn(f64) -> f64) -> f64 {
    let gaps = values.windows(2).map(|pair| place(pair[1]) - place(pair[0]));
    let (min, max) = gaps.fold((f64::INFINITY, 0.0), |(min, max), gap| (gap.min(min), gap.max(max)));
    // The tolerance makes equal gaps compare equal in spite of rounding.
    if max > 0.0 && min > 0.0 { (max / min).max(1.0 + 1e-6) } else { 1.0 }
}
