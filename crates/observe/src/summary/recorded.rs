//! Stored summaries, possibly written by another version of the program.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    DirectionSummary, FlowSummary, LinkSummary, MediumSummary, NodeSummary, StationSummary, Summary, direction, flow,
    link, medium, node, run, station,
};
use crate::summary::{Field, METRICS, Metric, OF_DELAYS, Presence, Reading};

/// A stored summary, and the metrics of which it has no value, even where they apply.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecordedSummary {
    summary: Summary,
    lacking: BTreeSet<&'static str>,
    unmeasured_delays: bool,
}

/// The reason why a stored summary has no value of a metric that applies to the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MetricGap {
    /// The summary was written before the metric existed.
    Older,
    /// The run was made without measuring delays.
    Unmeasured,
}

impl RecordedSummary {
    /// Reads a summary. Fields with a former name are read under the current one. A missing field gets its default. If
    /// the field is a metric, the summary [lacks](Self::lacks) that metric.
    ///
    /// # Errors
    ///
    /// If the text is not a JSON object, or a value has another type than its field.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        if let Ok(summary) = serde_json::from_str(text) {
            return Ok(RecordedSummary { summary, ..Self::default() });
        }
        let mut value: Value = serde_json::from_str(text)?;
        let mut lacking = BTreeSet::new();
        insert_missing_fields(&mut value, &mut lacking);
        Ok(RecordedSummary { summary: serde_json::from_value(value)?, lacking, ..Self::default() })
    }

    /// Declares the names of the metrics that were not stored with the summary. These metrics have no value, even if
    /// they apply. If no delay was stored, delays were not measured.
    pub fn without(mut self, names: &BTreeSet<&'static str>) -> Self {
        self.lacking.extend(names);
        self.unmeasured_delays = OF_DELAYS.iter().all(|metric| names.contains(metric.name));
        self
    }

    /// Whether the summary has no value of `metric`, even if it applies.
    pub fn lacks(&self, metric: &Metric) -> bool {
        self.lacking.contains(metric.name)
    }

    /// The reason why the summary lacks `metric`; `None` if it does not.
    pub fn gap(&self, metric: &Metric) -> Option<MetricGap> {
        let reason =
            if self.unmeasured_delays && metric.is_of_delays() { MetricGap::Unmeasured } else { MetricGap::Older };
        self.lacks(metric).then_some(reason)
    }

    /// The value for each subject; `None` for each if the summary lacks the metric.
    pub fn read(&self, metric: &Metric) -> Vec<Reading> {
        if self.lacks(metric) {
            metric.of_all(self).into_iter().map(|(subject, _)| (subject, None)).collect()
        } else {
            metric.read(self)
        }
    }

    /// Whether both summaries have equal values for all metrics that are in both. Delays may be missing in either.
    pub fn agrees_with(&self, other: &RecordedSummary) -> bool {
        let both = METRICS.iter().filter(|metric| !self.lacks(metric) && !other.lacks(metric));
        let agree = |metric: &&Metric| {
            let (here, there) = (metric.read(self), metric.read(other));
            // A flow of datagrams has delays in every run, a flow over TCP only if delays are measured.
            let measured = |(subject, value): &Reading| {
                let other = there.iter().find(|(other, _)| other == subject).and_then(|(_, other)| *other);
                value.is_none() || other.is_none() || *value == other
            };
            here == there || (metric.is_of_delays() && here.iter().all(measured))
        };
        self.summary == other.summary || { both }.all(agree)
    }
}

impl From<Summary> for RecordedSummary {
    fn from(summary: Summary) -> Self {
        RecordedSummary { summary, ..Self::default() }
    }
}

impl Deref for RecordedSummary {
    type Target = Summary;

    fn deref(&self) -> &Summary {
        &self.summary
    }
}

