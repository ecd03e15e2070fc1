//! The necessary length of a run.
//!
//! Source: Law, *Simulation Modeling and Analysis*, 5th ed. (2015) 9.5; the table of a metric against the simulated
//! time, snoop2002 4.1 and table 1.
//!
//! - From one long run: the half-width of [`Batches`] falls as 1 / sqrt(n), so the relative half-width `r` needs `n (h
//!   / (r |mean|))^2` values. [`run_length`].
//! - From a table of replicated runs of increasing lengths: the first length from which on *every* interval lies within
//!   `r` of the last mean, `(1 - r) m .. (1 + r) m`. A metric that still drifts is outside by its centre, a noisy one
//!   by its width. [`Convergence`].
//! - From a table without replications: the first length from which on all values lie within `r` of their mean.
//!   [`find_settled_length`]. It takes no account of chance, and values of one run at several times are not independent.
//!
//! Limits: with 40 batches the length itself is uncertain by about a half (95 % interval by the chi-square distribution
//! with 39 degrees of freedom: 0.61 to 1.49 times). All three compare with the end of the simulation; changes after it
//! are not detected.

use super::Batches;
use crate::precise::check_relative;
use crate::sample::require_finite;
use crate::{Error, Interval, Level, Moments, Sample};

/// Returns the number of values after the warm-up for which the mean has the relative half-width `relative` (0.05 is 5
/// %), at the spacing of the series. Less than [`Batches::values`] if fewer are sufficient. `None` if the mean is 0 or
/// nearly 0.
///
/// # Errors
/// [`Error::Precision`] unless `relative` is between 0 and 1.
pub fn run_length(batches: &Batches, relative: f64, level: Level) -> Result<Option<u64>, Error> {
    check_relative(relative)?;
    let now = batches.interval(level).and_then(|interval| interval.relative_half_width());
    // The conversion saturates at 2^64 values.
    Ok(now.map(|now| (batches.values() as f64 * (now / relative) * (now / relative)).ceil() as u64))
}

/// A metric against the length of the run, with replications at each length.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Convergence {
    rows: Vec<(f64, Moments)>,
}

/// The length from which on a metric is steady.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Steady {
    /// The length, in the unit of the table.
    pub from: f64,
    /// The confidence interval of the metric at that length.
    pub interval: Interval,
}

impl Convergence {
    /// Adds the values of runs of one length, longer than the lengths before.
    ///
    /// # Errors
    /// [`Error::Time`] unless `time` is finite and greater than the length before.
    pub fn push(&mut self, time: f64, values: &Sample) -> Result<(), Error> {
        let before = self.rows.last().map_or(f64::NEG_INFINITY, |row| row.0);
        if !(time.is_finite() && time > before) {
            return Err(Error::Time { found: time, before });
        }
        self.rows.push((time, values.moments()));
        Ok(())
    }

    /// Iterates over lengths and confidence intervals; the interval is `None` with fewer than two replications.
    pub fn rows(&self, level: Level) -> impl Iterator<Item = (f64, Option<Interval>)> + '_ {
        self.rows.iter().map(move |(time, moments)| (*time, Interval::of_mean(moments, level)))
    }

    /// Returns the first length from which on every interval lies within the share `relative` of the last mean. `None`
    /// if the last interval does not, or has too few replications: simulate longer, or replicate more.
    ///
    /// # Errors
    /// [`Error::Precision`] unless `relative` is between 0 and 1.
    pub fn steady_from(&self, relative: f64, level: Level) -> Result<Option<Steady>, Error> {
        check_relative(relative)?;
        let Some(last) = self.rows.last().and_then(|row| row.1.mean()) else { return Ok(None) };
        let within = Interval::around(last, relative * last.abs());
        let steady = self.rows.iter().rev().map_while(|(from, moments)| {
            let interval = Interval::of_mean(moments, level)?;
            within.covers(&interval).then_some(Steady { from: *from, interval })
        });
        Ok(steady.last())
    }
}

