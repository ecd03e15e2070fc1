//! What a sweep's kept runs say: means with intervals, and each case against the first on the same air.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stats::paired::Pairs;
use stats::{Interval, Level, Sample};

use crate::metric::{self, Metric};
use crate::store::{KeptCell, KeptSweep, Store, StoreError};

/// A sweep's results.
#[derive(Debug)]
pub struct Analysis {
    /// The sweep.
    pub sweep: KeptSweep,
    /// What it consists of, by point and case.
    pub cells: Vec<CellRuns>,
    /// The level of every interval.
    pub level: Level,
}

/// The runs of one case at one point.
#[derive(Debug)]
pub struct CellRuns {
    /// Which.
    pub cell: KeptCell,
    /// By replication.
    pub runs: Vec<(u64, Value)>,
}

impl CellRuns {
    /// A figure by replication, of the first subject that `wanted` accepts.
    pub fn sample(&self, metric: &Metric, wanted: impl Fn(&str) -> bool) -> Sample {
        let mut all = series(&self.runs, metric).into_iter();
        all.find(|(subject, _)| wanted(subject)).map(|(_, series)| series.values).unwrap_or_default()
    }
}

/// One figure of one case at one point.
#[derive(Clone, Debug)]
pub struct Row {
    /// The number of the point.
    pub point: usize,
    /// The number of the case.
    pub case: usize,
    /// What it is about: a flow, a way of a link, or nothing for the whole run.
    pub subject: String,
    /// Replications that gave a value.
    pub n: u64,
    /// Replications that gave none, such as transfers that did not complete.
    pub without: u64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of single runs; none for one.
    pub deviation: Option<f64>,
    /// Where the true mean lies.
    pub ci: Option<Interval>,
    /// Where the next single run lies.
    pub run: Option<Interval>,
    /// Compared with the first case at the same point; none for the first case itself.
    pub against: Option<Against>,
}

/// A case against the first, replication by replication.
#[derive(Clone, Debug)]
pub struct Against {
    /// Replications that both have.
    pub pairs: u64,
    /// The mean difference, in the figure's unit.
    pub difference: f64,
    /// Where the true mean difference lies.
    pub difference_ci: Option<Interval>,
    /// The mean change in percent of the first case's value.
    pub percent: Option<f64>,
    /// Where the true mean change lies.
    pub percent_ci: Option<Interval>,
    /// Where the change in the next single pair of runs lies.
    pub percent_run: Option<Interval>,
}

impl Analysis {
    /// Of a sweep that `store` keeps, its first `most` replications.
    pub fn of(store: &Store, sweep: KeptSweep, most: u64, level: Level) -> Result<Self, StoreError> {
        let cells = store.cells(sweep.id)?.into_iter();
        let cells = cells
            .map(|cell| {
                let runs = store.runs(cell.digest, most)?;
                Ok(CellRuns { cell, runs })
            })
            .collect::<Result<_, StoreError>>()?;
        Ok(Analysis { sweep, cells, level })
    }

