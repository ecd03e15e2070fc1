//! The summary of a run, printed by `--json` and written to `summary.json`. Each metric is declared once, with the
//! field of the summary that holds it.

pub(crate) mod part;

mod arrivals;
mod distribution;
mod flows;
mod links;
mod media;
mod nodes;
mod recorded;
mod whole;

use std::fmt;
use std::sync::LazyLock;

use engine::Span;
use scenario::Scenario;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use sim::delay::Delays;
use sim::{Network, Results};
use stats::Interval;

pub use arrivals::{ArrivalsSummary, arrivals_of};
pub use flows::{FlowSummary, flow};
pub use links::{DirectionSummary, LinkSummary, direction, link};
pub use media::{MediumSummary, StationSummary, medium, station};
pub use nodes::{NodeSummary, node};
pub use recorded::{MetricGap, RecordedSummary};
pub use whole::{Schemes, Summary, run};

/// Summarizes a run of `scenario`, whose checked form is `network`. The unit of each number is in its name, and the
/// definitions are in `docs/metrics.md`.
pub fn summarize_results(title: &str, scenario: &Scenario, network: &Network, results: &Results) -> Summary {
    whole::assemble_summary(title, scenario, network, results, None)
}

/// Summarizes a run, including the delays if they were measured.
pub fn summarize_measured_results(
    title: &str,
    scenario: &Scenario,
    network: &Network,
    results: &Results,
    delays: Option<&Delays>,
) -> Summary {
    whole::assemble_summary(title, scenario, network, results, delays)
}

/// The JSON Schema of a summary as a run writes it.
pub fn generate_summary_schema() -> Schema {
    // Defaults concern only summaries of earlier versions, which may lack fields.
    let without_default = |schema: &mut Schema| drop(schema.remove("default"));
    let settings = SchemaSettings::default().for_serialize().with_transform(RecursiveTransform(without_default));
    settings.into_generator().into_root_schema_for::<Summary>()
}

/// Formats a time as a share of the run.
fn compute_share_of_run(span: Span, results: &Results) -> f64 {
    span.as_secs_f64() / results.ended.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// The subject of a metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The run as a whole.
    Run,
    /// A flow.
    Flow,
    /// One direction of a link.
    Direction,
    /// A shared medium.
    Medium,
    /// A station of a shared medium.
    Station,
    /// A node.
    Node,
    /// An arrival process, or the flows of one of its size classes.
    Arrivals,
}

/// Which values are better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Lower ones.
    Lower,
    /// Higher ones.
    Higher,
    /// Neither is better.
    Neither,
}

/// How a metric is read from its part of a summary.
#[derive(Clone, Copy)]
pub(crate) enum Get {
    Run(fn(&Summary) -> Option<f64>),
    Flow(fn(&FlowSummary) -> Option<f64>),
    Direction(fn(&DirectionSummary) -> Option<f64>),
    Medium(fn(&MediumSummary) -> Option<f64>),
    Station(fn(&StationSummary) -> Option<f64>),
    Node(fn(&NodeSummary) -> Option<f64>),
    Arrivals(fn(&ArrivalsSummary) -> Option<f64>),
}

/// A number of a run, with its name and definition.
pub struct Metric {
    /// Name in summaries, stores, tables and files.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Subject.
    pub scope: Scope,
    /// Which values are better.
    pub better: Better,
    /// Definition, in one sentence without its full stop. The reference page has further sentences.
    pub definition: &'static str,
    /// Column heading in the table of a run.
    pub head: &'static str,
    /// Former names.
    pub was: &'static [&'static str],
    /// Whether readings leave out subjects without a value.
    pub(crate) sparse: bool,
    pub(crate) get: Get,
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.scope == other.scope
    }
}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({})", self.name)
    }
}

/// Whether summaries have a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// In every summary.
    Required,
    /// The field is in every summary of this version, but earlier versions may lack it.
    Sparse,
    /// The metric is not a field of a part, but computed from the fields.
    Derived,
}

/// A field of a part of the summary, or a metric computed from its fields.
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Unit, or kind of value.
    pub unit: &'static str,
    /// Whole definition, as written in its declaration.
    pub(crate) text: &'static str,
    /// Former names.
    pub was: &'static [&'static str],
    /// Whether summaries have the field.
    pub presence: Presence,
    /// Metric of this field, if the field is one.
    pub metric: Option<&'static Metric>,
}

impl Field {
    /// The complete definition.
    pub fn text(&self) -> &'static str {
        self.text.trim_start()
    }
}

