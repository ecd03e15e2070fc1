//! Two systems compared replication by replication.
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
//!
//! Replications that share their randomness (the same air under every scheme) make pairs that vary less than their
//! parts. No assumption ties the variances of the two systems.
//!
//! Limits: those of Student's interval, on the differences; the interval of c is right in the limit, and
//! needs a mean of the base well away from 0. The mean of the changes in percent is not the change of the means: small
//! bases weigh more. A replication that only one side has is left out, and counted.

use crate::sample::LARGEST;
use crate::student::t_beyond;
use crate::{Interval, Level, Moments, Sample};

/// Values matched by replication.
#[derive(Clone, PartialEq, Debug)]
pub struct Pairs {
    pairs: Vec<(u64, f64, f64)>,
    left_out: usize,
}

/// By how much the mean of one side differs from that of the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChangeOfMeans {
    /// In percent of the base's magnitude; 10 is a tenth more than the base.
    pub percent: f64,
    /// Where the true one lies; none below two pairs.
    pub interval: Option<Interval>,
}

/// Changes in percent of the base, pair by pair.
#[derive(Clone, PartialEq, Debug)]
pub struct Changes {
    /// By replication, in percent; 10 is a tenth more than the base.
    pub percent: Sample,
    /// Pairs that have none, because the base is 0 or next to it.
    pub undefined: usize,
}

impl Pairs {
    /// Matches the replications that both have.
    pub fn of(base: &Sample, other: &Sample) -> Self {
        let pairs: Vec<_> =
            base.iter().filter_map(|(replication, from)| Some((replication, from, other.get(replication)?))).collect();
        let left_out = base.len() + other.len() - 2 * pairs.len();
        Pairs { pairs, left_out }
    }

    /// How many pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no replication is in both.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many values, of either side, had no partner.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Other minus base, in the values' unit.
    pub fn differences(&self) -> Moments {
        let mut moments = Moments::default();
        self.pairs.iter().for_each(|(_, base, other)| moments.add(other - base));
        moments
    }

    /// The interval of the mean difference; none below two pairs. If 0 is outside, the two differ at this level.
    pub fn interval(&self, level: Level) -> Option<Interval> {
        Interval::of_mean(&self.differences(), level)
    }

    /// The change from the mean of the base to the mean of the other; `None` when the base's is 0, or so near to it
    /// that the quotient is not a number.
    pub fn change_of_means(&self, level: Level) -> Option<ChangeOfMeans> {
        let of = |value: fn(&(u64, f64, f64)) -> f64| {
            let mut moments = Moments::default();
            self.pairs.iter().for_each(|pair| moments.add(value(pair)));
            moments.mean()
        };
        let (base, difference) = (of(|pair| pair.1)?, of(|pair| pair.2 - pair.1)?);
        let (percent, ratio) = (100.0 * (difference / base.abs()), difference / base);
        if !percent.is_finite() || percent.abs() > LARGEST {
            return None;
        }
        // The residual of each difference after the base's share; the mean is 0 but for rounding.
        let mut left = Moments::default();
        self.pairs.iter().for_each(|(_, base, other)| left.add((other - base) - ratio * base));
        let error = Interval::of_mean(&left, level).map(|around| 100.0 * (around.half_width() / base.abs()));
        let interval = error.filter(|error| error.is_finite()).map(|half| Interval::around(percent, half));
        Some(ChangeOfMeans { percent, interval })
    }

    /// The change of each pair.
    pub fn changes(&self) -> Changes {
        let mut percent = Sample::default();
        for &(replication, base, other) in &self.pairs {
            let change = 100.0 * ((other - base) / base.abs());
            if change.abs() <= LARGEST {
                // A replication stands in a sample once, so it is in the pairs once.
                let _ = percent.insert(replication, change);
            }
        }
        let undefined = self.pairs.len() - percent.len();
        Changes { percent, undefined }
    }

    /// How often two systems with equal means would differ by this much or more, 0 to 1: the two-sided paired t test.
    /// None below two pairs. Differences that are all the same give 1 if they are 0, else 0.
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

    /// Jain 1991 13.4.1: six workloads on two systems,
    /// 5.4, 16.6, 0.6, 1.4, 0.6, 7.3 against 19.1, 3.5, 3.4, 2.5, 3.6, 1.7: mean -0.32, variance 81.62,
    /// interval (-7.75, 7.11). The systems are not different.
    #[test]
    fn the_textbook_example_comes_out() {
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
    fn values_without_a_partner_are_counted() {
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

    /// By hand: 10, 2 against 10, 6: means 6 and 8, which is a third more, where the mean of 0 and 200 % says 100 %.
    /// The residuals of the differences 0 and 4 after a third of the base are -10/3 and 10/3: half of the interval is
    /// 12.706 x (20/3) / 2 / 6.
    #[test]
    fn the_change_of_the_means_is_that_of_the_means() {
        let pairs =
            |base: [f64; 2], other: [f64; 2]| Pairs::of(&Sample::of(base).unwrap(), &Sample::of(other).unwrap());
        let change = |pairs: Pairs| pairs.change_of_means(Level::default());
        let found = change(pairs([10.0, 2.0], [10.0, 6.0])).unwrap();
        assert!((found.percent - 100.0 / 3.0).abs() < 1e-9, "{found:?}");
        let half = found.interval.unwrap().half_width();
        assert!((half - 100.0 * 12.706 * (20.0 / 3.0) / 2.0 / 6.0).abs() < 0.05, "{half}");
        // A constant ratio of 1.5 leaves nothing to chance, whatever the channel does to both.
        let exact = change(pairs([10.0, 2.0], [15.0, 3.0])).unwrap();
        assert_eq!((exact.percent, exact.interval), (50.0, Some(Interval { low: 50.0, high: 50.0 })));
        // More than a negative base is more; from 0 nothing can be counted.
        assert_eq!(change(pairs([-4.0, -4.0], [-3.0, -3.0])).unwrap().percent, 25.0);
        assert_eq!(change(pairs([0.0, 0.0], [1.0, 2.0])), None);
        assert_eq!(change(pairs([1.0, -1.0], [1.0, 2.0])), None);
        assert_eq!(Pairs::of(&Sample::default(), &Sample::default()).change_of_means(Level::default()), None);
    }

    /// The p value is below alpha exactly if the interval leaves 0 out.
    #[test]
    fn test_and_interval_agree() {
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
