//! Results in texts, which are written as `{{EXPRESSION}}` or `{{EXPRESSION : UNIT}}`.

use engine::Quantity;
use engine::quantity::Unit;

use super::expression::evaluate_number;
use super::{LessonFault, VariantRuns};

/// Units of texts in addition to the units of [quantities](Quantity), each with its size in the unit of results.
const OTHER_UNITS: [Unit; 3] =
    [Unit { name: "µs", size: 1e-6 }, Unit { name: "%", size: 0.01 }, Unit { name: "times", size: 1.0 }];

/// A result in a unit.
///
/// # Errors
/// There is no such unit.
pub fn convert_to_unit(value: f64, unit: Option<&str>) -> Result<f64, LessonFault> {
    let Some(unit) = unit else { return Ok(value) };
    let mut units = Quantity::ALL.iter().flat_map(|quantity| quantity.units()).chain(&OTHER_UNITS);
    let known = units.find(|known| known.name == unit);
    let Unit { size, .. } = known.ok_or_else(|| LessonFault::new(format!("{unit}: no such unit")))?;
    Ok(value / size)
}

/// Formats a number for a text: an integer in full, another number with three significant digits.
fn format_number(value: f64) -> String {
    if (value - value.round()).abs() < 1e-9 * value.abs().max(1.0) {
        return format!("{}", value.round());
    }
    format!("{value:.2e}").parse::<f64>().unwrap_or(value).to_string()
}

/// The text between two results, and the result after it.
fn split_results(text: &str) -> impl Iterator<Item = Result<(&str, Option<&str>), LessonFault>> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let whole = rest?;
        let Some((before, after)) = whole.split_once("{{") else {
            rest = None;
            return Some(Ok((whole, None)));
        };
        let Some((inner, after)) = after.split_once("}}") else {
            rest = None;
            return Some(Err(LessonFault::new(format!("`{{{{{after}`: the end `}}}}` is missing"))));
        };
        rest = Some(after);
        Some(Ok((before, Some(inner))))
    })
}

fn render_result(inner: &str, runs: &VariantRuns) -> Result<String, LessonFault> {
    let (expression, unit) = match inner.split_once(':') {
        Some((expression, unit)) => (expression, Some(unit.trim())),
        None => (inner, None),
    };
    let value = format_number(convert_to_unit(evaluate_number(expression, runs)?, unit)?);
    Ok(match unit {
        Some(unit) => format!("{value}\u{a0}{unit}"),
        None => value,
    })
}

/// Fills the results of runs into a text.
///
/// # Errors
/// A result is wrong, or has no value on these runs.
pub fn fill_results(text: &str, runs: &VariantRuns) -> Result<String, LessonFault> {
    let mut filled = String::new();
    for part in split_results(text) {
        let (before, inner) = part?;
        filled += before;
        if let Some(inner) = inner {
            filled += &render_result(inner, runs)?;
        }
    }
    Ok(filled)
}

/// Fills the results of runs into a text. A result without a value on these runs, which a reader may have changed, is written
/// as a question mark.
pub fn fill_known_results(text: &str, runs: &VariantRuns) -> String {
    let part = |part: Result<(&str, Option<&str>), LessonFault>| match part {
        Ok((before, inner)) => {
            let known = inner.map(|inner| render_result(inner, runs).unwrap_or_else(|_| "?".to_owned()));
            format!("{before}{}", known.unwrap_or_default())
        }
        Err(_) => "?".to_owned(),
    };
    split_results(text).map(part).collect()
}

/// A text without its results.
pub fn remove_results(text: &str) -> String {
    split_results(text).filter_map(Result::ok).map(|(before, _)| before).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_three_digits_and_their_unit() {
        let cases = [
            ("{{4}} of {{4828}}", "4 of 4828"),
            ("{{4.828224 : s}}", "4.83\u{a0}s"),
            ("{{0.200864 : ms}}", "201\u{a0}ms"),
            ("{{1838000 : Mbps}}", "1.84\u{a0}Mbps"),
            ("{{0.5 : %}}", "50\u{a0}%"),
            ("{{1 / 3}}", "0.333"),
            ("{{-0.5}}", "-0.5"),
            ("{{12345.6}}", "12300"),
            ("none", "none"),
        ];
        for (text, expected) in cases {
            assert_eq!(fill_results(text, &VariantRuns::default()).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn unknown_result_is_a_fault_or_a_question_mark() {
        let runs = VariantRuns::default();
        for text in ["a {{b.c}} d", "a {{1 : lightyears}} d"] {
            assert!(fill_results(text, &runs).is_err(), "{text}");
            assert_eq!(fill_known_results(text, &runs), "a ? d", "{text}");
        }
        assert!(fill_results("a {{1", &runs).is_err());
        assert_eq!(remove_results("a {{1 : s}} b {{2}}"), "a  b ");
    }
}
