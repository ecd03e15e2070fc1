//! Samples, and their moments in one pass.
//!
//! Source: Welford, "Note on a method for calculating corrected sums of squares and products", Technometrics 4 (1962);
//! merging: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances",
//! Stanford STAN-CS-79-773 (1979); the estimators: Law, *Simulation Modeling and Analysis*, 5th ed. (2015) 4.4.
//!
//! ```text
//! mean_n = mean_(n-1) + (x_n - mean_(n-1)) / n
//! M_n    = M_(n-1) + (x_n - mean_(n-1)) (x_n - mean_n)         variance = M_n / (n - 1)
//! merged: d = mean_b - mean_a;  mean = mean_a + d n_b / n;  M = M_a + M_b + d^2 n_a n_b / n
//! ```
//!
//! Limits: values of at most [`MAX_MAGNITUDE`] in magnitude, so that squares and their sums stay finite. Differences below
//! about 1e-154 have squares that underflow: rescale such values. The order of merging may change the last bits; a
//! [`Sample`] therefore sums in the order of replications.

use std::collections::BTreeMap;

use crate::Error;

/// Maximum magnitude of a value: the sum of 10^27 of its squares still fits an `f64`.
pub const MAX_MAGNITUDE: f64 = 1e140;

/// Returns the value if its magnitude is at most [`MAX_MAGNITUDE`].
///
/// # Errors
/// [`Error::Value`] if it is NaN, infinite, or beyond [`MAX_MAGNITUDE`].
pub(crate) fn require_finite(value: f64) -> Result<f64, Error> {
    // A comparison in this direction also refuses NaN.
    if value.abs() <= MAX_MAGNITUDE { Ok(value) } else { Err(Error::Value { found: value }) }
}

