//! Which of a paper's numbers share an axis, and how long it is.

use lab::papers::Number;
use stats::{Interval, Level};

/// Numbers of the same unit share an axis as long as it is at most this many times as long as each place needs.
const STRETCH: f64 = 5.0;
/// Numbers that share an axis.
pub(super) struct Panel<'a> {
    pub numbers: Vec<&'a Number>,
    pub low: f64,
    pub high: f64,
}

/// The numbers in the order of the paper's pages, by axis.
pub(super) fn panels(numbers: &[Number], level: Level) -> Vec<Panel<'_>> {
    let mut panels: Vec<Panel<'_>> = Vec::new();
    for there in by_unit(numbers) {
        let (low, high) = range(&there, level);
        if let Some(last) = panels.last_mut()
            && last.numbers.iter().all(|number| number.unit == there[0].unit)
        {
            let (all_low, all_high) = (last.low.min(low), last.high.max(high));
            // A place with one exact number has no length, only a size.
            let alone = (last.high - last.low).min(high - low);
            let size = last.high.abs().min(high.abs());
            if all_high - all_low <= STRETCH * alone || alone == 0.0 && all_high.abs() <= STRETCH * size {
                last.numbers.extend(there);
                (last.low, last.high) = (all_low, all_high);
                continue;
            }
        }
        panels.push(Panel { numbers: there, low, high });
    }
    panels
}

/// The numbers of each place, those of one unit together.
fn by_unit(numbers: &[Number]) -> Vec<Vec<&Number>> {
    let mut all = Vec::new();
    for place in numbers.chunk_by(|a, b| a.place == b.place) {
        let mut units: Vec<Vec<&Number>> = Vec::new();
        for number in place {
            match units.iter_mut().find(|unit| unit[0].unit == number.unit) {
                Some(unit) => unit.push(number),
                None => units.push(vec![number]),
            }
        }
        all.append(&mut units);
    }
    all
}

/// From where to where the paper's values, our means, and the ends of intervals lie; ends far beyond everything else
/// are cut off, as those from very few runs would leave nothing else to see.
fn range(numbers: &[&Number], level: Level) -> (f64, f64) {
    let modes = || numbers.iter().flat_map(|number| number.readings()).flat_map(|(_, ours)| ours.modes());
    let means = modes().filter_map(|mode| mode.moments.mean());
    let around = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    let points = numbers.iter().map(|number| number.paper.value()).chain(means);
    let (low, high) = points.fold((f64::INFINITY, f64::NEG_INFINITY), around);
    let runs: Vec<Interval> = numbers
        .iter()
        .flat_map(|number| number.readings().map(move |(_, ours)| (number, ours)))
        .flat_map(|(number, ours)| ours.modes().iter().filter_map(move |mode| number.run_shown(mode, level)))
        .collect();
    let mut widths: Vec<f64> = runs.iter().map(|run| run.high - run.low).collect();
    widths.sort_by(f64::total_cmp);
    let most = 1.2 * (high - low).max(widths.get(widths.len() / 2).copied().unwrap_or(0.0));
    runs.iter().flat_map(|run| [run.low.max(low - most), run.high.min(high + most)]).fold((low, high), around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stats::Moments;

    fn number(place: &str, unit: &'static str, paper: f64, values: [f64; 2]) -> Number {
        Number::new(place, json!({ "figure": "goodput" }), unit, paper, Moments::of(values).unwrap())
    }

    /// Percent of tables 1 and 2 are of one size; those of section 4 are not, and milliseconds are no percent.
    #[test]
    fn numbers_of_one_unit_and_size_share_an_axis() {
        let numbers = [
            number("table 1", "%", 70.0, [90.0, 91.0]),
            number("table 1", "ms", 70.0, [90.0, 91.0]),
            number("table 1", "%", 30.0, [90.0, 91.0]),
            number("table 2", "%", 10.0, [90.0, 91.0]),
            number("section 4", "%", 427.0, [900.0, 910.0]),
        ];
        let panels = panels(&numbers, Level::default());
        let counts: Vec<usize> = panels.iter().map(|panel| panel.numbers.len()).collect();
        assert_eq!(counts, [2, 1, 1, 1]);
        assert_eq!(super::panels(&numbers[2..], Level::default())[0].numbers.len(), 2);
    }
}
