//! Data that the page receives as JSON in addition to figures, controls and lessons. The page's types are generated
//! from these structs and from the structs of figures, into `web/src/protocol-types.ts`.

use observe::metric::Metric;
use scenario::axes::suggest::SuggestedAxis;
use scenario::problem::Problem;
use serde::Serialize;

#[cfg(test)]
pub(crate) mod shapes;
#[cfg(test)]
mod typescript;

/// A problem of a scenario, as `lasthop check` reports it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Problem"))]
pub struct ProblemData<'a> {
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    key: Option<&'a str>,
    found: Option<&'a str>,
    expected: &'a str,
    hint: Option<&'a str>,
    lint: Option<&'static str>,
    /// What the command prints.
    text: String,
}

impl<'a> From<&'a Problem> for ProblemData<'a> {
    fn from(problem: &'a Problem) -> Self {
        let (line, column) = problem.place.unzip();
        ProblemData {
            file: problem.file.as_deref(),
            line,
            column,
            key: problem.key.as_deref(),
            found: problem.found.as_deref(),
            expected: &problem.expected,
            hint: problem.hint.as_deref(),
            lint: problem.lint,
            text: problem.to_string(),
        }
    }
}

/// A number of a run.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Metric"))]
pub struct MetricData {
    name: &'static str,
    unit: &'static str,
    /// Scope of the metric: run, flow, direction, medium, station, node or arrivals.
    scope: String,
    /// Which values are better: lower, higher or neither.
    better: String,
    definition: &'static str,
    /// Whether the metric has values only if delays are measured.
    delays: bool,
}

impl From<&Metric> for MetricData {
    fn from(metric: &Metric) -> Self {
        MetricData {
            name: metric.name,
            unit: metric.unit,
            scope: format!("{:?}", metric.scope).to_lowercase(),
            better: format!("{:?}", metric.better).to_lowercase(),
            definition: metric.definition,
            delays: metric.is_of_delays(),
        }
    }
}

/// A value of an axis.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AxisPlace {
    /// How it is shown.
    pub shown: String,
    /// The change `KEY=VALUE`.
    pub change: String,
}

/// A key over which a sweep may run.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SweepAxis {
    key: String,
    /// The values as text, separated by commas.
    values: String,
    /// Whether the scenario has this axis.
    declared: bool,
}

impl From<SuggestedAxis> for SweepAxis {
    fn from(axis: SuggestedAxis) -> Self {
        let values: Vec<String> = axis.values.iter().map(ToString::to_string).collect();
        SweepAxis { key: axis.key, values: values.join(", "), declared: axis.declared }
    }
}

/// What a sweep of the scenario may show.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SweepSuggestion {
    /// The leading metric.
    #[cfg_attr(test, ts(as = "String"))]
    pub metric: Option<&'static str>,
    /// Suggested axes.
    pub axes: Vec<SweepAxis>,
}
