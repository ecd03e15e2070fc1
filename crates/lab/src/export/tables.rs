//! The tables of a store. `flows`, `links`, `media`, `stations` and `nodes` have one row per subject and run, `summary`
//! one row per mean. The tables of media and nodes exist only if a run has metrics of them.

use std::collections::HashMap;

use serde_json::Value;

use super::columns::{ColumnData, ExportColumn, ExportTable};
use crate::store::KeptSweep;
use crate::sweep::analysis::{Analysis, AnalysisEntry, ReplicationStatistics};
use crate::value_text::{format_json_value, parse_base_numbers};
use observe::metric::{METRICS, Metric, Scope};

/// The names of all possible tables.
pub(super) const NAMES: [&str; 7] = ["flows", "links", "summary", "media", "stations", "nodes", "arrivals"];

/// Builds the tables of these sweeps.
pub fn build_tables(sweeps: &[Analysis]) -> Vec<ExportTable> {
    let runs = |name, scope, subject| ExportTable { name, columns: by_run(sweeps, scope, subject) };
    let mut tables = vec![
        runs("flows", Scope::Flow, ("flow", "the flow")),
        runs(
            "links",
            Scope::Direction,
            ("link", "the link, and its direction: forward is from its first node to its second"),
        ),
        ExportTable { name: "summary", columns: summary_columns(sweeps) },
    ];
    let of_some = [
        runs("media", Scope::Medium, ("medium", "the medium")),
        runs("stations", Scope::Station, ("station", "the medium, and the station")),
        runs("nodes", Scope::Node, ("node", "the node, in scenarios in which mobiles associate")),
        runs("arrivals", Scope::Arrivals, ("arrivals", "the arrival process, and a class of sizes")),
    ];
    tables.extend(of_some.into_iter().filter(|table| table.rows() > 0));
    tables
}

/// The columns that every table has: sweep, point, case and axes.
struct Places {
    names: HashMap<i64, String>,
    sweep: Vec<String>,
    case: Vec<String>,
    /// The keys that a sweep varies, with their values as the scenario writes them.
    keys: Vec<(String, Vec<String>)>,
}

impl Places {
    fn new(sweeps: &[Analysis]) -> Self {
        let mut keys: Vec<(String, Vec<String>)> = Vec::new();
        for key in sweeps.iter().flat_map(Analysis::keys) {
            if !keys.iter().any(|(known, _)| known == key) {
                keys.push((key.to_owned(), Vec::new()));
            }
        }
        Places { names: unique_sweep_names(sweeps), sweep: Vec::new(), case: Vec::new(), keys }
    }

    fn push(&mut self, sweep: &Analysis, case: &str, changes: &[(String, Value)]) {
        self.sweep.push(self.names.get(&sweep.sweep.id).unwrap_or(&sweep.sweep.name).clone());
        self.case.push(case.to_owned());
        for (key, values) in &mut self.keys {
            let value = changes.iter().find(|(changed, _)| changed == key).map(|(_, value)| format_json_value(value));
            values.push(value.unwrap_or_default());
        }
    }

    fn columns(self) -> Vec<ExportColumn> {
        let mut columns =
            vec![text_column("sweep", "the sweep's name; a second one of the same name ends with #2", self.sweep)];
        for (key, values) in self.keys {
            let numbers = parse_base_numbers(&values);
            columns.push(text_column(&key, "as the scenario writes it", values));
            // The same value as a number in the base unit, for plotting.
            if let Some((unit, suffix, values)) = numbers {
                let name = format!("{key}_{suffix}");
                columns.push(build_column(&name, unit, &format!("{key} as a number"), ColumnData::Numbers(values)));
            }
        }
        columns.push(text_column("case", "the compared case; empty without [sweep.compare]", self.case));
        columns
    }
}

/// The names of the sweeps. A changed scenario gives another sweep with the same name.
fn unique_sweep_names(sweeps: &[Analysis]) -> HashMap<i64, String> {
    let name = |(at, analysis): (usize, &Analysis)| {
        let KeptSweep { id, name, .. } = &analysis.sweep;
        let before = sweeps[..at].iter().filter(|other| other.sweep.name == *name).count();
        (*id, if before == 0 { name.clone() } else { format!("{name}#{}", before + 1) })
    };
    sweeps.iter().enumerate().map(name).collect()
}

