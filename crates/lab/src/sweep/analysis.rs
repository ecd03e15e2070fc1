//! Statistics of a sweep's stored runs: means with intervals, and each case compared with the first one under the same
//! random streams.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use stats::{Level, Sample};

use super::precise;
use crate::store::{KeptCell, KeptSweep, Store, StoreError};
use observe::metric::{self, Metric, Scope};
use observe::replications::{self, Case, Series};
use observe::summary::{MetricGap, RecordedSummary};

pub use observe::replications::ReplicationStatistics;

/// A sweep's results.
#[derive(Debug)]
pub struct Analysis {
    /// The sweep.
    pub sweep: KeptSweep,
    /// The cells, by point and case.
    pub cells: Vec<CellRuns>,
    /// The level of every interval.
    pub level: Level,
}

/// The runs of one case at one point.
#[derive(Debug)]
pub struct CellRuns {
    /// The cell.
    pub cell: KeptCell,
    /// The runs, by replication.
    pub runs: Vec<(u64, RecordedSummary)>,
}

impl CellRuns {
    /// The number of runs stored without `metric` for this reason.
    fn count_gaps(&self, metric: &Metric, reason: MetricGap) -> u64 {
        self.runs.iter().filter(|(_, summary)| summary.gap(metric) == Some(reason)).count() as u64
    }

    /// A metric by replication, of the first subject that `wanted` accepts.
    pub fn sample(&self, metric: &Metric, wanted: impl Fn(&str) -> bool) -> Sample {
        let mut all = replications::collect_case(&self.runs, metric).into_iter();
        all.find(|(subject, _)| wanted(subject)).map(|(_, series)| series.values).unwrap_or_default()
    }
}

/// One metric of one subject, in one case at one point.
#[derive(Clone, Debug)]
pub struct AnalysisEntry<'a> {
    /// The case and the point.
    pub cell: &'a KeptCell,
    /// The subject: a flow, a direction of a link, or empty for the whole run.
    pub subject: String,
    /// Replications without a value, such as transfers that did not complete.
    pub without: u64,
    /// Replications whose runs were stored without this metric: by a version of the program that did not have it, or
    /// without measuring delays.
    pub lacking: u64,
    /// Statistics of the replications with a value; `None` if no replication has a value.
    pub row: Option<ReplicationStatistics>,
}

impl Analysis {
    /// Reads a sweep from `store`, at most its first `most` replications. At each point only those replications are
    /// used that all cells of the point have, because cases are compared under the same random streams. A cell that
    /// shares its runs with another point may have more replications.
    pub fn of(store: &Store, sweep: KeptSweep, most: u64) -> Result<Self, StoreError> {
        let cells = store.cells(sweep.id)?.into_iter();
        let cells = cells
            .map(|cell| {
                let runs = store.runs(cell.digest, most)?;
                Ok(CellRuns { cell, runs })
            })
            .collect::<Result<_, StoreError>>()?;
        let level = precise::interval_level(&sweep.scenario);
        let mut analysis = Analysis { sweep, cells, level };
        analysis.level_out();
        Ok(analysis)
    }

    /// Keeps at each point those replications that all cells of the point have. A case without any replication is
    /// ignored.
    fn level_out(&mut self) {
        for point in self.cells.chunk_by_mut(|one, next| one.cell.point == next.cell.point) {
            let numbers = |runs: &CellRuns| runs.runs.iter().map(|(number, _)| *number).collect::<BTreeSet<_>>();
            let all = point.iter().map(numbers).filter(|numbers| !numbers.is_empty());
            let Some(common) = all.reduce(|one, other| &one & &other) else { continue };
            for cell in point {
                cell.runs.retain(|(number, _)| common.contains(number));
            }
        }
    }

    /// Limits the replications at each point: the replications that the stopping rule requested, if the store has more.
    pub fn first(mut self, wanted: &[u64]) -> Self {
        for cell in &mut self.cells {
            let most = wanted.get(cell.cell.point).copied().unwrap_or(u64::MAX);
            cell.runs.retain(|(number, _)| *number < most);
        }
        self
    }

