//! Links of a scenario, whose settings may differ by direction.

use std::fmt;

use engine::bare_name::{self, BareName};
use engine::{Named, Share, Span};
use path::LinkDirection;
use path::channel::ChannelConfig;
use path::link::jitter::Jitter;
use path::link::variable::plan::{Gap, Spike};
use path::mac::arq::ArqConfig;
use path::queue::{Limit, Tie};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::directed::{self, Directed};
use super::{Profile, Queue, is_default};
use crate::recordings::format::Format;

/// The physical medium of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A wire.
    Wired,
    /// A radio channel.
    Wireless,
}

/// A link between two nodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The physical medium.
    pub kind: LinkKind,
    /// The two nodes connected by the link.
    pub between: [String; 2],
    /// Bits per second in each direction, as "8 Mbps". Not set with a `delivery_trace` in both directions. This and the
    /// keys `delay`, `queue`, `loss`, `channel` and `arq` have one value for both directions, or a table `{ forward,
    /// backward }`: forward is from the first node of `between` to the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Directed<engine::Rate>>,
    /// The shared medium of the link: `media.NAME` sets rates, delay and link layer, except for a `rate` at the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<String>,
    /// Propagation delay, each way, as "492 ms". Not given for links of a medium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Directed<Span>>,
    /// The queue in front of the link in each direction: the limit of a drop-tail queue, as "50 packets" or "64 kB", or
    /// a table with the `kind` of a discipline. The default is drop-tail with 1000 packets, as at Linux's interfaces;
    /// unlimited with the profile `goel1997`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("profileDefaults" = {
        "exact": Queue::of_profile(Profile::Exact), "goel1997": Queue::of_profile(Profile::Goel1997),
    }))]
    pub queue: Option<Directed<Queue>>,
    /// Whether a packet that arrives at a full queue takes the place of a packet that departs at the same time. Links
    /// without a link layer.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Tie::default()))]
    pub queue_tie: Tie,
    /// The backlog above which ECN-capable packets are marked, in each direction, as "20 packets" or "30 kB". Without a
    /// value no packet is marked. Drop-tail queues.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Limit::default()))]
    pub ecn_threshold: Limit,
    /// Probability, 0 to 1, that a packet is lost, for wires. Short for `channel = { kind = "uniform", loss = ... }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Directed<Share>>,
    /// The loss model of frames; `perfect` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Named(ChannelConfig::default())))]
    pub channel: Option<Directed<Named<ChannelConfig>>>,
    /// Extra delays of single packets. Links without a link layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// Delay spikes, in order. Links without a link layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delay_spikes: Vec<Spike>,
    /// Intervals without transmission and delivery, in order; for links without a link layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<Gap>,
    /// Recordings of Mahimahi with transmission opportunities, which replace a rate; for links without a link layer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivery_trace: DeliveryTrace,
    /// A table of rate, delay and loss over time; for links without a link layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_trace: Option<Recording>,
    /// Link layer, for wireless links; `none` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Named(ArqConfig::default())))]
    pub arq: Option<Directed<Named<ArqConfig>>>,
    /// Number that selects a different random stream of the channel for the same seed.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = u64::default()))]
    pub random_seed: u64,
}

impl Link {
    /// Whether any setting is given for each direction.
    pub fn is_directed(&self) -> bool {
        ["rate", "delay", "queue", "loss", "channel", "arq"].iter().any(|setting| self.is_each(setting))
    }

    /// Whether a setting is given for each direction.
    fn is_each(&self, setting: &str) -> bool {
        fn each<T>(value: &Option<Directed<T>>) -> bool {
            value.as_ref().is_some_and(Directed::is_each)
        }
        match setting {
            "rate" => each(&self.rate),
            "delay" => each(&self.delay),
            "queue" => each(&self.queue),
            "loss" => each(&self.loss),
            "channel" => each(&self.channel),
            "arq" => each(&self.arq),
            _ => false,
        }
    }

