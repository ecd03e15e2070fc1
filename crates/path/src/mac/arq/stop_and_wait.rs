//! The semi-reliable stop-and-wait link layer of the thesis [goel1997 4.3.1 (5)].
//!
//! A frame is sent and its acknowledgment awaited. The receiver acknowledges at once, without contention and ahead of
//! queued data; the acknowledgment crosses the same channel. If none has arrived when the timer expires, `transmission
//! + 2 x propagation + transmission of the acknowledgment + margin` after the frame began, the frame is retransmitted;
//! after `max_transmissions` transmissions the packet is dropped.
//!
//! Deviation: the thesis does not give the size of a link acknowledgment; the default is the size in 802.11, 14 bytes.

use engine::Span;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ACK_SIZE, Arq};

/// How the receiver distinguishes a retransmission from a new frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// A retransmission keeps its frame number: the receiver discards a frame that it has already received.
    #[default]
    PerFrame,
    /// Each transmission has a separate number, as the event trace of appendix B.4 shows: a frame whose acknowledgment
    /// was lost is delivered twice.
    PerTransmission,
}

/// The parameters of a stop-and-wait sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StopAndWait {
    /// Maximum number of transmissions of a frame.
    pub max_transmissions: u32,
    /// Time beyond the earliest possible acknowledgment after which the timer expires.
    pub margin: Span,
    /// Size of a link acknowledgment in bytes.
    pub ack_size: u32,
    /// Numbering of retransmissions.
    pub numbering: Numbering,
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Maximum number of transmissions of a frame, the first included. The thesis's "8 attempts" are 8 retries.
    #[serde(default = "default_max_attempts")]
    #[schemars(range(min = 1))]
    pub max_transmissions: u32,
    /// Time beyond the earliest possible acknowledgment after which the timer expires.
    #[serde(default = "one_millisecond")]
    pub margin: Span,
    /// Numbering of retransmissions; `per-frame` unless the profile says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("profileDefaults" = { "exact": Numbering::default(), "goel1997": GOEL1997 }))]
    pub numbering: Option<Numbering>,
}

fn default_max_attempts() -> u32 {
    9
}

fn one_millisecond() -> Span {
    Span::from_millis(1)
}

impl Default for Config {
    fn default() -> Self {
        Config { max_transmissions: default_max_attempts(), margin: one_millisecond(), numbering: None }
    }
}

/// Numbering of the thesis's program.
const GOEL1997: Numbering = Numbering::PerTransmission;

/// Maximum margin.
const MAX_MARGIN: Span = Span::from_secs(3600);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(1..=10_000).contains(&self.max_transmissions) {
            let expected = "1 to 10000, the first transmission included";
            faults.push(Fault::new("max_transmissions", self.max_transmissions, expected));
        }
        if self.margin > MAX_MARGIN {
            faults.push(Fault::new("margin", self.margin, "at most an hour"));
        }
        faults
    }

    fn goel1997(&mut self) {
        self.numbering.get_or_insert(GOEL1997);
    }
}

impl Config {
    /// Returns the parameters of a sender.
    pub fn parameters(&self) -> StopAndWait {
        StopAndWait {
            max_transmissions: self.max_transmissions,
            margin: self.margin,
            ack_size: ACK_SIZE,
            numbering: self.numbering.unwrap_or_default(),
        }
    }

    /// Returns the link layer.
    pub fn build(&self) -> Arq {
        self.parameters().into()
    }
}