/// Number, mean, variance, minimum and maximum of a set of values, in the unit of the values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moments {
    n: u64,
    mean: f64,
    squares: f64,
    min: f64,
    max: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Moments { n: 0, mean: 0.0, squares: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Moments {
    /// Returns the moments of all values.
    ///
    /// # Errors
    /// [`Error::Value`] for the first value that is NaN, infinite, or beyond [`MAX_MAGNITUDE`].
    pub fn of(values: impl IntoIterator<Item = f64>) -> Result<Self, Error> {
        let mut moments = Moments::default();
        values.into_iter().try_for_each(|value| moments.push(value))?;
        Ok(moments)
    }

    /// Adds one value.
    ///
    /// # Errors
    /// [`Error::Value`] if the value is NaN, infinite, or beyond [`MAX_MAGNITUDE`]; the moments are then unchanged.
    pub fn push(&mut self, value: f64) -> Result<(), Error> {
        self.add(require_finite(value)?);
        Ok(())
    }

    /// Adds a value that has been checked.
    pub(crate) fn add(&mut self, value: f64) {
        self.n += 1;
        let from_old = value - self.mean;
        self.mean += from_old / self.n as f64;
        self.squares += from_old * (value - self.mean);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Returns the moments of both sets of values together, exact apart from rounding.
    pub fn merge(&self, other: &Self) -> Self {
        if other.n == 0 {
            return *self;
        }
        if self.n == 0 {
            return *other;
        }
        let (here, there) = (self.n as f64, other.n as f64);
        let apart = other.mean - self.mean;
        Moments {
            n: self.n + other.n,
            mean: self.mean + apart * (there / (here + there)),
            squares: self.squares + other.squares + apart * apart * (here * (there / (here + there))),
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Number of values.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Returns the mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then_some(self.mean)
    }

    /// The unbiased variance, in the square of the values' unit; `None` below two values.
    pub fn variance(&self) -> Option<f64> {
        (self.n > 1).then(|| self.squares / (self.n - 1) as f64)
    }

    /// The standard deviation, in the unit of the values; `None` below two values.
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// The standard error of the mean, s / sqrt(n), for independent values; `None` below two values.
    pub fn standard_error(&self) -> Option<f64> {
        self.standard_deviation().map(|s| s / (self.n as f64).sqrt())
    }

    /// Returns the minimum; `None` without values.
    pub fn min(&self) -> Option<f64> {
        (self.n > 0).then_some(self.min)
    }

    /// Returns the maximum; `None` without values.
    pub fn max(&self) -> Option<f64> {
        (self.n > 0).then_some(self.max)
    }

    /// True if there are at least two values and all are equal: replications then probably have no randomness or share
    /// one seed, and an interval of width zero says nothing about precision.
    pub fn is_constant(&self) -> bool {
        self.n > 1 && self.min == self.max
    }
}

/// One value per replication.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Sample {
    values: BTreeMap<u64, f64>,
}

impl Sample {
    /// Returns a sample from values in the order of replications 0, 1, 2 and so on.
    ///
    /// # Errors
    /// [`Error::Value`] for the first value that is NaN, infinite, or beyond [`MAX_MAGNITUDE`].
    pub fn of(values: impl IntoIterator<Item = f64>) -> Result<Self, Error> {
        let mut sample = Sample::default();
        (0..).zip(values).try_for_each(|(replication, value)| sample.insert(replication, value))?;
        Ok(sample)
    }

    /// Adds the value of a replication.
    ///
    /// # Errors
    /// [`Error::Value`] if the value is NaN, infinite, or beyond [`MAX_MAGNITUDE`]; [`Error::Twice`] if the replication
    /// already has a value. The sample is then unchanged.
    pub fn insert(&mut self, replication: u64, value: f64) -> Result<(), Error> {
        let value = require_finite(value)?;
        if self.values.contains_key(&replication) {
            return Err(Error::Twice { replication });
        }
        self.values.insert(replication, value);
        Ok(())
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if the sample has no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the value of a replication; `None` if the replication has no value.
    pub fn get(&self, replication: u64) -> Option<f64> {
        self.values.get(&replication).copied()
    }

    /// Iterates over replications and their values, in the order of replications.
    pub fn iter(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.values.iter().map(|(&replication, &value)| (replication, value))
    }

    /// Applies `change` to each value. Results that are not valid values are left out.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self::valid_only(self.iter().map(|(replication, value)| (replication, change(value))))
    }

    /// Applies `join` to the values of each replication that is in both samples. Results that are not valid values are
    /// left out.
    pub fn zip_with(&self, other: &Self, join: impl Fn(f64, f64) -> f64) -> Self {
        let both = self.iter().filter_map(|(replication, a)| Some((replication, join(a, other.get(replication)?))));
        Self::valid_only(both)
    }

    fn valid_only(values: impl Iterator<Item = (u64, f64)>) -> Self {
        Sample { values: values.filter(|(_, value)| require_finite(*value).is_ok()).collect() }
    }

    /// Returns the moments, summed in the order of replications: bit-identical for any order of insertion.
    pub fn moments(&self) -> Moments {
        let mut moments = Moments::default();
        self.values.values().for_each(|&value| moments.add(value));
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zip_with_pairs_equal_replications() {
        let (a, mut b) = (Sample::of([1.0, 2.0, 3.0]).unwrap(), Sample::default());
        b.insert(2, 10.0).unwrap();
        b.insert(7, 20.0).unwrap();
        assert_eq!(a.zip_with(&b, f64::max).iter().collect::<Vec<_>>(), [(2, 10.0)]);
        assert_eq!(a.map(|value| 1.0 / (value - 1.0)).iter().collect::<Vec<_>>(), [(1, 1.0), (2, 0.5)]);
    }

    /// Hand calculation: 2 4 4 4 5 5 7 9 has mean 5, and squared deviations that sum to 32.
    #[test]
    fn moments_agree_with_a_hand_calculation() {
        let moments = Moments::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((moments.n(), moments.mean(), moments.min(), moments.max()), (8, Some(5.0), Some(2.0), Some(9.0)));
        assert!((moments.variance().unwrap() - 32.0 / 7.0).abs() < 1e-14);
    }

    /// The difference of the sum of squares and the squared sum would lose all digits here (10^9 + 4, 7, 13, 16).
    #[test]
    fn variance_is_exact_with_a_large_mean() {
        let moments = Moments::of([4.0, 7.0, 13.0, 16.0].map(|x| 1e9 + x)).unwrap();
        assert_eq!(moments.variance(), Some(30.0));
    }

    #[test]
    fn moments_of_too_few_values_are_none() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.min(), moments.max()), (None, None, None));
        moments.push(3.0).unwrap();
        assert_eq!((moments.mean(), moments.variance(), moments.is_constant()), (Some(3.0), None, false));
        moments.push(3.0).unwrap();
        assert_eq!((moments.variance(), moments.is_constant()), (Some(0.0), true));
    }

    #[test]
    fn refused_value_leaves_the_sample_unchanged() {
        let mut sample = Sample::of([1.0, 2.0]).unwrap();
        let before = sample.clone();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            assert!(matches!(sample.insert(7, bad), Err(Error::Value { .. })), "{bad}");
            assert!(Moments::of([1.0, bad]).is_err(), "{bad}");
        }
        assert_eq!(sample.insert(1, 5.0), Err(Error::Twice { replication: 1 }));
        assert_eq!(sample, before);
    }

    #[test]
    fn moments_do_not_depend_on_the_order_of_insertion() {
        let values = [(3, 0.1), (0, 1e9), (2, 0.7), (9, -3.3), (1, 1e-9)];
        let mut there = Sample::default();
        let mut back = Sample::default();
        values.iter().for_each(|&(replication, value)| there.insert(replication, value).unwrap());
        values.iter().rev().for_each(|&(replication, value)| back.insert(replication, value).unwrap());
        assert_eq!(there.moments(), back.moments());
    }
}
