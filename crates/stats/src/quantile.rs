//! Quantiles, and their confidence intervals without an assumption on the distribution.
//!
//! Source: Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996), type 7;
//! the intervals: Hahn and Meeker, *Statistical Intervals* (1991) 5.2; David and Nagaraja, *Order Statistics* (2003)
//! 7.1.
//!
//! ```text
//! type 7     h = (n - 1) p;   x_[h] + (h - [h]) (x_[h]+1 - x_[h])        x_0 the least
//! interval   x_(l) to x_(u), 1 the least:  P = P(l <= B <= u - 1), B binomial (n, p)
//!            l the greatest with P(B <= l - 1) <= a/2,  u the least with P(B >= u) <= a/2
//! ```
//!
//! The coverage is at least P, and exactly P for continuous values; P is returned, and at least the level. If no order
//! statistic is far enough out there is no interval: at 95 % the median needs 6 values, the 99 % quantile 368.
//!
//! Limits: independent values. The probabilities of B are summed term by term from the mode, n steps: the incomplete
//! beta function of `statrs` stops after 140 terms, and is wrong in the third digit at n = 10^6.

use crate::sample::require_finite;
use crate::{Error, Interval, Level};

/// Values in ascending order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ordered {
    values: Vec<f64>,
}

/// A confidence interval of a quantile, bounded by two of the values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QuantileInterval {
    /// The interval, in the unit of the values.
    pub interval: Interval,
    /// Coverage for continuous values; at least the requested level.
    pub coverage: f64,
}

impl Ordered {
    /// Sorts the values.
    ///
    /// # Errors
    /// [`Error::Value`] for the first value that is NaN, infinite, or beyond [`crate::sample::MAX_MAGNITUDE`].
    pub fn of(values: impl IntoIterator<Item = f64>) -> Result<Self, Error> {
        let mut values = values.into_iter().map(require_finite).collect::<Result<Vec<_>, _>>()?;
        values.sort_by(f64::total_cmp);
        Ok(Ordered { values })
    }

    /// The values in ascending order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the value below which the share `p` of all values lies, interpolated; 0 gives the smallest value, 1 the
    /// largest. `None` without values.
    ///
    /// # Errors
    /// [`Error::Probability`] unless `p` is 0 to 1.
    pub fn quantile(&self, p: f64) -> Result<Option<f64>, Error> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::Probability { found: p });
        }
        let Some(last) = self.values.len().checked_sub(1) else { return Ok(None) };
        let place = last as f64 * p;
        let below = (place as usize).min(last);
        let (from, to) = (self.values[below], self.values[(below + 1).min(last)]);
        Ok(Some(from + (place - below as f64) * (to - from)))
    }

    /// Returns the confidence interval of the distribution's quantile `p`. `None` if there are too few values for the
    /// level, and for `p` of 0 or 1, which no number of values can bound.
    ///
    /// # Errors
    /// [`Error::Probability`] unless `p` is 0 to 1.
    pub fn interval(&self, p: f64, level: Level) -> Result<Option<QuantileInterval>, Error> {
        if !(0.0..=1.0).contains(&p) {
            return Err(Error::Probability { found: p });
        }
        let n = self.values.len();
        if n == 0 || p == 0.0 || p == 1.0 {
            return Ok(None);
        }
        let weights = binomial_probabilities(n, p);
        let side = level.alpha() / 2.0;
        // Returns the number of outcomes, from the given end, whose total probability is at most `side`, and that
        // probability.
        let within = |outcomes: &mut dyn Iterator<Item = &f64>| {
            let mut tail = 0.0;
            let count = outcomes.take_while(|&&weight| {
                let fits = tail + weight <= side;
                tail += if fits { weight } else { 0.0 };
                fits
            });
            (count.count(), tail)
        };
        let (lower, below) = within(&mut weights.iter());
        let (upper, above) = within(&mut weights.iter().rev());
        if lower == 0 || upper == 0 {
            return Ok(None);
        }
        // P(B <= lower - 1) is small enough, so that x_(lower) is the lower end. P(B >= n - upper + 1) is small enough,
        // so that x_(n - upper + 1) is the upper end.
        let interval = Interval { low: self.values[lower - 1], high: self.values[n - upper] };
        Ok(Some(QuantileInterval { interval, coverage: 1.0 - below - above }))
    }
}

