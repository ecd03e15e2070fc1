//! Statistics of the replications of one scenario's cases: means with intervals, and each case compared with the first
//! case under the same random streams. The command uses these statistics for sweeps, and the page in a browser uses
//! them for its tables.

use std::collections::BTreeMap;

use scenario::Scenario;
use scenario::problem::Problem;
use scenario::sweep::{Precision, Replications, Sweep};
use serde_json::{Map, Value, json};
use stats::paired::Pairs;
use stats::precise::Rule;
use stats::quantile::Ordered;
use stats::{Interval, Level, Moments, Sample};

use crate::aliases;
use crate::metric;
use crate::summary::{Metric, RecordedSummary, flow};

/// Returns the metrics that a sweep requests, or the default for the scenario. The first one is the main metric.
///
/// # Errors
/// A metric does not exist.
pub fn select_metrics(sweep: &Sweep, scenario: &Scenario) -> Result<Vec<&'static Metric>, Problem> {
    let find = |name: &String, key: String| {
        metric::find_metric(name).ok_or_else(|| {
            let problem = Problem::new("a metric (see `lasthop list metrics`)").key(key).found(format!("\"{name}\""));
            match aliases::resolve_metric_alias(name) {
                Some(metric) => problem.hint(format!("write \"{metric}\"")),
                None => problem.nearest(name, metric::list_metric_names()),
            }
        })
    };
    let named = sweep.metrics.iter().enumerate();
    let mut metrics: Vec<_> =
        named.map(|(at, name)| find(name, format!("sweep.metrics[{at}]"))).collect::<Result<_, _>>()?;
    if metrics.is_empty() {
        let ends = scenario.flows.values().all(|flow| flow.total().is_some());
        metrics.push(if ends { &flow::completion_time_s } else { &flow::goodput_bps });
    }
    if let Replications::UntilPrecise(Precision { metric: Some(name), .. }) = &sweep.replications {
        let precise = find(name, "sweep.replications.metric".into())?;
        metrics.retain(|metric| metric.name != precise.name);
        metrics.insert(0, precise);
    }
    Ok(metrics)
}

/// One metric of one subject, by replication.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// The values.
    pub values: Sample,
    /// Replications without a value, such as transfers that did not complete.
    pub without: u64,
    /// Replications whose runs were stored without the metric: by a version of the program that did not have it, or
    /// without measuring delays.
    pub lacking: u64,
}

impl Series {
    /// Adds the value of a replication, which must not have been added before. NaN counts as no value.
    pub fn insert(&mut self, replication: u64, value: Option<f64>) {
        if !self.accepts(replication, value) {
            self.without += 1;
        }
    }

    fn accepts(&mut self, replication: u64, value: Option<f64>) -> bool {
        value.is_some_and(|value| self.values.insert(replication, value).is_ok())
    }
}

/// One metric of one case, as a series for each subject: for each flow, direction of a link and so on.
pub type Case = BTreeMap<String, Series>;

/// One metric of these runs, by replication.
pub fn collect_case(runs: &[(u64, RecordedSummary)], metric: &Metric) -> Case {
    let mut case = Case::new();
    for (replication, summary) in runs {
        let lacking = summary.lacks(metric);
        for (subject, value) in summary.read(metric) {
            let series = case.entry(subject).or_default();
            if !series.accepts(*replication, value) {
                let count = if lacking { &mut series.lacking } else { &mut series.without };
                *count += 1;
            }
        }
    }
    case
}

/// The statistics of the replications with a value.
#[derive(Clone, Debug)]
pub struct ReplicationStatistics {
    /// The number of values.
    pub n: u64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of single runs; `None` for one run.
    pub deviation: Option<f64>,
    /// The confidence interval of the mean, truncated to the range of the metric.
    pub ci: Option<Interval>,
    /// Half-width of the confidence interval before truncation.
    pub half: Option<f64>,
    /// The prediction interval of the next single run, truncated in the same way.
    pub run: Option<Interval>,
    /// The quantiles [`QUANTILES`] of single runs. They assume nothing about the distribution.
    pub quantiles: [Quantile; 3],
    /// The comparison with the first case; `None` for the first case itself.
    pub against: Option<Against>,
}

/// Shares at which quantiles are computed.
pub const QUANTILES: [f64; 3] = [0.1, 0.5, 0.9];

/// The quantile of single runs at one share.
#[derive(Clone, Copy, Debug)]
pub struct Quantile {
    /// The interpolated sample quantile.
    pub value: f64,
    /// The confidence interval; `None` if there are too few replications.
    pub ci: Option<Interval>,
}

