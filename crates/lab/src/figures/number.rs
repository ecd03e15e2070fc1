//! Number formats with only the significant digits, in ASCII.

use engine::Quantity;
use observe::metric::Metric;
use serde_json::Value;

use crate::value_text::{format_json_value, parse_base_numbers};

/// Returns the number of decimals that shows two digits of the half width `half`. Without a half width, returns the
/// decimals that the value needs, up to six digits.
pub fn choose_decimals(half: f64, value: f64) -> usize {
    let from = |digits: f64, number: f64| digits - libm::floor(libm::log10(number.abs()));
    let places = |places: f64| places.clamp(0.0, 9.0) as usize;
    if half > 1e-12 * value.abs() {
        return places(from(1.0, half));
    }
    // A constant shows no trailing zeros: 12 and 12.5, not 12.0000 and 12.5000.
    let six = format!("{value:.places$}", places = if value == 0.0 { 0 } else { places(from(5.0, value)) });
    six.split_once('.').map_or(0, |(_, part)| part.trim_end_matches('0').len())
}

/// Formats a number with `places` decimals for a terminal: ASCII only, readable by `awk`.
pub fn format_decimals(value: f64, places: usize) -> String {
    let text = format!("{:.places$}", value.abs());
    if value < 0.0 && !is_zero(&text) { format!("-{text}") } else { text }
}

/// Formats a change in percent with its sign, for a terminal.
pub fn plain_percent(change: f64) -> String {
    format!("{} %", format_signed_percent(change, format_decimals))
}

/// Formats a change in percent with its sign, by `write`, whose argument is the number of decimals.
pub fn format_signed_percent(change: f64, write: fn(f64, usize) -> String) -> String {
    let text = write(change, if change.abs() < 99.95 { 1 } else { 0 });
    if change > 0.0 && !is_zero(&text) { format!("+{text}") } else { text }
}

/// True if a number was rounded to zero, which is written without a sign.
fn is_zero(text: &str) -> bool {
    !text.contains(|c: char| ('1'..='9').contains(&c))
}

/// Returns the divisor that keeps the numbers of a metric short, and the resulting unit.
pub fn choose_scale(metric: &Metric, means: impl Iterator<Item = f64>) -> (f64, &'static str) {
    let max = means.map(f64::abs).fold(0.0, f64::max);
    match Quantity::with_base(metric.unit) {
        Some(rate @ Quantity::Rate) => {
            let unit = rate.column_unit(max);
            (unit.size, unit.name)
        }
        // Times and sizes of a table are compared in their base units.
        _ => (1.0, metric.unit),
    }
}

/// Returns a short form of a scenario's value: numbers of more than nine characters are rounded to four digits, and a
/// table is reduced to its values. Not for places that need the exact value.
pub fn shorten_value(text: &str) -> String {
    const MAX_LEN: usize = 9;
    if let Ok(Value::Object(table)) = serde_json::from_str(text) {
        return table.values().map(|value| shorten_value(&format_json_value(value))).collect::<Vec<_>>().join(", ");
    }
    let number =
        parse_base_numbers(&[text.to_owned()]).and_then(|(unit, _, values)| Some((unit, values.first().copied()??)));
    let Some((unit, value)) = number.filter(|_| text.chars().count() > MAX_LEN) else { return text.to_owned() };
    match Quantity::with_base(unit) {
        Some(quantity) => quantity.format_brief(value),
        None => {
            let places = if value == 0.0 { 0.0 } else { 3.0 - libm::floor(libm::log10(value.abs())) };
            let text = format!("{value:.places$}", places = places.clamp(0.0, 9.0) as usize);
            let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            short.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviated_numbers_have_four_digits() {
        assert_eq!(shorten_value("11550649 ns"), "11.55 ms");
        assert_eq!(shorten_value("1000000001 bps"), "1 Gbps");
        assert_eq!(shorten_value("0.30000000004"), "0.3");
        assert_eq!(shorten_value("50 ms"), "50 ms");
        assert_eq!(shorten_value("refined-icmp"), "refined-icmp");
        assert_eq!(shorten_value(r#"{"kind":"two-state","mean_good":"5 s"}"#), "two-state, 5 s");
    }

    #[test]
    fn decimals_follow_the_half_width() {
        assert_eq!(choose_decimals(1.234, 135.0), 1);
        assert_eq!(choose_decimals(0.012, 135.0), 3);
        assert_eq!(choose_decimals(123.0, 135_000.0), 0);
        let still = [7.008, 1.0 / 3.0, 135.25, 135.0, 0.1 + 0.2, 123_456_789.4, 0.0];
        assert_eq!(still.map(|value| choose_decimals(0.0, value)), [3, 6, 2, 0, 1, 0, 0]);
    }

    /// The largest absolute value decides.
    #[test]
    fn large_rates_are_scaled_to_larger_units() {
        let rate = &observe::summary::flow::goodput_bps;
        assert_eq!(choose_scale(rate, [5.0, 9_999.0].into_iter()), (1.0, "bps"));
        assert_eq!(choose_scale(rate, [5.0, -10_000.0].into_iter()), (1e3, "kbps"));
        assert_eq!(choose_scale(rate, [1e7, 5.0].into_iter()), (1e6, "Mbps"));
    }

    #[test]
    fn signs_are_written_and_zero_has_none() {
        assert_eq!(format_decimals(-12_345.67, 1), "-12345.7");
        let changes = [-0.04, 0.0, 0.06, -12.34, 1234.5];
        assert_eq!(changes.map(plain_percent), ["0.0 %", "0.0 %", "+0.1 %", "-12.3 %", "+1234 %"]);
    }
}