    /// The figures that the sweep's author asked for.
    pub fn metrics(&self) -> Vec<&'static Metric> {
        self.sweep.metrics.iter().filter_map(|name| metric::find(name)).collect()
    }

    /// The names of the cases.
    pub fn cases(&self) -> Vec<&str> {
        self.cells.iter().take_while(|runs| runs.cell.point == 0).map(|runs| runs.cell.case_name.as_str()).collect()
    }

    /// The keys that differ between points.
    pub fn keys(&self) -> Vec<&str> {
        self.cells.first().map_or(Vec::new(), |runs| runs.cell.changes.iter().map(|(key, _)| key.as_str()).collect())
    }

    /// The cell of a row.
    pub fn cell(&self, row: &Row) -> Option<&KeptCell> {
        self.cells.iter().map(|runs| &runs.cell).find(|cell| cell.point == row.point && cell.case == row.case)
    }

    /// Runs that are kept.
    pub fn runs(&self) -> usize {
        self.cells.iter().map(|cell| cell.runs.len()).sum()
    }

    /// One figure, by point, case and subject. Cells without runs give no row.
    pub fn rows(&self, metric: &Metric) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut first: BTreeMap<String, Series> = BTreeMap::new();
        for runs in &self.cells {
            let of_cell = series(&runs.runs, metric);
            for (subject, series) in &of_cell {
                let base = (runs.cell.case > 0).then(|| first.get(subject)).flatten();
                rows.extend(self.row(&runs.cell, subject, series, base));
            }
            if runs.cell.case == 0 {
                first = of_cell;
            }
        }
        rows
    }

    fn row(&self, cell: &KeptCell, subject: &str, series: &Series, base: Option<&Series>) -> Option<Row> {
        let moments = series.values.moments();
        Some(Row {
            point: cell.point,
            case: cell.case,
            subject: subject.to_owned(),
            n: moments.n(),
            without: series.without,
            mean: moments.mean()?,
            deviation: moments.standard_deviation(),
            ci: Interval::of_mean(&moments, self.level),
            run: Interval::of_next(&moments, self.level),
            against: base.and_then(|base| self.against(base, series)),
        })
    }

    fn against(&self, base: &Series, series: &Series) -> Option<Against> {
        let pairs = Pairs::of(&base.values, &series.values);
        let percent = pairs.changes().percent.moments();
        Some(Against {
            pairs: pairs.len() as u64,
            difference: pairs.differences().mean()?,
            difference_ci: pairs.interval(self.level),
            percent: percent.mean(),
            percent_ci: Interval::of_mean(&percent, self.level),
            percent_run: Interval::of_next(&percent, self.level),
        })
    }

    /// What whoever reads the figures should know.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let empty = self.cells.iter().filter(|cell| cell.runs.is_empty()).count();
        if empty > 0 {
            warnings.push(format!("{empty} of {} cells have no run yet: the sweep is not finished", self.cells.len()));
        }
        let uneven = self.cells.iter().filter(|cell| !cell.runs.is_empty() && gaps(&cell.runs)).count();
        if uneven > 0 {
            warnings.push(format!("{uneven} cells lack replications between others: merge the missing shards"));
        }
        for metric in self.metrics() {
            let lost: u64 = self.rows(metric).iter().map(|row| row.without).sum();
            if lost > 0 {
                warnings.push(format!(
                    "{lost} runs gave no {}, such as transfers that did not complete: the means leave them out, \
                     which makes them look better than they are",
                    metric.name
                ));
            }
            warnings.extend(self.identical(metric));
        }
        warnings
    }

    /// Cases that never differ from the first, and replications that never differ from each other.
    fn identical(&self, metric: &Metric) -> Vec<String> {
        let rows = self.rows(metric);
        let still: Vec<&Row> = rows.iter().filter(|row| row.n > 1 && row.deviation == Some(0.0)).collect();
        let mut warnings = Vec::new();
        if !still.is_empty() {
            let whole = still.len() == rows.len();
            let cases = self.cases();
            let mut named: Vec<&str> = still.iter().filter_map(|row| cases.get(row.case).copied()).collect();
            named.dedup();
            named.sort_unstable();
            named.dedup();
            let whose = if whole || named.iter().all(|name| name.is_empty()) {
                String::new()
            } else {
                format!(" of {}", named.join(", "))
            };
            warnings.push(format!(
                "all replications{whose} gave the same {}: nothing in these runs is left to chance, so there is \
                 nothing to repeat",
                metric.name
            ));
        }
        for (number, name) in self.cases().into_iter().enumerate().skip(1) {
            let mut of_case = rows.iter().filter(|row| row.case == number).peekable();
            let same = |row: &Row| {
                let against = row.against.as_ref();
                against.is_some_and(|against| against.difference == 0.0 && against.pairs > 0)
                    && against
                        .and_then(|against| against.difference_ci)
                        .is_none_or(|ci| ci.low == 0.0 && ci.high == 0.0)
            };
            if of_case.peek().is_some() && of_case.all(same) {
                let first = self.cases().first().copied().unwrap_or_default().to_owned();
                warnings.push(format!(
                    "{name} and {first} gave the same {} in every run: is the difference between them at work here?",
                    metric.name
                ));
            }
        }
        warnings
    }
}

/// One figure about one subject, by replication.
#[derive(Default)]
struct Series {
    values: Sample,
    without: u64,
}

fn series(runs: &[(u64, Value)], metric: &Metric) -> BTreeMap<String, Series> {
    let mut all: BTreeMap<String, Series> = BTreeMap::new();
    for (replication, summary) in runs {
        for (subject, value) in metric.read(summary) {
            let series = all.entry(subject).or_default();
            // What is not a number is none; a store has each replication once.
            if value.is_none_or(|value| series.values.insert(*replication, value).is_err()) {
                series.without += 1;
            }
        }
    }
    all
}

/// Whether replications are missing between others.
fn gaps(runs: &[(u64, Value)]) -> bool {
    runs.last().is_some_and(|(last, _)| last + 1 != runs.len() as u64)
}

/// Every row of every figure as JSON, one object each.
pub fn to_json(analysis: &Analysis) -> Value {
    let mut rows = Vec::new();
    for metric in analysis.metrics() {
        for row in analysis.rows(metric) {
            let Some(cell) = analysis.cell(&row) else { continue };
            let against = row.against.as_ref().map(|against| {
                json!({
                    "pairs": against.pairs,
                    "difference": against.difference,
                    "difference_ci": bounds(against.difference_ci),
                    "change_percent": against.percent,
                    "change_percent_ci": bounds(against.percent_ci),
                    "change_percent_run": bounds(against.percent_run),
                })
            });
            rows.push(json!({
                "point": cell.changes.iter().cloned().collect::<Value>(),
                "case": cell.case_name,
                "metric": metric.name,
                "unit": metric.unit,
                "subject": row.subject,
                "n": row.n,
                "without": row.without,
                "mean": row.mean,
                "deviation": row.deviation,
                "ci": bounds(row.ci),
                "run": bounds(row.run),
                "against_first": against,
            }));
        }
    }
    Value::Array(rows)
}

/// An interval as `[low, high]`, or null.
fn bounds(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |interval| json!([interval.low, interval.high]))
}