/// The comparison of a case with the first one, paired by replication.
#[derive(Clone, Debug)]
pub struct Against {
    /// Replications that both have.
    pub pairs: u64,
    /// The mean difference, in the metric's unit.
    pub difference: f64,
    /// The confidence interval of the mean difference.
    pub difference_ci: Option<Interval>,
    /// The change from the first case's mean to the mean of this case, in percent; `None` if the first mean is 0.
    pub percent: Option<f64>,
    /// The confidence interval of the change of the means.
    pub percent_ci: Option<Interval>,
    /// The prediction interval of the change in the next single pair of runs; `None` if the first case has a 0 in any
    /// pair.
    pub percent_run: Option<Interval>,
}

/// The statistics of one subject of one case.
#[derive(Clone, Debug)]
pub struct SubjectEntry<'a> {
    /// The number of the case.
    pub case: usize,
    /// The subject; empty for the whole run.
    pub subject: &'a str,
    /// The replications.
    pub series: &'a Series,
    /// The statistics; `None` if no replication gave a value.
    pub row: Option<ReplicationStatistics>,
}

/// Computes the statistics of each subject (such as a flow or a link) in each case. All cases but the first are
/// compared with the first.
pub fn compute_entries<'a>(
    cases: &'a [Case],
    metric: &'a Metric,
    level: Level,
) -> impl Iterator<Item = SubjectEntry<'a>> + use<'a> {
    let range = metric.range();
    cases.iter().enumerate().flat_map(move |(case, of_case)| {
        of_case.iter().map(move |(subject, series)| {
            let base = if case > 0 { cases[0].get(subject) } else { None };
            SubjectEntry { case, subject, series, row: ReplicationStatistics::of(series, base, &range, level) }
        })
    })
}

impl ReplicationStatistics {
    /// The statistics of a series, compared with the series of the first case. `range` is the range of possible values.
    fn of(series: &Series, base: Option<&Series>, range: &Interval, level: Level) -> Option<Self> {
        let moments = series.values.moments();
        let ci = Interval::of_mean(&moments, level);
        Some(ReplicationStatistics {
            n: moments.n(),
            mean: moments.mean()?,
            deviation: moments.standard_deviation(),
            ci: ci.map(|ci| ci.within(range)),
            half: ci.map(|ci| ci.half_width()),
            run: Interval::of_next(&moments, level).map(|run| run.within(range)),
            quantiles: compute_quantiles(&series.values, level)?,
            against: base.and_then(|base| Against::of(base, series, level)),
        })
    }
}

fn compute_quantiles(sample: &Sample, level: Level) -> Option<[Quantile; 3]> {
    let ordered = Ordered::of(sample.iter().map(|(_, value)| value)).ok()?;
    let quantile = |share: f64| {
        let ci = ordered.interval(share, level).ok()?.map(|bounds| bounds.interval);
        Some(Quantile { value: ordered.quantile(share).ok()??, ci })
    };
    let [low, middle, high] = QUANTILES.map(quantile);
    Some([low?, middle?, high?])
}

impl Against {
    fn of(base: &Series, series: &Series, level: Level) -> Option<Self> {
        let pairs = Pairs::of(&base.values, &series.values);
        let changes = pairs.changes();
        let change = pairs.change_of_means(level);
        // A mean of 0 has no change in percent. Dropping such pairs would bias the other changes.
        let single = if changes.undefined == 0 { changes.percent.moments() } else { Moments::default() };
        Some(Against {
            pairs: pairs.len() as u64,
            difference: pairs.differences().mean()?,
            difference_ci: pairs.interval(level),
            percent: change.map(|change| change.percent),
            percent_ci: change.and_then(|change| change.interval),
            percent_run: Interval::of_next(&single, level),
        })
    }
}

impl Against {
    /// Returns the sign of the difference, which is 0 if the interval of the difference contains 0; `None` without an
    /// interval.
    pub fn sign(&self) -> Option<i8> {
        let ci = self.difference_ci?;
        Some(if ci.contains(0.0) {
            0
        } else if self.difference > 0.0 {
            1
        } else {
            -1
        })
    }
}

impl SubjectEntry<'_> {
    /// The statistics as keys and values, with the half-width of each interval and the sign of the difference.
    pub fn to_json(&self) -> Value {
        let row = self.row.as_ref();
        let against = row.and_then(|row| row.against.as_ref());
        let half = |interval: Option<Interval>| json!(interval.map(|interval| interval.half_width()));
        let mut all = Map::new();
        all.insert("case".to_owned(), json!(self.case));
        all.extend(statistics_to_json(self.subject, self.series.without, self.series.lacking, row));
        all.insert("half_width".to_owned(), json!(row.and_then(|row| row.half)));
        all.insert("difference_half_width".to_owned(), half(against.and_then(|against| against.difference_ci)));
        all.insert("change_percent_half_width".to_owned(), half(against.and_then(|against| against.percent_ci)));
        all.insert("sign".to_owned(), json!(against.and_then(Against::sign)));
        Value::Object(all)
    }
}

