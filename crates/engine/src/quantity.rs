//! Results with units for people to read: one spelling for the command, reports, pictures, the page and Python.
//!
//! Units are named as in scenarios (see [`units`](crate::units)), with prefixes of 1000, so that a printed quantity can
//! be written into a scenario: `kbps`, not `kbit/s`. Files and metrics have base units instead: bit/s, bytes, s.
//!
//! A single value has four significant digits and the largest unit that it reaches. A mean has two digits of the half
//! width of its interval. The values of a column of means share a unit, which is one prefix smaller up to ten of it, so
//! that the lowest ones keep digits.

use crate::Span;

/// A unit with its size in the base unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// The name.
    pub name: &'static str,
    /// The size in the base unit.
    pub size: f64,
}

const fn unit(name: &'static str, size: f64) -> Unit {
    Unit { name, size }
}

/// A kind of quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// Data per time; base unit bit/s.
    Rate,
    /// Data; base unit bytes.
    Size,
    /// Time; base unit s.
    Time,
}

impl Quantity {
    /// Every kind.
    pub const ALL: [Quantity; 3] = [Quantity::Rate, Quantity::Size, Quantity::Time];

    /// The kind of quantity with this base unit; `None` for counts and shares.
    pub fn with_base(unit: &str) -> Option<Self> {
        Quantity::ALL.into_iter().find(|quantity| quantity.base() == unit)
    }

    /// The base unit, as metrics name it.
    pub const fn base(self) -> &'static str {
        match self {
            Quantity::Rate => "bit/s",
            Quantity::Size => "bytes",
            Quantity::Time => "s",
        }
    }

    /// The units, the largest first.
    pub const fn units(self) -> &'static [Unit] {
        const RATES: [Unit; 4] = [unit("Gbps", 1e9), unit("Mbps", 1e6), unit("kbps", 1e3), unit("bps", 1.0)];
        const SIZES: [Unit; 4] = [unit("GB", 1e9), unit("MB", 1e6), unit("kB", 1e3), unit("B", 1.0)];
        const TIMES: [Unit; 4] = [unit("s", 1.0), unit("ms", 1e-3), unit("us", 1e-6), unit("ns", 1e-9)];
        match self {
            Quantity::Rate => &RATES,
            Quantity::Size => &SIZES,
            Quantity::Time => &TIMES,
        }
    }

    /// The largest unit that `value` reaches; for zero the base unit.
    pub fn unit_for(self, value: f64) -> Unit {
        let units = self.units();
        let base = units.iter().find(|unit| unit.size == 1.0);
        let reached = units.iter().find(|unit| value.abs() >= unit.size);
        let smallest = units.last().filter(|_| value != 0.0);
        reached.or(smallest).or(base).copied().unwrap_or(unit(self.base(), 1.0))
    }

    /// Returns the unit of a table's column whose largest absolute value is `max`: the largest unit in which `max` is
    /// at least 10.
    pub fn column_unit(self, max: f64) -> Unit {
        self.unit_for(max.abs() / 10.0)
    }

    /// Formats a value with four significant digits, without trailing zeros, in the largest unit that it reaches once
    /// rounded.
    pub fn format_brief(self, value: f64) -> String {
        if !value.is_finite() {
            return "unlimited".to_owned();
        }
        let unit = self.unit_for(round_to_digits(value, 4));
        format!("{} {}", round_to_digits(value / unit.size, 4), unit.name)
    }
}

/// Formats a time as [`Quantity::format_brief`] does.
pub fn format_span(span: Span) -> String {
    Quantity::Time.format_brief(span.as_secs_f64())
}

/// Formats a time for a column in milliseconds, whose head has the unit: with one decimal unless it is whole.
pub fn format_millis_cell(span: Span) -> String {
    let tenths = (span.as_nanos() + 50_000) / 100_000;
    if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// Rounds to significant digits, at most 17.
fn round_to_digits(value: f64, digits: usize) -> f64 {
    // Through decimal text: a product with a power of ten would add a rounding error.
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// Formats a share, 0 to 1, in percent with one decimal.
pub fn format_percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Formats a configured share, such as a level or a precision, in percent with at most two decimals.
pub fn format_short_percent(share: f64) -> String {
    // Two decimals hide the rounding error of 0.07 x 100, and a precision of 0.0005 is still distinct from 0.
    let rounded = format!("{:.2}", 100.0 * share);
    format!("{} %", rounded.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats a time of a run in seconds, to the microsecond, without superfluous digits.
pub fn format_moment(seconds: f64) -> String {
    let fixed = format!("{seconds:.6}");
    let short = fixed.trim_end_matches('0').trim_end_matches('.');
    format!("{} s", if short == "-0" { "0" } else { short })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_the_largest_unit_that_they_reach() {
        let brief = |value| Quantity::Rate.format_brief(value);
        assert_eq!([605_107.07, 999.9, 0.0, 1e9].map(brief), ["605.1 kbps", "999.9 bps", "0 bps", "1 Gbps"]);
        assert_eq!([999_960.0, 999_940.0].map(brief), ["1 Mbps", "999.9 kbps"], "rounding reaches the next unit");
        assert_eq!(
            [0.25, 0.0, 2.5e-6, 4e-10].map(|time| Quantity::Time.format_brief(time)),
            ["250 ms", "0 s", "2.5 us", "0.4 ns"]
        );
        assert_eq!([1460.0, 12.0, -2e6].map(|size| Quantity::Size.format_brief(size)), ["1.46 kB", "12 B", "-2 MB"]);
        assert_eq!(Quantity::Size.format_brief(f64::INFINITY), "unlimited");
    }

    #[test]
    fn cells_in_milliseconds_have_one_decimal_at_most() {
        let cell = |nanos| format_millis_cell(Span::from_nanos(nanos));
        assert_eq!([899_000_000, 20_385_640_000, 49_999, 0].map(cell), ["899", "20385.6", "0", "0"]);
    }

    #[test]
    fn columns_keep_digits_of_their_lowest_values() {
        let name = |max| Quantity::Rate.column_unit(max).name;
        assert_eq!([9_999.0, 10_000.0, -10_000.0, 1e7].map(name), ["bps", "kbps", "kbps", "Mbps"]);
    }

    /// Printed values can be written into a scenario, which parses a rate, a size or a time.
    #[test]
    fn scenarios_accept_every_displayed_unit() {
        for unit in Quantity::Rate.units() {
            let rate: crate::Rate = format!("3 {}", unit.name).parse().unwrap();
            assert_eq!(rate.bits_per_sec() as f64, 3.0 * unit.size);
        }
        for unit in Quantity::Size.units() {
            let size: crate::Bytes = format!("3 {}", unit.name).parse().unwrap();
            assert_eq!(size.0 as f64, 3.0 * unit.size);
        }
        for unit in Quantity::Time.units() {
            let span: crate::Span = format!("3 {}", unit.name).parse().unwrap();
            assert_eq!(span.as_nanos() as f64, 3e9 * unit.size);
        }
    }

    #[test]
    fn shares_and_moments_have_no_superfluous_digits() {
        assert_eq!([0.25, 0.0, 0.1234].map(format_percent), ["25.0 %", "0.0 %", "12.3 %"]);
        assert_eq!([0.07, 0.0005, 0.955].map(format_short_percent), ["7 %", "0.05 %", "95.5 %"]);
        assert_eq!([12.5, 0.0, -1e-9, 0.000_001_4].map(format_moment), ["12.5 s", "0 s", "0 s", "0.000001 s"]);
    }
}
