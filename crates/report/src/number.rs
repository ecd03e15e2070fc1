//! Numbers for people: no more digits than are known.

use lab::export::{numbers, shown};
use lab::metric::Metric;
use serde_json::Value;

/// Decimals that show two digits of the half width; where there is none, six digits of the value.
pub fn decimals(half: f64, value: f64) -> usize {
    let digits = |number: f64| libm::floor(libm::log10(number.abs()));
    let places = if half > 1e-12 * value.abs() {
        1.0 - digits(half)
    } else if value != 0.0 && value != value.round() {
        5.0 - digits(value)
    } else {
        0.0
    };
    places.clamp(0.0, 9.0) as usize
}

/// A number with so many decimals, a real minus, and commas from 10,000 on.
pub fn fixed(value: f64, places: usize) -> String {
    let text = format!("{:.places$}", value.abs());
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), plot::grouped);
    // What rounds to nothing has no sign.
    let sign = if value < 0.0 && text.contains(|c: char| ('1'..='9').contains(&c)) { "\u{2212}" } else { "" };
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// A change in percent with its sign.
pub fn percent(change: f64) -> String {
    let places = if change.abs() < 99.95 { 1 } else { 0 };
    let text = fixed(change, places);
    let sign = if text.starts_with('\u{2212}') || text == "0.0" { "" } else { "+" };
    format!("{sign}{text}\u{a0}%")
}

/// What to divide a figure by so that its numbers are short, and the unit then. `most` is the largest of them.
pub fn scale(metric: &Metric, most: f64) -> (f64, &'static str) {
    match metric.unit {
        "bit/s" if most >= 1e7 => (1e6, "Mbit/s"),
        "bit/s" if most >= 1e4 => (1e3, "kbit/s"),
        unit => (1.0, unit),
    }
}

/// A value of a scenario for a place with little room: what has many digits is rounded to four of them, and of a table only
/// the values stand. Where a value must be exact, its own text stands.
pub fn brief(text: &str) -> String {
    const ROOM: usize = 9;
    const UNITS: [(&str, [(&str, f64); 4]); 3] = [
        ("s", [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]),
        ("bit/s", [("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0)]),
        ("bytes", [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)]),
    ];
    if let Ok(Value::Object(table)) = serde_json::from_str(text) {
        return table.values().map(|value| brief(&shown(value))).collect::<Vec<_>>().join(", ");
    }
    let number = numbers(&[text.to_owned()]).and_then(|(unit, _, values)| Some((unit, values.first().copied()??)));
    let Some((unit, value)) = number.filter(|_| text.chars().count() > ROOM) else { return text.to_owned() };
    let units = UNITS.iter().find(|(base, _)| *base == unit).map(|(_, units)| units);
    let fitting = units.and_then(|units| units.iter().find(|(_, size)| value.abs() >= *size));
    let (unit, size) = fitting.copied().unwrap_or(("", 1.0));
    let value = value / size;
    let places = if value == 0.0 { 0.0 } else { 3.0 - libm::floor(libm::log10(value.abs())) };
    let text = format!("{value:.places$}", places = places.clamp(0.0, 9.0) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if unit.is_empty() { text.to_owned() } else { format!("{text} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_many_digits_are_rounded_where_there_is_no_room() {
        assert_eq!(brief("11550649 ns"), "11.55 ms");
        assert_eq!(brief("1000000001 bps"), "1 Gbps");
        assert_eq!(brief("0.30000000004"), "0.3");
        assert_eq!(brief("50 ms"), "50 ms");
        assert_eq!(brief("refined-icmp"), "refined-icmp");
        assert_eq!(brief(r#"{"kind":"two-state","mean_good":"5 s"}"#), "two-state, 5 s");
    }

    #[test]
    fn numbers_have_the_digits_that_are_known() {
        assert_eq!(decimals(1.234, 135.0), 1);
        assert_eq!(decimals(0.012, 135.0), 3);
        assert_eq!(decimals(123.0, 135_000.0), 0);
        assert_eq!(decimals(0.0, 135.25), 3);
        assert_eq!(decimals(0.0, 135.0), 0);
        assert_eq!(decimals(0.0, 0.0), 0);
    }

    #[test]
    fn signs_are_real_and_nothing_has_none() {
        assert_eq!(fixed(-1234.56, 1), "\u{2212}1234.6");
        assert_eq!(fixed(10_240_000.0, 0), "10,240,000");
        assert_eq!(fixed(-0.01, 1), "0.0");
        assert_eq!(percent(-0.01), "0.0\u{a0}%");
        assert_eq!(percent(3.78), "+3.8\u{a0}%");
        assert_eq!(percent(-123.4), "\u{2212}123\u{a0}%");
    }
}
