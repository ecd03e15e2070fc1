//! The mapping from values to positions on an axis, and the ticks of an axis.

use crate::ink::to_tenths;

/// A linear map from values to positions in tenths of a pixel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct AxisScale {
    /// Values at the two ends.
    pub lo: f64,
    pub hi: f64,
    /// Pixels at the two ends; on a vertical axis `start` is the larger one.
    pub start: f64,
    pub end: f64,
}

impl AxisScale {
    /// Returns the position of `value` in tenths of a pixel.
    pub fn place(&self, value: f64) -> i32 {
        to_tenths(self.start + (value - self.lo) * self.per_unit())
    }

    /// Pixels per unit of value; negative on a vertical axis.
    pub fn per_unit(&self) -> f64 {
        (self.end - self.start) / (self.hi - self.lo)
    }

    /// True if `value` lies on the axis.
    pub fn holds(&self, value: f64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }
}

/// A tick of an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct AxisTick {
    /// The value at the tick.
    pub value: f64,
    /// The exact value as text.
    pub label: String,
}

/// Returns at most `max` ticks from `lo` to `hi`, at multiples of 1, 2 or 5 times a power of ten. Labels are computed
/// in integers, so they are exact.
pub fn choose_ticks(lo: f64, hi: f64, max: usize) -> Vec<AxisTick> {
    let span = hi - lo;
    if !span.is_finite() || span <= 0.0 {
        return Vec::new();
    }
    let rough = span / max.max(1) as f64;
    let mut exponent = -9;
    let mut power = 1e-9;
    while power * 10.0 <= rough {
        exponent += 1;
        power = compute_power_of_ten(exponent);
    }
    let (mut mantissa, mut exponent) = match [1, 2, 5].into_iter().find(|m| f64::from(*m) * power >= rough) {
        Some(mantissa) => (mantissa, exponent),
        None => (1, exponent + 1),
    };
    loop {
        let step = f64::from(mantissa) * compute_power_of_ten(exponent);
        // A small tolerance, so that an end of the axis that is a multiple of the step gets a tick.
        let (first, last) = ((lo / step - 1e-6).ceil() as i64, (hi / step + 1e-6).floor() as i64);
        if last - first < max.max(1) as i64 {
            let tick =
                |n: i64| AxisTick { value: n as f64 * step, label: format_decimal(n * i64::from(mantissa), exponent) };
            return (first..=last).map(tick).collect();
        }
        (mantissa, exponent) = match mantissa {
            1 => (2, exponent),
            2 => (5, exponent),
            _ => (1, exponent + 1),
        };
    }
}

fn compute_power_of_ten(exponent: i32) -> f64 {
    // Products and quotients of integer powers up to 10^22 are exact.
    let power = (0..exponent.abs()).fold(1.0, |power, _| power * 10.0);
    if exponent < 0 { 1.0 / power } else { power }
}

/// Formats `digits` x 10^`exponent` as a decimal number, with thousands separators from 10,000 on.
fn format_decimal(digits: i64, exponent: i32) -> String {
    let places = exponent.min(0).unsigned_abs();
    let value = i128::from(digits) * 10i128.pow(exponent.max(0).unsigned_abs());
    let unit = 10i128.pow(places);
    let sign = if value < 0 { "-" } else { "" };
    let (whole, part) = (value.abs() / unit, value.abs() % unit);
    let whole = group_digits(whole as u64);
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part:0w$}", w = places as usize) }
}

/// Formats an integer with thousands separators from 10,000 on.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64, max: usize) -> Vec<String> {
        choose_ticks(lo, hi, max).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn tick_labels_are_round_and_exact() {
        assert_eq!(labels(0.0, 930.0, 11), ["0", "100", "200", "300", "400", "500", "600", "700", "800", "900"]);
        assert_eq!(labels(96.6, 98.5, 6), ["97.0", "97.5", "98.0", "98.5"]);
        assert_eq!(labels(0.0, 0.3, 4), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(0.0, 20_000.0, 3), ["0", "10,000", "20,000"]);
        assert_eq!(labels(1.0, 1.0, 5), [""; 0]);
        assert_eq!(labels(0.0, f64::INFINITY, 5), [""; 0]);
    }

    #[test]
    fn tick_count_stays_near_its_maximum() {
        let mut span = 1e-6;
        while span < 1e12 {
            for max in 3..12 {
                let n = choose_ticks(span / 3.0, span * 4.0 / 3.0, max).len();
                assert!(n <= max && n + 1 >= max / 3, "{n} ticks of {max} over {span}");
            }
            span *= 1.37;
        }
    }
}
