//! I-TCP: the connection is split at the base station (Bakre1995).
//!
//! Two connections are terminated back to back in the node: one toward the fixed host that impersonates the mobile, one
//! toward the mobile that impersonates the fixed host. Packets carry the addresses, ports and sequence numbers of the
//! far ends, so the split is invisible to both. Data from one end is acknowledged at once, buffered, and sent on by the
//! other connection, which has its own variant, window and timers; the sender never notices losses on the radio link.
//! The cost is the end-to-end meaning of acknowledgments: bytes are acknowledged that only the node has.
//!
//! Deviations from the paper: the mobile does not request a connection from the node by a special protocol, the node
//! splits connections transparently (as later proxies do); there is no handoff. Rules and limits: docs/models/split.md.

mod ends;
mod flow;
mod opening;
mod proxy;

use engine::Span;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tcp::config::{BufferSizes, ReceiveWindow, Tries};
use tcp::presets::{self, Preset};

use super::{Agent, Effect, SchemeAction, SchemeNode, Semantics, Traits};

/// Actions that pictures mark.
const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "segments_forwarded", label: "second connection: segment sent", effect: Effect::Forwards },
    SchemeAction {
        event: "segments_resent",
        label: "second connection: segment retransmitted",
        effect: Effect::Resends,
    },
    SchemeAction { event: "acks_sent", label: "ACK sent for the receiver", effect: Effect::Acknowledges },
    SchemeAction { event: "acks_consumed", label: "second connection: ACK", effect: Effect::DropsAck },
];

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Lost,
        changes: &[SchemeNode::BaseStation],
        uploads: &[SchemeNode::BaseStation],
        needs_link_reports: false,
        actions: ACTIONS,
    }
}

/// Settings of the scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Receive window of both connections, toward each end. A size is the buffer per flow and direction: the window
    /// toward the sender closes when the buffer is full. Default: the receive window of the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<ReceiveWindow>,
    /// Maximum number of split flows. Packets of other flows pass unchanged.
    #[serde(default = "default_max_flows")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub flows: u32,
    /// Connection toward the fixed host.
    #[serde(default)]
    pub wired: Side,
    /// Connection toward the mobile.
    #[serde(default)]
    pub wireless: Side,
    /// True if ends whose handshake was not seen are assumed to support SACK.
    #[serde(default)]
    pub assume_sack: bool,
}

/// Settings of one of the two connections. Unset keys have the values of the connection's variant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schemars(transform = engine::bare_name::accept_name::<Side>)]
pub struct Side {
    /// TCP variant; the names are printed by `lasthop list variants`.
    #[serde(default = "default_side_variant")]
    pub variant: String,
    /// Initial congestion window, in segments; the variant's if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub initial_window: Option<u32>,
    /// Minimum retransmission timeout; the variant's if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Span>,
    /// Maximum number of retransmissions of a segment before the connection is given up and its buffered data
    /// discarded.
    #[serde(default = "default_retries")]
    #[schemars(range(max = 255))]
    pub retries: u32,
}

engine::bare_name! { Side, "variant" }

fn default_max_flows() -> u32 {
    1000
}

fn default_side_variant() -> String {
    "reno".into()
}

/// Returns Linux's `tcp_retries2`, which lasts longer than the required 100 s [RFC9293 s3.8.3].
fn default_retries() -> u32 {
    15
}

impl Default for Config {
    fn default() -> Self {
        let side = Side::default();
        Config { buffer: None, flows: default_max_flows(), wired: side.clone(), wireless: side, assume_sack: false }
    }
}

impl Default for Side {
    fn default() -> Self {
        Side { variant: default_side_variant(), initial_window: None, min_rto: None, retries: default_retries() }
    }
}

/// Maximum buffer in bytes: the largest window that can be advertised [RFC7323 s2.3].
const MAX_BUFFER: u64 = 1 << 30;
const MAX_FLOWS: u32 = 1_000_000;
const MAX_RETRIES: u32 = 255;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        match self.buffer {
            Some(ReceiveWindow::Fixed(size)) if !(1..=MAX_BUFFER).contains(&size.0) => {
                let fault = Fault::new("buffer", size, "at least 1 byte and at most 1 GiB");
                faults.push(fault.hint("with less than two segments a flow waits for every acknowledgment"));
            }
            Some(window @ ReceiveWindow::Autotuned(sizes)) if !sizes.are_valid() => {
                faults.push(Fault::new("buffer", window, BufferSizes::EXPECTED));
            }
            _ => {}
        }
        if !(1..=MAX_FLOWS).contains(&self.flows) {
            faults.push(Fault::new("flows", self.flows, format!("1 to {MAX_FLOWS} flows")));
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
        if presets::find_preset(&self.variant).is_none() {
            let fault = Fault::new(variant, format!("\"{}\"", self.variant), "a TCP variant");
            faults.push(fault.hint(format!("one of {}", presets::list_variants().join(", "))));
        }
        if let Some(segments) = self.initial_window.filter(|segments| !(1..=1000).contains(segments)) {
            faults.push(Fault::new(initial_window, segments, "a whole number of segments, 1 to 1000"));
        }
        let max = self.tcp().max_rto;
        if let Some(min) = self.min_rto.filter(|min| *min == Span::ZERO || *min > max) {
            faults.push(Fault::new(min_rto, min, format!("more than 0 and at most {max}")));
        }
        if self.retries > MAX_RETRIES {
            faults.push(Fault::new(retries, self.retries, format!("0 to {MAX_RETRIES} times")));
        }
        faults
    }

    /// Returns the configuration of a connection, whose receive window the proxy sets for each flow.
    fn tcp(&self) -> tcp::Config {
        let mut config = presets::find_preset(&self.variant).map_or_else(tcp::Config::default, Preset::config);
        config.initial_window = self.initial_window.unwrap_or(config.initial_window);
        config.min_rto = self.min_rto.unwrap_or(config.min_rto);
        config.retries.data = Tries::Max(self.retries);
        config
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(proxy::Proxy::new(self)))
    }
}
