//! Confidence interval of the mean of a steady series, by batch means.
//!
//! Source: Law and Carson, "A sequential procedure for determining the length of a steady-state simulation", Operations
//! Research 27 (1979), with its numbers; Law, *Simulation Modeling and Analysis*, 5th ed. (2015) 9.5.3.
//!
//! ```text
//! n values, m = [n / 400], means of m values each: 400 to 799 of them
//! r = 2 r_all - (r_first half + r_second half) / 2      the jackknifed lag-1 autocorrelation of these means
//! r < 0.4:   40 batches of [n / 40] values, mean -+ t_(39, 1-a/2) s / sqrt(40)
//! else       the run is too short
//! ```
//!
//! The batches of the interval are ten times as long as the tested ones and have little correlation left: for a
//! first-order autoregression, r = 0.4 at m leaves about 0.04 at 10 m, and makes the variance about 8 % too small.
//!
//! Deviations: the paper extends the run until the test passes; here the run is given, and the result may be that it is
//! too short. If r is above 0, the paper also requires it to be less at 200 batches; here 200 batches must also be
//! below 0.4, because the paper's condition rejects a fifth of all independent series. The test uses all values, in 400
//! to 799 batches instead of 400.
//!
//! Limits: remove the warm-up first ([`super::mser`]). A correlation that falls and rises again at longer lags, such as
//! a cycle, is not detected. Near r = 0.4 the coverage is somewhat below the level.

use crate::sample::require_finite;
use crate::{Error, Interval, Level, Moments};

/// Number of batches of the interval [Law and Carson 1979].
const BATCHES: usize = 40;

/// Minimum number of batches of the test.
const TESTED: usize = 400;

/// Autocorrelation below which batch means count as uncorrelated.
const SMALL: f64 = 0.4;

/// The batch means of a series whose batches passed the test of correlation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Batches {
    /// Moments of the 40 batch means, in the unit of the values.
    pub means: Moments,
    /// Number of values in each batch.
    pub size: usize,
    /// Jackknifed lag-1 autocorrelation of batches about a tenth as long: below 0.4.
    pub lag_one: f64,
}

impl Batches {
    /// Returns the confidence interval of the steady mean.
    pub fn interval(&self, level: Level) -> Option<Interval> {
        Interval::of_mean(&self.means, level)
    }

    /// Returns the number of values in the batches, which are all values of the series except up to 39 at its
    /// beginning.
    pub fn values(&self) -> usize {
        BATCHES * self.size
    }
}

/// Returns the batch means of a steady series of equidistant values.
///
/// # Errors
/// [`Error::Value`] for NaN, infinities and values beyond [`crate::sample::MAX_MAGNITUDE`]; [`Error::Short`] below 400
/// values; [`Error::Correlated`] if the run is too short for its correlation.
pub fn batch_means(series: &[f64]) -> Result<Batches, Error> {
    series.iter().try_for_each(|&value| require_finite(value).map(drop))?;
    if series.len() < TESTED {
        return Err(Error::Short { found: series.len(), expected: TESTED });
    }
    let fine = means_of(series, series.len() / TESTED);
    let lag_one = jackknife_autocorrelation(&fine);
    let worst = lag_one.max(jackknife_autocorrelation(&means_of(series, 2 * (series.len() / TESTED))));
    if worst >= SMALL {
        return Err(Error::Correlated { found: worst });
    }
    let size = series.len() / BATCHES;
    let mut means = Moments::default();
    // 439 values would give 43 batches of 10. The values in excess are omitted at the beginning, which is the least
    // steady part.
    let last = &series[series.len() - BATCHES * size..];
    means_of(last, size).into_iter().for_each(|mean| means.add(mean));
    Ok(Batches { means, size, lag_one })
}

/// Returns the means of batches of `size` values; excess values at the beginning are dropped.
fn means_of(series: &[f64], size: usize) -> Vec<f64> {
    let used = &series[series.len() % size..];
    used.chunks_exact(size).map(|batch| batch.iter().map(|value| value / size as f64).sum()).collect()
}

/// Returns the lag-1 autocorrelation, with most of its bias of order 1 / n removed.
fn jackknife_autocorrelation(values: &[f64]) -> f64 {
    let (first, second) = values.split_at(values.len() / 2);
    2.0 * lag_one(values) - (lag_one(first) + lag_one(second)) / 2.0
}

/// Returns the lag-1 autocorrelation; 0 if all values are equal.
fn lag_one(values: &[f64]) -> f64 {
    let mut moments = Moments::default();
    values.iter().for_each(|&value| moments.add(value));
    let (Some(mean), Some(variance)) = (moments.mean(), moments.variance()) else { return 0.0 };
    if variance == 0.0 {
        return 0.0;
    }
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    products / (variance * (moments.n() - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hand calculation: 1 2 3 4 has deviations -1.5 -0.5 0.5 1.5. The sum of their products 0.75 - 0.25 + 0.75 is
    /// divided by 5.
    #[test]
    fn autocorrelation_agrees_with_a_hand_calculation() {
        assert!((lag_one(&[1.0, 2.0, 3.0, 4.0]) - 0.25).abs() < 1e-15);
        // The halves 1 2 and 3 4 have an autocorrelation of -0.25 / 0.5 each.
        assert!((jackknife_autocorrelation(&[1.0, 2.0, 3.0, 4.0]) - (0.5 + 0.5)).abs() < 1e-15);
        assert_eq!(lag_one(&[5.0; 4]), 0.0);
    }

    /// The values 0 and 1 alternate. Every batch of ten values has the mean one half.
    #[test]
    fn series_is_divided_into_forty_batches() {
        for extra in [0, 1, 39] {
            let series: Vec<f64> = (0..400 + extra).map(|i| f64::from(i % 2)).collect();
            let batches = batch_means(&series).unwrap();
            assert_eq!((batches.size, batches.values(), batches.means.n()), (10, 400, 40), "{extra}");
            assert_eq!((batches.means.min(), batches.means.max()), (Some(0.5), Some(0.5)), "{extra}");
        }
    }

    #[test]
    fn excess_values_are_dropped_at_the_beginning() {
        assert_eq!(means_of(&[9.0, 1.0, 2.0, 3.0, 4.0], 2), [1.5, 3.5]);
    }

    #[test]
    fn trend_and_short_series_are_refused() {
        let ramp: Vec<f64> = (0..1000).map(f64::from).collect();
        assert!(matches!(batch_means(&ramp), Err(Error::Correlated { .. })));
        assert_eq!(batch_means(&ramp[..399]), Err(Error::Short { found: 399, expected: 400 }));
        assert!(batch_means(&[f64::INFINITY; 400]).is_err());
    }
}
