//! Intervals for a mean and for the next single run.
//!
//! Source: Law, *Simulation Modeling and Analysis*, 5th ed. (2015) 4.5 and 9.4.1; the prediction interval: Hahn and
//! Meeker, *Statistical Intervals* (1991) 4.7 and Meeker, Hahn and Escobar, 2nd ed. (2017).
//!
//! ```text
//! mean of all runs   mean -+ t_(n-1, 1-a/2) s / sqrt(n)
//! the next run       mean -+ t_(n-1, 1-a/2) s sqrt(1 + 1/n)
//! ```
//!
//! Limits: both are exact for independent normal values. The interval of a mean is right in the limit for any others
//! with a variance, and holds the truth less often than promised for few skewed values: at 95 %, exponential values
//! give 92 % at n = 20, lognormal ones (sigma 1) 87 % (measured in `docs/models/statistics.md`). The prediction
//! interval stays wrong for values that are not normal, however many there are: for these take quantiles.

use crate::student::t_above;
use crate::{Error, Moments};

/// How often the intervals hold the truth, strictly between 0 and 1; 0.95 unless told otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    level: f64,
    /// 1 - level, kept apart because it has more digits near a level of 1.
    alpha: f64,
}

impl Default for Level {
    fn default() -> Self {
        Level { level: 0.95, alpha: 0.05 }
    }
}

impl Level {
    /// A level such as 0.95.
    ///
    /// # Errors
    /// [`Error::Level`] unless it is more than 0 and less than 1.
    pub fn new(level: f64) -> Result<Self, Error> {
        // 1 - 0.95 would be 0.05 and a bit. A level too small to be told from 0 by its complement is none.
        let default = Level::default();
        if level == default.level {
            return Ok(default);
        }
        let alpha = 1.0 - level;
        if level > 0.0 && alpha > 0.0 && alpha < 1.0 {
            Ok(Level { level, alpha })
        } else {
            Err(Error::Level { found: level })
        }
    }

    /// The level, between 0 and 1.
    pub fn get(self) -> f64 {
        self.level
    }

    /// How often an interval misses: 1 - level.
    pub fn alpha(self) -> f64 {
        self.alpha
    }

    /// The level for each of `count` intervals that are to hold together at this one: 1 - alpha / count, Bonferroni's
    /// inequality (Law 2015 10.3). Zero counts as one. Beyond 10^15 intervals [`Level::get`] rounds; `alpha` is exact.
    #[must_use]
    pub fn shared(self, count: usize) -> Self {
        let alpha = self.alpha / count.max(1) as f64;
        Level { level: (1.0 - alpha).min(1.0 - f64::EPSILON / 2.0), alpha }
    }

    /// The two-sided quantile of Student's t: P(|T| > t) = alpha at `degrees` of freedom, at least 1.
    pub(crate) fn t(self, degrees: u64) -> f64 {
        t_above(self.alpha / 2.0, degrees as f64)
    }
}

/// A range, both ends included, in the values' unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end, not below the lower.
    pub high: f64,
}

impl Interval {
    /// From `centre - half` to `centre + half`; `half` not negative.
    pub(crate) fn around(centre: f64, half: f64) -> Self {
        Interval { low: centre - half, high: centre + half }
    }

    /// Student's confidence interval of the mean of independent values. None below two values.
    pub fn of_mean(moments: &Moments, level: Level) -> Option<Self> {
        let error = moments.standard_error()?;
        Some(Interval::around(moments.mean()?, level.t(moments.n() - 1) * error))
    }

    /// Where one further value will lie: what a single run tells beside these. None below two values.
    pub fn of_next(moments: &Moments, level: Level) -> Option<Self> {
        let s = moments.standard_deviation()?;
        let half = level.t(moments.n() - 1) * s * (1.0 + 1.0 / moments.n() as f64).sqrt();
        Some(Interval::around(moments.mean()?, half))
    }

    /// Its part within `range`; an end of `range` where they are disjoint.
    #[must_use]
    pub fn within(&self, range: &Interval) -> Self {
        let inside = |end: f64| end.max(range.low).min(range.high);
        Interval { low: inside(self.low), high: inside(self.high) }
    }

