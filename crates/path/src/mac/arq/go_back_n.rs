//! Go-back-N: the far end takes frames in sequence only and keeps none; when the oldest frame's timer expires, that
//! frame and all behind it are sent again [LinCostello2004 ch. 22].
//!
//! Acknowledgments are cumulative, and every frame that arrives is answered by one, so the next makes up for a lost one
//! if it comes before the timer. Deliveries are always in sequence.
//!
//! Deviations: the far end sends no negative acknowledgment, so a loss is found by the timer alone; numbers never wrap.

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
    /// How many frames may be on their way unacknowledged.
    #[serde(default = "sixty_four")]
    #[schemars(range(min = 1))]
    pub window: u32,
    /// How often a frame may fail as the oldest of the window before it is given up.
    #[serde(default = "nine")]
    #[schemars(range(min = 1))]
    pub max_transmissions: u32,
    /// How long beyond the earliest possible acknowledgment the sender waits.
    #[serde(default = "one_millisecond")]
    pub margin: Span,
    /// Bytes of a link acknowledgment.
    #[serde(default = "ack_size")]
    pub ack_size: Bytes,
}

impl Default for Config {
    fn default() -> Self {
        Config { window: sixty_four(), max_transmissions: nine(), margin: one_millisecond(), ack_size: ack_size() }
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
            policy: Policy::GoBackN,
            window: self.window,
            max_transmissions: self.max_transmissions,
            margin: self.margin,
            ack_size: self.ack_size.0 as u32,
        }
        .into()
    }
}
