//! One figure of a sweep.

use lab::export::shown;
use lab::sweep::analysis::{Analysis, Entry};
use observe::metric::{Metric, Scope};

use crate::number::scale;

/// A figure.
pub(super) struct Figure<'a> {
    pub analysis: &'a Analysis,
    pub metric: &'static Metric,
    /// Every case at every point, about every subject.
    pub entries: Vec<Entry<'a>>,
    /// Its subjects: flows, ways of links, or the whole run, which has no name.
    pub subjects: Vec<String>,
    /// Subjects with 0 in every run, which are neither drawn nor in the table.
    pub idle: Vec<String>,
    /// The divisor of its values.
    pub scale: f64,
    /// Their unit then.
    pub unit: &'static str,
}

/// The value of a key that differs between points, as the scenario writes it.
pub(super) fn value(entry: &Entry<'_>, key: &str) -> Option<String> {
    entry.cell.changes.iter().find(|(changed, _)| changed == key).map(|(_, value)| shown(value))
}

impl<'a> Figure<'a> {
    pub fn of(analysis: &'a Analysis, metric: &'static Metric) -> Self {
        let mut entries = analysis.entries(metric);
        let (scale, unit) = scale(metric, entries.iter().filter_map(|entry| Some(entry.row.as_ref()?.mean)));
        // In the order of the scenario. The subjects of a cell are the same in all of its runs.
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
        Figure { analysis, metric, entries, subjects, idle, scale, unit }
    }

    /// The figure's name with its unit.
    pub fn measure(&self) -> String {
        if self.unit.is_empty() { self.metric.name.to_owned() } else { format!("{}, {}", self.metric.name, self.unit) }
    }

    /// The kind of its subjects.
    pub fn kind(&self) -> &'static str {
        match self.metric.scope {
            Scope::Run => "",
            Scope::Flow => "flow",
            Scope::Direction => "link and direction",
            Scope::Medium => "medium",
            Scope::Station => "medium and station",
            Scope::Node => "node",
        }
    }

    /// Of the intervals, in percent.
    pub fn level(&self) -> f64 {
        100.0 * self.analysis.level.get()
    }
}