    /// The middle.
    pub fn centre(&self) -> f64 {
        self.low + self.half_width()
    }

    /// Half the distance of the ends.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The half-width as a share of the middle's magnitude: 0.05 is 5 %. `None` when the middle is 0, or so near to it
    /// that the quotient is not a number.
    pub fn relative_half_width(&self) -> Option<f64> {
        let share = self.half_width() / self.centre().abs();
        share.is_finite().then_some(share)
    }

    /// Whether the value is inside or at an end.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether all of the other is inside.
    pub fn covers(&self, other: &Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law 2015 4.5: ten values, mean 1.34, variance 0.17, 90 % interval 1.34 -+ 0.24.
    #[test]
    fn the_textbook_example_comes_out() {
        let values = [1.20, 1.50, 1.68, 1.89, 0.95, 1.49, 1.58, 1.55, 0.50, 1.09];
        let moments = Moments::of(values).unwrap();
        assert!((moments.mean().unwrap() - 1.34).abs() < 0.005);
        assert!((moments.variance().unwrap() - 0.17).abs() < 0.005);
        let interval = Interval::of_mean(&moments, Level::new(0.9).unwrap()).unwrap();
        assert!((interval.half_width() - 0.24).abs() < 0.005, "{interval:?}");
        // The next run: 1.833 x 0.4137 x sqrt(1.1), by hand.
        let next = Interval::of_next(&moments, Level::new(0.9).unwrap()).unwrap();
        let by_hand = 1.833 * moments.standard_deviation().unwrap() * 1.1_f64.sqrt();
        assert!((next.half_width() - by_hand).abs() < 0.0005, "{next:?}");
        assert!(next.covers(&interval) && !interval.covers(&next));
    }

    #[test]
    fn one_value_has_no_interval() {
        for values in [vec![], vec![1.0]] {
            let moments = Moments::of(values).unwrap();
            assert_eq!(Interval::of_mean(&moments, Level::default()), None);
            assert_eq!(Interval::of_next(&moments, Level::default()), None);
        }
    }

    #[test]
    fn a_level_is_between_none_and_all() {
        for bad in [0.0, 1.0, -0.5, 95.0, f64::NAN, f64::INFINITY, 1e-300] {
            assert!(matches!(Level::new(bad), Err(Error::Level { .. })), "{bad}");
        }
        assert_eq!(Level::new(0.95), Ok(Level::default()));
        assert_eq!(Level::default().shared(10).alpha(), 0.005);
        assert_eq!(Level::default().shared(0), Level::default().shared(1));
        assert!(Level::default().shared(usize::MAX).get() < 1.0);
    }

    /// The extreme levels end, and give finite numbers.
    #[test]
    fn every_level_has_an_interval() {
        let moments = Moments::of([1.0, 2.0]).unwrap();
        for level in [1e-15, 0.5, 1.0 - f64::EPSILON / 2.0] {
            let interval = Interval::of_mean(&moments, Level::new(level).unwrap()).unwrap();
            assert!(interval.half_width().is_finite() && interval.half_width() >= 0.0, "{level}: {interval:?}");
        }
    }

    #[test]
    fn a_range_cuts_both_ends() {
        let wide = Interval { low: -0.5, high: 1.5 };
        assert_eq!(wide.within(&Interval { low: 0.0, high: 1.0 }), Interval { low: 0.0, high: 1.0 });
        assert_eq!(wide.within(&Interval { low: 0.0, high: f64::INFINITY }), Interval { low: 0.0, high: 1.5 });
        assert_eq!(wide.within(&Interval { low: 2.0, high: 3.0 }), Interval { low: 2.0, high: 2.0 });
    }

    #[test]
    fn a_mean_of_zero_has_no_relative_width() {
        assert_eq!(Interval { low: -1.0, high: 1.0 }.relative_half_width(), None);
        assert_eq!(Interval { low: 0.0, high: 0.0 }.relative_half_width(), None);
        assert_eq!(Interval { low: -3.0, high: -1.0 }.relative_half_width(), Some(0.5));
    }
}
