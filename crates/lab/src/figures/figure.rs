//! One metric of a sweep, with its values.

use observe::metric::{Metric, Scope};

use super::number::choose_scale;
use super::words;
use crate::sweep::analysis::{Analysis, AnalysisEntry};
use crate::value_text::format_json_value;

/// The values of one metric in a sweep.
pub struct MetricFigure<'a> {
    /// The sweep.
    pub analysis: &'a Analysis,
    /// The metric.
    pub metric: &'static Metric,
    /// One entry for each point, case and subject.
    pub entries: Vec<AnalysisEntry<'a>>,
    /// The subjects of the metric: flows, directions of links, media, stations or nodes; the whole run has an empty
    /// name.
    pub subjects: Vec<String>,
    /// Subjects with value 0 in every run, omitted from charts and table.
    pub idle: Vec<String>,
    /// The divisor of the values.
    pub scale: f64,
    /// The unit of the divided values.
    pub unit: &'static str,
}

/// Returns the value of a key at an entry's point, as written in the scenario; `None` if the key does not differ
/// between points.
pub fn axis_value(entry: &AnalysisEntry<'_>, key: &str) -> Option<String> {
    entry.cell.changes.iter().find(|(changed, _)| changed == key).map(|(_, value)| format_json_value(value))
}

impl<'a> MetricFigure<'a> {
    /// Returns the values of `metric` in `analysis`, without the idle subjects.
    pub fn of(analysis: &'a Analysis, metric: &'static Metric) -> Self {
        let mut entries = analysis.entries(metric);
        let (scale, unit) = choose_scale(metric, entries.iter().filter_map(|entry| Some(entry.row.as_ref()?.mean)));
        // The subjects are in the order of the scenario. They are taken from the first run of each cell, because all
        // runs of a cell have the same subjects.
        let mut subjects: Vec<String> = Vec::new();
        for (_, summary) in analysis.cells.iter().filter_map(|cell| cell.runs.first()) {
            for (subject, _) in summary.read(metric) {
                if !subjects.contains(&subject) {
                    subjects.push(subject);
                }
            }
        }
        let idle: Vec<String> = Analysis::idle(metric, &entries).into_iter().map(str::to_owned).collect();
        entries.retain(|entry| !idle.contains(&entry.subject));
        subjects.retain(|subject| !idle.contains(subject));
        let place = |subject: &String| subjects.iter().position(|known| known == subject);
        entries.sort_by_key(|entry| (entry.cell.point, entry.cell.case, place(&entry.subject)));
        MetricFigure { analysis, metric, entries, subjects, idle, scale, unit }
    }

    /// Returns the metric's name in words.
    pub fn name(&self) -> String {
        words::name_metric(self.metric)
    }

    /// Returns the metric's name in words, with its unit.
    pub fn measure(&self) -> String {
        if self.unit.is_empty() { self.name() } else { format!("{}, {}", self.name(), self.unit) }
    }

    /// Returns the kind of the subjects; empty for the whole run.
    pub fn kind(&self) -> &'static str {
        match self.metric.scope {
            Scope::Run => "",
            Scope::Flow => "flow",
            Scope::Direction => "link and direction",
            Scope::Medium => "medium",
            Scope::Station => "medium and station",
            Scope::Node => "node",
            Scope::Arrivals => "arrivals and sizes",
        }
    }

    /// Confidence level of the intervals in percent.
    pub fn level(&self) -> f64 {
        100.0 * self.analysis.level.get()
    }
}