/// The first sentence of a doc comment, without its full stop.
pub(crate) const fn first_sentence(doc: &'static str) -> &'static str {
    let bytes = doc.as_bytes();
    let start = if bytes.len() > 1 && bytes[0] == b' ' { 1 } else { 0 };
    let mut end = start;
    while end < bytes.len() {
        let stops = bytes[end] == b'.' && (end + 1 == bytes.len() || bytes[end + 1] == b' ');
        if stops {
            break;
        }
        end += 1;
    }
    doc.split_at(end).0.split_at(start).1
}

/// The fields of each part of a summary, with the heading of the part.
pub static PARTS: &[(&str, &[Field])] = &[
    ("flow", flow::FIELDS),
    ("arrivals", arrivals_of::FIELDS),
    ("link", link::FIELDS),
    ("direction", direction::FIELDS),
    ("medium", medium::FIELDS),
    ("station", station::FIELDS),
    ("node", node::FIELDS),
    ("run", run::FIELDS),
];

/// Every metric, by subject.
pub static METRICS: LazyLock<Vec<&'static Metric>> =
    LazyLock::new(|| PARTS.iter().flat_map(|(_, fields)| fields.iter()).filter_map(|field| field.metric).collect());

/// The metrics that have values only if [`Delays`] were measured. Flows of datagrams always have values of these
/// metrics.
pub static OF_DELAYS: &[&Metric] = &[
    &flow::rtt_mean_s,
    &flow::rtt_p50_s,
    &flow::rtt_p95_s,
    &flow::rtt_p99_s,
    &flow::rtt_max_s,
    &flow::delay_mean_s,
    &flow::delay_p50_s,
    &flow::delay_p95_s,
    &flow::delay_p99_s,
    &flow::delay_max_s,
    &flow::delay_jitter_s,
    &direction::queue_wait_mean_s,
    &direction::queue_departures,
    &direction::queue_drops,
    &direction::queue_drop_wait_mean_s,
    &direction::queue_wait_p50_s,
    &direction::queue_wait_p95_s,
    &direction::queue_wait_p99_s,
    &direction::queue_wait_max_s,
    &direction::link_layer_mean_s,
    &direction::link_layer_p50_s,
    &direction::link_layer_p95_s,
    &direction::link_layer_p99_s,
    &direction::link_layer_max_s,
];

impl Metric {
    /// Whether the metric has values only if delays were measured.
    pub fn is_of_delays(&self) -> bool {
        OF_DELAYS.iter().any(|metric| metric.name == self.name)
    }
}

/// The name of every metric.
pub fn list_metric_names() -> impl Iterator<Item = &'static str> {
    METRICS.iter().map(|metric| metric.name)
}

/// The metric called `name`.
pub fn find_metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().copied().find(|metric| metric.name == name)
}

/// The metric with the former name `name`.
pub fn find_metric_by_former_name(name: &str) -> Option<&'static Metric> {
    METRICS.iter().copied().find(|metric| metric.was.contains(&name))
}

/// A subject of a metric by name, and the value; `None` if the run has no value.
pub type Reading = (String, Option<f64>);

impl Metric {
    /// Range of the metric's values, independent of their distribution.
    pub fn range(&self) -> Interval {
        let high = match self.unit {
            "share" | "0 or 1" | "1/flows to 1" => 1.0,
            _ => f64::INFINITY,
        };
        Interval { low: 0.0, high }
    }

    /// The value for each subject in a summary, in order.
    pub fn of_all(&self, summary: &Summary) -> Vec<Reading> {
        match self.get {
            Get::Run(get) => vec![(String::new(), get(summary))],
            Get::Flow(get) => summary.flows.iter().map(|flow| (flow.name.clone(), get(flow))).collect(),
            Get::Direction(get) => iter_directions(summary).map(|(name, direction)| (name, get(direction))).collect(),
            Get::Medium(get) => iter_media(summary).map(|medium| (medium.name.clone(), get(medium))).collect(),
            Get::Station(get) => iter_stations(summary).map(|(name, station)| (name, get(station))).collect(),
            Get::Arrivals(get) => {
                let processes = summary.arrivals.iter();
                processes.map(|process| (process.subject(), get(process))).collect()
            }
            Get::Node(get) => summary.nodes.iter().map(|node| (node.name.clone(), get(node))).collect(),
        }
    }

    /// Returns the values of the subjects to which the metric applies. It does not apply, for example, to links that
    /// are not in a medium, nodes that do not associate, or flows of other applications.
    pub fn read(&self, summary: &Summary) -> Vec<Reading> {
        let mut readings = self.of_all(summary);
        if self.sparse || matches!(self.scope, Scope::Direction | Scope::Node) {
            readings.retain(|(_, value)| value.is_some());
        }
        readings
    }
}

fn iter_directions(summary: &Summary) -> impl Iterator<Item = (String, &DirectionSummary)> {
    let named = |link: &LinkSummary, direction: &str| format!("{} {direction}", link.name);
    summary
        .links
        .iter()
        .flat_map(move |link| [(named(link, "forward"), &link.forward), (named(link, "backward"), &link.backward)])
}

fn iter_media(summary: &Summary) -> impl Iterator<Item = &MediumSummary> {
    summary.media.iter()
}

fn iter_stations(summary: &Summary) -> impl Iterator<Item = (String, &StationSummary)> {
    iter_media(summary)
        .flat_map(|medium| medium.stations.iter().map(|station| (format!("{} {}", medium.name, station.name), station)))
}

/// A value of a field as a number.
pub(crate) trait Number {
    fn number(&self) -> Option<f64>;
}

impl Number for u64 {
    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Number for f64 {
    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Number for bool {
    fn number(&self) -> Option<f64> {
        Some(f64::from(u8::from(*self)))
    }
}

impl<N: Number> Number for Option<N> {
    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(Number::number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_the_first_sentence_of_a_doc_comment() {
        assert_eq!(first_sentence(" Bits [RFC3168 s6.1.2]. More. Yet more."), "Bits [RFC3168 s6.1.2]");
        assert_eq!(first_sentence(" One sentence."), "One sentence");
        assert_eq!(first_sentence(" No stop"), "No stop");
        assert_eq!(first_sentence(""), "");
    }
}