fn by_run(sweeps: &[Analysis], scope: Scope, (subject, about): (&str, &str)) -> Vec<ExportColumn> {
    let of_scope = |scope| METRICS.iter().copied().filter(move |metric: &&Metric| metric.scope == scope);
    // Metrics of the whole run are repeated in the rows of its flows.
    let whole: Vec<&Metric> = if scope == Scope::Flow { of_scope(Scope::Run).collect() } else { Vec::new() };
    let metrics: Vec<&Metric> = of_scope(scope).collect();
    let mut places = Places::new(sweeps);
    let (mut replications, mut seeds, mut subjects) = (Vec::new(), Vec::new(), Vec::new());
    let mut values: Vec<Vec<Option<f64>>> = vec![Vec::new(); metrics.len() + whole.len()];
    let mut known = vec![false; metrics.len()];
    for sweep in sweeps {
        for cell in &sweep.cells {
            for (replication, summary) in &cell.runs {
                let read: Vec<_> = metrics.iter().map(|metric| summary.read(metric)).collect();
                known.iter_mut().zip(&read).for_each(|(known, read)| *known |= !read.is_empty());
                for row in 0..read.first().map_or(0, Vec::len) {
                    places.push(sweep, &cell.cell.case_name, &cell.cell.changes);
                    replications.push(*replication as i64);
                    seeds.push(i64::try_from(summary.seed).unwrap_or(i64::MAX));
                    subjects.push(read[0][row].0.clone());
                    let subject = &read[0][row].0;
                    for (values, of_metric) in values.iter_mut().zip(&read) {
                        let same = |entry: &&(String, Option<f64>)| entry.0 == *subject;
                        // Some subjects do not have this metric.
                        let entry = of_metric.get(row).filter(same).or_else(|| of_metric.iter().find(same));
                        values.push(entry.and_then(|(_, value)| *value));
                    }
                    for (values, metric) in values[metrics.len()..].iter_mut().zip(&whole) {
                        values.push(summary.read(metric)[0].1);
                    }
                }
            }
        }
    }
    let mut columns = places.columns();
    // A sweep may vary the seed, which is already a column of every run. Column names must be unique.
    columns.retain(|column| column.name != "seed" && column.name != "seed_number");
    columns.push(build_column("seed", "", "the random seed", ColumnData::Integers(seeds)));
    let replications = ColumnData::Integers(replications);
    columns.push(build_column(
        "replication",
        "",
        "number of the replication; equal numbers have the same random streams",
        replications,
    ));
    // Without runs it is not known which metrics have values.
    let nobody = subjects.is_empty();
    columns.push(text_column(subject, about, subjects));
    known.extend(whole.iter().map(|_| true));
    let figures = metrics.iter().chain(&whole).zip(values).zip(known);
    for ((metric, values), _) in figures.filter(|(_, known)| *known || nobody) {
        columns.push(build_column(metric.name, metric.unit, metric.definition, ColumnData::Numbers(values)));
    }
    columns
}

fn summary_columns(sweeps: &[Analysis]) -> Vec<ExportColumn> {
    let mut places = Places::new(sweeps);
    let (mut metrics, mut units, mut subjects) = (Vec::new(), Vec::new(), Vec::new());
    let mut entries: Vec<AnalysisEntry<'_>> = Vec::new();
    for sweep in sweeps {
        for metric in METRICS.iter().copied() {
            for entry in sweep.entries(metric) {
                places.push(sweep, &entry.cell.case_name, &entry.cell.changes);
                metrics.push(metric.name.to_owned());
                units.push(metric.unit.to_owned());
                subjects.push(entry.subject.clone());
                entries.push(entry);
            }
        }
    }
    let mut columns = places.columns();
    columns.push(text_column("metric", "the metric (`lasthop list metrics`)", metrics));
    columns.push(text_column(
        "subject",
        "the flow, the link and its direction, the medium, the medium and its station, or the node; empty for the whole run",
        subjects,
    ));
    columns.push(text_column("unit", "unit of mean, deviation, bounds and difference", units));
    let count = |name: &str, definition: &str, pick: fn(&AnalysisEntry<'_>) -> u64| {
        build_column(
            name,
            "replications",
            definition,
            ColumnData::Integers(entries.iter().map(|entry| pick(entry) as i64).collect()),
        )
    };
    columns.push(count("n", "replications with a value", |entry| entry.row.as_ref().map_or(0, |row| row.n)));
    columns.push(count("without", "replications without a value, such as incomplete transfers", |entry| entry.without));
    for SummaryFigure { name, unit, definition, pick } in &SUMMARY_FIGURES {
        let values = entries.iter().map(|entry| pick(entry.row.as_ref()?)).collect();
        columns.push(build_column(name, unit, definition, ColumnData::Numbers(values)));
    }
    columns
}

