//! Comparison of two systems, paired by replication.
//!
//! Source: Law, *Simulation Modeling and Analysis*, 5th ed. (2015) 10.2.1 (paired t) and 11.2 (common random numbers);
//! Jain, *The Art of Computer Systems Performance Analysis* (1991) 13.4.1. The change of the means: the classical
//! estimator of a ratio of means and its interval (Law 2015 9.5.3; Cochran, *Sampling Techniques*, 3rd ed. (1977) 6.4).
//!
//! ```text
//! d_i = other_i - base_i        mean(d) -+ t_(n-1, 1-a/2) s(d) / sqrt(n)
//! c = mean(d) / mean(base)      100 (c -+ t_(n-1, 1-a/2) s(d - c base) / (sqrt(n) |mean(base)|)) percent
//! change_i = 100 d_i / |base_i| percent: above 0 is more than the base
//! p = P(|T_(n-1)| > |mean(d)| sqrt(n) / s(d))
//! ```
//!
//! Replications that share their random streams (such as the same channel under every scheme) give pairs whose
//! differences vary less than the values. The variances of the two systems may differ.
//!
//! Limits: Student's interval has its limits, applied to the differences. The interval of c is asymptotically correct, and
//! needs a mean of the base well away from 0. The mean of the changes in percent is not the change of the means,
//! because small bases weigh more. A replication without a counterpart is left out, and counted.

use crate::sample::MAX_MAGNITUDE;
use crate::student::t_beyond;
use crate::{Interval, Level, Moments, Sample};

/// The values of two systems in one replication.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Pair {
    replication: u64,
    base: f64,
    other: f64,
}

/// The values of two systems, paired by replication.
#[derive(Clone, PartialEq, Debug)]
pub struct Pairs {
    pairs: Vec<Pair>,
    left_out: usize,
}

/// The difference of the means of two systems, relative to the base.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChangeOfMeans {
    /// The change in percent of the magnitude of the base's mean; 10 means a tenth more than the base.
    pub percent: f64,
    /// Confidence interval of the change; `None` below two pairs.
    pub interval: Option<Interval>,
}

/// The change of each pair in percent of the base.
#[derive(Clone, PartialEq, Debug)]
pub struct Changes {
    /// Changes in percent, by replication; 10 means a tenth more than the base.
    pub percent: Sample,
    /// Number of pairs without a change, because the base is 0 or nearly 0.
    pub undefined: usize,
}