/// Returns the binomial probabilities of 0 to n successes; `p` strictly between 0 and 1.
fn binomial_probabilities(n: usize, p: f64) -> Vec<f64> {
    let mode = (((n + 1) as f64 * p) as usize).min(n);
    let odds = p / (1.0 - p);
    let mut weights = vec![0.0; n + 1];
    weights[mode] = 1.0;
    for k in mode + 1..=n {
        weights[k] = weights[k - 1] * ((n - k + 1) as f64 / k as f64 * odds);
    }
    for k in (0..mode).rev() {
        weights[k] = weights[k + 1] * ((k + 1) as f64 / ((n - k) as f64 * odds));
    }
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Binomial, DiscreteCDF};

    fn first(n: usize) -> Ordered {
        Ordered::of((1..=n).rev().map(|x| x as f64)).unwrap()
    }

    /// Type 7 by hand, and R's `quantile(c(1, 2, 3, 4, 10))`, give 1 2 3 4 10, and 7.6 for 0.9.
    #[test]
    fn type_7_quantiles_agree_with_a_hand_calculation() {
        let values = Ordered::of([10.0, 1.0, 4.0, 2.0, 3.0]).unwrap();
        assert_eq!(values.values(), [1.0, 2.0, 3.0, 4.0, 10.0]);
        for (p, expected) in [(0.0, 1.0), (0.25, 2.0), (0.5, 3.0), (0.75, 4.0), (0.9, 7.6), (1.0, 10.0)] {
            assert!((values.quantile(p).unwrap().unwrap() - expected).abs() < 1e-12, "{p}");
        }
        assert_eq!(first(1).quantile(0.3), Ok(Some(1.0)));
        assert_eq!(first(0).quantile(0.3), Ok(None));
        assert!(first(3).quantile(f64::NAN).is_err() && first(3).quantile(1.1).is_err());
    }

    /// Published ranks of the median's interval at 95 % (Conover, *Practical Nonparametric Statistics*; sign test): 6
    /// values give the whole range with 1 - 2/64, 10 values the second to the ninth with 1 - 22/1024, and 20 values the
    /// 6th to the 15th.
    #[test]
    fn ranks_of_the_median_interval_equal_published_ones() {
        assert_eq!(first(5).interval(0.5, Level::default()), Ok(None));
        for (n, low, high, coverage) in [
            (6, 1.0, 6.0, 1.0 - 2.0 / 64.0),
            (10, 2.0, 9.0, 1.0 - 22.0 / 1024.0),
            (20, 6.0, 15.0, 0.958_610_534_667_968_8),
        ] {
            let found = first(n).interval(0.5, Level::default()).unwrap().unwrap();
            assert_eq!(found.interval, Interval { low, high });
            assert!((found.coverage - coverage).abs() < 1e-12, "{}", found.coverage);
        }
    }

    /// An upper end for the 99 % quantile needs 0.99^n <= 0.025, which holds from n = 368 on.
    #[test]
    fn extreme_quantile_with_too_few_values_has_no_interval() {
        assert_eq!(first(367).interval(0.99, Level::default()), Ok(None));
        assert!(first(368).interval(0.99, Level::default()).unwrap().is_some());
        assert_eq!(first(1000).interval(1.0, Level::default()), Ok(None));
    }

    #[test]
    fn binomial_probabilities_agree_with_statrs() {
        for (n, p) in [(1, 0.3), (17, 0.9), (1000, 0.01), (3000, 0.5), (3000, 0.999)] {
            let law = Binomial::new(p, n as u64).unwrap();
            let mut sum = 0.0;
            for (k, weight) in binomial_probabilities(n, p).into_iter().enumerate() {
                sum += weight;
                assert!((sum - law.cdf(k as u64)).abs() < 1e-10, "{n} {p} {k}");
            }
        }
    }
}