/// A column of the table `summary` with a number of each mean.
struct SummaryFigure {
    name: &'static str,
    unit: &'static str,
    definition: &'static str,
    pick: fn(&ReplicationStatistics) -> Option<f64>,
}

const fn summary_figure(
    name: &'static str,
    unit: &'static str,
    definition: &'static str,
    pick: fn(&ReplicationStatistics) -> Option<f64>,
) -> SummaryFigure {
    SummaryFigure { name, unit, definition, pick }
}

const SUMMARY_FIGURES: [SummaryFigure; 22] = [
    summary_figure("mean", "see unit", "the mean", |row| Some(row.mean)),
    summary_figure("deviation", "see unit", "the standard deviation of single runs", |row| row.deviation),
    summary_figure("ci_low", "see unit", "lower end of the confidence interval of the mean (Student's t)", |row| {
        Some(row.ci?.low)
    }),
    summary_figure("ci_high", "see unit", "upper end of the confidence interval of the mean", |row| Some(row.ci?.high)),
    summary_figure("run_low", "see unit", "lower end of the prediction interval of one more run", |row| {
        Some(row.run?.low)
    }),
    summary_figure("run_high", "see unit", "upper end of the prediction interval of one more run", |row| {
        Some(row.run?.high)
    }),
    summary_figure("p10", "see unit", "the value below which 10 % of single runs lie", |row| {
        Some(row.quantiles[0].value)
    }),
    summary_figure("p10_ci_low", "see unit", "lower end of its confidence interval (order statistics)", |row| {
        Some(row.quantiles[0].ci?.low)
    }),
    summary_figure("p10_ci_high", "see unit", "upper end of the confidence interval of the 10 % quantile", |row| {
        Some(row.quantiles[0].ci?.high)
    }),
    summary_figure("median", "see unit", "the value below which half of the single runs lie", |row| {
        Some(row.quantiles[1].value)
    }),
    summary_figure("median_ci_low", "see unit", "lower end of the confidence interval of the median", |row| {
        Some(row.quantiles[1].ci?.low)
    }),
    summary_figure("median_ci_high", "see unit", "upper end of the confidence interval of the median", |row| {
        Some(row.quantiles[1].ci?.high)
    }),
    summary_figure("p90", "see unit", "the value below which 90 % of single runs lie", |row| {
        Some(row.quantiles[2].value)
    }),
    summary_figure("p90_ci_low", "see unit", "lower end of the confidence interval of the 90 % quantile", |row| {
        Some(row.quantiles[2].ci?.low)
    }),
    summary_figure("p90_ci_high", "see unit", "upper end of the confidence interval of the 90 % quantile", |row| {
        Some(row.quantiles[2].ci?.high)
    }),
    summary_figure("difference", "see unit", "mean difference to the first case, paired by replication", |row| {
        Some(row.against.as_ref()?.difference)
    }),
    summary_figure("difference_ci_low", "see unit", "lower end of its confidence interval", |row| {
        Some(row.against.as_ref()?.difference_ci?.low)
    }),
    summary_figure("difference_ci_high", "see unit", "upper end of its confidence interval", |row| {
        Some(row.against.as_ref()?.difference_ci?.high)
    }),
    summary_figure(
        "change_percent",
        "%",
        "change from the first case's mean in percent, its interval paired by replication",
        |row| row.against.as_ref()?.percent,
    ),
    summary_figure("change_percent_ci_low", "%", "lower end of its confidence interval", |row| {
        Some(row.against.as_ref()?.percent_ci?.low)
    }),
    summary_figure("change_percent_ci_high", "%", "upper end of its confidence interval", |row| {
        Some(row.against.as_ref()?.percent_ci?.high)
    }),
    summary_figure("pairs", "replications", "number of replications that both cases have", |row| {
        Some(row.against.as_ref()?.pairs as f64)
    }),
];

fn text_column(name: &str, definition: &str, values: Vec<String>) -> ExportColumn {
    build_column(name, "", definition, ColumnData::Text(values))
}

fn build_column(name: &str, unit: &str, definition: &str, data: ColumnData) -> ExportColumn {
    ExportColumn { name: name.into(), unit: unit.into(), definition: definition.into(), data }
}