    /// The metrics selected by the sweep's author.
    pub fn metrics(&self) -> Vec<&'static Metric> {
        self.sweep
            .metrics
            .iter()
            .filter_map(|name| metric::find_metric(name).or_else(|| metric::find_metric_by_former_name(name)))
            .collect()
    }

    /// Returns the subjects, in the order of `entries`, whose metric is 0 in every run of every case at every point.
    /// Flows are never included. If all values are 0, no subject is included.
    pub fn idle<'e>(metric: &Metric, entries: &'e [AnalysisEntry<'_>]) -> Vec<&'e str> {
        if matches!(metric.scope, Scope::Run | Scope::Flow) {
            return Vec::new();
        }
        // Metrics are not negative, so a mean of 0 means that all values are 0.
        let moves = |entry: &&AnalysisEntry<'_>| entry.row.as_ref().is_none_or(|row| row.mean != 0.0);
        let moving: BTreeSet<&str> = entries.iter().filter(moves).map(|entry| entry.subject.as_str()).collect();
        let mut idle: Vec<&str> = Vec::new();
        for entry in entries {
            if !moving.contains(entry.subject.as_str()) && !idle.contains(&entry.subject.as_str()) {
                idle.push(&entry.subject);
            }
        }
        if moving.is_empty() { Vec::new() } else { idle }
    }

    /// The names of the cases.
    pub fn cases(&self) -> Vec<&str> {
        self.cells.iter().take_while(|runs| runs.cell.point == 0).map(|runs| runs.cell.case_name.as_str()).collect()
    }

    /// Keys whose values differ between points.
    pub fn keys(&self) -> Vec<&str> {
        self.cells.first().map_or(Vec::new(), |runs| runs.cell.changes.iter().map(|(key, _)| key.as_str()).collect())
    }

    /// The number of stored runs.
    pub fn runs(&self) -> usize {
        self.cells.iter().map(|cell| cell.runs.len()).sum()
    }

    /// One metric, by point, case and subject. Cells without runs have no entry.
    pub fn entries(&self, metric: &Metric) -> Vec<AnalysisEntry<'_>> {
        let mut entries = Vec::new();
        for point in self.cells.chunk_by(|one, next| one.cell.point == next.cell.point) {
            let cases: Vec<Case> = point.iter().map(|runs| replications::collect_case(&runs.runs, metric)).collect();
            let of_point = replications::compute_entries(&cases, metric, self.level);
            entries.extend(of_point.map(|entry| {
                let (subject, Series { without, lacking, .. }) = (entry.subject.to_owned(), entry.series);
                AnalysisEntry {
                    cell: &point[entry.case].cell,
                    subject,
                    without: *without,
                    lacking: *lacking,
                    row: entry.row,
                }
            }));
        }
        entries
    }

    /// Warnings about the runs. Cases without a difference and imprecise means are not included, because the table
    /// shows them.
    pub fn warnings_of_runs(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let empty = self.cells.iter().filter(|cell| cell.runs.is_empty()).count();
        if empty > 0 {
            warnings.push(format!("{empty} of {} cells have no run yet: the sweep is not finished", self.cells.len()));
        }
        let uneven = self.cells.iter().filter(|cell| !cell.runs.is_empty() && has_gaps(&cell.runs)).count();
        if uneven > 0 {
            warnings.push(format!("{uneven} cells have gaps in their replication numbers: merge the missing shards"));
        }
        for metric in self.metrics() {
            let entries = self.entries(metric);
            warnings.extend(self.warn_of_gaps(metric));
            let lost: u64 = entries.iter().map(|entry| entry.without).sum();
            if lost > 0 {
                let whole = match entries.iter().filter(|entry| entry.row.is_none()).count() {
                    0 => String::new(),
                    1 => ", and one case at one point has no value".to_owned(),
                    several => format!(", and {several} cells have no value"),
                };
                warnings.push(format!(
                    "{lost} run{} gave no {}, such as transfers that did not complete: the means leave them out \
                     and are therefore biased{whole}",
                    if lost == 1 { "" } else { "s" },
                    metric.name
                ));
            }
        }
        warnings.extend(self.same_replications());
        warnings
    }

    /// Warns of runs that were stored without `metric`.
    pub fn warn_of_gaps(&self, metric: &Metric) -> Vec<String> {
        let warn = |reason| {
            let count: u64 = self.cells.iter().map(|cell| cell.count_gaps(metric, reason)).sum();
            let (were, have, them) = if count == 1 { (" was", "has", "it") } else { ("s were", "have", "them") };
            let name = metric.name;
            let text = match reason {
                MetricGap::Older => format!(
                    "{count} run{were} stored before the metric {name} existed and {have} no value of it: `lasthop sweep \
                     --refill` repeats {them}"
                ),
                MetricGap::Unmeasured => format!(
                    "{count} run{were} stored without delays and {have} no value of {name}: `lasthop sweep --metric {name}` \
                     repeats {them}"
                ),
            };
            (count > 0).then_some(text)
        };
        [MetricGap::Older, MetricGap::Unmeasured].into_iter().filter_map(warn).collect()
    }

    /// Warns if replications are equal. A value that is equal in all replications is deterministic. A single metric may
    /// be deterministic, such as a count that is always 0, but not a whole run.
    fn same_replications(&self) -> Option<String> {
        let repeated = self.cells.iter().filter(|cell| cell.runs.len() > 1);
        let (still, moving): (Vec<_>, Vec<_>) =
            repeated.partition(|cell| cell.runs.windows(2).all(|pair| pair[0].1 == pair[1].1));
        // If a case has this property at some points only, the points are the cause, and points vary on purpose.
        let named = |cells: &[&CellRuns]| cells.iter().map(|runs| runs.cell.case).collect::<BTreeSet<_>>();
        let cases: Vec<usize> = named(&still).difference(&named(&moving)).copied().collect();
        let names: Vec<&str> = cases.iter().filter_map(|case| self.cases().get(*case).copied()).collect();
        if names.is_empty() {
            return None;
        }
        let whose = if moving.is_empty() { String::new() } else { format!(" of {}", names.join(", ")) };
        Some(format!(
            "all replications{whose} gave the same results: these runs are deterministic, and replications give no \
             further information"
        ))
    }

    /// The cases, by number, that have the results of the first one in every run.
    pub fn same_as_first(&self) -> Vec<usize> {
        let same = |number: usize| {
            let pairs = self.cells.chunk_by(|one, next| one.cell.point == next.cell.point);
            let mut pairs = pairs.filter_map(|cells| Some((cells.first()?, cells.get(number)?))).peekable();
            pairs.peek().is_some()
                && pairs.all(|(first, other)| {
                    let both = first.runs.iter().zip(&other.runs);
                    let some = !first.runs.is_empty() && !other.runs.is_empty();
                    some && { both }.all(|((_, one), (_, other))| one.same_outcome(other))
                })
        };
        (1..self.cases().len()).filter(|number| same(*number)).collect()
    }

    /// Warns of cases that never differ from the first case.
    pub(super) fn same_cases(&self) -> Vec<String> {
        let cases = self.cases();
        let text = |number: usize| {
            let (name, first) = (cases[number], cases[0]);
            format!(
                "{name} and {first} gave the same results in every run: the difference between them may have no effect here"
            )
        };
        self.same_as_first().into_iter().map(text).collect()
    }
}

/// Whether replications are missing between others.
fn has_gaps(runs: &[(u64, RecordedSummary)]) -> bool {
    runs.last().is_some_and(|(last, _)| last + 1 != runs.len() as u64)
}

/// Formats every entry of every metric as JSON, one object each. Entries without a value come last.
pub fn analysis_to_json(analysis: &Analysis) -> Value {
    let of_metric = |metric: &'static Metric| {
        let mut entries = analysis.entries(metric);
        entries.sort_by_key(|entry| entry.row.is_none());
        entries.into_iter().map(move |entry| entry_as_json(&entry, metric)).collect::<Vec<_>>()
    };
    analysis.metrics().into_iter().flat_map(of_metric).collect()
}

fn entry_as_json(AnalysisEntry { cell, subject, without, lacking, row }: &AnalysisEntry<'_>, metric: &Metric) -> Value {
    let place = [
        ("point", cell.changes.iter().cloned().collect()),
        ("case", json!(cell.case_name)),
        ("metric", json!(metric.name)),
        ("unit", json!(metric.unit)),
    ];
    let place = place.into_iter().map(|(key, value)| (key.to_owned(), value));
    place.chain(replications::statistics_to_json(subject, *without, *lacking, row.as_ref())).collect()
}
