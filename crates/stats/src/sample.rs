//! Values, and their moments in one pass.
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
//! Limits: a value must be at most [`LARGEST`] either way, so that squares and their sums stay finite. Differences below
//! about 1e-154 have squares that vanish: rescale such values. Merging in another order may change the last bits; a
//! [`Sample`] therefore adds up in the order of replications.

use std::collections::BTreeMap;

use crate::Error;

/// The largest magnitude of a value: the sum of 10^27 squares of it is still an `f64`.
pub const LARGEST: f64 = 1e140;

/// The value, if the statistics can work with it.
///
/// # Errors
/// [`Error::Value`] if it is NaN, infinite, or beyond [`LARGEST`].
pub(crate) fn checked(value: f64) -> Result<f64, Error> {
    // Written so that NaN is refused too.
    if value.abs() <= LARGEST { Ok(value) } else { Err(Error::Value { found: value }) }
}

/// Number, mean, variance, least and greatest of some values, in the values' unit.
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
    /// Of all the values.
    ///
    /// # Errors
    /// [`Error::Value`] at the first that is NaN, infinite, or beyond [`LARGEST`].
    pub fn of(values: impl IntoIterator<Item = f64>) -> Result<Self, Error> {
        let mut moments = Moments::default();
        values.into_iter().try_for_each(|value| moments.push(value))?;
        Ok(moments)
    }

    /// Takes in one value.
    ///
    /// # Errors
    /// [`Error::Value`] if it is NaN, infinite, or beyond [`LARGEST`]; then nothing has changed.
    pub fn push(&mut self, value: f64) -> Result<(), Error> {
        self.add(checked(value)?);
        Ok(())
    }

    /// Takes in a value that is known to be finite.
    pub(crate) fn add(&mut self, value: f64) {
        self.n += 1;
        let from_old = value - self.mean;
        self.mean += from_old / self.n as f64;
        self.squares += from_old * (value - self.mean);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// The moments of both sets of values together: those of the whole, but for rounding.
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

    /// How many values.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Their mean; none without values.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then_some(self.mean)
    }

    /// The unbiased variance, in the square of the values' unit; none below two values.
    pub fn variance(&self) -> Option<f64> {
        (self.n > 1).then(|| self.squares / (self.n - 1) as f64)
    }

    /// The root of the variance; none below two values.
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// The standard deviation of the mean, s / sqrt(n), for independent values; none below two.
    pub fn standard_error(&self) -> Option<f64> {
        self.standard_deviation().map(|s| s / (self.n as f64).sqrt())
    }

    /// The least value; none without values.
    pub fn min(&self) -> Option<f64> {
        (self.n > 0).then_some(self.min)
    }

    /// The greatest value; none without values.
    pub fn max(&self) -> Option<f64> {
        (self.n > 0).then_some(self.max)
    }

    /// Whether there are at least two values and all are the same: for replications a sign that nothing in the run is
    /// random, or that all had one seed. An interval of width zero then says nothing about precision.
    pub fn is_constant(&self) -> bool {
        self.n > 1 && self.min == self.max
    }
}

/// One value for each replication.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Sample {
    values: BTreeMap<u64, f64>,
}

impl Sample {
    /// Of values in the order of replications 0, 1, 2 and so on.
    ///
    /// # Errors
    /// [`Error::Value`] at the first that is NaN, infinite, or beyond [`LARGEST`].
    pub fn of(values: impl IntoIterator<Item = f64>) -> Result<Self, Error> {
        let mut sample = Sample::default();
        (0..).zip(values).try_for_each(|(replication, value)| sample.insert(replication, value))?;
        Ok(sample)
    }

    /// Takes in the value of a replication.
    ///
    /// # Errors
    /// [`Error::Value`] if it is NaN, infinite, or beyond [`LARGEST`]; [`Error::Twice`] if the replication has one.
    /// Then nothing has changed.
    pub fn insert(&mut self, replication: u64, value: f64) -> Result<(), Error> {
        let value = checked(value)?;
        if self.values.contains_key(&replication) {
            return Err(Error::Twice { replication });
        }
        self.values.insert(replication, value);
        Ok(())
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of a replication.
    pub fn get(&self, replication: u64) -> Option<f64> {
        self.values.get(&replication).copied()
    }

    /// Replications and values, by replication.
    pub fn iter(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.values.iter().map(|(&replication, &value)| (replication, value))
    }

    /// What `change` makes of each value. A replication whose value becomes no number is left out.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self::whatever_fits(self.iter().map(|(replication, value)| (replication, change(value))))
    }

    /// What `join` makes of the values of each replication that both have.
    pub fn zip_with(&self, other: &Self, join: impl Fn(f64, f64) -> f64) -> Self {
        let both = self.iter().filter_map(|(replication, a)| Some((replication, join(a, other.get(replication)?))));
        Self::whatever_fits(both)
    }

    fn whatever_fits(values: impl Iterator<Item = (u64, f64)>) -> Self {
        Sample { values: values.filter(|(_, value)| checked(*value).is_ok()).collect() }
    }

    /// The moments, added up in the order of replications: the same bits whatever the order of arrival.
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
    fn samples_join_replication_by_replication() {
        let (a, mut b) = (Sample::of([1.0, 2.0, 3.0]).unwrap(), Sample::default());
        b.insert(2, 10.0).unwrap();
        b.insert(7, 20.0).unwrap();
        assert_eq!(a.zip_with(&b, f64::max).iter().collect::<Vec<_>>(), [(2, 10.0)]);
        assert_eq!(a.map(|value| 1.0 / (value - 1.0)).iter().collect::<Vec<_>>(), [(1, 1.0), (2, 0.5)]);
    }

    /// By hand: 2 4 4 4 5 5 7 9 has mean 5 and squares of deviations that add up to 32.
    #[test]
    fn moments_of_a_hand_calculation() {
        let moments = Moments::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((moments.n(), moments.mean(), moments.min(), moments.max()), (8, Some(5.0), Some(2.0), Some(9.0)));
        assert!((moments.variance().unwrap() - 32.0 / 7.0).abs() < 1e-14);
    }

    /// The sum of squares minus the square of the sum would lose all digits here (the classic 10^9 + 4, 7, 13, 16).
    #[test]
    fn a_large_mean_does_not_drown_the_variance() {
        let moments = Moments::of([4.0, 7.0, 13.0, 16.0].map(|x| 1e9 + x)).unwrap();
        assert_eq!(moments.variance(), Some(30.0));
    }

    #[test]
    fn too_few_values_have_no_moments() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.min(), moments.max()), (None, None, None));
        moments.push(3.0).unwrap();
        assert_eq!((moments.mean(), moments.variance(), moments.is_constant()), (Some(3.0), None, false));
        moments.push(3.0).unwrap();
        assert_eq!((moments.variance(), moments.is_constant()), (Some(0.0), true));
    }

    #[test]
    fn what_is_not_a_number_changes_nothing() {
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
    fn the_order_of_arrival_does_not_matter() {
        let values = [(3, 0.1), (0, 1e9), (2, 0.7), (9, -3.3), (1, 1e-9)];
        let mut there = Sample::default();
        let mut back = Sample::default();
        values.iter().for_each(|&(replication, value)| there.insert(replication, value).unwrap());
        values.iter().rev().for_each(|&(replication, value)| back.insert(replication, value).unwrap());
        assert_eq!(there.moments(), back.moments());
    }
}
