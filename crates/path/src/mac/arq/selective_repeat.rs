//! Selective repeat: each frame is acknowledged by itself, and only one whose own timer expires is sent again, before
//! any new one [LinCostello2004 ch. 22].
//!
//! The far end buffers frames behind a gap, at most a window of them. With `in_order` it hands packets up in sequence;
//! a frame that was given up is skipped one propagation delay after the sender gave it up. That models the far end's
//! own timer (t-Reassembly of LTE and 5G), here neither early nor late. Without `in_order` packets are handed up on
//! arrival.
//!
//! Deviations: numbers never wrap; an acknowledgment names one frame, so one that is lost costs a transmission.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Arq;
use super::window::{self, Policy, SlidingWindow, ack_size, nine, one_millisecond, sixty_four};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// How many frames, from the oldest unacknowledged on, may have been sent.
    #[serde(default = "sixty_four")]
    #[schemars(range(min = 1))]
    pub window: u32,
    /// How often a frame is sent at most, the first time included.
    #[serde(default = "nine")]
    #[schemars(range(min = 1))]
    pub max_transmissions: u32,
    /// How long beyond the earliest possible acknowledgment the sender waits.
    #[serde(default = "one_millisecond")]
    pub margin: Span,
    /// Bytes of a link acknowledgment.
    #[serde(default = "ack_size")]
    pub ack_size: Bytes,
    /// Whether packets are handed up in sequence, or as they come.
    #[serde(default = "yes")]
    pub in_order: bool,
}

fn yes() -> bool {
    true
}

impl Default for Config {
    fn default() -> Self {
        Config {
            window: sixty_four(),
            max_transmissions: nine(),
            margin: one_millisecond(),
            ack_size: ack_size(),
            in_order: yes(),
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        window::faults(self.window, self.max_transmissions, self.margin, self.ack_size)
    }
}

impl Config {
    /// The link layer.
    pub fn build(&self) -> Arq {
        SlidingWindow {
            policy: Policy::SelectiveRepeat { in_order: self.in_order },
            window: self.window,
            max_transmissions: self.max_transmissions,
            margin: self.margin,
            ack_size: self.ack_size.0 as u32,
        }
        .into()
    }
}
