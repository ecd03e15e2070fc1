//! From values to places on an axis, and the ticks between.

use crate::ink::tenths;

/// A straight map from values to tenths of a pixel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scale {
    /// The value at each end.
    pub lo: f64,
    pub hi: f64,
    /// The pixel at each end; a vertical axis runs from a large one to a small one.
    pub start: f64,
    pub end: f64,
}

impl Scale {
    /// The place of `value`.
    pub fn place(&self, value: f64) -> i32 {
        tenths(self.start + (value - self.lo) * self.per_unit())
    }

    /// Pixels for a step of 1; negative upwards.
    pub fn per_unit(&self) -> f64 {
        (self.end - self.start) / (self.hi - self.lo)
    }

    /// Whether `value` lies on the axis.
    pub fn holds(&self, value: f64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }
}

/// A tick: where it is and what it says.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// The value, exactly.
    pub label: String,
}

/// Ticks from `lo` to `hi` at multiples of 1, 2 or 5 times a power of ten, at most `most` of them.
/// Labels are computed in whole numbers: what is written is exact.
pub fn ticks(lo: f64, hi: f64, most: usize) -> Vec<Tick> {
    let span = hi - lo;
    if !span.is_finite() || span <= 0.0 {
        return Vec::new();
    }
    let rough = span / most.max(1) as f64;
    let mut exponent = -9;
    let mut power = 1e-9;
    while power * 10.0 <= rough {
        exponent += 1;
        power = power_of_ten(exponent);
    }
    let (mut mantissa, mut exponent) = match [1, 2, 5].into_iter().find(|m| f64::from(*m) * power >= rough) {
        Some(mantissa) => (mantissa, exponent),
        None => (1, exponent + 1),
    };
    loop {
        let step = f64::from(mantissa) * power_of_ten(exponent);
        // A hair more room, so that an end that is a multiple counts as one.
        let (first, last) = ((lo / step - 1e-6).ceil() as i64, (hi / step + 1e-6).floor() as i64);
        if last - first < most.max(1) as i64 {
            let tick = |n: i64| Tick { value: n as f64 * step, label: decimal(n * i64::from(mantissa), exponent) };
            return (first..=last).map(tick).collect();
        }
        (mantissa, exponent) = match mantissa {
            1 => (2, exponent),
            2 => (5, exponent),
            _ => (1, exponent + 1),
        };
    }
}

fn power_of_ten(exponent: i32) -> f64 {
    // Both products and quotients of whole powers up to 10^22 are exact.
    let power = (0..exponent.abs()).fold(1.0, |power, _| power * 10.0);
    if exponent < 0 { 1.0 / power } else { power }
}

/// `digits` x 10^`exponent` as a decimal, with commas from 10,000 on.
fn decimal(digits: i64, exponent: i32) -> String {
    let places = exponent.min(0).unsigned_abs();
    let value = i128::from(digits) * 10i128.pow(exponent.max(0).unsigned_abs());
    let unit = 10i128.pow(places);
    let sign = if value < 0 { "-" } else { "" };
    let (whole, part) = (value.abs() / unit, value.abs() % unit);
    let whole = grouped(whole as u64);
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part:0w$}", w = places as usize) }
}

/// A whole number with commas from 10,000 on.
pub fn grouped(number: u64) -> String {
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

    fn labels(lo: f64, hi: f64, most: usize) -> Vec<String> {
        ticks(lo, hi, most).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_exact() {
        assert_eq!(labels(0.0, 930.0, 11), ["0", "100", "200", "300", "400", "500", "600", "700", "800", "900"]);
        assert_eq!(labels(96.6, 98.5, 6), ["97.0", "97.5", "98.0", "98.5"]);
        assert_eq!(labels(0.0, 0.3, 4), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(0.0, 20_000.0, 3), ["0", "10,000", "20,000"]);
        assert_eq!(labels(1.0, 1.0, 5), [""; 0]);
        assert_eq!(labels(0.0, f64::INFINITY, 5), [""; 0]);
    }

    #[test]
    fn there_are_never_too_many_and_seldom_too_few() {
        let mut span = 1e-6;
        while span < 1e12 {
            for most in 3..12 {
                let n = ticks(span / 3.0, span * 4.0 / 3.0, most).len();
                assert!(n <= most && n + 1 >= most / 3, "{n} ticks of {most} over {span}");
            }
            span *= 1.37;
        }
    }
}
