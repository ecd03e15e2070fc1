//! The mean of a metric with its confidence and prediction intervals.

use lab::figures::number::choose_decimals;
use lab::sweep::analysis::AnalysisEntry;
use stats::Interval;

use crate::number::{typeset_change, typeset_number};

/// A mean and its intervals, in the unit of the chart or table that shows it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimate {
    /// The mean over replications.
    pub mean: f64,
    /// Number of replications with a value.
    pub n: u64,
    /// Number of replications without a value.
    pub without: u64,
    /// Confidence interval of the mean; `None` with fewer than two values.
    pub ci: Option<Interval>,
    /// Half-width of `ci` before truncation to the limits of the metric.
    pub half: Option<f64>,
    /// Prediction interval of one further run; `None` with fewer than two values.
    pub run: Option<Interval>,
    /// Change from the baseline's mean, in percent; `None` without a baseline.
    pub change: Option<f64>,
    /// Confidence interval of the change, in percent.
    pub change_ci: Option<Interval>,
}

impl Estimate {
    /// Returns the estimate of an entry, with its values divided by `scale`; `None` if no replication gave a value.
    pub fn of(entry: &AnalysisEntry<'_>, scale: f64) -> Option<Self> {
        let row = entry.row.as_ref()?;
        let scaled =
            |interval: Option<Interval>| interval.map(|it| Interval { low: it.low / scale, high: it.high / scale });
        let against = row.against.as_ref();
        Some(Estimate {
            mean: row.mean / scale,
            n: row.n,
            without: entry.without,
            ci: scaled(row.ci),
            half: row.half.map(|half| half / scale),
            run: scaled(row.run),
            change: against.and_then(|against| against.percent),
            change_ci: against.and_then(|against| against.percent_ci),
        })
    }

    /// Number of decimals that fit the estimate's precision.
    pub fn decimals(&self) -> usize {
        choose_decimals(self.half.unwrap_or(0.0), self.mean)
    }

    /// Returns mean, intervals, change and number of runs as text, for a tooltip.
    pub(crate) fn in_words(&self) -> String {
        let places = self.decimals();
        let between =
            |it: Interval| format!("{} to {}", typeset_number(it.low, places), typeset_number(it.high, places));
        let mut out = format!("mean {}", typeset_number(self.mean, places));
        if let Some(ci) = self.ci {
            out.push_str(&format!(" (interval {})", between(ci)));
        }
        if let Some(run) = self.run {
            out.push_str(&format!(", one run {}", between(run)));
        }
        if let Some(change) = self.change {
            out.push_str(&format!(", change {}", typeset_change(change)));
        }
        if let Some(ci) = self.change_ci {
            out.push_str(&format!(" (interval {} to {})", typeset_change(ci.low), typeset_change(ci.high)));
        }
        out.push_str(&format!(", n = {}", self.n));
        if self.without > 0 {
            out.push_str(&format!(", {} runs gave no value", self.without));
        }
        out
    }

    /// Returns the largest value that a chart shows of this estimate. As intervals from few runs can be very wide, the
    /// prediction interval is cut at twice the mean, and the confidence interval at four times the mean. A cut end has
    /// no cap.
    pub(crate) fn highest(&self) -> f64 {
        let end = |interval: Option<Interval>, times: f64| {
            interval.map_or(self.mean, |it| it.high.min(self.mean.abs() * times))
        };
        self.mean.max(end(self.ci, 4.0)).max(end(self.run, 2.0))
    }

    /// Returns the smallest value that a chart shows of this estimate: 0 for a mean of at least 0, otherwise at least
    /// twice the mean.
    pub(crate) fn lowest(&self) -> f64 {
        let ends = [self.ci, self.run].into_iter().flatten().map(|it| it.low);
        let lowest = ends.fold(self.mean, f64::min);
        if self.mean >= 0.0 { lowest.max(0.0) } else { lowest.max(self.mean * 2.0) }
    }
}
