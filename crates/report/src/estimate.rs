//! A mean with what is known about it.

use lab::sweep::analysis::Entry;
use stats::Interval;

use crate::number::{decimals, fixed, percent};

/// A mean and its intervals, in the unit of the chart it stands in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Replications behind it.
    pub n: u64,
    /// Replications that gave no value.
    pub without: u64,
    /// Where the true mean lies.
    pub ci: Option<Interval>,
    /// Half of that interval, before its ends were cut off where the figure cannot be.
    pub half: Option<f64>,
    /// Where one more single run lies.
    pub run: Option<Interval>,
    /// The change against what it is compared with, in percent.
    pub change: Option<f64>,
    /// Where the true change lies.
    pub change_ci: Option<Interval>,
}

impl Estimate {
    /// The estimate of an entry, its values divided by `scale`; `None` when no replication gave one.
    pub fn of(entry: &Entry<'_>, scale: f64) -> Option<Self> {
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

    /// Decimals that suit it.
    pub fn decimals(&self) -> usize {
        decimals(self.half.unwrap_or(0.0), self.mean)
    }

    /// All of it in words, for a tooltip.
    pub(crate) fn told(&self) -> String {
        let places = self.decimals();
        let between = |it: Interval| format!("{} to {}", fixed(it.low, places), fixed(it.high, places));
        let mut out = format!("mean {}", fixed(self.mean, places));
        if let Some(ci) = self.ci {
            out.push_str(&format!(" (interval {})", between(ci)));
        }
        if let Some(run) = self.run {
            out.push_str(&format!(", one run {}", between(run)));
        }
        if let Some(change) = self.change {
            out.push_str(&format!(", change {}", percent(change)));
        }
        if let Some(ci) = self.change_ci {
            out.push_str(&format!(" (interval {} to {})", percent(ci.low), percent(ci.high)));
        }
        out.push_str(&format!(", n = {}", self.n));
        if self.without > 0 {
            out.push_str(&format!(", {} runs gave no value", self.without));
        }
        out
    }

    /// The largest value that a chart shows of it. An interval from very few runs can be so wide that nothing else
    /// could be seen beside it: that of one more run is cut off beyond twice the mean, that of the mean beyond four
    /// times, and drawn without its cap.
    pub(crate) fn highest(&self) -> f64 {
        let end = |interval: Option<Interval>, times: f64| {
            interval.map_or(self.mean, |it| it.high.min(self.mean.abs() * times))
        };
        self.mean.max(end(self.ci, 4.0)).max(end(self.run, 2.0))
    }

    /// The smallest value that a chart shows of it, cut off likewise.
    pub(crate) fn lowest(&self) -> f64 {
        let ends = [self.ci, self.run].into_iter().flatten().map(|it| it.low);
        let lowest = ends.fold(self.mean, f64::min);
        if self.mean >= 0.0 { lowest.max(0.0) } else { lowest.max(self.mean * 2.0) }
    }
}
