//! I-TCP: the connection is split at the base station (Bakre1995).
//!
//! Two connections are terminated back to back in the node, toward the fixed host in the mobile's place and toward the
//! mobile in the fixed host's. Packets carry the addresses, ports and numbers of the far ends, so the split is
//! invisible to both. Data from one end is acknowledged at once, buffered, and sent on by the other connection, which
//! has a variant, a window and timers of its own; losses on the radio link never reach the sender. The cost is the
//! end-to-end meaning of acknowledgments: the sender sees bytes acknowledged that only the node has.
//!
//! Deviations from the paper: the mobile does not ask the node for a connection by a protocol of its own, the node
//! stands in by itself (as the later transparent proxies do); there is no handoff. Rules and limits:
//! docs/models/split.md.

mod ends;
mod flow;
mod opening;
mod proxy;

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tcp::config::Tries;
use tcp::presets::{self, Preset};

use super::{Agent, Place, Semantics, Traits};

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Lost,
        changes: &[Place::BaseStation],
        uploads: &[Place::BaseStation],
        hears_link_layer: false,
    }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Bytes kept for each flow each way; the window toward the sender closes when they are full.
    #[serde(default = "classic_window")]
    pub buffer: Bytes,
    /// Flows split at most. The packets of others pass untouched.
    #[serde(default = "thousand")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub flows: u32,
    /// The connection toward the fixed host.
    #[serde(default)]
    pub wired: Side,
    /// The connection toward the mobile.
    #[serde(default)]
    pub wireless: Side,
    /// Whether ends whose handshake was not seen understand SACK.
    #[serde(default)]
    pub assume_sack: bool,
}

/// One of the two connections. Unset keys default to its variant's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// A name of `lasthop list variants`.
    #[serde(default = "reno")]
    pub variant: String,
    /// Congestion window at the beginning, in segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub initial_window: Option<u32>,
    /// The least retransmission timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Span>,
    /// How often a segment is sent again before the end is given up, and with it what is kept for it.
    #[serde(default = "fifteen")]
    #[schemars(range(max = 255))]
    pub retries: u32,
}

/// The largest window without scaling.
fn classic_window() -> Bytes {
    Bytes(65_535)
}

fn thousand() -> u32 {
    1000
}

fn reno() -> String {
    "reno".into()
}

/// tcp_retries2 of Linux; what RFC 9293 asks for, at least 100 s [RFC9293 s3.8.3], takes less.
fn fifteen() -> u32 {
    15
}

impl Default for Config {
    fn default() -> Self {
        let side = Side::default();
        Config { buffer: classic_window(), flows: thousand(), wired: side.clone(), wireless: side, assume_sack: false }
    }
}

impl Default for Side {
    fn default() -> Self {
        Side { variant: reno(), initial_window: None, min_rto: None, retries: fifteen() }
    }
}

/// The largest window that can be advertised [RFC7323 s2.3].
const LARGEST_BUFFER: u64 = 1 << 30;
const MOST_FLOWS: u32 = 1_000_000;
const MOST_RETRIES: u32 = 255;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(1..=LARGEST_BUFFER).contains(&self.buffer.0) {
            let fault = Fault::new("buffer", self.buffer, "at least 1 byte and at most 1 GiB");
            faults.push(fault.hint("less than two segments of each flow makes it wait for every acknowledgment"));
        }
        if !(1..=MOST_FLOWS).contains(&self.flows) {
            faults.push(Fault::new("flows", self.flows, format!("1 to {MOST_FLOWS} flows")));
        }
        let keys = |side| match side {
            "wired" => ["wired.variant", "wired.initial_window", "wired.min_rto", "wired.retries"],
            _ => ["wireless.variant", "wireless.initial_window", "wireless.min_rto", "wireless.retries"],
        };
        faults
            .extend([(&self.wired, "wired"), (&self.wireless, "wireless")].iter().flat_map(|(s, n)| s.check(keys(n))));
        faults
    }
}

impl Side {
    fn check(&self, [variant, initial_window, min_rto, retries]: [&'static str; 4]) -> Vec<Fault> {
        let mut faults = Vec::new();
        if presets::find(&self.variant).is_none() {
            let fault = Fault::new(variant, format!("\"{}\"", self.variant), "a TCP variant");
            faults.push(fault.hint(format!("one of {}", presets::names().join(", "))));
        }
        if let Some(segments) = self.initial_window.filter(|segments| !(1..=1000).contains(segments)) {
            faults.push(Fault::new(initial_window, segments, "a whole number of segments, 1 to 1000"));
        }
        let most = self.tcp(classic_window()).max_rto;
        if let Some(least) = self.min_rto.filter(|least| *least == Span::ZERO || *least > most) {
            faults.push(Fault::new(min_rto, least, format!("more than nothing and at most {most}")));
        }
        if self.retries > MOST_RETRIES {
            faults.push(Fault::new(retries, self.retries, format!("0 to {MOST_RETRIES} times")));
        }
        faults
    }

    /// The settings of a connection that keeps `buffer` bytes.
    fn tcp(&self, buffer: Bytes) -> tcp::Config {
        let mut config = presets::find(&self.variant).map_or_else(tcp::Config::default, Preset::config);
        config.window = buffer;
        config.initial_window = self.initial_window.unwrap_or(config.initial_window);
        config.min_rto = self.min_rto.unwrap_or(config.min_rto);
        config.retries.data = Tries::Max(self.retries);
        config
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(proxy::Proxy::new(self)))
    }
}
