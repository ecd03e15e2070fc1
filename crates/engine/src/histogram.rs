//! Quantiles of many values in bounded memory.

use crate::time::Span;

/// Number of bins for each power of two, as a power of two.
const BITS: u32 = 6;

/// Counts of values in bins whose width grows with the value: values below 128 are exact, larger ones have 64 bins for
/// each power of two, so that a quantile differs from the exact one by less than 1 % (1/128). HdrHistogram with 64
/// sub-buckets has the same bins.
///
/// Merging adds counts: the result depends neither on the order nor on the division of the values, so that threads,
/// processes and clusters get equal bytes.
///
/// ```
/// use engine::{Histogram, Span};
///
/// let mut delays = Histogram::default();
/// (1..=100).for_each(|ms| delays.record(Span::from_millis(ms).as_nanos()));
/// let median = delays.quantile(0.5).unwrap();
/// assert!((median as f64 / 50e6 - 1.0).abs() < 0.01);
/// assert_eq!(delays.max(), Some(100_000_000));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Histogram {
    /// Counts by bin, up to the highest in use.
    bins: Vec<u64>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Histogram {
    /// Adds a value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bin = bin_of(value);
        if bin >= self.bins.len() {
            self.grow(bin);
        }
        self.bins[bin] += 1;
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
    }

    #[cold]
    fn grow(&mut self, bin: usize) {
        self.bins.resize(bin + 1, 0);
    }

    /// Adds a duration, in nanoseconds.
    #[inline]
    pub fn record_span(&mut self, span: Span) {
        self.record(span.as_nanos());
    }

    /// Adds the values of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        if other.bins.len() > self.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        self.bins.iter_mut().zip(&other.bins).for_each(|(here, there)| *here += there);
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the minimum, which is exact; `None` without values.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Returns the maximum, which is exact; `None` without values.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// Returns the mean, which is exact to rounding; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Returns the smallest value that at least the share `q` of the values (0 to 1) does not exceed, as the middle of
    /// its bin; `None` without values.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let rank = (libm::ceil(q.clamp(0.0, 1.0) * self.count as f64) as u64).clamp(1, self.count);
        let mut below = 0;
        let reached = self.bins.iter().position(|count| {
            below += count;
            below >= rank
        });
        reached.map(|bin| middle_of_bin(bin).clamp(self.min, self.max))
    }

    /// Returns the share of values above `limit`, to the resolution of the bins; `None` without values.
    pub fn share_above(&self, limit: u64) -> Option<f64> {
        let above: u64 = self.bins.iter().skip(bin_of(limit) + 1).sum();
        (self.count > 0).then(|| above as f64 / self.count as f64)
    }
}

/// The bin of a value.
#[inline]
fn bin_of(value: u64) -> usize {
    let shift = (u64::BITS - 1 - BITS).saturating_sub(value.leading_zeros());
    ((shift as usize) << BITS) + (value >> shift) as usize
}

/// The middle of a bin, rounded down.
fn middle_of_bin(bin: usize) -> u64 {
    let shift = (bin >> BITS).saturating_sub(1);
    let lowest = ((bin - (shift << BITS)) as u64) << shift;
    lowest + ((1 << shift) - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_contiguous_and_contain_their_middle() {
        let mut last = 0;
        for value in (0..5_000).chain((13..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1])) {
            let at = bin_of(value);
            assert!(at == last || at == last + 1 || value > 5_000, "{value}");
            assert_eq!(bin_of(middle_of_bin(at)), at, "{value}");
            assert!(middle_of_bin(at).abs_diff(value) <= value / 128, "{value}: {}", middle_of_bin(at));
            last = at;
        }
        assert_eq!(bin_of(u64::MAX), 58 * 64 - 1 + 64);
    }

    #[test]
    fn quantiles_of_exact_values_are_exact() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.quantile(0.5), histogram.mean(), histogram.max()), (None, None, None));
        (1..=100).for_each(|value| histogram.record(value));
        let quantiles = [0.0, 0.01, 0.5, 0.95, 0.99, 1.0].map(|q| histogram.quantile(q).unwrap());
        assert_eq!(quantiles, [1, 1, 50, 95, 99, 100]);
        assert_eq!((histogram.mean(), histogram.min(), histogram.max()), (Some(50.5), Some(1), Some(100)));
        assert_eq!(histogram.share_above(90), Some(0.1));
    }

    #[test]
    fn merged_parts_equal_the_whole_in_any_order() {
        let values: Vec<u64> = (0..1000u64).map(|n| n * n * n % 1_000_003).collect();
        let whole = values.iter().fold(Histogram::default(), |mut all, value| {
            all.record(*value);
            all
        });
        let parts: Vec<Histogram> = values
            .chunks(37)
            .map(|part| {
                let mut histogram = Histogram::default();
                part.iter().for_each(|value| histogram.record(*value));
                histogram
            })
            .collect();
        let (mut forward, mut backward) = (Histogram::default(), Histogram::default());
        parts.iter().for_each(|part| forward.merge(part));
        parts.iter().rev().for_each(|part| backward.merge(part));
        assert_eq!((&forward, &backward), (&whole, &whole));
    }
}
