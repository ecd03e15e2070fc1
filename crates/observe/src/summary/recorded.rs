//! Stored summaries, possibly written by another version of the program.

use std::collections::BTreeSet;
use std::ops::Deref;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    DirectionSummary, FlowSummary, LinkSummary, MediumSummary, NodeSummary, StationSummary, Summary, direction, flow,
    link, medium, node, run, station,
};
use crate::summary::{Field, METRICS, Metric, Reading};

/// A stored summary, and the metrics unknown to the program that wrote it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recorded {
    summary: Summary,
    lacking: BTreeSet<&'static str>,
}

impl Recorded {
    /// Reads a summary. Fields with a former name are read as the current ones. A missing field gets its default, and
    /// if it is a metric the summary [lacks](Self::lacks) it.
    ///
    /// # Errors
    ///
    /// If the text is not a JSON object, or a value has another type than its field.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        if let Ok(summary) = serde_json::from_str(text) {
            return Ok(Recorded { summary, lacking: BTreeSet::new() });
        }
        let mut value: Value = serde_json::from_str(text)?;
        let mut lacking = BTreeSet::new();
        complete(&mut value, &mut lacking);
        Ok(Recorded { summary: serde_json::from_value(value)?, lacking })
    }

    /// Declares metrics unknown to the program that wrote it, by name: even where they apply, they have no value.
    pub fn without(mut self, names: &BTreeSet<&'static str>) -> Self {
        self.lacking.extend(names);
        self
    }

    /// Whether it was written before `metric` existed.
    pub fn lacks(&self, metric: &Metric) -> bool {
        self.lacking.contains(metric.name)
    }

    /// The value for each subject; `None` for each if the summary lacks the metric.
    pub fn read(&self, metric: &Metric) -> Vec<Reading> {
        if self.lacks(metric) {
            metric.of_all(self).into_iter().map(|(subject, _)| (subject, None)).collect()
        } else {
            metric.read(self)
        }
    }

    /// Whether both have the same values of all metrics that both have. Delays need not have been measured in both.
    pub fn agrees_with(&self, other: &Recorded) -> bool {
        let both = METRICS.iter().filter(|metric| !self.lacks(metric) && !other.lacks(metric));
        let agree = |metric: &&Metric| {
            let (here, there) = (metric.read(self), metric.read(other));
            // A flow of datagrams has its delays in every run, others only if they are measured.
            let measured = |(subject, value): &Reading| {
                let other = there.iter().find(|(other, _)| other == subject).and_then(|(_, other)| *other);
                value.is_none() || other.is_none() || *value == other
            };
            here == there || (metric.is_of_delays() && here.iter().all(measured))
        };
        self.summary == other.summary || { both }.all(agree)
    }
}

impl From<Summary> for Recorded {
    fn from(summary: Summary) -> Self {
        Recorded { summary, lacking: BTreeSet::new() }
    }
}

impl Deref for Recorded {
    type Target = Summary;

    fn deref(&self) -> &Summary {
        &self.summary
    }
}

/// Adds missing fields to every part of a summary.
fn complete(summary: &mut Value, lacking: &mut BTreeSet<&'static str>) {
    fill::<Summary>(summary, run::FIELDS, lacking);
    for flow in list(summary, "flows") {
        fill::<FlowSummary>(flow, flow::FIELDS, lacking);
    }
    for link in list(summary, "links") {
        fill::<LinkSummary>(link, link::FIELDS, lacking);
        for key in ["forward", "backward"] {
            if let Some(part) = link.get_mut(key) {
                fill::<DirectionSummary>(part, direction::FIELDS, lacking);
            }
        }
    }
    for node in list(summary, "nodes") {
        fill::<NodeSummary>(node, node::FIELDS, lacking);
    }
    for medium in list(summary, "media") {
        fill::<MediumSummary>(medium, medium::FIELDS, lacking);
        for station in list(medium, "stations") {
            fill::<StationSummary>(station, station::FIELDS, lacking);
        }
    }
}

fn list<'a>(part: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    part.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Adds default values of missing fields to one part.
fn fill<T: Default + Serialize>(part: &mut Value, fields: &[Field], lacking: &mut BTreeSet<&'static str>) {
    let Value::Object(part) = part else { return };
    let Ok(Value::Object(defaults)) = serde_json::to_value(T::default()) else { return };
    for field in fields {
        // Fields that are written only where they apply have no default.
        let default = defaults.get(field.name).filter(|_| !has(part, field));
        if let Some(default) = default {
            part.insert(field.name.to_owned(), default.clone());
            lacking.extend(field.metric.map(|metric| metric.name));
        }
    }
}

fn has(part: &Map<String, Value>, field: &Field) -> bool {
    part.contains_key(field.name) || field.was.iter().any(|was| part.contains_key(*was))
}
