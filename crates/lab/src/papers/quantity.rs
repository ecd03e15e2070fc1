//! The values of our runs for a quantity that a paper prints. They are one distribution of single runs, or several if
//! the runs fall into modes.

use serde_json::{Map, Value, json};
use stats::{Interval, Level, Moments, Sample};

use super::printed::PrintedValue;

/// Simulated values under one reading of the paper; empty if no run gave a value.
#[derive(Clone, PartialEq, Debug)]
pub struct ModalQuantity {
    /// The modes, at least one.
    modes: Vec<Mode>,
}

/// Runs of one mode. A mean over several modes could be a value of no run, so each mode has a separate mean.
#[derive(Clone, PartialEq, Debug)]
pub struct Mode {
    /// The common property of the mode's runs; empty if there is only one mode.
    pub name: &'static str,
    /// The values: one per replication, or a single deterministic value.
    pub moments: Moments,
}

impl From<Moments> for ModalQuantity {
    fn from(moments: Moments) -> Self {
        ModalQuantity { modes: vec![Mode { name: "", moments }] }
    }
}

impl From<Sample> for ModalQuantity {
    fn from(sample: Sample) -> Self {
        sample.moments().into()
    }
}

/// A deterministic value.
impl From<Option<f64>> for ModalQuantity {
    fn from(value: Option<f64>) -> Self {
        Moments::of(value).unwrap_or_default().into()
    }
}

impl ModalQuantity {
    /// Groups the values of runs into modes by a property other than the value, such as whether a timer expired. Modes
    /// without runs are left out.
    pub fn of_modes(modes: impl IntoIterator<Item = (&'static str, Moments)>) -> Self {
        let modes = modes.into_iter().map(|(name, moments)| Mode { name, moments });
        let modes: Vec<Mode> = modes.filter(|mode| mode.moments.n() > 0).collect();
        if modes.is_empty() { Moments::default().into() } else { ModalQuantity { modes } }
    }

    /// Returns the modes, which are a single mode without a name if all runs are alike.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// The number of values.
    pub fn n(&self) -> u64 {
        self.modes.iter().map(|mode| mode.moments.n()).sum()
    }

    /// The mean, if there is only one mode.
    pub fn mean(&self) -> Option<f64> {
        match &self.modes[..] {
            [only] => only.moments.mean(),
            _ => None,
        }
    }

    /// The share of the runs that are of this mode.
    pub fn share(&self, mode: &Mode) -> f64 {
        mode.moments.n() as f64 / self.n().max(1) as f64
    }

    /// The mode whose single runs include the paper's value. Modes too rare for a single run do not count.
    pub fn fits(&self, paper: PrintedValue, level: Level) -> Option<&Mode> {
        self.modes.iter().find(|mode| self.share(mode) > level.alpha() && mode.fits(paper, level))
    }

    /// Returns the part of a number in `numbers.json` about this quantity: `mean` and intervals if there is one mode,
    /// otherwise `modes`.
    pub(super) fn to_json(&self, paper: PrintedValue, level: Level) -> Map<String, Value> {
        let mut out = Map::new();
        let of = |mode: &Mode| {
            let exact = mode.moments.mean().map(|mean| Interval { low: mean, high: mean });
            let bounds = |interval: Option<Interval>| interval.or(exact).map(|interval| [interval.low, interval.high]);
            let (ci, run) = (bounds(mode.ci(level)), bounds(mode.prediction_interval(level)));
            json!({ "n": mode.moments.n(), "mean": mode.moments.mean(), "ci95": ci, "run95": run })
        };
        if let [only] = &self.modes[..] {
            out.extend(of(only).as_object().cloned().unwrap_or_default());
        } else {
            let named = |mode: &Mode| {
                let mut one = of(mode);
                one["mode"] = mode.name.into();
                one
            };
            out.insert("n".into(), self.n().into());
            out.insert("modes".into(), self.modes.iter().map(named).collect());
        }
        out.insert("inside".into(), self.fits(paper, level).is_some().into());
        out
    }
}

impl Mode {
    /// The confidence interval of the mean; `None` for a deterministic value.
    pub fn ci(&self, level: Level) -> Option<Interval> {
        Interval::of_mean(&self.moments, level)
    }

    /// The prediction interval of one more run, such as the run of the paper. `None` for a deterministic value.
    pub fn prediction_interval(&self, level: Level) -> Option<Interval> {
        Interval::of_next(&self.moments, level)
    }

    /// Whether the paper's value lies in the prediction interval, or, for a bound, whether single runs satisfy it.
    /// Deterministic values must be equal.
    pub fn fits(&self, paper: PrintedValue, level: Level) -> bool {
        let exact = self.moments.mean().map(|mean| Interval { low: mean, high: mean });
        self.prediction_interval(level).or(exact).is_some_and(|run| match paper {
            PrintedValue::Value(value) => run.contains(value),
            PrintedValue::AtLeast(bound) => run.low >= bound,
            PrintedValue::AtMost(bound) => run.high <= bound,
        })
    }

    /// Returns whether the prediction interval contains 0 as well as the paper's value, which is not 0. Then the match
    /// is inconclusive.
    pub fn holds_zero(&self, paper: PrintedValue, level: Level) -> bool {
        let PrintedValue::Value(value) = paper else { return false };
        value != 0.0 && self.fits(paper, level) && self.prediction_interval(level).is_some_and(|run| run.contains(0.0))
    }
}
