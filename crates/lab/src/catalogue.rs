//! Every name that scenarios can use, from the registries themselves.

use path::agent::AgentConfig;
use path::channel::ChannelConfig;
use path::mac::arq::ArqConfig;
use path::station::scheduler::Scheduler;
use tcp::cc::ControlConfig;
use tcp::presets::PRESETS;
use tcp::recovery::RecoveryConfig;
use tcp::response::ResponseConfig;

use crate::output::TRACES;
use crate::scenario::Scenario;

type Members = Vec<(&'static str, &'static str)>;

/// One kind of name.
pub struct Section {
    /// What they are called.
    pub plural: &'static str,
    /// Where they are used.
    pub place: &'static str,
    /// The names, and one line about each.
    pub members: fn() -> Members,
}

/// Every kind of name.
pub const CATALOGUE: &[Section] = &[
    Section {
        plural: "schemes",
        place: "scheme, nodes.NAME.scheme, --scheme",
        members: || AgentConfig::MEMBERS.to_vec(),
    },
    Section {
        plural: "responses",
        place: "the sender's part in a scheme, by the scheme's name",
        members: || ResponseConfig::MEMBERS.to_vec(),
    },
    Section {
        plural: "variants",
        place: "flows.NAME.tcp.variant",
        members: || PRESETS.iter().map(|preset| (preset.name, preset.summary)).collect(),
    },
    Section { plural: "recoveries", place: "flows.NAME.tcp.recovery", members: || RecoveryConfig::MEMBERS.to_vec() },
    Section { plural: "controls", place: "flows.NAME.tcp.control", members: || ControlConfig::MEMBERS.to_vec() },
    Section { plural: "channels", place: "links.NAME.channel", members: || ChannelConfig::MEMBERS.to_vec() },
    Section { plural: "arqs", place: "links.NAME.arq", members: || ArqConfig::MEMBERS.to_vec() },
    Section { plural: "schedulers", place: "nodes.NAME.scheduler", members: || Scheduler::MEMBERS.to_vec() },
    Section {
        plural: "traces",
        place: "output.traces, --trace",
        members: || TRACES.iter().map(|trace| (trace.name, trace.summary)).collect(),
    },
    Section {
        plural: "profiles",
        place: "profile",
        members: || {
            vec![
                ("exact", "Transmission times to the nanosecond; TCP as the RFCs have it"),
                ("goel1997", "The thesis's program: times cut to whole milliseconds, 4.3BSD's halving"),
            ]
        },
    },
];

/// The JSON Schema of scenarios.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}
