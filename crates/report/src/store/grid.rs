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
    /// The values of the first key as numbers, if they are.
    pub numbers: Option<Vec<f64>>,
}

/// Keys that change together.
struct Together {
    /// For each point, which of the values.
    at: Vec<usize>,
    keys: Vec<String>,
    /// By key.
    values: Vec<Vec<String>>,
}

impl Dimension {
    /// Of keys that change together, with the values of each.
    pub fn of(keys: Vec<String>, values: Vec<Vec<String>>) -> Self {
        let count = values.first().map_or(0, Vec::len);
        let place = |at: usize| values.iter().map(|of_key| of_key[at].as_str()).collect::<Vec<_>>().join(" / ");
        let numbers = values.first().and_then(|of_first| numbers(of_first));
        let numbers = numbers.and_then(|(_, _, numbers)| numbers.into_iter().collect());
        Dimension { keys, places: (0..count).map(place).collect(), numbers }
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
        let mut all: Vec<Together> = Vec::new();
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
            } else if let Some(others) = all.iter_mut().find(|others| others.at == at) {
                others.keys.push(key.to_owned());
                others.values.push(values);
            } else {
                all.push(Together { at, keys: vec![key.to_owned()], values: vec![values] });
            }
        }
        for Together { at, keys, values } in all {
            grid.dimensions.push(Dimension::of(keys, values));
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
