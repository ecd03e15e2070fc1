//! The dimensions that a sweep's points span, found from the points themselves.

use lab::export::{numbers, shown};
use lab::sweep::analysis::Analysis;

/// What differs between points.
#[derive(Debug, Default)]
pub(super) struct Grid {
    /// Its dimensions, the last one varying fastest.
    pub dimensions: Vec<Dimension>,
    /// Keys that have the same value at every point.
    pub constant: Vec<(String, String)>,
    /// For each point its place along each dimension.
    points: Vec<Vec<usize>>,
}

/// Keys whose values change together.
#[derive(Debug)]
pub(super) struct Dimension {
    /// The keys.
    pub keys: Vec<String>,
    /// The values along it, those of several keys side by side.
    pub places: Vec<String>,
    /// The values as numbers, if they are.
    pub numbers: Option<Vec<f64>>,
}

impl Dimension {
    pub fn of(keys: Vec<String>, places: Vec<String>) -> Self {
        let numbers = numbers(&places).and_then(|(_, _, values)| values.into_iter().collect());
        Dimension { keys, places, numbers }
    }

    /// What it is called.
    pub fn name(&self) -> String {
        self.keys.join(" / ")
    }
}

impl Grid {
    pub fn of(analysis: &Analysis) -> Self {
        let points: Vec<_> = analysis.cells.iter().filter(|runs| runs.cell.case == 0).map(|runs| &runs.cell).collect();
        let mut grid = Grid { points: vec![Vec::new(); points.len()], ..Grid::default() };
        // Keys change together if each value of one comes with one value of the other: numbered by their first
        // appearance, their values have the same numbers everywhere.
        let mut seen: Vec<(Vec<usize>, Vec<String>, Vec<Vec<String>>)> = Vec::new();
        for key in analysis.keys() {
            let mut values: Vec<String> = Vec::new();
            let at = points.iter().map(|point| {
                let value = point.changes.iter().find(|(changed, _)| changed == key).map(|(_, value)| shown(value));
                let value = value.unwrap_or_default();
                values.iter().position(|known| *known == value).unwrap_or_else(|| {
                    values.push(value);
                    values.len() - 1
                })
            });
            let at: Vec<usize> = at.collect();
            if let [only] = &values[..] {
                grid.constant.push((key.to_owned(), only.clone()));
            } else if let Some((_, keys, lists)) = seen.iter_mut().find(|(known, ..)| *known == at) {
                keys.push(key.to_owned());
                lists.push(values);
            } else {
                seen.push((at, vec![key.to_owned()], vec![values]));
            }
        }
        for (at, keys, lists) in seen {
            let place = |number: usize| lists.iter().map(|list| list[number].as_str()).collect::<Vec<_>>().join(" / ");
            let places = (0..lists[0].len()).map(place).collect();
            grid.dimensions.push(Dimension::of(keys, places));
            for (point, at) in grid.points.iter_mut().zip(at) {
                point.push(at);
            }
        }
        grid
    }

    /// Where a point stands along each dimension.
    pub fn place(&self, point: usize) -> &[usize] {
        self.points.get(point).map_or(&[], Vec::as_slice)
    }
}
