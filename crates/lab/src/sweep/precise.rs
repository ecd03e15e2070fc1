//! Sequential stopping: the number of replications of each point, and the points that remain imprecise.

use stats::precise::Rule;
use stats::{Level, Moments};

use super::Plan;
use crate::store::{Store, StoreError};
use observe::metric::Metric;
use observe::summary::RecordedSummary;
use scenario::document::read_back;
use scenario::sweep::{Precision, Replications};

/// Number of replications of a cell that are read in one step. Summaries may be long, and only one number of each is
/// kept.
const AT_ONCE: u64 = 1000;

/// Decides the number of replications of a point, from the results of earlier replications only.
#[derive(Clone, Copy)]
pub(super) struct Judge {
    metric: &'static Metric,
    rule: Rule,
    min: u64,
}

impl Judge {
    /// Returns the judge of a plan; `None` if the number of replications is fixed.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let Replications::UntilPrecise(precision) = &plan.replications else { return None };
        // The plan was checked, so that its numbers are valid for the rule.
        Some(Judge { metric: plan.precise, rule: stopping_rule(precision)?, min: precision.min })
    }
}

/// The progress of a point: the number of replications that it needs, and the statistics of the replications already
/// read. Moments are kept, not runs.
pub(super) struct PointGrowth {
    /// The number of the point.
    pub(super) point: usize,
    judge: Judge,
    /// Number of replications required at the point.
    pub(super) wanted: u64,
    /// Number of replications read so far.
    looked: u64,
    /// Moments of the metric for each subject, by case.
    cases: Vec<Subjects>,
}

/// State of a point after further runs were read from the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// More runs remain to be read.
    On,
    /// All requested runs were read, and more are requested now.
    More,
    /// The point needs no more runs.
    Settled,
    /// Some of the requested runs are not finished.
    Unfinished,
}

impl PointGrowth {
    /// The state before the first run of a point of `plan`.
    pub(super) fn new(plan: &Plan, point: usize, judge: Judge) -> Self {
        PointGrowth { point, judge, wanted: judge.min, looked: 0, cases: vec![Subjects::default(); plan.cases.len()] }
    }

    /// Reads some of the remaining runs; after the last one, applies the rule.
    pub(super) fn look(&mut self, plan: &Plan, store: &Store) -> Result<Look, StoreError> {
        let next = self.looked..self.wanted.min(self.looked + AT_ONCE);
        for (cell, subjects) in plan.points[self.point].cells.iter().zip(&mut self.cases) {
            let runs = store.runs_among(cell.digest, next.clone())?;
            if (runs.len() as u64) < next.end - next.start {
                return Ok(Look::Unfinished);
            }
            runs.iter().for_each(|(_, summary)| subjects.take(summary, self.judge.metric));
        }
        self.looked = next.end;
        if self.looked < self.wanted {
            return Ok(Look::On);
        }
        let moments = self.cases.iter().flat_map(|subjects| &subjects.0);
        let more = moments.map(|(_, moments)| self.judge.rule.runs_needed(moments, self.wanted)).fold(0, u64::max);
        self.wanted += more;
        Ok(if more > 0 { Look::More } else { Look::Settled })
    }
}

/// The number of replications that the rule requests for each point, as far as the store's runs determine it.
pub fn requested_replications(plan: &Plan, store: &Store) -> Result<Vec<u64>, StoreError> {
    let Some(judge) = Judge::of(plan) else { return Ok(vec![plan.replications().0; plan.points.len()]) };
    let of_point = |point| {
        let mut growth = PointGrowth::new(plan, point, judge);
        while matches!(growth.look(plan, store)?, Look::On | Look::More) {}
        Ok(growth.wanted)
    };
    (0..plan.points.len()).map(of_point).collect()
}

/// Returns the level of a stored sweep's intervals, which is the level of its stopping rule, or 95 %.
pub(super) fn interval_level(scenario: &str) -> Level {
    match read_back(scenario).and_then(|kept| kept.sweep).map(|sweep| sweep.replications) {
        Some(Replications::UntilPrecise(precision)) => Level::new(precision.level).unwrap_or_default(),
        _ => Level::default(),
    }
}

pub(super) fn stopping_rule(precision: &Precision) -> Option<Rule> {
    let level = Level::new(precision.level).ok()?;
    Rule::new(precision.precision, level, precision.min, precision.max).ok()
}

/// Moments of a metric for each of its subjects.
#[derive(Clone, Default)]
pub(super) struct Subjects(pub(super) Vec<(String, Moments)>);

impl Subjects {
    /// Adds a run.
    pub(super) fn take(&mut self, summary: &RecordedSummary, metric: &Metric) {
        for (subject, value) in summary.read(metric) {
            let at = self.0.iter().position(|(known, _)| *known == subject).unwrap_or_else(|| {
                self.0.push((subject, Moments::default()));
                self.0.len() - 1
            });
            if let Some(value) = value {
                // A number outside the range of the statistics is no value.
                let _ = self.0[at].1.push(value);
            }
        }
    }
}