/// Returns the first time from which on all values lie within the share `relative` of their mean; `rows` are (time,
/// value), ordered by time. `None` if only the last value does, which is no evidence.
///
/// # Errors
/// [`Error::Precision`] unless `relative` is between 0 and 1; [`Error::Value`] for a value that is not finite;
/// [`Error::Time`] unless the times increase.
pub fn find_settled_length(rows: &[(f64, f64)], relative: f64) -> Result<Option<f64>, Error> {
    check_relative(relative)?;
    for (place, &(time, value)) in rows.iter().enumerate() {
        require_finite(value)?;
        let before = place.checked_sub(1).map_or(f64::NEG_INFINITY, |place| rows[place].0);
        if !(time.is_finite() && time > before) {
            return Err(Error::Time { found: time, before });
        }
    }
    let mut rest = Moments::default();
    let mut from = None;
    for &(time, value) in rows.iter().rev() {
        rest.add(value);
        let (Some(mean), Some(min), Some(max)) = (rest.mean(), rest.min(), rest.max()) else { continue };
        if rest.n() > 1 && max - mean <= relative * mean.abs() && mean - min <= relative * mean.abs() {
            from = Some(time);
        }
    }
    Ok(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// snoop2002, table 1: normalized throughput of runs of 20 s to 400 s.
    const TABLE_1: [f64; 20] = [
        0.75, 0.77, 0.77, 0.74, 0.69, 0.69, 0.68, 0.68, 0.66, 0.67, 0.68, 0.67, 0.69, 0.68, 0.69, 0.69, 0.69, 0.70,
        0.69, 0.69,
    ];

    /// The paper concludes from its table that 100 s are needed: all later values are within 3.5 % of their mean of
    /// 0.684. Its "deviation of 2 %" holds from 260 s on; at 180 s the value is 0.66.
    #[test]
    fn table_of_snoop2002_settles_at_the_published_time() {
        let rows: Vec<(f64, f64)> = (1..).map(|i| 20.0 * f64::from(i)).zip(TABLE_1).collect();
        assert_eq!(find_settled_length(&rows, 0.035), Ok(Some(100.0)));
        assert_eq!(find_settled_length(&rows, 0.02), Ok(Some(260.0)));
        assert_eq!(find_settled_length(&rows[..1], 0.02), Ok(None));
        assert!(matches!(find_settled_length(&[(2.0, 1.0), (1.0, 1.0)], 0.1), Err(Error::Time { .. })));
    }

    /// Hand calculation with two replications m - w and m + w: s = w sqrt(2), and the half-width is 12.706 w.
    #[test]
    fn row_is_steady_if_its_interval_is_near_the_last_mean() {
        let table = |rows: &[(f64, f64, f64)]| {
            let mut table = Convergence::default();
            for &(time, mean, w) in rows {
                table.push(time, &Sample::of([mean - w, mean + w]).unwrap()).unwrap();
            }
            table
        };
        let w = 0.1 / 12.706;
        let from = |rows: &[_]| table(rows).steady_from(0.05, Level::default()).unwrap().map(|steady| steady.from);
        // 10.3 -+ 0.1 is within 9.5 .. 10.5; 10.45 -+ 0.1 is not; 10 -+ 0.6 is not.
        assert_eq!(from(&[(20.0, 10.45, w), (50.0, 10.3, w), (100.0, 10.0, w)]), Some(50.0));
        assert_eq!(from(&[(20.0, 10.0, w), (50.0, 10.0, 6.0 * w), (100.0, 10.0, w)]), Some(100.0));
        assert_eq!(from(&[(20.0, 10.0, w), (50.0, 10.0, 6.0 * w)]), None);
        assert_eq!(from(&[]), None);
    }

    /// A single replication has no interval, so no length is steady.
    #[test]
    fn table_without_replications_is_never_steady() {
        let mut table = Convergence::default();
        table.push(20.0, &Sample::of([0.7]).unwrap()).unwrap();
        assert_eq!(table.steady_from(0.1, Level::default()), Ok(None));
        assert!(table.push(20.0, &Sample::default()).is_err() && table.push(f64::NAN, &Sample::default()).is_err());
    }

    /// Hand calculation: a half-width of 0.2 of 10 is 2 %. For 1 % four times the 4000 values are needed, for 4 % a
    /// quarter of them.
    #[test]
    fn run_length_grows_with_the_square_of_the_precision() {
        let w = 0.2 / Level::default().t(39) * 39.0_f64.sqrt();
        let means = Moments::of([10.0 - w, 10.0 + w].into_iter().cycle().take(40)).unwrap();
        let batches = Batches { means, size: 100, lag_one: 0.0 };
        let length = |relative| run_length(&batches, relative, Level::default()).unwrap().unwrap() as f64;
        assert!((length(0.01) - 16000.0).abs() <= 1.0 && (length(0.04) - 1000.0).abs() <= 1.0);
        assert!(run_length(&batches, 0.0, Level::default()).is_err());
    }
}
