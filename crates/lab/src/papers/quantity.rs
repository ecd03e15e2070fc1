//! What our runs say of a quantity that a paper prints: a distribution of single runs, or several where the runs fall
//! into modes.

use serde_json::{Map, Value, json};
use stats::{Interval, Level, Moments, Sample};

use super::printed::Printed;

/// Ours, under one reading of the paper. Without values where no run gave one.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// At least one.
    modes: Vec<Mode>,
}

/// Runs of one kind. The mean over several kinds would be a value that no run has, so each keeps its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Mode {
    /// What its runs have in common; empty where all runs are of one kind.
    pub name: &'static str,
    /// Their values: one for each replication, or a single one that is not left to chance.
    pub moments: Moments,
}

impl From<Moments> for Quantity {
    fn from(moments: Moments) -> Self {
        Quantity { modes: vec![Mode { name: "", moments }] }
    }
}

impl From<Sample> for Quantity {
    fn from(sample: Sample) -> Self {
        sample.moments().into()
    }
}

/// A value that is not left to chance.
impl From<Option<f64>> for Quantity {
    fn from(value: Option<f64>) -> Self {
        Moments::of(value).unwrap_or_default().into()
    }
}

impl Quantity {
    /// Of runs that fall into kinds by something other than the value itself, such as whether a timer expired. Kinds without
    /// runs are left out.
    pub fn of_modes(modes: impl IntoIterator<Item = (&'static str, Moments)>) -> Self {
        let modes = modes.into_iter().map(|(name, moments)| Mode { name, moments });
        let modes: Vec<Mode> = modes.filter(|mode| mode.moments.n() > 0).collect();
        if modes.is_empty() { Moments::default().into() } else { Quantity { modes } }
    }

    /// Its modes; one without a name where all runs are of one kind.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// Values behind it.
    pub fn n(&self) -> u64 {
        self.modes.iter().map(|mode| mode.moments.n()).sum()
    }

    /// The mean, where all runs are of one kind.
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

    /// The mode whose single runs the paper's value fits. A mode so rare that a single run is hardly ever of it does not count.
    pub fn fits(&self, paper: Printed, level: Level) -> Option<&Mode> {
        self.modes.iter().find(|mode| self.share(mode) > level.alpha() && mode.fits(paper, level))
    }

    /// Its part of a number in `numbers.json`: `mean` and intervals where all runs are of one kind, else `modes`.
    pub(super) fn to_json(&self, paper: Printed, level: Level) -> Map<String, Value> {
        let mut out = Map::new();
        let of = |mode: &Mode| {
            let exact = mode.moments.mean().map(|mean| Interval { low: mean, high: mean });
            let bounds = |interval: Option<Interval>| interval.or(exact).map(|interval| [interval.low, interval.high]);
            let (ci, run) = (bounds(mode.ci(level)), bounds(mode.run(level)));
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
    /// Where the true mean lies; none for a value that is not left to chance.
    pub fn ci(&self, level: Level) -> Option<Interval> {
        Interval::of_mean(&self.moments, level)
    }

    /// Where one more single run lies: the paper's is one. None for a value that is not left to chance.
    pub fn run(&self, level: Level) -> Option<Interval> {
        Interval::of_next(&self.moments, level)
    }

    /// Whether the paper's value lies where a single run does, or, of a bound, whether single runs keep to it. What is not left
    /// to chance must be equal.
    pub fn fits(&self, paper: Printed, level: Level) -> bool {
        let exact = self.moments.mean().map(|mean| Interval { low: mean, high: mean });
        self.run(level).or(exact).is_some_and(|run| match paper {
            Printed::Value(value) => run.contains(value),
            Printed::AtLeast(bound) => run.low >= bound,
            Printed::AtMost(bound) => run.high <= bound,
        })
    }

    /// Whether single runs are so far apart that 0 fits as well as the paper's value, which is another: then that it fits
    /// decides little.
    pub fn holds_zero(&self, paper: Printed, level: Level) -> bool {
        let Printed::Value(value) = paper else { return false };
        value != 0.0 && self.fits(paper, level) && self.run(level).is_some_and(|run| run.contains(0.0))
    }
}
