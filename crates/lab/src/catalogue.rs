//! Every name that scenarios can use, taken from the registries.

use std::borrow::Cow;

use observe::metric::{METRICS, Metric, Scope};
use path::agent::{AgentConfig, Traits};
use path::channel::ChannelConfig;
use path::link::jitter::DelayConfig;
use path::mac::arq::ArqConfig;
use path::mac::dcf::rate::RateControlConfig;
use path::queue::QueueConfig;
use path::scheduler::SchedulerConfig;
use scenario::EVENT_KINDS;
use scenario::document::by_name;
use scenario::followers::name_places;
use scenario::lint::LINTS;
use scenario::traces::TRACES;
use sim::{ApplicationConfig, NodeKind, Radio, SizeConfig};
use tcp::cc::ControlConfig;
use tcp::differentiation::DifferentiationConfig;
use tcp::presets::PRESETS;
use tcp::recovery::RecoveryConfig;
use tcp::response::ResponseConfig;

use crate::compare::paths;
use crate::export::FORMATS;
use crate::papers::PAPERS;

type Members = Vec<(&'static str, Cow<'static, str>)>;

/// A kind of name, such as the schemes or the channels.
pub struct Section {
    /// Plural used as a heading by `lasthop list`.
    pub plural: &'static str,
    /// The keys and options that accept these names.
    pub place: &'static str,
    /// Each name with a description of one line.
    pub members: fn() -> Members,
}

/// All kinds of names.
pub const CATALOGUE: &[Section] = &[
    Section {
        plural: "schemes",
        place: "scheme, nodes.NAME.scheme, --scheme, --schemes",
        members: || {
            AgentConfig::MEMBERS.iter().map(|(name, summary)| (*name, summarize_scheme(name, summary))).collect()
        },
    },
    Section {
        plural: "responses",
        place: "the sender's part in a scheme, by the scheme's name",
        members: || list_members(ResponseConfig::MEMBERS),
    },
    Section {
        plural: "variants",
        place: "flows.NAME.tcp.variant",
        members: || PRESETS.iter().map(|preset| (preset.name, preset.summary.into())).collect(),
    },
    Section {
        plural: "recoveries",
        place: "flows.NAME.tcp.recovery",
        members: || list_members(RecoveryConfig::MEMBERS),
    },
    Section { plural: "controls", place: "flows.NAME.tcp.control", members: || list_members(ControlConfig::MEMBERS) },
    Section {
        plural: "differentiations",
        place: "flows.NAME.tcp.loss_differentiation",
        members: || list_members(DifferentiationConfig::MEMBERS),
    },
    Section { plural: "channels", place: "links.NAME.channel", members: || list_members(ChannelConfig::MEMBERS) },
    Section {
        plural: "delay-distributions",
        place: "links.NAME.jitter.delay, flows.NAME.traffic.on, .off and .think",
        members: || list_members(DelayConfig::MEMBERS),
    },
    Section { plural: "link-layers", place: "links.NAME.arq", members: || list_members(ArqConfig::MEMBERS) },
    Section {
        plural: "rate-controls",
        place: "media.NAME.rate_control",
        members: || list_members(RateControlConfig::MEMBERS),
    },
    Section { plural: "node-kinds", place: "nodes.NAME.kind", members: || list_members(NodeKind::MEMBERS) },
    Section { plural: "radios", place: "nodes.NAME.radio", members: || list_members(Radio::MEMBERS) },
    Section {
        plural: "applications",
        place: "flows.NAME.traffic",
        members: || list_members(ApplicationConfig::MEMBERS),
    },
    Section {
        plural: "size-distributions",
        place: "arrivals.NAME.sizes, flows.NAME.traffic.sizes",
        members: || list_members(SizeConfig::MEMBERS),
    },
    Section { plural: "queue-disciplines", place: "links.NAME.queue", members: || list_members(QueueConfig::MEMBERS) },
    Section { plural: "schedulers", place: "nodes.NAME.scheduler", members: || list_members(SchedulerConfig::MEMBERS) },
    Section {
        plural: "traces",
        place: "output.traces, --trace",
        members: || TRACES.iter().map(|trace| (trace.name, trace.summary.into())).collect(),
    },
    Section {
        plural: "lints",
        place: "warnings of check, run and sweep",
        members: || LINTS.iter().map(|lint| (lint.name, lint.finds.into())).collect(),
    },
    Section { plural: "events", place: "output.events, --events", members: || list_members(&EVENT_KINDS) },
    Section {
        plural: "profiles",
        place: "profile",
        members: || {
            list_members(&[
                ("exact", "Transmission times to the nanosecond; TCP as specified in the RFCs"),
                ("goel1997", "The thesis's program: times truncated to whole milliseconds, 4.3BSD's halving"),
            ])
        },
    },
    Section {
        plural: "metrics",
        place: "sweep.metrics, --metric",
        members: || METRICS.iter().map(|metric| (metric.name, describe_metric(metric))).collect(),
    },
    Section {
        plural: "formats",
        place: "lasthop export --format",
        members: || FORMATS.iter().map(|format| (format.name, format.summary.into())).collect(),
    },
    Section { plural: "paths", place: "lasthop compare --paths", members: || list_members(&paths::list_path_parts()) },
    Section {
        plural: "papers",
        place: "lasthop reproduce",
        members: || PAPERS.iter().map(|paper| (paper.name, paper.reference.into())).collect(),
    },
];

fn list_members(members: &[(&'static str, &'static str)]) -> Members {
    members.iter().map(|(name, summary)| (*name, (*summary).into())).collect()
}

/// A scheme with the keys it needs and its effect on end-to-end semantics.
fn summarize_scheme(name: &'static str, summary: &'static str) -> Cow<'static, str> {
    let Some(config) = by_name::<AgentConfig>(name) else { return summary.into() };
    let traits = config.traits();
    format!("{summary}. Changes: {}; end-to-end semantics: {}", name_changed_nodes(&traits), traits.semantics.name())
        .into()
}

/// The nodes that must run the scheme, for downloads and, if they differ, for uploads.
fn name_changed_nodes(traits: &Traits) -> String {
    let (downloads, uploads) = (name_places(traits.changes), name_places(traits.uploads));
    match (traits.changes, traits.uploads) {
        ([], []) => "none".to_owned(),
        (down, up) if down == up => downloads,
        (_, []) => format!("{downloads} (nothing for uploads)"),
        ([], _) => format!("{uploads} (for uploads only)"),
        _ => format!("{downloads} (for uploads: {uploads})"),
    }
}

/// Subject, unit and definition of a metric.
fn describe_metric(metric: &Metric) -> Cow<'static, str> {
    let about = match metric.scope {
        Scope::Run => "the run",
        Scope::Flow => "a flow",
        Scope::Direction => "one direction of a link",
        Scope::Medium => "a medium",
        Scope::Station => "a station of a medium",
        Scope::Node => "a node",
        Scope::Arrivals => "the flows of an arrival process, or those of one class of sizes",
    };
    format!("of {about}, {}. {}", metric.unit, metric.definition).into()
}
