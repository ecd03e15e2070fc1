//! Numbers for pages, typeset with minus signs and thousands separators.

use lab::figures::number::{format_decimals, format_signed_percent};

/// Formats a number with `places` decimals for a page: with the minus sign U+2212, and thousands separators from 10,000
/// on.
pub fn typeset_number(value: f64, places: usize) -> String {
    let text = format_decimals(value, places);
    let (sign, text) = text.strip_prefix('-').map_or(("", text.as_str()), |text| ("\u{2212}", text));
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), plot::group_digits);
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// Formats a change in percent with its sign, for a page.
pub fn typeset_change(change: f64) -> String {
    format!("{}\u{a0}%", format_signed_percent(change, typeset_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_written_and_zero_has_none() {
        assert_eq!(typeset_number(-1234.56, 1), "\u{2212}1234.6");
        assert_eq!(typeset_number(10_240_000.0, 0), "10,240,000");
        assert_eq!(typeset_number(-0.01, 1), "0.0");
        assert_eq!(typeset_change(-0.01), "0.0\u{a0}%");
        assert_eq!(typeset_change(3.78), "+3.8\u{a0}%");
        assert_eq!(typeset_change(-123.4), "\u{2212}123\u{a0}%");
    }
}