/// Returns the number of further replications, after `replications`, that all subjects of all cases need for the
/// precision of `rule`.
pub fn runs_needed(cases: &[Case], rule: &Rule, replications: u64) -> u64 {
    let series = cases.iter().flat_map(BTreeMap::values);
    series.map(|series| rule.runs_needed(&series.values.moments(), replications)).max().unwrap_or(0)
}

/// Formats the statistics of a subject as keys and values. `without` and `lacking` are defined in [`Series`].
pub fn statistics_to_json(
    subject: &str,
    without: u64,
    lacking: u64,
    row: Option<&ReplicationStatistics>,
) -> Map<String, Value> {
    let quantiles = row.into_iter().flat_map(|row| QUANTILES.iter().zip(&row.quantiles));
    let quantiles = quantiles.map(
        |(share, quantile)| json!({ "share": share, "value": quantile.value, "ci": interval_to_json(quantile.ci) }),
    );
    let against = row.and_then(|row| row.against.as_ref()).map(|against| {
        json!({
            "pairs": against.pairs,
            "difference": against.difference,
            "difference_ci": interval_to_json(against.difference_ci),
            "change_percent": against.percent,
            "change_percent_ci": interval_to_json(against.percent_ci),
            "change_percent_run": interval_to_json(against.percent_run),
        })
    });
    let all = [
        ("subject", json!(subject)),
        ("n", json!(row.map_or(0, |row| row.n))),
        ("without", json!(without)),
        ("lacking", json!(lacking)),
        ("mean", json!(row.map(|row| row.mean))),
        ("deviation", json!(row.and_then(|row| row.deviation))),
        ("ci", interval_to_json(row.and_then(|row| row.ci))),
        ("run", interval_to_json(row.and_then(|row| row.run))),
        ("quantiles", quantiles.collect()),
        ("against_first", json!(against)),
    ];
    all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// An interval as `[low, high]`, or null.
fn interval_to_json(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |interval| json!([interval.low, interval.high]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case_of(values: &[Option<f64>]) -> Case {
        let mut series = Series::default();
        (0..).zip(values).for_each(|(replication, value)| series.insert(replication, *value));
        Case::from([("download".to_owned(), series)])
    }

    fn all(values: &[f64]) -> Case {
        case_of(&values.iter().copied().map(Some).collect::<Vec<_>>())
    }

    fn found(cases: &[Case]) -> Vec<Value> {
        compute_entries(cases, &flow::completion_time_s, Level::default()).map(|entry| entry.to_json()).collect()
    }

    /// By hand: the differences 1, 2, 3 have mean 2 and deviation 1. Student's t of two degrees of freedom is 4.303, so
    /// that the half-width of the interval is 2.484 and the interval contains 0. With 2.9, 3, 3.1 the half-width is
    /// 0.248.
    #[test]
    fn difference_has_a_sign_only_if_its_interval_excludes_0() {
        let cases =
            [all(&[10.0, 10.0, 10.0]), all(&[11.0, 12.0, 13.0]), all(&[12.9, 13.0, 13.1]), all(&[7.1, 7.0, 6.9])];
        let found = found(&cases);
        let signs: Vec<_> = found.iter().map(|entry| entry["sign"].as_i64()).collect();
        assert_eq!(signs, [None, Some(0), Some(1), Some(-1)]);
        let half = found[1]["difference_half_width"].as_f64().unwrap();
        assert!((half - 4.3027 / 3f64.sqrt()).abs() < 1e-3, "{half}");
        assert_eq!(found[1]["against_first"]["difference"], 2.0);
        assert_eq!(found[1]["against_first"]["change_percent"], 20.0);
    }

    #[test]
    fn replications_without_a_value_are_counted_and_left_out_of_pairs() {
        let cases = [case_of(&[Some(1.0), None, Some(3.0)]), case_of(&[Some(2.0), Some(9.0), Some(f64::NAN)])];
        let found = found(&cases);
        let counts = |entry: &Value| (entry["n"].as_u64(), entry["without"].as_u64());
        assert_eq!((counts(&found[0]), counts(&found[1])), ((Some(2), Some(1)), (Some(2), Some(1))));
        assert_eq!(found[1]["against_first"]["pairs"], 1);
        assert_eq!(found[1]["sign"], Value::Null, "one pair has no interval");
    }

    /// With 9, 11, 9, ..., ten values need 6 more for 5 % at 90 % (by hand, see the rule's test). Equal values need
    /// none.
    #[test]
    fn least_precise_subject_determines_the_runs_needed() {
        let rule = Rule::new(0.05, Level::new(0.9).unwrap(), 10, 100).unwrap();
        let moving: Vec<f64> = [9.0, 11.0].into_iter().cycle().take(10).collect();
        assert_eq!(runs_needed(&[all(&[5.0; 10]), all(&moving)], &rule, 10), 6);
        assert_eq!(runs_needed(&[all(&[5.0; 10])], &rule, 10), 0);
        assert_eq!(runs_needed(&[], &rule, 10), 0);
    }
}