impl Pairs {
    /// Pairs the replications that are in both samples.
    pub fn of(base: &Sample, other: &Sample) -> Self {
        let pair = |(replication, base)| Some(Pair { replication, base, other: other.get(replication)? });
        let pairs: Vec<Pair> = base.iter().filter_map(pair).collect();
        let left_out = base.len() + other.len() - 2 * pairs.len();
        Pairs { pairs, left_out }
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// True if no replication is in both samples.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the number of values without a counterpart, in both samples together.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the moments of the differences, other minus base, in the unit of the values.
    pub fn differences(&self) -> Moments {
        let mut moments = Moments::default();
        self.pairs.iter().for_each(|pair| moments.add(pair.other - pair.base));
        moments
    }

    /// Returns the confidence interval of the mean difference; `None` below two pairs. If it does not contain 0, the
    /// systems differ significantly at this level.
    pub fn interval(&self, level: Level) -> Option<Interval> {
        Interval::of_mean(&self.differences(), level)
    }

    /// Returns the change from the mean of the base to the mean of the other system; `None` if the mean of the base is
    /// 0 or too small for a finite quotient.
    pub fn change_of_means(&self, level: Level) -> Option<ChangeOfMeans> {
        let of = |value: fn(&Pair) -> f64| {
            let mut moments = Moments::default();
            self.pairs.iter().for_each(|pair| moments.add(value(pair)));
            moments.mean()
        };
        let (base, difference) = (of(|pair| pair.base)?, of(|pair| pair.other - pair.base)?);
        let (percent, ratio) = (100.0 * (difference / base.abs()), difference / base);
        if !percent.is_finite() || percent.abs() > MAX_MAGNITUDE {
            return None;
        }
        // The residual of each difference after the base's share; the residuals have mean 0, apart from rounding.
        let mut left = Moments::default();
        self.pairs.iter().for_each(|pair| left.add((pair.other - pair.base) - ratio * pair.base));
        let error = Interval::of_mean(&left, level).map(|around| 100.0 * (around.half_width() / base.abs()));
        let interval = error.filter(|error| error.is_finite()).map(|half| Interval::around(percent, half));
        Some(ChangeOfMeans { percent, interval })
    }

    /// Returns the change of each pair.
    pub fn changes(&self) -> Changes {
        let mut percent = Sample::default();
        for &Pair { replication, base, other } in &self.pairs {
            let change = 100.0 * ((other - base) / base.abs());
            if change.abs() <= MAX_MAGNITUDE {
                // A replication occurs once in each sample, and therefore once in the pairs.
                let _ = percent.insert(replication, change);
            }
        }
        let undefined = self.pairs.len() - percent.len();
        Changes { percent, undefined }
    }

    /// Returns the p value of the two-sided paired t test: the probability that systems with equal means differ by at
    /// least this much. `None` below two pairs. If all differences are equal, 1 if they are 0, otherwise 0.
    pub fn p_value(&self) -> Option<f64> {
        let moments = self.differences();
        let (mean, error) = (moments.mean()?, moments.standard_error()?);
        if error == 0.0 {
            return Some(if mean == 0.0 { 1.0 } else { 0.0 });
        }
        Some(t_beyond(mean / error, (moments.n() - 1) as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jain 1991 13.4.1 compares six workloads on two systems: 5.4, 16.6, 0.6, 1.4, 0.6, 7.3 and 19.1, 3.5, 3.4, 2.5,
    /// 3.6, 1.7. The differences have mean -0.32, variance 81.62 and interval (-7.75, 7.11). The systems are not
    /// different.
    #[test]
    fn textbook_example_is_reproduced() {
        let a = Sample::of([5.4, 16.6, 0.6, 1.4, 0.6, 7.3]).unwrap();
        let b = Sample::of([19.1, 3.5, 3.4, 2.5, 3.6, 1.7]).unwrap();
        let pairs = Pairs::of(&b, &a);
        let moments = pairs.differences();
        assert!((moments.mean().unwrap() + 0.32).abs() < 0.005);
        assert!((moments.variance().unwrap() - 81.62).abs() < 0.02, "{:?}", moments.variance());
        let interval = pairs.interval(Level::new(0.9).unwrap()).unwrap();
        assert!((interval.low + 7.75).abs() < 0.01 && (interval.high - 7.11).abs() < 0.01, "{interval:?}");
        assert!(interval.contains(0.0) && pairs.p_value().unwrap() > 0.9);
    }

    #[test]
    fn unpaired_values_are_left_out_and_counted() {
        let mut base = Sample::default();
        let mut other = Sample::default();
        for (replication, value) in [(1, 10.0), (2, 0.0), (3, 30.0), (8, 1.0)] {
            base.insert(replication, value).unwrap();
        }
        for (replication, value) in [(3, 33.0), (2, 5.0), (1, 11.0), (9, 1.0), (10, 1.0)] {
            other.insert(replication, value).unwrap();
        }
        let pairs = Pairs::of(&base, &other);
        assert_eq!((pairs.len(), pairs.left_out(), pairs.is_empty()), (3, 3, false));
        let apart = Pairs::of(&base, &Sample::default());
        assert_eq!((apart.len(), apart.left_out(), apart.is_empty()), (0, 4, true));
        let changes = pairs.changes();
        assert_eq!(changes.undefined, 1);
        assert_eq!(changes.percent.iter().collect::<Vec<_>>(), [(1, 10.0), (3, 10.0)]);
    }

    /// Hand calculation: base values 10, 2 and other values 10, 6 have means 6 and 8, an increase of a third, whereas
    /// the mean of the changes of 0 and 200 % is 100 %. The residuals of the differences 0 and 4 after a third of the
    /// base are -10/3 and 10/3: the half-width is 12.706 x (20/3) / 2 / 6.
    #[test]
    fn change_of_means_agrees_with_a_hand_calculation() {
        let pairs =
            |base: [f64; 2], other: [f64; 2]| Pairs::of(&Sample::of(base).unwrap(), &Sample::of(other).unwrap());
        let change = |pairs: Pairs| pairs.change_of_means(Level::default());
        let found = change(pairs([10.0, 2.0], [10.0, 6.0])).unwrap();
        assert!((found.percent - 100.0 / 3.0).abs() < 1e-9, "{found:?}");
        let half = found.interval.unwrap().half_width();
        assert!((half - 100.0 * 12.706 * (20.0 / 3.0) / 2.0 / 6.0).abs() < 0.05, "{half}");
        // A constant ratio of 1.5 has an interval of width 0, even if the values vary.
        let exact = change(pairs([10.0, 2.0], [15.0, 3.0])).unwrap();
        assert_eq!((exact.percent, exact.interval), (50.0, Some(Interval { low: 50.0, high: 50.0 })));
        // An increase from a negative base is positive; a change from 0 is undefined.
        assert_eq!(change(pairs([-4.0, -4.0], [-3.0, -3.0])).unwrap().percent, 25.0);
        assert_eq!(change(pairs([0.0, 0.0], [1.0, 2.0])), None);
        assert_eq!(change(pairs([1.0, -1.0], [1.0, 2.0])), None);
        assert_eq!(Pairs::of(&Sample::default(), &Sample::default()).change_of_means(Level::default()), None);
    }

    /// The p value is below alpha exactly if the interval does not contain 0.
    #[test]
    fn p_value_and_interval_agree() {
        let base = Sample::of([1.0, 2.0, 3.0, 4.0]).unwrap();
        for shift in [0.0, 0.5, 1.0, 1.2, 1.3, 2.0, -3.0] {
            let other = Sample::of([1.1 + shift, 1.3 + shift, 3.9 + shift, 4.0 + shift]).unwrap();
            let pairs = Pairs::of(&base, &other);
            let outside = !pairs.interval(Level::default()).unwrap().contains(0.0);
            assert_eq!(pairs.p_value().unwrap() < 0.05, outside, "{shift}");
        }
        assert_eq!(Pairs::of(&base, &base).p_value(), Some(1.0));
        assert_eq!(Pairs::of(&base, &Sample::default()).p_value(), None);
    }
}
