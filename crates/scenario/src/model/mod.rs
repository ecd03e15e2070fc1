//! The model of a scenario file: names, units, defaults. `serde` reads and writes it, `schemars` describes it.

pub mod directed;
mod link;
mod motion;
mod peer;
mod queue;
pub mod sweep;

use engine::{Bytes, Frequency, Span};
use indexmap::IndexMap;
use path::agent::AgentConfig;
use path::scheduler::SchedulerConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim::{ApplicationConfig, Association, NodeKind, NodeSetting, Radio, ReaderConfig, SizeConfig, Transport};

pub use directed::Directed;
use engine::Named;
pub use link::{DeliveryTrace, Link, LinkKind, Recording, Way};
pub use motion::{Motion, Position, Waypoint};
pub use peer::Peer;
pub use queue::Queue;
use sweep::Sweep;
use tcp::PartialConfig;
use tcp::config::{EcnCodepoint, ReceiveWindow};
use wire::Dscp;

/// Maximum number of stations of a medium, whose wake-ups have 16-bit numbers.
pub(crate) const MAX_STATIONS: usize = 10_000;

/// A network, its traffic, and the output.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Title, in a line; the name of the file if not given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The rules of the simulator.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Profile::default()))]
    pub profile: Profile,
    /// The scheme of every base station and of every host, unless the node sets its own scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Named(AgentConfig::default())))]
    pub scheme: Option<Named<AgentConfig>>,
    /// Maximum duration of a run; a run also ends when every flow has delivered its bytes.
    pub duration: Span,
    /// The random seed.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Number of this replication. Each replication has separate random streams, equal for equal numbers.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = u64::default()))]
    pub replication: u64,
    /// Hosts, routers and base stations, by name.
    pub nodes: IndexMap<String, Node>,
    /// Links, by name.
    pub links: IndexMap<String, Link>,
    /// Shared media, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub media: IndexMap<String, path::mac::dcf::Config>,
    /// Flows, by name.
    #[serde(default)]
    pub flows: IndexMap<String, Flow>,
    /// Processes by which flows arrive during the run, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub arrivals: IndexMap<String, Arrivals>,
    /// The output in addition to the summary.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Output::default()))]
    pub output: Output,
    /// The variations, comparisons and replications of `lasthop sweep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
}

/// The rules of the simulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Transmission times to the nanosecond; TCP as specified in the RFCs.
    #[default]
    Exact,
    /// The thesis's program: transmission times truncated to whole milliseconds, a new number for each link
    /// transmission, halving of the window in use, an initial ssthresh of 65,535 bytes.
    Goel1997,
}

impl Profile {
    /// Name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Exact => "exact",
            Profile::Goel1997 => "goel1997",
        }
    }
}

/// A host, router or base station.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(transform = name_kinds)]
#[schemars(transform = engine::bare_name::accept_name::<Node>)]
pub struct Node {
    /// Its kind.
    pub kind: NodeKind,
    /// The number of copies: m1, m2 and so on replace m, and each link and flow that names m is copied as well. Loaded
    /// scenarios have the copies expanded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
    /// Buffer shared by all links of the node, as "512 kB"; unlimited by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Time for which each packet is held before it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Span::default()))]
    pub processing_delay: Option<Span>,
    /// Transmitters of the node for wireless links with a link layer.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Radio::default()))]
    pub radio: Radio,
    /// The order in which a shared radio, or a station of a medium, serves its neighbours. Default: `round-robin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Named(SchedulerConfig::default())))]
    pub scheduler: Option<Named<SchedulerConfig>>,
    /// The scheme of the node, in place of the scenario's scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Named<AgentConfig>>,
    /// Position, as ["0 m", "20 m"]: x and y. Stations of media with a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Motion; the node does not move if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// The node uses one of its links in media at a time: the link to the nearest base station in range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub association: Option<Association>,
}

engine::bare_name! { Node, engine::tagged::KIND }

impl Node {
    /// Value of a setting as shown in messages; `None` if the setting is absent.
    pub(crate) fn format_setting(&self, setting: NodeSetting) -> Option<String> {
        match setting {
            NodeSetting::Buffer => self.buffer.map(|buffer| buffer.to_string()),
            NodeSetting::ProcessingDelay => self.processing_delay.map(|delay| delay.to_string()),
            NodeSetting::Scheme => self.scheme.as_ref().map(|Named(scheme)| scheme.name().to_owned()),
            NodeSetting::Association => self.association.as_ref().map(|_| "a table".to_owned()),
        }
    }
}

/// Completes the descriptions of a node's keys with the kinds that accept them.
fn name_kinds(schema: &mut schemars::Schema) {
    for setting in NodeSetting::ALL {
        let description = schema.pointer_mut(&format!("/properties/{}/description", setting.key()));
        if let Some(serde_json::Value::String(text)) = description {
            text.push_str(&format!(" Only for {}.", setting.kinds()));
        }
    }
}

impl Link {
    /// Recordings named in the scenario, with their keys. Recorded channel states belong to the channel.
    pub fn recordings(&mut self) -> impl Iterator<Item = (&'static str, &mut Recording)> {
        let DeliveryTrace { forward, backward } = &mut self.delivery_trace;
        let all = [
            ("delivery_trace.forward", forward),
            ("delivery_trace.backward", backward),
            ("link_trace", &mut self.link_trace),
        ];
        all.into_iter().filter_map(|(key, recording)| Some((key, recording.as_mut()?)))
    }
}

