//! Scenario values as text and as numbers.

use std::str::FromStr;

use engine::{Bytes, Rate, Span};
use serde_json::Value;

/// A scenario value as text.
pub fn format_json_value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Parses values that are all numbers or quantities of one unit. Returns the unit, the suffix of the column's name, and
/// the values as numbers.
pub fn parse_base_numbers(values: &[String]) -> Option<(&'static str, &'static str, Vec<Option<f64>>)> {
    fn all<T: FromStr>(values: &[String], number: fn(T) -> f64) -> Option<Vec<Option<f64>>> {
        values
            .iter()
            .map(|text| if text.is_empty() { Some(None) } else { Some(Some(number(text.parse().ok()?))) })
            .collect()
    }
    let spans = || Some(("s", "s", all(values, |span: Span| span.as_secs_f64())?));
    let rates = || Some(("bit/s", "bps", all(values, |rate: Rate| rate.bits_per_sec() as f64)?));
    let sizes = || Some(("bytes", "bytes", all(values, |size: Bytes| size.0 as f64)?));
    let plain = || Some(("", "number", all(values, |number: f64| number)?));
    spans().or_else(rates).or_else(sizes).or_else(plain)
}