    /// The settings in one direction.
    pub fn way(&self, direction: LinkDirection) -> Way<'_> {
        Way { link: self, direction }
    }

    /// Returns the settings by direction: forward only, unless a setting is given for each direction.
    pub fn ways(&self) -> impl Iterator<Item = Way<'_>> {
        let backward = self.is_directed().then_some(LinkDirection::Backward);
        [LinkDirection::Forward].into_iter().chain(backward).map(|direction| self.way(direction))
    }
}

/// The settings of a link in one direction.
#[derive(Clone, Copy)]
pub struct Way<'a> {
    /// The link.
    pub link: &'a Link,
    direction: LinkDirection,
}

impl<'a> Way<'a> {
    /// The key of a setting below the link: `rate`, or `rate.forward` if the directions have separate values.
    pub fn key(&self, setting: &str) -> String {
        if self.link.is_each(setting) {
            format!("{setting}.{}", directed::direction_name(self.direction))
        } else {
            setting.to_owned()
        }
    }

    /// Whether this direction has a separate value for a setting, or is the forward direction.
    pub fn states(&self, setting: &str) -> bool {
        self.direction == LinkDirection::Forward || self.link.is_each(setting)
    }

    fn of<T>(&self, value: &'a Option<Directed<T>>) -> Option<&'a T> {
        value.as_ref().and_then(|value| value.of(self.direction))
    }

    /// See [`Link::rate`].
    pub fn rate(&self) -> Option<engine::Rate> {
        self.of(&self.link.rate).copied()
    }

    /// See [`Link::delay`].
    pub fn delay(&self) -> Option<Span> {
        self.of(&self.link.delay).copied()
    }

    /// See [`Link::queue`].
    pub fn queue(&self) -> Option<&'a Queue> {
        self.of(&self.link.queue)
    }

    /// See [`Link::loss`].
    pub fn loss(&self) -> Option<f64> {
        self.of(&self.link.loss).map(|share| share.0)
    }

    /// See [`Link::channel`].
    pub fn channel(&self) -> Option<&'a ChannelConfig> {
        self.of(&self.link.channel).map(|Named(channel)| channel)
    }

    /// See [`Link::arq`].
    pub fn arq(&self) -> Option<&'a ArqConfig> {
        self.of(&self.link.arq).map(|Named(arq)| arq)
    }
}

/// Transmission opportunities, a recording for each direction.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(transform = accept_file)]
pub struct DeliveryTrace {
    /// Recording for the direction from the link's first node to its second. Without a recording the rate of the link
    /// applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward: Option<Recording>,
    /// Recording for the direction from the second node to the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backward: Option<Recording>,
}

engine::bare_name! { @serde DeliveryTrace }

/// A file stands for the recording of both directions.
impl BareName for DeliveryTrace {
    const KEY: &'static str = "forward";

    fn read_table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DeliveryTrace::deserialize(deserializer)
    }

    fn read_name<E: serde::de::Error>(file: &str) -> Result<Self, E> {
        let recording = Recording { file: Some(file.to_owned()), ..Recording::default() };
        Ok(DeliveryTrace { forward: Some(recording.clone()), backward: Some(recording) })
    }

    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a file, or a table with `forward` and `backward`")
    }
}

/// Adds the file to the JSON Schema.
fn accept_file(schema: &mut schemars::Schema) {
    bare_name::accept_name::<DeliveryTrace>(schema);
    let file = serde_json::json!({
        "type": "string", "description": "the file for both directions", bare_name::KEYWORD: "",
    });
    if let Some(alternative) = schema.pointer_mut("/anyOf/0") {
        *alternative = file;
    }
}

/// A recording made by another program: a file, or its contents.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(transform = engine::bare_name::accept_name::<Recording>)]
pub struct Recording {
    /// The file, relative to the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Text of the file, as stored in result directories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<String>,
    /// Format of the recording; recognized by default. A `delivery_trace` has the format of Mahimahi.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = Format::default()))]
    pub format: Format,
    /// Whether the recording repeats from its end. A `delivery_trace` always repeats; a `link_trace` keeps its last row
    /// by default.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = bool::default()))]
    pub repeat: bool,
}

engine::bare_name! { Recording, "file" }