/// The traffic of an application from one host to another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The host that sends.
    pub from: String,
    /// The host that receives.
    pub to: String,
    /// The number of bytes to send, as "10 MB"; unlimited if not given. Short for `traffic = { kind = "bulk", bytes =
    /// ... }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// The application; `bulk` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Named(ApplicationConfig::default())))]
    pub traffic: Option<Named<ApplicationConfig>>,
    /// The transport protocol; if not given `icmp-echo` for `ping`, else `tcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// The class of the flow's packets, for queues that distinguish classes: a DSCP, as "EF", "AF41" or 46.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Dscp::DEFAULT))]
    pub class: Dscp,
    /// Codepoint of the datagrams of a flow over UDP or ICMP that is ECN-capable: queues mark them instead of dropping
    /// them. Flows over TCP have `tcp.ecn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ecn_codepoint: Option<EcnCodepoint>,
    /// The number of copies: f1, f2 and so on replace f. Loaded scenarios have the copies expanded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
    /// The flow whose application uses this flow as a further connection. Loaded scenarios have a flow for each
    /// connection of such an application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_of: Option<String>,
    /// Data bytes of a full segment.
    #[serde(default = "ethernet_segment")]
    pub mss: Bytes,
    /// The receive window.
    #[serde(default = "classic_window")]
    pub receive_window: ReceiveWindow,
    /// How the receiving application reads; on arrival if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderConfig>,
    /// Start time.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Span::default()))]
    pub start: Span,
    /// Time at which the application stops; data not sent by that time is discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Span>,
    /// Settings of TCP, of both ends unless `peer` has others.
    #[serde(default, deserialize_with = "PartialConfig::read_with_variant", skip_serializing_if = "is_default")]
    #[schemars(extend("default" = PartialConfig::default()))]
    pub tcp: PartialConfig,
    /// Settings of the receiving end, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<Peer>,
}

/// Flows from one host to another that arrive during the run, as a Poisson process, each with an amount of data from a
/// distribution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// The host that sends.
    pub from: String,
    /// The host that receives.
    pub to: String,
    /// Mean number of arriving flows per time, as "20 /s".
    pub rate: Frequency,
    /// The distribution of the flows' sizes.
    pub sizes: Named<SizeConfig>,
    /// Time from which flows arrive.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Span::default()))]
    pub start: Span,
    /// Time after which no flow arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Span>,
    /// The maximum number of flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_flows: Option<u64>,
    /// The class of the flows' packets: a DSCP, as "EF", "AF41" or 46.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Dscp::DEFAULT))]
    pub class: Dscp,
    /// Data bytes of a full segment.
    #[serde(default = "ethernet_segment")]
    pub mss: Bytes,
    /// The receive window.
    #[serde(default = "classic_window")]
    pub receive_window: ReceiveWindow,
    /// How the receiving applications read; on arrival if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderConfig>,
    /// Settings of TCP, of both ends unless `peer` has others.
    #[serde(default, deserialize_with = "PartialConfig::read_with_variant", skip_serializing_if = "is_default")]
    #[schemars(extend("default" = PartialConfig::default()))]
    pub tcp: PartialConfig,
    /// Settings of the receiving ends, where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<Peer>,
}

impl Arrivals {
    /// A flow with the settings of the process.
    pub(crate) fn flow(&self) -> Flow {
        Flow {
            bytes: Some(Bytes(1)),
            class: self.class,
            mss: self.mss,
            receive_window: self.receive_window,
            reader: self.reader,
            start: self.start,
            stop: self.stop,
            tcp: self.tcp.clone(),
            peer: self.peer.clone(),
            ..Flow::between([self.from.clone(), self.to.clone()])
        }
    }
}

impl Flow {
    /// An endless bulk transfer from one host to another, with the defaults of all other keys.
    pub fn between([from, to]: [String; 2]) -> Self {
        Flow {
            from,
            to,
            bytes: None,
            traffic: None,
            transport: None,
            class: Dscp::DEFAULT,
            ecn_codepoint: None,
            count: None,
            connection_of: None,
            mss: ethernet_segment(),
            receive_window: classic_window(),
            reader: None,
            start: Span::ZERO,
            stop: None,
            tcp: PartialConfig::default(),
            peer: None,
        }
    }

    /// The total number of bytes, if it is known in advance.
    pub fn total(&self) -> Option<u64> {
        match &self.traffic {
            Some(Named(traffic)) => traffic.total(),
            None => self.bytes.map(|bytes| bytes.0),
        }
    }
}

/// The output in addition to the summary.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Traces to write, by the names that `lasthop list traces` shows.
    #[serde(default)]
    #[schemars(extend("items" = { "type": "string", "enum": crate::traces::trace_names().collect::<Vec<_>>() }))]
    pub traces: Vec<String>,
    /// The kinds of events that the event trace shows: the named kinds, or all except opt-in kinds; without the kinds
    /// after a `-`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = { "type": "string", "enum": crate::EventKinds::names() }))]
    pub events: Vec<String>,
    /// Interval at which the event trace shows the state of every node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub print_interval: Option<Span>,
    /// Interval of the trace `series`; 1 s if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series_interval: Option<Span>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn default_seed() -> u64 {
    1
}

/// Returns the segment size for Ethernet: 1500 bytes, less 40 bytes of IPv4 and TCP headers.
fn ethernet_segment() -> Bytes {
    Bytes(1460)
}

/// The maximum window without scaling.
fn classic_window() -> ReceiveWindow {
    ReceiveWindow::Fixed(Bytes(65_535))
}

/// The JSON Schema of scenarios.
#[cfg(not(target_family = "wasm"))]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

/// The JSON Schema of scenarios, from the file written by the native command: the code that generates it would be a
/// sixth of the module (docs/adr/0015).
#[cfg(target_family = "wasm")]
pub fn schema() -> serde_json::Value {
    serde_json::from_str(include_str!("../../scenario.schema.json")).unwrap_or_default()
}
