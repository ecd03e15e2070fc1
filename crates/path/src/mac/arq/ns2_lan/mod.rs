//! ns-2's LAN (`make-lan` with the default `LL`, `Mac` and `Channel`): frames are sent once and never acknowledged, as
//! without a link layer, with three differences.
//!
//! - Each frame has a header of 64 bytes [ns-2 mac/mac.h: `MAC_HDR_LEN`, `Mac::txtime`], so 1000 bytes take 4.256 ms at
//!   2 Mbps.
//! - The link's delay applies at *both* ends: before the queue [ns-2 mac/ll.cc: `LL::sendDown`] and after reception
//!   (`LL::sendUp`).
//! - A sender is busy for the time of its frame, but the far end has the frame `propagation` after its transmission
//!   *begins* [ns-2 mac/mac.cc: `Mac::sendDown` hands the packet down at once and only its own `resume` waits;
//!   `Mac::sendUp`; mac/channel.cc: `Channel::sendUp`, `delay_`].
//!
//! The base class `Mac` senses no carrier: stations never collide, and both directions run at the full rate at once.
//! `sender` implements it.

mod sender;

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Arq;
use sender::LanSender;

/// Parameters of a sender on ns-2's LAN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lan {
    /// Bytes of a frame in addition to its packet.
    pub header: u32,
    /// Time from the beginning of a transmission to the frame's arrival at the far end.
    pub propagation: Span,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Bytes of a frame in addition to its packet.
    pub header: Bytes,
    /// Propagation delay of the frame, in addition to the link's delay at both ends.
    pub propagation: Span,
}

impl Default for Config {
    fn default() -> Self {
        Config { header: Bytes(64), propagation: Span::from_nanos(4_000) }
    }
}

/// Maximum size of the header.
const MAX_HEADER: u64 = 1500;
const MAX_PROPAGATION: Span = Span::from_secs(3600);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.header.0 > MAX_HEADER {
            faults.push(Fault::new("header", self.header, "at most 1500 B"));
        }
        if self.propagation > MAX_PROPAGATION {
            faults.push(Fault::new("propagation", self.propagation, "at most 1 h"));
        }
        faults
    }
}

impl Config {
    /// Returns the link layer.
    pub fn build(&self) -> Arq {
        let lan = Lan { header: self.header.0.min(MAX_HEADER) as u32, propagation: self.propagation };
        Arq::own(move |parts| LanSender::new(parts, lan)).in_order(true).agent_before_delay()
    }
}
