//! The panels of a paper's picture: groups of numbers that share an axis, and the range of the axis.

use lab::papers::Number;
use stats::{Interval, Level};

/// Maximum length of a shared axis, relative to the axis that the numbers of one place need.
const STRETCH: f64 = 5.0;
/// Numbers that share an axis.
pub(super) struct MarksPanel<'a> {
    pub numbers: Vec<&'a Number>,
    pub low: f64,
    pub high: f64,
}

/// Returns the panels, in the order of the numbers in the paper.
pub(super) fn group_into_panels(numbers: &[Number], level: Level) -> Vec<MarksPanel<'_>> {
    let mut panels: Vec<MarksPanel<'_>> = Vec::new();
    for group in group_by_unit(numbers) {
        let (low, high) = compute_panel_range(&group, level);
        if let Some(last) = panels.last_mut()
            && last.numbers.iter().all(|number| number.unit == group[0].unit)
        {
            let (all_low, all_high) = (last.low.min(low), last.high.max(high));
            // The range of a single exact number has length 0; then absolute values are compared.
            let alone = (last.high - last.low).min(high - low);
            let size = last.high.abs().min(high.abs());
            if all_high - all_low <= STRETCH * alone || alone == 0.0 && all_high.abs() <= STRETCH * size {
                last.numbers.extend(group);
                (last.low, last.high) = (all_low, all_high);
                continue;
            }
        }
        panels.push(MarksPanel { numbers: group, low, high });
    }
    panels
}

/// Groups the numbers of each place by unit.
fn group_by_unit(numbers: &[Number]) -> Vec<Vec<&Number>> {
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

/// Returns the range of the paper's values, the means, and the ends of intervals; ends far beyond the other values, as
/// from very few runs, are cut.
fn compute_panel_range(numbers: &[&Number], level: Level) -> (f64, f64) {
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
    let limit = 1.2 * (high - low).max(widths.get(widths.len() / 2).copied().unwrap_or(0.0));
    runs.iter().flat_map(|run| [run.low.max(low - limit), run.high.min(high + limit)]).fold((low, high), around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stats::Moments;

    fn number(place: &str, unit: &'static str, paper: f64, values: [f64; 2]) -> Number {
        Number::new(place, json!({ "figure": "goodput" }), unit, paper, Moments::of(values).unwrap())
    }

    /// The percentages of tables 1 and 2 are of similar size, but not those of section 4. Milliseconds are another
    /// unit.
    #[test]
    fn numbers_of_equal_unit_and_magnitude_share_an_axis() {
        let numbers = [
            number("table 1", "%", 70.0, [90.0, 91.0]),
            number("table 1", "ms", 70.0, [90.0, 91.0]),
            number("table 1", "%", 30.0, [90.0, 91.0]),
            number("table 2", "%", 10.0, [90.0, 91.0]),
            number("section 4", "%", 427.0, [900.0, 910.0]),
        ];
        let panels = group_into_panels(&numbers, Level::default());
        let counts: Vec<usize> = panels.iter().map(|panel| panel.numbers.len()).collect();
        assert_eq!(counts, [2, 1, 1, 1]);
        assert_eq!(super::group_into_panels(&numbers[2..], Level::default())[0].numbers.len(), 2);
    }
}