impl Summary {
    /// Returns the summary as JSON on one line, for a store, without sparse fields at their default, which
    /// [`RecordedSummary::parse`] restores. Such fields are about half of the text.
    pub fn to_compact_json(&self) -> String {
        let Ok(mut value) = serde_json::to_value(self) else { return self.to_string() };
        for_each_part(&mut value, |part, fields, defaults| {
            for field in fields.iter().filter(|field| field.presence == Presence::Sparse) {
                if part.get(field.name) == defaults.get(field.name) {
                    part.shift_remove(field.name);
                }
            }
        });
        value.to_string()
    }
}

/// Adds missing fields to every part of a summary.
fn insert_missing_fields(summary: &mut Value, lacking: &mut BTreeSet<&'static str>) {
    for_each_part(summary, |part, fields, defaults| {
        for field in fields {
            // A field that not every summary has may be missing without being reported as lacking.
            let expected = field.presence == Presence::Required && !has_field(part, field);
            if let Some(default) = defaults.get(field.name).filter(|_| expected) {
                part.insert(field.name.to_owned(), default.clone());
                lacking.extend(field.metric.map(|metric| metric.name));
            }
        }
    });
}

/// A part of a summary as JSON, its fields, and their defaults.
type Visit<'a> = dyn FnMut(&mut Map<String, Value>, &'static [Field], &Map<String, Value>) + 'a;

/// Calls `visit` for every part of a summary.
fn for_each_part(
    summary: &mut Value,
    mut visit: impl FnMut(&mut Map<String, Value>, &'static [Field], &Map<String, Value>),
) {
    static DEFAULTS: LazyLock<Defaults> = LazyLock::new(Defaults::default);
    let visit: &mut Visit<'_> = &mut visit;
    visit_part(summary, run::FIELDS, &DEFAULTS.run, visit);
    for flow in iter_list(summary, "flows") {
        visit_part(flow, flow::FIELDS, &DEFAULTS.flow, visit);
    }
    for link in iter_list(summary, "links") {
        visit_part(link, link::FIELDS, &DEFAULTS.link, visit);
        for key in ["forward", "backward"] {
            if let Some(part) = link.get_mut(key) {
                visit_part(part, direction::FIELDS, &DEFAULTS.direction, visit);
            }
        }
    }
    for node in iter_list(summary, "nodes") {
        visit_part(node, node::FIELDS, &DEFAULTS.node, visit);
    }
    for medium in iter_list(summary, "media") {
        visit_part(medium, medium::FIELDS, &DEFAULTS.medium, visit);
        for station in iter_list(medium, "stations") {
            visit_part(station, station::FIELDS, &DEFAULTS.station, visit);
        }
    }
}

/// The default values of the fields of each part.
struct Defaults {
    run: Map<String, Value>,
    flow: Map<String, Value>,
    link: Map<String, Value>,
    direction: Map<String, Value>,
    node: Map<String, Value>,
    medium: Map<String, Value>,
    station: Map<String, Value>,
}

impl Default for Defaults {
    fn default() -> Self {
        fn of<T: Default + Serialize>() -> Map<String, Value> {
            match serde_json::to_value(T::default()) {
                Ok(Value::Object(fields)) => fields,
                _ => Map::new(),
            }
        }
        Defaults {
            run: of::<Summary>(),
            flow: of::<FlowSummary>(),
            link: of::<LinkSummary>(),
            direction: of::<DirectionSummary>(),
            node: of::<NodeSummary>(),
            medium: of::<MediumSummary>(),
            station: of::<StationSummary>(),
        }
    }
}

fn visit_part(part: &mut Value, fields: &'static [Field], defaults: &Map<String, Value>, visit: &mut Visit<'_>) {
    if let Value::Object(part) = part {
        visit(part, fields, defaults);
    }
}

fn iter_list<'a>(part: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    part.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

fn has_field(part: &Map<String, Value>, field: &Field) -> bool {
    part.contains_key(field.name) || field.was.iter().any(|was| part.contains_key(*was))
}
